#include "longhaul/transport/socket.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>

#include <fmt/format.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "longhaul/transport/clock.hpp"

namespace longhaul::transport {
namespace {

constexpr int kBacklog = 1024;

sockaddr* as_sockaddr(sockaddr_storage& storage) {
    return reinterpret_cast<sockaddr*>(&storage);
}

int set_option(int fd, int level, int option, int value) {
    return ::setsockopt(fd, level, option, &value, sizeof value);
}

int milliseconds_left(core::Seconds deadline) {
    const double left = 1000 * (deadline - now()).value();
    return static_cast<int>(std::ceil(std::clamp(left, 0.0, 1e9)));
}

/// Waits until the descriptor is ready for `events`.
Io<void> await(int fd, short events, core::Seconds deadline) {
    while (true) {
        pollfd entry{fd, events, 0};
        const int count = ::poll(&entry, 1, milliseconds_left(deadline));
        if (count > 0) {
            return {};
        }
        if (count < 0 && errno != EINTR) {
            return system_error("poll");
        }
        if (now() >= deadline) {
            return io_error(IoError::Kind::kTimeout, "the time is up");
        }
    }
}

bool would_block() {
    return errno == EAGAIN || errno == EINTR;
}

Io<void> prepare(int fd, const ConnectOptions& options) {
    const std::string& control = options.congestion_control;
    if (!control.empty() && ::setsockopt(fd,
                                         IPPROTO_TCP,
                                         TCP_CONGESTION,
                                         control.data(),
                                         static_cast<socklen_t>(control.size())) != 0) {
        return io_error(IoError::Kind::kRefused,
                        fmt::format("congestion control {} may not be used here", control));
    }
    const auto patience = static_cast<int>(1000 * options.give_up_unacknowledged.value());
    if (set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1) != 0 ||
        set_option(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, patience) != 0) {
        return system_error("setsockopt");
    }
    return {};
}

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
    if (this != &other) {
        reset();
        fd_ = other.release();
    }
    return *this;
}

int Descriptor::release() noexcept {
    const int fd = fd_;
    fd_ = -1;
    return fd;
}

void Descriptor::reset() noexcept {
    if (fd_ >= 0) {
        ::close(fd_);
    }
    fd_ = -1;
}

