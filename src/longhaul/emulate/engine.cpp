#include "longhaul/emulate/engine.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <ctime>

#include <sched.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/timerfd.h>
#include <unistd.h>

namespace longhaul::emulate {
namespace {

constexpr double kNsPerSecond = 1e9;
constexpr double kGrainNs = 1e6;      // of a millisecond
constexpr std::size_t kSmall = 2048;  // bytes; most packets are super-packets or acknowledgements
constexpr int kBatch = 16;            // packets of one device before the others have their turn
constexpr int kRealTimePriority = 10;
constexpr int kMaxEvents = 64;

double monotonic_ns() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<double>(now.tv_sec) * kNsPerSecond + static_cast<double>(now.tv_nsec);
}

std::uint64_t tree_key(std::size_t host, std::uint32_t address) {
    return (static_cast<std::uint64_t>(host) << 32U) | address;
}

}  // namespace

Engine::Engine(const Wan& wan, std::vector<int> devices)
    : wan_(wan),
      devices_(std::move(devices)),
      scheduler_(wan, *this),
      input_(std::make_unique<std::uint8_t[]>(kMaxPacket)),  // NOLINT(*-avoid-c-arrays)
      start_ns_(monotonic_ns()) {
    for (std::size_t i = 0; i < wan.hosts.size(); ++i) {
        host_of_address_[wan.hosts[i].address] = static_cast<int>(i);
    }
    for (std::size_t i = 0; i < wan.trees.size(); ++i) {
        trees_[tree_key(wan.trees[i].source, wan.trees[i].address)] = i;
    }
    traffic_.hosts.resize(wan.hosts.size());
    poll_ = Fd(epoll_create1(EPOLL_CLOEXEC));
    timer_ = Fd(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC));
}

double Engine::now_ns() const {
    return monotonic_ns() - start_ns_;
}

core::Result<void> Engine::watch(int fd, std::function<void()> action) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = actions_.size();
    actions_.push_back(std::move(action));
    if (epoll_ctl(poll_.get(), EPOLL_CTL_ADD, fd, &event) != 0) {
        return system_failure("", "epoll", "raise the limit of open files (ulimit -n)");
    }
    return {};
}

/// Before all ordinary processes, and with timers that are not grouped. A child starts without.
void Engine::be_punctual() {
    prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
    sched_param parameters{};
    parameters.sched_priority = kRealTimePriority;
    traffic_.real_time = sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &parameters) == 0;
}

core::Result<void> Engine::run() {
    be_punctual();
    core::Result<void> watching = watch(timer_.get(), [this] {
        std::uint64_t expirations = 0;
        static_cast<void>(read(timer_.get(), &expirations, sizeof expirations));
        armed_ns_ = std::numeric_limits<double>::infinity();
    });
    for (std::size_t i = 0; i < devices_.size() && watching; ++i) {
        watching = watch(devices_[i], [this, i] { read_device(i); });
    }
    running_ = true;
    std::array<epoll_event, kMaxEvents> events{};
    while (running_ && watching) {
        scheduler_.advance(now_ns());
        arm_timer();
        const int count = epoll_wait(poll_.get(), events.data(), kMaxEvents, -1);
        for (int i = 0; i < count; ++i) {
            actions_[events[static_cast<std::size_t>(i)].data.u64]();
        }
    }
    return watching;
}

/// Wakes the loop when the next event is due. Moves the timer only to earlier times: it may ring
/// too early, never too late.
void Engine::arm_timer() {
    const double next = scheduler_.next_ns();
    if (!(next < armed_ns_)) {
        return;
    }
    const double grain = wan_.grain_ms * kGrainNs;
    const double ring = grain > 0 ? std::ceil(next / grain) * grain : next;
    if (!(ring < armed_ns_)) {
        return;
    }
    armed_ns_ = ring;
    const double at = std::max(1.0, std::ceil(ring + start_ns_));
    itimerspec setting{};
    setting.it_value.tv_sec = static_cast<time_t>(at / kNsPerSecond);
    setting.it_value.tv_nsec =
        static_cast<long>(at - static_cast<double>(setting.it_value.tv_sec) * kNsPerSecond);
    timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &setting, nullptr);
}

void Engine::read_device(std::size_t host) {
    for (int i = 0; i < kBatch; ++i) {
        const ssize_t size = read(devices_[host], input_.get(), kMaxPacket);
        if (size <= 0) {
            return;
        }
        accept(host, static_cast<std::size_t>(size), now_ns());
    }
}

