#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "longhaul/emulate/detail/addresses.hpp"
#include "longhaul/emulate/detail/shapes.hpp"
#include "longhaul/emulate/detail/wan_reader.hpp"
#include "longhaul/emulate/read.hpp"

namespace longhaul::emulate {

using core::Cursor;
using core::shown;

namespace {

constexpr int kLeastMtu = 576;
constexpr int kMostMtu = 65000;
constexpr int kMostEthernet = 200;
constexpr double kMostBufferMb = 1024;

}  // namespace

std::string WanReader::read_name(const Cursor& table,
                                 std::string_view key,
                                 std::string_view meaning) {
    const std::optional<Cursor> cursor = table.require(key, meaning);
    std::string name = cursor ? cursor->string().value_or("") : "";
    if (cursor && cursor->value().kind == core::Value::Kind::kString) {
        if (const std::string problem = name_problem(name); !problem.empty()) {
            cursor->report("found " + shown(name), problem);
            return "";
        }
    }
    return name;
}

void WanReader::read_top() {
    root_.only_keys({"format",
                     "network",
                     "control_network",
                     "mtu",
                     "ethernet",
                     "seed",
                     "tcp",
                     "sysctl",
                     "defaults",
                     "region",
                     "host",
                     "link",
                     "resource",
                     "path",
                     "provenance"});
    core::check_format(root_, "longhaul.wan", 1, false);
    const auto network = [&](std::string_view key, std::uint32_t& address, int& prefix) {
        const std::optional<Cursor> cursor = root_.find(key);
        const auto text = cursor ? cursor->string() : std::nullopt;
        const auto parsed = text ? parse_network(*text) : std::nullopt;
        if (text && !parsed) {
            cursor->report("found " + shown(*text),
                           "it must be an IPv4 network of /8 to /22 that hosts can have, such as "
                           "10.77.0.0/16");
        } else if (parsed) {
            address = parsed->address;
            prefix = parsed->prefix;
        }
    };
    wan_.network = kDefaultNetwork;
    wan_.prefix = kDefaultPrefix;
    network("network", wan_.network, wan_.prefix);
    network("control_network", control_network_, control_prefix_);
    if (const auto cursor = root_.find("mtu")) {
        wan_.mtu = cursor->integer(kLeastMtu, kMostMtu).value_or(kDefaultMtu);
    }
    if (const auto cursor = root_.find("ethernet")) {
        wan_.ethernet = cursor->integer(0, kMostEthernet).value_or(0);
    }
    if (const auto cursor = root_.find("seed")) {
        wan_.seed = static_cast<std::uint64_t>(cursor->integer(0, 2'000'000'000).value_or(0));
    }
    if (const auto cursor = root_.find("provenance")) {
        static_cast<void>(cursor->string());
    }
}

void WanReader::read_tcp() {
    if (const auto tcp = root_.find("tcp"); tcp && tcp->is_object()) {
        tcp->only_keys({"congestion", "buffer_mb"});
        if (tcp->find("congestion")) {
            wan_.tcp.congestion = read_name(*tcp, "congestion", "");
        }
        if (const auto cursor = tcp->find("buffer_mb")) {
            wan_.tcp.buffer_mb = cursor->number_in(0, kMostBufferMb).value_or(0);
        }
    }
    const auto sysctl = root_.find("sysctl");
    if (!sysctl || !sysctl->is_object()) {
        return;
    }
    for (const core::Member& member : sysctl->value().members) {
        const Cursor cursor = *sysctl->find(member.key);
        if (!is_network_sysctl(member.key)) {
            cursor.report("found " + shown(member.key),
                          "only keys of the network can be set, such as "
                          "\"net.ipv4.tcp_slow_start_after_idle\"");
        } else if (member.value.kind == core::Value::Kind::kNumber) {
            const double number = cursor.number().value_or(0);
            wan_.sysctl[member.key] = fmt::format("{:.0f}", number);
        } else {
            wan_.sysctl[member.key] = cursor.string().value_or("");
        }
    }
}

void WanReader::read_defaults() {
    const auto defaults = root_.find("defaults");
    if (!defaults || !defaults->is_object()) {
        return;
    }
    defaults->only_keys({"up", "down", "up_down", "inside", "link"});
    default_access_ = read_access(*defaults, {});
    default_inside_ = read_shape(*defaults, "inside");
    default_link_ = read_shape(*defaults, "link");
}

void WanReader::check_addresses() {
    number_hosts(wan_, control_network_, control_prefix_);
    std::map<std::uint32_t, std::string> owners;
    for (const Host& host : wan_.hosts) {
        const auto [owner, fresh] = owners.emplace(host.address, host.name);
        if (!fresh) {
            root_.report(fmt::format("hosts {} and {} have the address {}",
                                     shown(owner->second),
                                     shown(host.name),
                                     address_text(host.address)),
                         "every host has an address of its own");
        }
    }
    const int shorter = std::min(wan_.prefix, control_prefix_);
    if (((wan_.network ^ control_network_) >> (32 - shorter)) == 0) {
        root_.report("network and control_network overlap", "they must be different networks");
    }
}

core::Result<Wan> WanReader::read() {
    read_top();
    read_tcp();
    read_defaults();
    read_regions();
    read_hosts();
    if (wan_.hosts.size() < 2 || wan_.hosts.size() > kMaxHosts) {
        root_.report(
            fmt::format("there are {} hosts", wan_.hosts.size()),
            fmt::format("2 to {} hosts make a WAN; add hosts to a [[region]], or a [[host]]",
                        kMaxHosts));
    }
    read_links();
    read_resources();
    if (problems_.empty()) {
        make_paths();
    }
    if (problems_.empty()) {
        read_paths();
        check_addresses();
    }
    if (!problems_.empty()) {
        return tl::unexpected(std::move(problems_));
    }
    return std::move(wan_);
}

core::Result<Wan> read_wan(const core::Document& document) {
    return WanReader(document).read();
}

}  // namespace longhaul::emulate
