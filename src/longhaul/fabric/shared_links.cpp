#include "longhaul/fabric/shared_links.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace longhaul::fabric {
namespace {

constexpr std::size_t kMostCapacities = 64;

using Pairs = std::set<std::pair<std::size_t, std::size_t>>;
using Hosts = std::set<std::size_t>;

/// The two sides of a link: every pair has one end in each.
struct Sides {
    Hosts one;
    Hosts other;
    bool there = false;  ///< pairs from the first to the second
    bool back = false;

    friend bool operator<(const Sides& a, const Sides& b) {
        return std::tie(a.one, a.other) < std::tie(b.one, b.other);
    }
};

bool holds_all(const Pairs& pairs, const Hosts& from, const Hosts& to) {
    return std::ranges::all_of(from, [&](std::size_t i) {
        return std::ranges::all_of(to, [&](std::size_t j) { return pairs.contains({i, j}); });
    });
}

/// Sides so that the pairs are all from one to the other, all back, or both; nullopt when there are
/// none.
std::optional<Sides> sides_of(const Pairs& pairs) {
    Sides sides;
    const std::size_t first = std::min(pairs.begin()->first, pairs.begin()->second);
    for (const auto& [from, to] : pairs) {
        if (from == first || to == first) {
            sides.other.insert(from == first ? to : from);
        }
    }
    for (const auto& [from, to] : pairs) {
        if (sides.other.contains(from) == sides.other.contains(to)) {
            return std::nullopt;
        }
        sides.one.insert(sides.other.contains(from) ? to : from);
    }
    if (sides.one.size() > sides.other.size()) {
        std::swap(sides.one, sides.other);  // the smaller side needs fewer places
    }
    sides.there = holds_all(pairs, sides.one, sides.other);
    sides.back = holds_all(pairs, sides.other, sides.one);
    const std::size_t all = sides.one.size() * sides.other.size();
    const bool whole = pairs.size() == all * ((sides.there ? 1U : 0U) + (sides.back ? 1U : 0U));
    return whole && all > 1 ? std::optional(sides) : std::nullopt;
}

/// Places that are these devices and no others; empty when there are none.
std::vector<std::string> places_of(const Hosts& inside,
                                   const std::vector<std::string>& labels,
                                   const std::vector<std::string>& hosts) {
    std::map<std::string, bool> whole;  // labels: whether all of it is inside
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const bool in = inside.contains(i);
        const auto [known, fresh] = whole.try_emplace(labels[i], in);
        known->second = known->second && in;
    }
    std::set<std::string> places;
    for (const std::size_t i : inside) {
        places.insert(whole.at(labels[i]) ? labels[i] : hosts[i]);
    }
    return {places.begin(), places.end()};
}

/// The capacity with places, where there are such; checked against what they mean.
std::optional<SharedCapacity> with_places(const Sides& sides,
                                          const std::vector<std::string>& labels,
                                          const std::vector<std::string>& hosts) {
    SharedCapacity capacity;
    const std::vector<std::string> one = places_of(sides.one, labels, hosts);
    const std::vector<std::string> other = places_of(sides.other, labels, hosts);
    if (one.size() == 1 && other.size() == 1) {
        capacity.between = {one.front(), other.front()};
    } else if (sides.one.size() + sides.other.size() == labels.size()) {
        capacity.of = one;
    } else {
        return std::nullopt;
    }
    const std::vector<int> found = sides_of(capacity, labels, hosts);
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const int meant = sides.one.contains(i) ? 1 : sides.other.contains(i) ? 2 : 0;
        if (found[i] != meant) {
            return std::nullopt;
        }
    }
    return capacity;
}

/// Capacities between the same sides, to join those of the two directions.
struct Found {
    SharedCapacity capacity;
    std::size_t pairs = 0;
};

void set_rates(const Sides& sides, double gbps, SharedCapacity& capacity) {
    constexpr double kNoLimit = SharedCapacity::kNoLimit;
    capacity.duplex = !(sides.there && sides.back);
    capacity.there_gbps = sides.there ? gbps : kNoLimit;
    capacity.back_gbps = sides.back ? gbps : kNoLimit;
}

/// Whether the capacity took the direction that was still without limit.
bool joined(const Sides& sides, const SharedLink& link, std::vector<Found>& same) {
    constexpr double kNoLimit = SharedCapacity::kNoLimit;
    for (Found& found : same) {
        double& free = sides.there ? found.capacity.there_gbps : found.capacity.back_gbps;
        if (found.capacity.duplex && sides.there != sides.back && free == kNoLimit) {
            free = link.gbps;
            found.capacity.name += found.capacity.name == link.name ? "" : ", " + link.name;
            return true;
        }
    }
    return false;
}

}  // namespace

SharedLinks shared_links_of(const std::vector<SharedLink>& links,
                            const std::vector<std::string>& labels,
                            const std::vector<std::string>& hosts) {
    SharedLinks result;
    std::map<Sides, std::vector<Found>> found;
    for (const SharedLink& link : links) {
        const Pairs pairs(link.pairs.begin(), link.pairs.end());
        Pairs unordered;
        for (const auto& [from, to] : pairs) {
            unordered.emplace(std::min(from, to), std::max(from, to));
        }
        if (unordered.size() < 2) {
            continue;
        }
        const std::optional<Sides> sides = sides_of(pairs);
        auto capacity = sides ? with_places(*sides, labels, hosts) : std::nullopt;
        if (!capacity) {
            ++result.left_out;
        } else if (!joined(*sides, link, found[*sides])) {
            capacity->name = link.name;
            set_rates(*sides, link.gbps, *capacity);
            found[*sides].push_back({*std::move(capacity), unordered.size()});
        }
    }
    std::vector<Found> all;
    for (auto& [sides, same] : found) {
        std::ranges::move(same, std::back_inserter(all));
    }
    std::ranges::stable_sort(all, std::greater(), &Found::pairs);
    for (Found& each : all) {
        if (result.capacities.size() < kMostCapacities) {
            result.capacities.push_back(std::move(each.capacity));
        } else {
            ++result.left_out;
        }
    }
    return result;
}

}  // namespace longhaul::fabric
