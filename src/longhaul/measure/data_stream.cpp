#include "longhaul/measure/data_stream.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "longhaul/core/random.hpp"
#include "longhaul/transport/clock.hpp"
#include "longhaul/transport/wire.hpp"

namespace longhaul::measure {
namespace {

using core::Seconds;
using transport::Io;
using transport::IoError;

constexpr std::uint32_t kMessageMagic = 0x4c484d31;  // "LHM1"
constexpr std::size_t kHeaderSize = 16;
constexpr std::size_t kPoolSize = 4U << 20U;
constexpr std::size_t kReceiveBlock = 256U << 10U;
constexpr double kNanoseconds = 1e9;
constexpr double kUnsentShare = 0.25;  // a buffer that follows the window holds about as much again
constexpr Seconds kHour{3600};

std::uint64_t nanoseconds(Seconds time) {
    return static_cast<std::uint64_t>(std::max(0.0, kNanoseconds * time.value()));
}

/// Reads and forgets; the buffer is the caller's.
Io<void> swallow(transport::Socket& socket,
                 std::string& block,
                 std::uint64_t bytes,
                 Seconds deadline) {
    while (bytes > 0) {
        const std::uint64_t want = std::min<std::uint64_t>(bytes, block.size());
        const transport::MutableBytes into = transport::bytes_of(block).first(want);
        const Io<std::size_t> got = socket.receive_some(into);
        if (!got) {
            return tl::unexpected(got.error());
        }
        bytes -= *got;
        if (*got == 0) {
            if (Io<void> one = socket.receive_all(into.first(1), deadline); !one) {
                return one;
            }
            --bytes;
        }
    }
    return {};
}

/// Sends all of it. Returns for how long it waited for room in the send buffer although little in
/// it was still unsent: then not the link or the congestion window is the limit, but the buffer.
/// (The kernel's own counter stops while paced data waits, and so misses most of it.)
Io<double> send_watching(transport::Socket& socket, transport::Bytes bytes, Seconds deadline) {
    double full = 0;
    while (!bytes.empty()) {
        const Io<std::size_t> sent = socket.send_some(bytes);
        if (!sent) {
            return tl::unexpected(sent.error());
        }
        bytes = bytes.subspan(*sent);
        if (*sent > 0) {
            continue;
        }
        const Seconds begin = transport::now();
        if (begin >= deadline) {
            return transport::io_error(IoError::Kind::kTimeout, "the time is up");
        }
        const transport::TcpState state = transport::tcp_state(socket);
        std::vector<transport::Watch> watches{{socket.fd(), false, true}};
        transport::wait(watches, deadline - begin);
        const bool under_way = state.unsent_bytes < kUnsentShare * state.in_flight_bytes;
        full += under_way ? (transport::now() - begin).value() : 0;
    }
    return full;
}

}  // namespace

std::shared_ptr<transport::Socket> SocketSet::add(transport::Socket socket) {
    auto shared = std::make_shared<transport::Socket>(std::move(socket));
    const std::lock_guard lock(mutex_);
    std::erase_if(owned_, [](const auto& old) { return old.expired(); });
    owned_.push_back(shared);
    if (ended_) {
        shared->shut_down();
    }
    return shared;
}

void SocketSet::watch(const transport::Socket& socket) {
    const std::lock_guard lock(mutex_);
    watched_.push_back(&socket);
    if (ended_) {
        socket.shut_down();
    }
}

void SocketSet::remove(const transport::Socket& socket) {
    const std::lock_guard lock(mutex_);
    std::erase(watched_, &socket);
}

void SocketSet::end() {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    for (const std::weak_ptr<transport::Socket>& weak : owned_) {
        if (const auto socket = weak.lock()) {
            socket->shut_down();
        }
    }
    for (const transport::Socket* socket : watched_) {
        socket->shut_down();
    }
}

bool SocketSet::ended() const {
    const std::lock_guard lock(mutex_);
    return ended_;
}

bool ByteBudget::take(double bytes, Seconds now) {
    const std::lock_guard lock(mutex_);
    if (now - since_ > kHour) {
        since_ = now;
        used_ = 0;
    }
    if (used_ + bytes > limit_) {
        return false;
    }
    used_ += bytes;
    return true;
}

void RoundBook::arrived(std::uint32_t number, Seconds at) {
    const std::lock_guard lock(mutex_);
    Entry& entry = entries_[number];
    ++entry.count;
    entry.last = std::max(entry.last, at);
    entries_.erase(entries_.begin(), entries_.lower_bound(number > 16 ? number - 16 : 0));
    changed_.notify_all();
}

std::optional<Seconds> RoundBook::wait_for(std::uint32_t number, int count, Seconds deadline) {
    std::unique_lock lock(mutex_);
    const auto there = [&] { return ended_ || entries_[number].count >= count; };
    const double left = std::max(0.0, (deadline - transport::now()).value());
    const bool good = changed_.wait_for(lock, std::chrono::duration<double>(left), there);
    return good && !ended_ ? std::optional(entries_[number].last) : std::nullopt;
}

void RoundBook::end() {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    changed_.notify_all();
}

std::string payload_pool(std::uint64_t seed) {
    core::Random random(seed);
    std::string pool(kHeaderSize, '\0');
    pool.reserve(kHeaderSize + kPoolSize);
    while (pool.size() < kHeaderSize + kPoolSize) {
        transport::put_number(pool, random.next());
    }
    return pool;
}

Io<SendTimes> send_message(transport::Socket& socket,
                           std::string& pool,
                           std::uint32_t number,
                           std::uint64_t bytes,
                           Seconds start,
                           Seconds deadline) {
    std::string header;
    transport::put_number(header, kMessageMagic);
    transport::put_number(header, number);
    transport::put_number(header, bytes);
    std::ranges::copy(header, pool.begin());
    const transport::Bytes all = transport::bytes_of(std::string_view(pool));
    SendTimes times;
    times.before = transport::tcp_state(socket);
    transport::sleep_until(start);
    const Seconds cpu = transport::thread_cpu_time();
    times.begin = transport::now();
    for (std::uint64_t left = bytes, first = 1; first == 1 || left > 0; first = 0) {
        const std::uint64_t part = std::min<std::uint64_t>(left, kPoolSize);
        const transport::Bytes chunk =
            first == 1 ? all.first(kHeaderSize + part) : all.subspan(kHeaderSize, part);
        const Io<double> full = send_watching(socket, chunk, deadline);
        if (!full) {
            return tl::unexpected(full.error());
        }
        times.buffer_full_s += *full;
        left -= part;
    }
    std::string answer(kHeaderSize, '\0');
    if (Io<void> got = socket.receive_all(transport::bytes_of(answer), deadline); !got) {
        return tl::unexpected(got.error());
    }
    times.end = transport::now();
    times.cpu_s = (transport::thread_cpu_time() - cpu).value();
    times.after = transport::tcp_state(socket);
    const std::string_view said = answer;
    times.receive_s =
        static_cast<double>(transport::get_number<std::uint64_t>(said)) / kNanoseconds;
    times.receiver_cpu_s =
        static_cast<double>(transport::get_number<std::uint64_t>(said.substr(8))) / kNanoseconds;
    return times;
}

Io<void> receive_messages(transport::Socket& socket, const Allowance& allowance, RoundBook& book) {
    std::string block(kReceiveBlock, '\0');
    std::string header(kHeaderSize, '\0');
    double total = 0;
    while (true) {
        Io<void> got = socket.receive_all(transport::bytes_of(header), allowance.until);
        if (!got) {
            return got.error().kind == IoError::Kind::kClosed ? Io<void>() : got;
        }
        const Seconds begin = transport::now();
        const Seconds cpu = transport::thread_cpu_time();
        const std::string_view head = header;
        const auto number = transport::get_number<std::uint32_t>(head.substr(4));
        const auto bytes = transport::get_number<std::uint64_t>(head.substr(8));
        total += static_cast<double>(bytes);
        if (transport::get_number<std::uint32_t>(head) != kMessageMagic) {
            return transport::io_error(IoError::Kind::kProtocol, "no header of a message");
        }
        if (total > allowance.bytes || !allowance.budget->take(static_cast<double>(bytes), begin)) {
            return transport::io_error(
                IoError::Kind::kRefused,
                fmt::format("a message of {} bytes is more than this agent receives", bytes));
        }
        if (got = swallow(socket, block, bytes, allowance.until); !got) {
            return got;
        }
        const Seconds end = transport::now();
        std::string answer;
        transport::put_number(answer, nanoseconds(end - begin));
        transport::put_number(answer, nanoseconds(transport::thread_cpu_time() - cpu));
        if (got = socket.send_all(transport::bytes_of(std::string_view(answer)), allowance.until);
            !got) {
            return got;
        }
        book.arrived(number, end);
    }
}

}  // namespace longhaul::measure
