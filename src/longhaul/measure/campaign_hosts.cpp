#include "longhaul/measure/campaign_hosts.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "longhaul/core/cursor.hpp"
#include "longhaul/core/own_formats.hpp"

namespace longhaul::measure {
namespace {

using core::Cursor;

constexpr int kMostDevices = 1024;
constexpr int kHighestPort = 65535;
constexpr std::size_t kLongestName = 64;

bool good_name(const std::string& text) {
    return !text.empty() && text.size() <= kLongestName && std::ranges::all_of(text, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '-' || c == '_' || c == '.';
    });
}

/// A host name or a numeric address, as far as its letters tell; the resolver knows the rest.
bool good_address(const std::string& text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '-' || c == '_' || c == '.' || c == ':' || c == '%';
    });
}

/// A name that goes into ids of tasks.
std::string name_in(const Cursor& at) {
    const std::string text = at.string().value_or("");
    if (at.value().kind == core::Value::Kind::kString && !good_name(text)) {
        at.report("found " + core::shown(text),
                  "a name has 1 to 64 letters, digits, \"-\", \"_\" and \".\"");
    }
    return text;
}

CampaignHost read_campaign_host(const Cursor& table, int port) {
    table.only_keys({"name", "address", "port", "site", "groups", "devices"});
    CampaignHost host;
    if (const auto name = table.require("name", "the name of the host")) {
        host.id = name_in(*name);
    }
    const auto address = table.find("address");
    host.address = address ? address->string().value_or("") : host.id;
    if (address && address->value().kind == core::Value::Kind::kString &&
        !good_address(host.address)) {
        address->report("found " + core::shown(host.address),
                        "an address is a host name, IPv4 or IPv6");
    }
    const auto own_port = table.find("port");
    host.port = own_port ? own_port->integer(1, kHighestPort).value_or(port) : port;
    const auto site = table.find("site");
    host.site = site ? name_in(*site) : "";
    const auto devices = table.find("devices");
    host.devices = devices ? devices->integer(1, kMostDevices).value_or(0) : 0;
    const auto groups = table.find("groups");
    if (groups && groups->is_array()) {
        for (std::size_t i = 0; i < groups->value().size(); ++i) {
            host.groups.push_back(name_in(groups->item(i)));
        }
    }
    return host;
}

CampaignGroup read_campaign_group(const Cursor& table) {
    table.only_keys({"name", "half_duplex", "inside"});
    CampaignGroup group;
    if (const auto name = table.require("name", "the name that hosts have in their \"groups\"")) {
        group.name = name_in(*name);
    }
    const auto half = table.find("half_duplex");
    group.half_duplex = half && half->boolean().value_or(false);
    const auto inside = table.find("inside");
    group.inside = inside && inside->boolean().value_or(false);
    return group;
}

template <class Item, class Read>
std::vector<Item> read_tables(const std::optional<Cursor>& tables, Read read) {
    std::vector<Item> items;
    if (tables && tables->is_array()) {
        for (std::size_t i = 0; i < tables->value().size(); ++i) {
            const Cursor table = tables->item(i);
            items.push_back(table.is_object() ? read(table) : Item());
        }
    }
    return items;
}

