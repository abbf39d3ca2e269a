#include <algorithm>

#include <fmt/format.h>

#include "longhaul/emulate/detail/addresses.hpp"
#include "longhaul/emulate/detail/shapes.hpp"
#include "longhaul/emulate/detail/wan_reader.hpp"

namespace longhaul::emulate {

using core::Cursor;
using core::shown;

void WanReader::make_path(std::size_t from, std::size_t to) {
    Path& path = wan_.paths[from * wan_.hosts.size() + to];
    path = up_[from];
    const auto a = *region_named(wan_.hosts[from].region);
    const auto b = *region_named(wan_.hosts[to].region);
    const std::string pair = fmt::format("{}>{}", wan_.hosts[from].name, wan_.hosts[to].name);
    if (a == b) {
        if (regions_[a].inside) {
            path.push_back(add_resource("inside:" + pair, *regions_[a].inside));
        }
    } else {
        const Link& link = links_[a * regions_.size() + b];
        const auto site_up = by_name_.find("site_up:" + regions_[a].name);
        const auto site_down = by_name_.find("site_down:" + regions_[b].name);
        if (site_up != by_name_.end()) {
            path.push_back(site_up->second);
        }
        path.push_back(link.each_pair ? add_resource("link:" + pair, link.shape) : link.resource);
        if (site_down != by_name_.end()) {
            path.push_back(site_down->second);
        }
    }
    for (const int index : down_[to]) {
        if (std::ranges::find(path, index) == path.end()) {
            path.push_back(index);
        }
    }
}

void WanReader::make_paths() {
    for (const Region& region : regions_) {
        if (region.site_up) {
            add_resource("site_up:" + region.name, *region.site_up);
        }
        if (region.site_down) {
            add_resource("site_down:" + region.name, *region.site_down);
        }
    }
    for (std::size_t a = 0; a < regions_.size(); ++a) {
        for (std::size_t b = 0; b < regions_.size(); ++b) {
            if (a != b && links_[a * regions_.size() + b].name.empty()) {
                root_.report(
                    fmt::format("there is no link from region {} to region {}",
                                shown(regions_[a].name),
                                shown(regions_[b].name)),
                    "add a [[link]], or link under [defaults] for all that are not listed");
            }
        }
    }
    if (!problems_.empty()) {
        return;
    }
    wan_.paths.resize(wan_.hosts.size() * wan_.hosts.size());
    for (std::size_t from = 0; from < wan_.hosts.size(); ++from) {
        for (std::size_t to = 0; to < wan_.hosts.size(); ++to) {
            if (from != to) {
                make_path(from, to);
            }
        }
    }
}

/// A host of that name, or all hosts of a region.
std::vector<int> WanReader::find_hosts(const Cursor& where, const std::string& name) {
    const auto host = std::ranges::find(wan_.hosts, name, &Host::name);
    if (host != wan_.hosts.end()) {
        return {static_cast<int>(host - wan_.hosts.begin())};
    }
    const auto region = region_named(name);
    if (!region) {
        where.report("unknown host " + shown(name), "it must be the name of a host or a region");
        return {};
    }
    return regions_[*region].hosts;
}

void WanReader::read_path(const Cursor& table) {
    table.only_keys({"from", "to", "through"});
    const auto from = table.require("from", "the host or region that sends");
    const auto to = table.require("to", "the host or region that receives");
    const auto through = table.require("through", "the resources that packets cross, in order");
    if (!from || !to || !through || !through->is_array()) {
        return;
    }
    Path path;
    for (std::size_t i = 0; i < through->value().size(); ++i) {
        const Cursor item = through->item(i);
        const std::string name = item.string().value_or("");
        const auto at = by_name_.find(name);
        if (at == by_name_.end()) {
            item.report(
                "unknown resource " + shown(name),
                "it must be the name of a [[resource]], or one that the file makes, such as "
                "up:HOST, down:HOST, link:REGION>REGION");
        } else if (std::ranges::find(path, at->second) != path.end()) {
            item.report("resource " + shown(name) + " occurs twice",
                        "a path crosses every resource once");
        } else {
            path.push_back(at->second);
        }
    }
    const std::vector<int> senders = find_hosts(*from, from->string().value_or(""));
    const std::vector<int> receivers = find_hosts(*to, to->string().value_or(""));
    for (const int a : senders) {
        for (const int b : receivers) {
            if (a != b) {
                wan_.paths[a * wan_.hosts.size() + b] = path;
            }
        }
    }
}

void WanReader::read_paths() {
    const auto tables = root_.find("path");
    if (!tables || !tables->is_array()) {
        return;
    }
    for (std::size_t i = 0; i < tables->value().size(); ++i) {
        if (const Cursor table = tables->item(i); table.is_object()) {
            read_path(table);
        }
    }
}

}  // namespace longhaul::emulate