/// Where packets of a host to an address go; nothing when there is no way.
std::optional<int> Engine::path_of(std::size_t host, std::uint32_t destination) const {
    if (const auto to = host_of_address_.find(destination); to != host_of_address_.end()) {
        const bool other = static_cast<std::size_t>(to->second) != host;
        return other ? std::optional(static_cast<int>(host * wan_.hosts.size()) + to->second)
                     : std::nullopt;
    }
    const auto tree = trees_.find(tree_key(host, destination));
    return tree != trees_.end() ? std::optional(scheduler_.tree_path(tree->second)) : std::nullopt;
}

void Engine::accept(std::size_t host, std::size_t size, double now) {
    const std::span<const std::uint8_t> packet(input_.get(), size);
    const auto frame = inspect(packet);
    const auto path = frame ? path_of(host, frame->destination) : std::nullopt;
    if (!path) {
        ++traffic_.unroutable;
        return;
    }
    Train train;
    train.path = *path;
    train.packets = frame->segments;
    train.packet_bytes = frame->wire_full(wan_.ethernet);
    train.last_bytes = frame->wire_last(wan_.ethernet);
    traffic_.hosts[host].sent_packets += static_cast<std::uint64_t>(train.packets);
    traffic_.hosts[host].sent_bytes += train.bytes();
    if (static_cast<std::size_t>(*path) < wan_.paths.size() &&
        wan_.paths[static_cast<std::size_t>(*path)].empty()) {
        hand_over(scheduler_.receiver(*path), packet, train.packets, train.bytes());
        return;
    }
    train.handle = keep(size, *frame);
    scheduler_.advance(now);
    scheduler_.arrive(now, train);
    scheduler_.advance(now);
}

/// Room for the packet that was just read. Small ones are copied; large ones keep the buffer, and
/// the next read gets another.
std::uint32_t Engine::keep(std::size_t size, const Frame& frame) {
    const bool large = size > kSmall;
    std::vector<std::uint32_t>& free = large ? free_large_ : free_small_;
    if (free.empty()) {
        free.push_back(static_cast<std::uint32_t>(slots_.size()));
        slots_.emplace_back().bytes =
            std::make_unique_for_overwrite<std::uint8_t[]>(  // NOLINT(*-avoid-c-arrays)
                large ? kMaxPacket : kSmall);
    }
    const std::uint32_t handle = free.back();
    free.pop_back();
    Slot& slot = slots_[handle];
    slot.size = size;
    slot.frame = frame;
    slot.trains = 1;
    slot.large = large;
    if (large) {
        std::swap(slot.bytes, input_);
    } else {
        std::copy_n(input_.get(), size, slot.bytes.get());
    }
    return handle;
}

void Engine::release(std::uint32_t handle) {
    Slot& slot = slots_[handle];
    if (--slot.trains == 0) {
        (slot.large ? free_large_ : free_small_).push_back(handle);
    }
}

void Engine::deliver(const Train& train) {
    const Slot& slot = slots_[train.handle];
    const std::size_t host = scheduler_.receiver(train.path);
    const std::span<const std::uint8_t> packet(slot.bytes.get(), slot.size);
    if (train.packets == slot.frame.segments) {
        hand_over(host, packet, train.packets, train.bytes());
    } else {
        const std::vector<std::uint8_t> piece = cut(packet, slot.frame, train.first, train.packets);
        hand_over(host, piece, train.packets, train.bytes());
    }
    const double late = now_ns() - train.tail_ns;
    ++traffic_.deliveries;
    traffic_.late_sum_ns += late;
    traffic_.late_max_ns = std::max(traffic_.late_max_ns, late);
    release(train.handle);
}

void Engine::hand_over(std::size_t host,
                       std::span<const std::uint8_t> packet,
                       int packets,
                       double bytes) {
    if (write(devices_[host], packet.data(), packet.size()) < 0) {
        return;  // the host has set its interface down
    }
    traffic_.hosts[host].received_packets += static_cast<std::uint64_t>(packets);
    traffic_.hosts[host].received_bytes += bytes;
}

Traffic Engine::traffic() const {
    Traffic traffic = traffic_;
    traffic.seconds = now_ns() / kNsPerSecond;
    return traffic;
}

}  // namespace longhaul::emulate
