// Names of nodes and groups, both ways.
#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "longhaul/topology/detail/slot.hpp"
#include "longhaul/topology/topology.hpp"

namespace longhaul::topology {

using detail::slot;

namespace {

/// The number behind a name: 12 of "pod12" for "pod", below the limit; nullopt otherwise.
std::optional<std::uint32_t> number_behind(std::string_view text,
                                           std::string_view name,
                                           std::uint32_t limit) {
    if (!text.starts_with(name)) {
        return std::nullopt;
    }
    text.remove_prefix(name.size());
    const bool plain = !text.empty() && text.size() < 10 && (text.size() == 1 || text[0] != '0') &&
                       std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
    std::uint32_t number = 0;
    if (!plain ||
        std::from_chars(text.data(), text.data() + text.size(), number).ec != std::errc() ||
        number >= limit) {
        return std::nullopt;
    }
    return number;
}

/// Takes "pod3" off the front of "pod3/rack1".
std::string_view take_part(std::string_view& rest) {
    const std::size_t end = std::min(rest.find('/'), rest.size());
    const std::string_view part = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return part;
}

std::uint32_t label_index(const Shape& shape, const Role& role, const Digits& digits) {
    std::uint32_t index = 0;
    const std::size_t around = slot(shape.levels() - role.level);
    for (std::size_t k = around; k < role.axes.size(); ++k) {
        index = index * shape.radix(role.axes[k]) + digits[slot(role.axes[k])];
    }
    return index;
}

/// The only member of a group has no part in names, unless it is an endpoint.
bool silent(const Shape& shape, int level) {
    return level > 1 && shape.radix(level - 1) == 1;
}

/// Groups around a node down to level `level`, with "/" behind each.
std::string groups(const Shape& shape, const Digits& digits, int level) {
    std::string text;
    for (int l = shape.levels(); l > level; --l) {
        if (silent(shape, l)) {
            continue;
        }
        text += fmt::format("{}{}/", shape.chain().levels[slot(l - 1)].member, digits[slot(l - 1)]);
    }
    return text;
}

}  // namespace

std::string Topology::prefix(int site) const {
    return wan() ? sites()[slot(site)].name + "/" : "";
}

std::string Topology::name(NodeId node) const {
    const Place where = place(node);
    const Shape& site = shape(where.site);
    const Role& role = site.roles()[slot(where.role)];
    std::string text = prefix(where.site) + groups(site, where.digits, role.level);
    if (role.level == 0) {
        if (site.levels() == 0 && !wan()) {
            return site.chain().endpoint;
        }
        text.pop_back();
        return text;
    }
    return text + fmt::format("{}{}",
                              site.chain().levels[slot(role.level - 1)].switch_name,
                              label_index(site, role, where.digits));
}

std::string Topology::group_name(NodeId endpoint, int depth) const {
    const Place where = place(endpoint);
    const Shape& site = shape(where.site);
    std::string text =
        prefix(where.site) + groups(site, where.digits, std::max(0, site.levels() - depth));
    if (text.empty()) {
        return declared_.name.empty() ? "all" : declared_.name;
    }
    text.pop_back();
    return text;
}

int Topology::find_site(std::string_view name) const {
    const auto found = std::ranges::find(sites(), name, &Site::name);
    return !wan() || found == sites().end() ? -1 : static_cast<int>(found - sites().begin());
}

int Topology::take_site(std::string_view& name) const {
    return wan() ? find_site(take_part(name)) : 0;
}

std::optional<NodeId> Topology::find(std::string_view name) const {
    const int site = take_site(name);
    if (site < 0) {
        return std::nullopt;
    }
    const Shape& chain = shape(site);
    if (chain.levels() == 0) {
        const bool fits = wan() ? name.empty() : name == chain.chain().endpoint;
        return fits ? std::optional(endpoint_base(site)) : std::nullopt;
    }
    Digits digits{};
    for (int level = chain.levels(); level > 0; --level) {
        const Level& declared = chain.chain().levels[slot(level - 1)];
        const bool last = name.find('/') == std::string_view::npos;
        const std::string_view before = name;
        const std::string_view part = take_part(name);
        if (last && declared.has_switches()) {
            if (const auto index = number_behind(part, declared.switch_name, declared.switches)) {
                const auto is = [&](const Role& role) { return role.level == level; };
                const auto role = std::ranges::find_if(chain.roles(), is);
                std::uint32_t rest = *index;
                for (std::size_t k = role->axes.size(); k > slot(chain.levels() - level); --k) {
                    digits[slot(role->axes[k - 1])] = rest % chain.radix(role->axes[k - 1]);
                    rest /= chain.radix(role->axes[k - 1]);
                }
                return global(site,
                              chain.node(static_cast<int>(role - chain.roles().begin()), digits));
            }
        }
        if (silent(chain, level)) {
            name = before;
            continue;
        }
        const auto index = number_behind(part, declared.member, declared.count);
        if (!index) {
            return std::nullopt;
        }
        digits[slot(level - 1)] = *index;
    }
    return name.empty() ? std::optional(global(site, chain.node(0, digits))) : std::nullopt;
}

std::optional<EndpointRange> Topology::find_group(std::string_view name) const {
    if (name == "*") {
        return EndpointRange{0, endpoints()};
    }
    const int site = take_site(name);
    if (site < 0) {
        return std::nullopt;
    }
    const Shape& chain = shape(site);
    EndpointRange range{endpoint_base(site), endpoint_base(site) + chain.endpoints()};
    int level = chain.levels();
    while (!name.empty()) {
        if (level == 0) {
            return std::nullopt;
        }
        const Level& declared = chain.chain().levels[slot(level - 1)];
        if (silent(chain, level)) {
            --level;
            continue;
        }
        const auto index = number_behind(take_part(name), declared.member, declared.count);
        if (!index) {
            return std::nullopt;
        }
        const std::uint32_t size = (range.hi - range.lo) / declared.count;
        range = {range.lo + *index * size, range.lo + (*index + 1) * size};
        --level;
    }
    return range;
}

std::vector<std::uint32_t> Topology::links_between(NodeId a, NodeId b) const {
    std::vector<std::uint32_t> found;
    const std::vector<Link> all = links();
    for (std::size_t id = 0; id < all.size(); id += 2) {
        if ((all[id].from == a && all[id].to == b) || (all[id].from == b && all[id].to == a)) {
            found.push_back(static_cast<std::uint32_t>(id / 2));
        }
    }
    return found;
}

std::vector<std::uint32_t> Topology::links_at(std::string_view name) const {
    const auto node = find(name);
    const auto group = find_group(name);
    const int site = find_site(name);
    std::vector<std::uint32_t> found;
    if (!node && !group) {
        return found;
    }
    const auto inside = [&](NodeId end) {
        return (node && end == *node) || (group && end < endpoints() && group->has(end)) ||
               (site >= 0 && site_of(end) == site);
    };
    const std::vector<Link> all = links();
    for (std::size_t id = 0; id < all.size(); id += 2) {
        if (inside(all[id].from) || inside(all[id].to)) {
            found.push_back(static_cast<std::uint32_t>(id / 2));
        }
    }
    return found;
}

}  // namespace longhaul::topology