/// Two hosts may not be one, and a group that nobody is in is a slip of the pen.
void check_campaign_hosts(const Cursor& root, const CampaignHosts& found) {
    std::set<std::string> names;
    std::set<std::pair<std::string, int>> places;
    std::set<std::string> used;
    for (std::size_t i = 0; i < found.hosts.size(); ++i) {
        const CampaignHost& host = found.hosts[i];
        const Cursor table = root.find("host")->item(i);
        if (host.id == "coordinator") {
            table.report("the name \"coordinator\" is that of the machine that gives orders",
                         "choose another name");
        } else if (!names.insert(host.id).second) {
            table.report("name " + core::shown(host.id) + " occurs twice", "names are unique");
        } else if (!places.emplace(host.address, host.port).second) {
            table.report(fmt::format("{}:{} occurs twice", host.address, host.port),
                         "every host has an address and port of its own");
        }
        used.insert(host.groups.begin(), host.groups.end());
    }
    std::set<std::string> declared;
    for (std::size_t i = 0; i < found.groups.size(); ++i) {
        const Cursor table = root.find("group")->item(i);
        const std::string& name = found.groups[i].name;
        if (!declared.insert(name).second) {
            table.report("group " + core::shown(name) + " occurs twice", "declare it once");
        } else if (!used.contains(name)) {
            table.report("no host is in group " + core::shown(name),
                         "name it in the \"groups\" of its hosts");
        }
    }
    if (found.hosts.size() < 2) {
        root.report(fmt::format("there are {} hosts", found.hosts.size()),
                    "a campaign needs two [[host]] tables or more");
    }
}

/// Adds the groups that hosts name and nobody declared.
void add_named_groups(CampaignHosts& found) {
    for (const CampaignHost& host : found.hosts) {
        for (const std::string& name : host.groups) {
            if (std::ranges::count(found.groups, name, &CampaignGroup::name) == 0) {
                found.groups.push_back({name});
            }
        }
    }
}

}  // namespace

core::Result<CampaignHosts> read_campaign_hosts(std::string_view text, std::string_view name) {
    if (const auto own = core::refuse_other_format(text, name, {"longhaul.measure-hosts"}); !own) {
        return tl::unexpected(own.error());
    }
    const core::Result<core::Document> document = core::parse_toml(text, name);
    if (!document) {
        return tl::unexpected(document.error());
    }
    core::Diagnostics problems;
    const Cursor root(*document, problems);
    root.only_keys({"format", "port", "host", "group"});
    core::check_format(root, "longhaul.measure-hosts", 1, false);
    const auto port_at = root.find("port");
    const int port =
        port_at ? port_at->integer(1, kHighestPort).value_or(kDefaultAgentPort) : kDefaultAgentPort;
    CampaignHosts found;
    found.hosts = read_tables<CampaignHost>(
        root.require("host", "one [[host]] table a machine"),
        [&](const Cursor& table) { return read_campaign_host(table, port); });
    found.groups = read_tables<CampaignGroup>(root.find("group"), read_campaign_group);
    if (problems.empty()) {
        check_campaign_hosts(root, found);
    }
    if (!problems.empty()) {
        return tl::unexpected(std::move(problems));
    }
    add_named_groups(found);
    return found;
}

core::Result<std::vector<Flow>> read_pairs(std::string_view text,
                                           std::string_view name,
                                           const std::vector<CampaignHost>& hosts) {
    std::map<std::string, int> index;
    for (const CampaignHost& host : hosts) {
        index.emplace(host.id, static_cast<int>(index.size()));
    }
    core::Diagnostics problems;
    std::vector<Flow> pairs;
    std::istringstream lines{std::string(text)};
    std::string line;
    for (int number = 1; std::getline(lines, line); ++number) {
        std::istringstream words(line.substr(0, line.find('#')));
        std::string from;
        std::string to;
        std::string more;
        if (!(words >> from)) {
            continue;
        }
        const bool two = (words >> to) && !(words >> more);
        const auto a = index.find(from);
        const auto b = index.find(to);
        if (!two || a == index.end() || b == index.end() || a == b) {
            problems.push_back({std::string(name),
                                fmt::format("line {}", number),
                                "found " + core::shown(line),
                                "a line is \"FROM TO\", two different hosts of the hosts file"});
            continue;
        }
        pairs.push_back({a->second, b->second});
    }
    if (problems.empty() && pairs.empty()) {
        problems.push_back({std::string(name), "", "names no pair", "one \"FROM TO\" a line"});
    }
    if (!problems.empty()) {
        return tl::unexpected(std::move(problems));
    }
    return pairs;
}

}  // namespace longhaul::measure
