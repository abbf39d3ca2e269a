#include <algorithm>

#include <fmt/format.h>

#include "longhaul/emulate/detail/addresses.hpp"
#include "longhaul/emulate/detail/shapes.hpp"
#include "longhaul/emulate/detail/wan_reader.hpp"

namespace longhaul::emulate {

using core::Cursor;
using core::shown;

Access WanReader::read_access(const Cursor& table, const Access& fallback) {
    Access access{read_shape(table, "up"), read_shape(table, "down"), read_shape(table, "up_down")};
    if (access.up_down && (access.up || access.down)) {
        table.report("has up_down beside up or down",
                     "up_down is one resource that both directions share; leave the others out");
    }
    if (access.up_down) {
        return access;
    }
    if (!access.up && !access.down) {
        return fallback;
    }
    access.up = access.up ? access.up : fallback.up;
    access.down = access.down ? access.down : fallback.down;
    return access;
}

std::optional<int> WanReader::region_named(const std::string& name) const {
    const auto at = std::ranges::find(regions_, name, &Region::name);
    return at == regions_.end() ? std::nullopt
                                : std::optional(static_cast<int>(at - regions_.begin()));
}

int WanReader::add_region(const Cursor& where, const std::string& name) {
    if (!name.empty() && region_named(name)) {
        where.report("region " + shown(name) + " occurs twice", "every region has one name");
    }
    regions_.push_back({name, default_inside_, {}, {}, default_access_, {}});
    return static_cast<int>(regions_.size()) - 1;
}

int WanReader::add_host(const Cursor& where,
                        const std::string& name,
                        int region,
                        const Access& access) {
    if (!name.empty() && !host_names_.insert(name).second) {
        where.report("host " + shown(name) + " occurs twice", "every host has one name");
    }
    const auto index = static_cast<int>(wan_.hosts.size());
    wan_.hosts.push_back({name, regions_[region].name, 0, 0});
    regions_[region].hosts.push_back(index);
    up_.emplace_back();
    down_.emplace_back();
    if (access.up_down) {
        const int both = add_resource("up_down:" + name, *access.up_down);
        up_.back() = down_.back() = {both};
        return index;
    }
    if (access.up) {
        up_.back() = {add_resource("up:" + name, *access.up)};
    }
    if (access.down) {
        down_.back() = {add_resource("down:" + name, *access.down)};
    }
    return index;
}

void WanReader::read_region(const Cursor& table) {
    table.only_keys({"name", "hosts", "inside", "up", "down", "up_down", "site_up", "site_down"});
    const std::string name = read_name(table, "name", "the name of the region");
    const int index = add_region(table, name);
    Region& region = regions_[index];
    region.access = read_access(table, default_access_);
    if (auto inside = read_shape(table, "inside")) {
        region.inside = inside;
    }
    region.site_up = read_shape(table, "site_up");
    region.site_down = read_shape(table, "site_down");
    const auto hosts = table.find("hosts");
    if (!hosts) {
        return;
    }
    if (hosts->value().kind == core::Value::Kind::kNumber) {
        const int count = hosts->integer(1, static_cast<int>(kMaxHosts)).value_or(0);
        for (int k = 1; k <= count; ++k) {
            add_host(*hosts, fmt::format("{}-{}", name, k), index, region.access);
        }
    } else if (hosts->is_array()) {
        for (std::size_t k = 0; k < hosts->value().size(); ++k) {
            const Cursor item = hosts->item(k);
            const std::string host = item.string().value_or("");
            if (const std::string problem = name_problem(host); !problem.empty()) {
                item.report("found " + shown(host), problem);
            }
            add_host(item, host, index, region.access);
        }
    }
}

void WanReader::read_regions() {
    const auto tables = root_.find("region");
    if (!tables || !tables->is_array()) {
        return;
    }
    for (std::size_t i = 0; i < tables->value().size(); ++i) {
        if (const Cursor table = tables->item(i); table.is_object()) {
            read_region(table);
        }
    }
}

void WanReader::read_hosts() {
    const auto tables = root_.find("host");
    if (!tables || !tables->is_array()) {
        return;
    }
    for (std::size_t i = 0; i < tables->value().size(); ++i) {
        const Cursor table = tables->item(i);
        if (!table.is_object()) {
            continue;
        }
        table.only_keys({"name", "region", "address", "up", "down", "up_down"});
        const std::string name = read_name(table, "name", "the name of the host");
        std::optional<int> region;
        if (const auto cursor = table.find("region")) {
            region = find_region(*cursor, cursor->string().value_or(""));
        } else {
            region = add_region(table, name);
        }
        if (!region) {
            continue;
        }
        const int host =
            add_host(table, name, *region, read_access(table, regions_[*region].access));
        if (const auto cursor = table.find("address")) {
            const auto address = parse_address(cursor->string().value_or(""));
            wan_.hosts[host].address = address.value_or(0);
            if (!address || ((*address ^ wan_.network) >> (32 - wan_.prefix)) != 0) {
                cursor->report("is no address of the WAN network",
                               fmt::format("it must be an IPv4 address in {}/{}",
                                           address_text(wan_.network),
                                           wan_.prefix));
            }
        }
    }
}

std::optional<int> WanReader::find_region(const Cursor& where, const std::string& name) {
    const auto region = region_named(name);
    if (!region) {
        where.report("unknown region " + shown(name),
                     "it must be the name of a [[region]], or of a "
                     "[[host]] without region");
    }
    return region;
}

}  // namespace longhaul::emulate
