#include "longhaul/transport/clock.hpp"

#include <cmath>
#include <ctime>

#include <fmt/format.h>
#include <sys/prctl.h>

namespace longhaul::transport {
namespace {

constexpr double kNanosecond = 1e-9;

core::Seconds read(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return core::Seconds(static_cast<double>(time.tv_sec) +
                         kNanosecond * static_cast<double>(time.tv_nsec));
}

}  // namespace

core::Seconds now() {
    return read(CLOCK_MONOTONIC);
}

core::Seconds thread_cpu_time() {
    return read(CLOCK_THREAD_CPUTIME_ID);
}

core::Seconds utc_seconds() {
    return read(CLOCK_REALTIME);
}

std::string utc_text(core::Seconds since_1970) {
    const double whole = std::floor(since_1970.value());
    const auto seconds = static_cast<std::time_t>(whole);
    std::tm parts{};
    gmtime_r(&seconds, &parts);
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z",
                       parts.tm_year + 1900,
                       parts.tm_mon + 1,
                       parts.tm_mday,
                       parts.tm_hour,
                       parts.tm_min,
                       parts.tm_sec,
                       static_cast<int>(1000 * (since_1970.value() - whole)));
}

std::string utc_now() {
    return utc_text(utc_seconds());
}

void sleep_until(core::Seconds at) {
    prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);  // the default of 50 us would show in the times
    timespec time{};
    double whole = 0;
    const double fraction = std::modf(at.value(), &whole);
    time.tv_sec = static_cast<std::time_t>(whole);
    time.tv_nsec = static_cast<long>(fraction / kNanosecond);
    while (now() < at) {
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nullptr);
    }
}

}  // namespace longhaul::transport
