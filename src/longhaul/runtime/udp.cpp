#include "longhaul/runtime/udp.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstring>
#include <ctime>

#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fmt/format.h>

#include "longhaul/transport/clock.hpp"

namespace longhaul::runtime {
namespace {

constexpr int kBuffer = 4 << 20;
constexpr std::size_t kLargest = 2048;
constexpr double kMs = 1e3;
constexpr double kNsOfMs = 1e6;
constexpr double kMostWaitMs = 1000;
constexpr std::size_t kControlBytes = 64;
constexpr double kOldestMs = 10e3;    // of a time stamp: else the clock was set meanwhile
constexpr int kRealTimePriority = 5;  // below the network itself

sockaddr_in to_system(std::uint32_t address, std::uint16_t port) {
    sockaddr_in system{};
    system.sin_family = AF_INET;
    system.sin_port = htons(port);
    system.sin_addr.s_addr = htonl(address);
    return system;
}

tl::unexpected<core::Diagnostics> failed(const std::string& what) {
    return core::fail({"",
                       "",
                       fmt::format("{}: {}", what, std::strerror(errno)),
                       "a Linux kernel with IPv4 multicast"});
}

/// Room for what arrives while others have the processor. Root may go beyond the limit.
void enlarge(int fd, int forced, int plain) {
    if (setsockopt(fd, SOL_SOCKET, forced, &kBuffer, sizeof kBuffer) != 0) {
        setsockopt(fd, SOL_SOCKET, plain, &kBuffer, sizeof kBuffer);
    }
}

/// What a time stamp of the kernel is on the clock that never jumps; now when there is none.
double stamp_of(const msghdr& message) {
    const double now = transport::now().value() * kMs;
    const cmsghdr* head = CMSG_FIRSTHDR(&message);
    if (head == nullptr || head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_TIMESTAMPNS) {
        return now;
    }
    timespec stamp{};
    std::memcpy(&stamp, CMSG_DATA(head), sizeof stamp);
    const double utc =
        static_cast<double>(stamp.tv_sec) * kMs + static_cast<double>(stamp.tv_nsec) / kNsOfMs;
    const double age = transport::utc_seconds().value() * kMs - utc;
    return age >= 0 && age < kOldestMs ? now - age : now;
}

}  // namespace

core::Result<UdpSocket> UdpSocket::open(std::uint32_t own, std::uint16_t port) {
    UdpSocket made;
    made.own_ = own;
    made.in_.resize(kLargest);
    made.descriptor_ =
        transport::Descriptor(socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!made.descriptor_.valid()) {
        return failed("UDP socket");
    }
    const int fd = made.descriptor_.get();
    enlarge(fd, SO_RCVBUFFORCE, SO_RCVBUF);
    enlarge(fd, SO_SNDBUFFORCE, SO_SNDBUF);
    const sockaddr_in any = to_system(INADDR_ANY, port);
    if (bind(fd, reinterpret_cast<const sockaddr*>(&any), sizeof any) != 0) {  // NOLINT
        return failed(fmt::format("UDP port {}", port));
    }
    const int yes = 1;
    setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &yes, sizeof yes);
    ip_mreqn interface{};
    interface.imr_address.s_addr = htonl(own);
    const int no = 0;
    if (setsockopt(fd, IPPROTO_IP, IP_MULTICAST_IF, &interface, sizeof interface) != 0 ||
        setsockopt(fd, IPPROTO_IP, IP_MULTICAST_LOOP, &no, sizeof no) != 0) {
        return failed("interface of multicast");
    }
    return made;
}

core::Result<void> UdpSocket::join(std::uint32_t group) {
    ip_mreqn request{};
    request.imr_multiaddr.s_addr = htonl(group);
    request.imr_address.s_addr = htonl(own_);
    if (setsockopt(fd(), IPPROTO_IP, IP_ADD_MEMBERSHIP, &request, sizeof request) != 0 &&
        errno != EADDRINUSE) {
        return failed("joining a multicast group");
    }
    return {};
}

bool UdpSocket::send(std::uint32_t address, std::uint16_t port, const Datagram& datagram) {
    write_datagram(datagram, out_);
    const sockaddr_in to = to_system(address, port);
    return sendto(fd(),
                  out_.data(),
                  out_.size(),
                  0,
                  reinterpret_cast<const sockaddr*>(&to),  // NOLINT
                  sizeof to) == static_cast<ssize_t>(out_.size());
}

bool UdpSocket::receive(Datagram& datagram) {
    for (;;) {
        iovec part{in_.data(), in_.size()};
        alignas(cmsghdr) std::array<std::byte, kControlBytes> control{};
        msghdr message{};
        message.msg_iov = &part;
        message.msg_iovlen = 1;
        message.msg_control = control.data();
        message.msg_controllen = control.size();
        const ssize_t size = recvmsg(fd(), &message, 0);
        if (size < 0 && errno != EINTR) {
            return false;
        }
        received_ms_ = stamp_of(message);
        if (size > 0 &&
            read_datagram(std::span(in_).first(static_cast<std::size_t>(size)), datagram)) {
            return true;
        }
    }
}

double clock_ms(double error_ms) {
    return transport::now().value() * kMs + error_ms;
}

std::vector<std::int32_t> readings_of(double first_ms, double second_ms) {
    std::vector<std::int32_t> elements;
    for (const double ms : {first_ms, second_ms}) {
        const auto ns = static_cast<std::uint64_t>(std::llround(ms * kNsOfMs));
        elements.push_back(static_cast<std::int32_t>(static_cast<std::uint32_t>(ns >> 32U)));
        elements.push_back(static_cast<std::int32_t>(static_cast<std::uint32_t>(ns)));
    }
    return elements;
}

double reading_ms(std::span<const std::int32_t> elements) {
    const auto high = std::uint64_t{static_cast<std::uint32_t>(elements[0])};
    const auto low = std::uint64_t{static_cast<std::uint32_t>(elements[1])};
    return static_cast<double>(static_cast<std::int64_t>((high << 32U) | low)) / kNsOfMs;
}

bool be_punctual() {
    prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
    sched_param parameters{};
    parameters.sched_priority = kRealTimePriority;
    return sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &parameters) == 0;
}

void nap(double ms) {
    timespec time{};
    time.tv_nsec = static_cast<long>(ms * kNsOfMs);
    clock_nanosleep(CLOCK_MONOTONIC, 0, &time, nullptr);
}

void end_at_once() {
    kill(getpid(), SIGKILL);
}

void wait_for(std::span<const int> descriptors, double error_ms, double until_ms) {
    std::vector<pollfd> polled;
    for (const int fd : descriptors) {
        polled.push_back({fd, POLLIN, 0});
    }
    const double left = std::clamp(until_ms - clock_ms(error_ms), 0.0, kMostWaitMs);
    timespec timeout{};
    timeout.tv_sec = static_cast<time_t>(left / kMs);
    timeout.tv_nsec =
        static_cast<long>((left - static_cast<double>(timeout.tv_sec) * kMs) * kNsOfMs);
    ppoll(polled.data(), polled.size(), &timeout, nullptr);
}

}  // namespace longhaul::runtime