Io<std::size_t> Socket::send_some(Bytes bytes) const {
    const ssize_t sent = ::send(fd(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
        return static_cast<std::size_t>(sent);
    }
    return would_block() ? Io<std::size_t>(0) : system_error("send");
}

Io<std::size_t> Socket::receive_some(MutableBytes bytes) const {
    const ssize_t got = ::recv(fd(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (got > 0) {
        return static_cast<std::size_t>(got);
    }
    if (got == 0) {
        return bytes.empty() ? Io<std::size_t>(0)
                             : io_error(IoError::Kind::kClosed, "the other end closed");
    }
    return would_block() ? Io<std::size_t>(0) : system_error("recv");
}

Io<void> Socket::send_all(Bytes bytes, core::Seconds deadline) const {
    while (!bytes.empty()) {
        const Io<std::size_t> sent = send_some(bytes);
        if (!sent) {
            return tl::unexpected(sent.error());
        }
        bytes = bytes.subspan(*sent);
        if (*sent == 0) {
            if (Io<void> ready = await(fd(), POLLOUT, deadline); !ready) {
                return ready;
            }
        }
    }
    return {};
}

Io<void> Socket::receive_all(MutableBytes bytes, core::Seconds deadline) const {
    while (!bytes.empty()) {
        const Io<std::size_t> got = receive_some(bytes);
        if (!got) {
            return tl::unexpected(got.error());
        }
        bytes = bytes.subspan(*got);
        if (*got == 0) {
            if (Io<void> ready = await(fd(), POLLIN, deadline); !ready) {
                return ready;
            }
        }
    }
    return {};
}

void Socket::shut_down() const noexcept {
    ::shutdown(fd(), SHUT_RDWR);
}

void Socket::reset_connection() {
    const linger now_and_hard{1, 0};
    ::setsockopt(fd(), SOL_SOCKET, SO_LINGER, &now_and_hard, sizeof now_and_hard);
    descriptor_.reset();
}

Address Socket::remote() const {
    sockaddr_storage storage{};
    socklen_t size = sizeof storage;
    const bool good = ::getpeername(fd(), as_sockaddr(storage), &size) == 0;
    return good ? Address::from_system(storage) : Address();
}

Address Socket::local() const {
    sockaddr_storage storage{};
    socklen_t size = sizeof storage;
    const bool good = ::getsockname(fd(), as_sockaddr(storage), &size) == 0;
    return good ? Address::from_system(storage) : Address();
}

std::string Socket::congestion_control() const {
    std::array<char, 16> name{};
    socklen_t size = name.size();
    if (::getsockopt(fd(), IPPROTO_TCP, TCP_CONGESTION, name.data(), &size) != 0) {
        return "";
    }
    return {name.data(), ::strnlen(name.data(), name.size())};
}

Io<Socket> connect_to(const Address& address,
                      const ConnectOptions& options,
                      core::Seconds deadline) {
    const int family = address.is_v6() ? AF_INET6 : AF_INET;
    Descriptor descriptor(::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!descriptor.valid()) {
        return system_error("socket");
    }
    if (const Io<void> ready = prepare(descriptor.get(), options); !ready) {
        return tl::unexpected(ready.error());
    }
    sockaddr_storage storage{};
    if (options.source && options.source->is_v6() == address.is_v6()) {
        const unsigned own = options.source->to_system(storage);
        if (::bind(descriptor.get(), as_sockaddr(storage), own) != 0 && errno != EADDRNOTAVAIL) {
            return system_error("come from " + options.source->host());
        }
    }
    const unsigned length = address.to_system(storage);
    if (::connect(descriptor.get(), as_sockaddr(storage), length) != 0 && errno != EINPROGRESS) {
        return system_error("connect to " + address.text());
    }
    if (const Io<void> ready = await(descriptor.get(), POLLOUT, deadline); !ready) {
        return io_error(ready.error().kind, "connect to " + address.text() + ": no answer in time");
    }
    int error = 0;
    socklen_t size = sizeof error;
    ::getsockopt(descriptor.get(), SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0) {
        errno = error;
        return system_error("connect to " + address.text());
    }
    return Socket(std::move(descriptor));
}

core::Result<Listener> Listener::open(const Address& address) {
    const int family = address.is_v6() ? AF_INET6 : AF_INET;
    Listener listener;
    listener.descriptor_ =
        Descriptor(::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const int fd = listener.descriptor_.get();
    sockaddr_storage storage{};
    socklen_t size = address.to_system(storage);
    if (fd < 0 || set_option(fd, SOL_SOCKET, SO_REUSEADDR, 1) != 0 ||
        ::bind(fd, as_sockaddr(storage), size) != 0 || ::listen(fd, kBacklog) != 0) {
        return core::fail({"",
                           address.text(),
                           system_error("cannot listen").value().what,
                           "use an address of this machine and a free port; port 0 takes one"});
    }
    size = sizeof storage;
    ::getsockname(fd, as_sockaddr(storage), &size);
    listener.address_ = Address::from_system(storage);
    return listener;
}

Io<Socket> Listener::accept_one() {
    Descriptor descriptor(
        ::accept4(descriptor_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!descriptor.valid()) {
        const bool nobody = would_block() || errno == ECONNABORTED;
        return nobody ? Io<Socket>(Socket()) : system_error("accept");
    }
    if (const Io<void> ready = prepare(descriptor.get(), ConnectOptions()); !ready) {
        return Socket();
    }
    return Socket(std::move(descriptor));
}

void wait(std::vector<Watch>& watches, core::Seconds timeout) {
    std::vector<pollfd> entries;
    entries.reserve(watches.size());
    for (const Watch& watch : watches) {
        const int events = (watch.read ? POLLIN : 0) | (watch.write ? POLLOUT : 0);
        entries.push_back({watch.fd, static_cast<short>(events), 0});
    }
    const int count = ::poll(entries.data(), entries.size(), milliseconds_left(now() + timeout));
    for (std::size_t i = 0; i < watches.size(); ++i) {
        watches[i].ready = count > 0 && entries[i].revents != 0;
    }
}

Waker::Waker() : descriptor_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

void Waker::notify() const {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t ignored = ::write(descriptor_.get(), &one, sizeof one);
}

void Waker::drain() const {
    std::uint64_t count = 0;
    [[maybe_unused]] const ssize_t ignored = ::read(descriptor_.get(), &count, sizeof count);
}

}  // namespace longhaul::transport
