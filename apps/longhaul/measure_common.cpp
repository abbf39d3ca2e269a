#include "longhaul/measure_common.hpp"

#include <array>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "longhaul/command.hpp"
#include "longhaul/transport/address.hpp"

namespace longhaul::app {
namespace {

// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): set by a signal handler
volatile std::sig_atomic_t stop_asked = 0;

extern "C" void on_signal(int /*signal*/) {
    stop_asked = 1;
}

/// A number and its unit.
std::pair<double, std::string> split_unit(const std::string& text) {
    char* end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    const bool good = end != text.c_str() && std::isfinite(number) && number >= 0;
    return good ? std::pair(number, std::string(end)) : std::pair(-1.0, std::string());
}

template <std::size_t Count>
core::Result<double> in_units(const std::string& option,
                              const std::string& text,
                              const std::array<std::pair<const char*, double>, Count>& units,
                              const std::string& fix) {
    const auto [number, unit] = split_unit(text);
    for (const auto& [name, factor] : units) {
        if (number >= 0 && unit == name && std::isfinite(number * factor)) {
            return number * factor;
        }
    }
    return core::fail({option, "", "found " + core::shown(text), fix});
}

/// First line of a file, empty when there is none.
std::string first_line(const std::string& path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

/// Largest packet of an interface; 0 when it cannot be told.
int mtu_of(const std::string& interface) {
    const int fd = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    ifreq request{};
    interface.copy(request.ifr_name, sizeof request.ifr_name - 1);
    const bool good = fd >= 0 && ::ioctl(fd, SIOCGIFMTU, &request) == 0;
    if (fd >= 0) {
        ::close(fd);
    }
    return good ? request.ifr_mtu : 0;  // NOLINT(cppcoreguidelines-pro-type-union-access)
}

/// Interface that has the address.
std::string interface_of(const std::string& address) {
    ifaddrs* list = nullptr;
    if (::getifaddrs(&list) != 0) {
        return "";
    }
    std::string name;
    for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
        const bool internet =
            entry->ifa_addr != nullptr &&
            (entry->ifa_addr->sa_family == AF_INET || entry->ifa_addr->sa_family == AF_INET6);
        if (internet) {
            sockaddr_storage storage{};
            const bool v4 = entry->ifa_addr->sa_family == AF_INET;
            const auto* bytes = reinterpret_cast<const char*>(entry->ifa_addr);
            std::copy_n(bytes,
                        v4 ? sizeof(sockaddr_in) : sizeof(sockaddr_in6),
                        reinterpret_cast<char*>(&storage));
            if (transport::Address::from_system(storage).host() == address) {
                name = entry->ifa_name;
            }
        }
    }
    ::freeifaddrs(list);
    return name;
}

}  // namespace

core::Result<transport::Token> load_token(const std::string& path) {
    struct stat status{};
    const bool there = ::stat(path.c_str(), &status) == 0;
    if (there && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) {
        return core::fail({path, "", "is no plain file", "keep the token in a file of its own"});
    }
    if (there && S_ISREG(status.st_mode)) {
        const bool mine = status.st_uid == ::geteuid() || status.st_uid == 0;
        if ((status.st_mode & 077U) != 0 || !mine) {
            return core::fail({path,
                               "",
                               fmt::format("has mode {:04o}: others can read or change the token",
                                           status.st_mode & 07777U),
                               "make it yours alone: chmod 600"});
        }
    }
    const core::Result<std::string> text = read_file(path);
    if (!text) {
        return tl::unexpected(text.error());
    }
    return transport::Token::from_text(*text, path);
}

core::Result<double> parse_bytes(const std::string& option, const std::string& text) {
    constexpr std::array<std::pair<const char*, double>, 12> kUnits{{{"", 1},
                                                                     {"B", 1},
                                                                     {"kB", 1e3},
                                                                     {"MB", 1e6},
                                                                     {"GB", 1e9},
                                                                     {"TB", 1e12},
                                                                     {"PB", 1e15},
                                                                     {"KiB", 1024},
                                                                     {"MiB", 1048576},
                                                                     {"GiB", 1073741824},
                                                                     {"TiB", 1099511627776},
                                                                     {"PiB", 1125899906842624}}};
    return in_units(
        option, text, kUnits, "a number of bytes, such as 65536, 64KiB, 16MiB, 1.5GB or 1TB");
}

core::Result<double> parse_seconds(const std::string& option, const std::string& text) {
    constexpr std::array<std::pair<const char*, double>, 5> kUnits{
        {{"", 1}, {"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86400}}};
    return in_units(option, text, kUnits, "a time, such as 90, 90s, 15m, 24h or 7d");
}

std::string shown_bytes(double bytes) {
    constexpr std::array<const char*, 6> kNames{"B", "kB", "MB", "GB", "TB", "PB"};
    std::size_t unit = 0;
    while (bytes >= 999.5 && unit + 1 < kNames.size()) {
        bytes /= 1000;
        ++unit;
    }
    return fmt::format("{:.3g} {}", bytes, kNames[unit]);
}

core::Value host_facts(const std::string& address) {
    core::Value facts = core::Value::object();
    utsname system{};
    if (::uname(&system) == 0) {
        facts.set("kernel", std::string(system.release))
            .set("hostname", std::string(system.nodename));
    }
    facts.set("cpus", static_cast<double>(std::thread::hardware_concurrency()));
    const std::string tcp = "/proc/sys/net/ipv4/tcp_";
    constexpr std::array<const char*, 6> kSettings{"congestion_control",
                                                   "allowed_congestion_control",
                                                   "wmem",
                                                   "rmem",
                                                   "slow_start_after_idle",
                                                   "no_metrics_save"};
    for (const char* setting : kSettings) {
        facts.set(std::string("tcp_") + setting, first_line(tcp + setting));
    }
    if (const std::string interface = interface_of(address); !interface.empty()) {
        facts.set("interface", interface);
        facts.set("mtu", mtu_of(interface));
    }
    return facts;
}

void catch_interrupts() {
    struct sigaction action{};
    action.sa_handler = on_signal;  // NOLINT(cppcoreguidelines-pro-type-union-access)
    ::sigemptyset(&action.sa_mask);
    ::sigaction(SIGINT, &action, nullptr);
    ::sigaction(SIGTERM, &action, nullptr);
}

bool interrupted() {
    return stop_asked != 0;
}

}  // namespace longhaul::app
