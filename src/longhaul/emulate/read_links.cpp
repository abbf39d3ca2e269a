#include <algorithm>

#include <fmt/format.h>

#include "longhaul/emulate/detail/addresses.hpp"
#include "longhaul/emulate/detail/shapes.hpp"
#include "longhaul/emulate/detail/wan_reader.hpp"

namespace longhaul::emulate {

using core::Cursor;
using core::shown;

int WanReader::add_resource(const std::string& name, const Shape& shape) {
    const auto index = static_cast<int>(wan_.resources.size());
    wan_.resources.push_back({name, shape});
    by_name_.emplace(name, index);
    return index;
}

/// Two regions by from and to, or both ways by between.
void WanReader::read_link(const Cursor& table) {
    std::optional<int> from;
    std::optional<int> to;
    const auto between = table.find("between");
    if (between) {
        for (const std::string_view key : {"from", "to"}) {
            if (const auto end = table.find(key)) {
                end->report("is given with between",
                            "between joins two regions both ways; from and to join them one way: "
                            "give one of the two");
            }
        }
        if (!between->is_array() || between->value().size() != 2) {
            between->report("names no two regions", "it must be a list of two regions");
            return;
        }
        from = find_region(between->item(0), between->item(0).string().value_or(""));
        to = find_region(between->item(1), between->item(1).string().value_or(""));
    } else {
        const auto first = table.require("from", "the region that sends (or use between)");
        const auto second = table.require("to", "the region that receives");
        from = first ? find_region(*first, first->string().value_or("")) : std::nullopt;
        to = second ? find_region(*second, second->string().value_or("")) : std::nullopt;
    }
    const Shape shape =
        read_shape_keys(table, {"between", "from", "to", "half_duplex", "each_pair"});
    const auto flag = [&](std::string_view key) {
        const auto cursor = table.find(key);
        return cursor && cursor->boolean().value_or(false);
    };
    const bool half_duplex = flag("half_duplex");
    const bool each_pair = flag("each_pair");
    if (half_duplex && (!between || each_pair)) {
        table.report("half_duplex needs between, and no each_pair",
                     "half_duplex is one resource for both directions of two regions");
    }
    if (!from || !to) {
        return;
    }
    if (*from == *to) {
        table.report("joins region " + shown(regions_[*from].name) + " with itself",
                     "what lies inside a region is its key inside");
        return;
    }
    Link link{-1, each_pair, shape, fmt::format("{}>{}", regions_[*from].name, regions_[*to].name)};
    if (half_duplex) {
        link.name = fmt::format("{}={}", regions_[*from].name, regions_[*to].name);
        link.resource = add_resource("link:" + link.name, shape);
    }
    join(table, *from, *to, link);
    if (between) {
        if (!half_duplex) {
            link.name = fmt::format("{}>{}", regions_[*to].name, regions_[*from].name);
        }
        join(table, *to, *from, link);
    }
}

void WanReader::join(const Cursor& table, int from, int to, const Link& link) {
    Link& place = links_[from * regions_.size() + to];
    if (!place.name.empty()) {
        table.report(fmt::format("a link from {} to {} exists already",
                                 shown(regions_[from].name),
                                 shown(regions_[to].name)),
                     "every ordered pair of regions has one link");
        return;
    }
    place = link;
    if (!link.each_pair && link.resource < 0) {
        place.resource = add_resource("link:" + link.name, link.shape);
    }
}

void WanReader::read_links() {
    links_.resize(regions_.size() * regions_.size());
    const auto tables = root_.find("link");
    if (tables && tables->is_array()) {
        for (std::size_t i = 0; i < tables->value().size(); ++i) {
            if (const Cursor table = tables->item(i); table.is_object()) {
                read_link(table);
            }
        }
    }
    if (!default_link_) {
        return;
    }
    for (std::size_t a = 0; a < regions_.size(); ++a) {
        for (std::size_t b = 0; b < regions_.size(); ++b) {
            if (a != b && links_[a * regions_.size() + b].name.empty()) {
                join(root_,
                     static_cast<int>(a),
                     static_cast<int>(b),
                     {-1,
                      false,
                      *default_link_,
                      fmt::format("{}>{}", regions_[a].name, regions_[b].name)});
            }
        }
    }
}

void WanReader::read_resources() {
    const auto tables = root_.find("resource");
    if (!tables || !tables->is_array()) {
        return;
    }
    for (std::size_t i = 0; i < tables->value().size(); ++i) {
        const Cursor table = tables->item(i);
        if (!table.is_object()) {
            continue;
        }
        const std::string name = read_name(table, "name", "what paths call the resource");
        const Shape shape = read_shape_keys(table, {"name"});
        if (by_name_.contains(name)) {
            table.report("resource " + shown(name) + " occurs twice",
                         "every resource has one name");
        }
        add_resource(name, shape);
    }
}

}  // namespace longhaul::emulate
