#include "longhaul/launch/hosts.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "longhaul/core/cursor.hpp"
#include "longhaul/core/own_formats.hpp"
#include "longhaul/launch/names.hpp"

namespace longhaul::launch {
namespace {

using core::Cursor;
using Check = std::string (*)(std::string_view);

constexpr int kMaxDevicesOfHost = 1024;
constexpr std::size_t kMaxListed = 1024;
constexpr int kMaxGpu = 65535;
constexpr int kMaxDevice = 1'000'000;
constexpr int kMaxPort = 65535;

/// Host name; fabrics of a topology name hosts by paths, which no launcher takes.
std::string check_own_name(std::string_view text) {
    std::string fix = check_host_name(text);
    if (!fix.empty() && text.find('/') != std::string_view::npos) {
        fix += "; the name that a fabric gives it goes into fabric_host";
    }
    return fix;
}

/// Value of a text key that passes its check, else the default.
std::string text_of(const Cursor& table, std::string_view key, Check check, std::string fallback) {
    const std::optional<Cursor> cursor = table.find(key);
    const std::optional<std::string> text = cursor ? cursor->string() : std::nullopt;
    if (!text) {
        return fallback;
    }
    if (std::string fix = check(*text); !fix.empty()) {
        cursor->report("found " + core::shown(*text), std::move(fix));
        return fallback;
    }
    return *text;
}

int integer_of(const Cursor& table, std::string_view key, int low, int high, int fallback) {
    const std::optional<Cursor> cursor = table.find(key);
    return cursor ? cursor->integer(low, high).value_or(fallback) : fallback;
}

/// Whole numbers of an array, all different; nullopt when the key is absent or wrong.
std::optional<std::vector<int>> ids_of(const Cursor& table, std::string_view key, int high) {
    const std::optional<Cursor> cursor = table.find(key);
    if (!cursor || !cursor->is_array()) {
        return std::nullopt;
    }
    std::vector<int> ids;
    std::set<int> seen;
    bool good = true;
    for (std::size_t i = 0; i < cursor->value().size(); ++i) {
        const Cursor item = cursor->item(i);
        const std::optional<int> id = item.integer(0, high);
        if (id && !seen.insert(*id).second) {
            item.report(fmt::format("{} occurs twice", *id), "every number may occur once");
            good = false;
        }
        good = good && id;
        ids.push_back(id.value_or(0));
    }
    if (ids.empty()) {
        cursor->report("the list is empty", "it needs one number a device");
    }
    return good && !ids.empty() ? std::optional(ids) : std::nullopt;
}

/// Values that hold for every host that does not say otherwise.
struct Defaults {
    std::string user;
    std::string interface;
    std::string workdir;
    int ssh_port = kDefaultSshPort;
    int devices = 0;
    int cores = 0;
};

Defaults read_defaults(const Cursor& root) {
    Defaults defaults;
    defaults.user = text_of(root, "user", check_user, "");
    defaults.interface = text_of(root, "interface", check_interface, "");
    defaults.workdir = text_of(root, "workdir", check_workdir, "");
    defaults.ssh_port = integer_of(root, "ssh_port", 1, kMaxPort, kDefaultSshPort);
    defaults.devices = integer_of(root, "devices", 1, kMaxDevicesOfHost, 0);
    defaults.cores = integer_of(root, "cores", 1, kMaxDevice, 0);
    return defaults;
}

std::vector<int> counted(int total) {
    std::vector<int> numbers(static_cast<std::size_t>(total));
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
}

/// Local device ids of a host: `gpus`, or 0 .. devices - 1.
std::vector<int> read_gpus(const Cursor& table, const Defaults& defaults) {
    const std::optional<Cursor> count = table.find("devices");
    const int devices = integer_of(table, "devices", 1, kMaxDevicesOfHost, 0);
    if (const std::optional<Cursor> list = table.find("gpus")) {
        std::vector<int> gpus = ids_of(table, "gpus", kMaxGpu).value_or(std::vector<int>());
        if (!gpus.empty() && devices != 0 && gpus.size() != static_cast<std::size_t>(devices)) {
            list->report(fmt::format("lists {} gpus", gpus.size()),
                         fmt::format("devices says {}", devices));
        }
        return gpus;
    }
    if (count) {
        return counted(devices);
    }
    if (const std::optional<Cursor> list = table.find("fabric_devices")) {
        return counted(static_cast<int>(std::min(list->value().size(), kMaxListed)));
    }
    if (defaults.devices == 0) {
        table.report("the number of devices is missing",
                     "set devices, gpus or fabric_devices, or devices for all hosts at the top");
    }
    return counted(defaults.devices);
}

/// Keys of a hosts file, and of the one of a campaign, which may serve as one.
void check_keys(const Cursor& root, bool campaign) {
    if (campaign) {
        root.only_keys({"format",
                        "user",
                        "interface",
                        "workdir",
                        "ssh_port",
                        "devices",
                        "cores",
                        "launch_dir",
                        "master_port",
                        "host",
                        "port",
                        "group"});
        core::check_format(root, "longhaul.measure-hosts", 1, false);
    } else {
        root.only_keys({"format",
                        "user",
                        "interface",
                        "workdir",
                        "ssh_port",
                        "devices",
                        "cores",
                        "launch_dir",
                        "master_port",
                        "host"});
        core::check_format(root, "longhaul.hosts", 1, false);
    }
}

void check_host_keys(const Cursor& table, bool campaign) {
    if (campaign) {
        table.only_keys({"name",
                         "address",
                         "ssh_address",
                         "user",
                         "interface",
                         "workdir",
                         "ssh_port",
                         "cores",
                         "devices",
                         "gpus",
                         "fabric_host",
                         "fabric_devices",
                         "port",
                         "site",
                         "groups"});
    } else {
        table.only_keys({"name",
                         "address",
                         "ssh_address",
                         "user",
                         "interface",
                         "workdir",
                         "ssh_port",
                         "cores",
                         "devices",
                         "gpus",
                         "fabric_host",
                         "fabric_devices"});
    }
}

/// Whether a file is the one of a measuring campaign: by its format, or by keys that only it has.
bool is_campaign(const core::Value& root) {
    if (const core::Value* format = root.find("format")) {
        return format->string.starts_with("longhaul.measure-hosts/");
    }
    const core::Value* hosts = root.find("host");
    const auto has = [](const core::Value& host) {
        return host.find("site") != nullptr || host.find("groups") != nullptr ||
               host.find("port") != nullptr;
    };
    return root.find("group") != nullptr ||
           (hosts != nullptr && std::ranges::any_of(hosts->items, has));
}

/// Names of the hosts that say nothing of their devices, at most six.
std::string without_devices(const core::Value& root) {
    constexpr std::size_t kShown = 6;
    const core::Value* hosts = root.find("host");
    if (root.find("devices") != nullptr || hosts == nullptr) {
        return "";
    }
    std::string names;
    std::size_t missing = 0;
    for (const core::Value& host : hosts->items) {
        if (host.find("devices") != nullptr || host.find("gpus") != nullptr ||
            host.find("fabric_devices") != nullptr) {
            continue;
        }
        const core::Value* name = host.find("name");
        if (missing < kShown && name != nullptr) {
            names += (missing == 0 ? "" : ", ") + core::shown(name->string);
        }
        ++missing;
    }
    return missing > kShown ? fmt::format("{} and {} more", names, missing - kShown) : names;
}

Host read_host(const Cursor& table, const Defaults& defaults, bool campaign) {
    check_host_keys(table, campaign);
    Host host;
    if (table.require("name", "the name of the host")) {
        host.name = text_of(table, "name", check_own_name, "");
    }
    host.address = text_of(table, "address", check_address, host.name);
    host.ssh_address = text_of(table, "ssh_address", check_address, host.address);
    host.fabric_host = text_of(table, "fabric_host", check_fabric_host, "");
    host.user = text_of(table, "user", check_user, defaults.user);
    host.interface = text_of(table, "interface", check_interface, defaults.interface);
    host.workdir = text_of(table, "workdir", check_workdir, defaults.workdir);
    host.ssh_port = integer_of(table, "ssh_port", 1, kMaxPort, defaults.ssh_port);
    host.cores = integer_of(table, "cores", 1, kMaxDevice, defaults.cores);
    host.gpus_listed = table.find("gpus").has_value();
    host.gpus = read_gpus(table, defaults);
    host.fabric_devices = ids_of(table, "fabric_devices", kMaxDevice).value_or(std::vector<int>());
    if (!host.fabric_devices.empty() && host.fabric_devices.size() != host.gpus.size()) {
        table.find("fabric_devices")
            ->report(fmt::format("lists {} devices", host.fabric_devices.size()),
                     fmt::format("the host has {}", host.gpus.size()));
    }
    return host;
}

std::string in_lower_case(std::string text) {
    std::ranges::transform(text, text.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return text;
}

/// Names and addresses tell hosts apart, also where letter case is ignored.
void report_twins(const Cursor& tables, const std::vector<Host>& hosts) {
    std::map<std::string, std::size_t> names;
    std::map<std::string, std::size_t> addresses;
    std::map<std::string, std::size_t> fabric_hosts;
    for (std::size_t i = 0; i < hosts.size(); ++i) {
        const auto check = [&](auto& seen, const std::string& text, std::string_view key) {
            const auto [twin, fresh] = seen.emplace(in_lower_case(text), i);
            const bool twins = !text.empty() && !fresh;
            if (twins) {
                const Cursor table = tables.item(i);
                const std::optional<Cursor> place = table.find(key);
                (place ? *place : table)
                    .report(fmt::format("{} {} is taken by host[{}] already",
                                        key,
                                        core::shown(text),
                                        twin->second),
                            "every host needs its own");
            }
            return !twins;
        };
        if (check(names, hosts[i].name, "name")) {
            check(addresses, hosts[i].address, "address");
        }
        check(fabric_hosts, hosts[i].fabric_host, "fabric_host");
    }
}

/// Either no host lists fabric devices (they are numbered in file order) or all do.
void number_devices(const Cursor& tables, std::vector<Host>& hosts) {
    const auto lists = [&](std::size_t i) { return tables.item(i).find("fabric_devices"); };
    int next = 0;
    std::map<int, std::size_t> owners;
    for (std::size_t i = 0; i < hosts.size(); ++i) {
        Host& host = hosts[i];
        if (!lists(i)) {
            if (lists(0)) {
                tables.item(i).report("the key \"fabric_devices\" is missing",
                                      "host[0] has it, so every host needs it");
            }
            host.fabric_devices.resize(host.gpus.size());
            std::iota(host.fabric_devices.begin(), host.fabric_devices.end(), next);
            next += static_cast<int>(host.gpus.size());
            continue;
        }
        if (!lists(0)) {
            lists(i)->report("only some hosts list fabric_devices", "list them for all, or none");
            return;
        }
        for (std::size_t k = 0; k < host.fabric_devices.size(); ++k) {
            const auto [owner, fresh] = owners.emplace(host.fabric_devices[k], i);
            if (!fresh) {
                lists(i)->item(k).report(fmt::format("device {} belongs to host[{}] already",
                                                     host.fabric_devices[k],
                                                     owner->second),
                                         "every device of the fabric has one host");
            }
        }
    }
}

}  // namespace

std::size_t Hosts::devices() const {
    std::size_t total = 0;
    for (const Host& host : hosts) {
        total += host.gpus.size();
    }
    return total;
}

core::Result<Hosts> read_hosts(std::string_view text, std::string_view name) {
    if (const auto own =
            core::refuse_other_format(text, name, {"longhaul.hosts", "longhaul.measure-hosts"});
        !own) {
        return tl::unexpected(own.error());
    }
    const core::Result<core::Document> document = core::parse_toml(text, name);
    if (!document) {
        return tl::unexpected(document.error());
    }
    core::Diagnostics problems;
    const Cursor root(*document, problems);
    const bool campaign = is_campaign(document->root);
    if (const std::string bare = without_devices(document->root); campaign && !bare.empty()) {
        return core::fail(
            {std::string(name),
             "host",
             "this is the hosts file of a measuring campaign, and it does not say how "
             "many devices these hosts have: " +
                 bare,
             "add devices = N to each [[host]]"});
    }
    check_keys(root, campaign);
    Hosts hosts;
    const Defaults defaults = read_defaults(root);
    hosts.launch_dir = text_of(root, "launch_dir", check_launch_dir, "");
    hosts.master_port = integer_of(root, "master_port", 1, kMaxPort, kDefaultMasterPort);
    const std::optional<Cursor> tables = root.require("host", "one [[host]] table a machine");
    if (tables && tables->is_array()) {
        for (std::size_t i = 0; i < tables->value().size(); ++i) {
            const Cursor table = tables->item(i);
            hosts.hosts.push_back(table.is_object() ? read_host(table, defaults, campaign)
                                                    : Host());
        }
        if (hosts.hosts.empty()) {
            tables->report("there are no hosts", "add one [[host]] table a machine");
        }
        report_twins(*tables, hosts.hosts);
        if (problems.empty()) {
            number_devices(*tables, hosts.hosts);
            hosts.numbered = !hosts.hosts.empty() && tables->item(0).find("fabric_devices");
        }
    }
    if (!problems.empty()) {
        return tl::unexpected(std::move(problems));
    }
    return hosts;
}

}  // namespace longhaul::launch
