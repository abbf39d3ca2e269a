#include <algorithm>
#include <cmath>

#include "longhaul/core/assert.hpp"
#include "longhaul/flowsim/detail/sharing.hpp"

namespace longhaul::flowsim {
namespace {

/// A link is full when this share of its capacity, or less, is left; levels are equal within it.
constexpr double kSlack = 1e-10;
/// Levels that differ by less than this differ by rounding.
constexpr double kNoise = 1e-13;
/// A sum of weights is added up anew when so much of it was subtracted.
constexpr double kCancelled = 1e-6;
/// Rounds of growth after which the whole component is taken: bounds the cost of long cascades.
constexpr int kRounds = 24;

}  // namespace

void Busy::change(std::int32_t by, Time now) {
    if (count_ > 0) {
        total_ += now - since_;
    }
    since_ = now;
    count_ += by;
}

Sharing::Sharing(std::span<const Link> links) : links_(links.size()) {
    for (std::size_t l = 0; l < links.size(); ++l) {
        LONGHAUL_ASSERT(links[l].capacity.value() > 0 && std::isfinite(links[l].capacity.value()));
        links_[l].capacity = links[l].capacity.value();
    }
}

BundleId Sharing::add(std::span<const Hop> path, double weight, double cap, Time now) {
    LONGHAUL_ASSERT(!path.empty() || std::isfinite(cap));
    if (free_.empty()) {
        free_.push_back(static_cast<BundleId>(bundles_.size()));
        bundles_.emplace_back();
    }
    const BundleId id = free_.back();
    free_.pop_back();
    Bundle& bundle = bundles_[id];
    bundle.path = path;
    bundle.weight = weight;
    bundle.cap = cap;
    bundle.level = 0;
    bundle.flows = 1;
    bundle.bound = kOwnCap;
    bundle.solve = 0;
    bundle.places.clear();
    for (std::size_t hop = 0; hop < path.size(); ++hop) {
        LinkState& link = links_[path[hop].link];
        bundle.places.push_back(static_cast<std::uint32_t>(link.entries.size()));
        link.entries.push_back({id, static_cast<std::uint32_t>(hop), path[hop].load});
        link.used.change(1, now);
    }
    dirty_bundles_.push_back(id);
    return id;
}

void Sharing::remove_entry(const Entry& entry, LinkId link) {
    std::vector<Entry>& entries = links_[link].entries;
    const std::uint32_t place = bundles_[entry.bundle].places[entry.hop];
    entries[place] = entries.back();
    entries.pop_back();
    if (place < entries.size()) {
        bundles_[entries[place].bundle].places[entries[place].hop] = place;
    }
}

void Sharing::resize(BundleId id, std::uint32_t flows, Time now) {
    Bundle& bundle = bundles_[id];
    bundle.flows = flows;
    if (flows > 0) {
        dirty_bundles_.push_back(id);
        return;
    }
    set_bound(bundle, kOwnCap, now);
    for (std::size_t hop = 0; hop < bundle.path.size(); ++hop) {
        const LinkId link = bundle.path[hop].link;
        remove_entry({id, static_cast<std::uint32_t>(hop), 0}, link);
        links_[link].used.change(-1, now);
        dirty_links_.push_back(link);
    }
    free_.push_back(id);
}

void Sharing::set_capacity(LinkId id, core::GbitPerSecond capacity) {
    LONGHAUL_ASSERT(capacity.value() > 0 && std::isfinite(capacity.value()));
    links_[id].capacity = capacity.value();
    dirty_links_.push_back(id);
    for (const Entry& entry : links_[id].entries) {
        dirty_bundles_.push_back(entry.bundle);
    }
}

void Sharing::set_bound(Bundle& bundle, LinkId bound, Time now) {
    if (bundle.bound != kOwnCap) {
        links_[bundle.bound].limiting.change(-1, now);
    }
    bundle.bound = bound;
    if (bound != kOwnCap) {
        links_[bound].limiting.change(1, now);
    }
}

void Sharing::touch(LinkId id) {
    if (links_[id].solve != solve_) {
        links_[id].solve = solve_;
        links_[id].moved = false;
        touched_.push_back(id);
    }
}

void Sharing::include(BundleId id) {
    Bundle& bundle = bundles_[id];
    if (bundle.solve == solve_) {
        return;
    }
    bundle.solve = solve_;
    bundle.before = bundle.level;
    bundle.bound_before = bundle.bound;
    set_.push_back(id);
    for (const Hop& hop : bundle.path) {
        touch(hop.link);
    }
}

std::span<const Sharing::Change> Sharing::solve(Time now) {
    changes_.clear();
    if (dirty_bundles_.empty() && dirty_links_.empty()) {
        return changes_;
    }
    ++solve_;
    set_.clear();
    touched_.clear();
    for (const BundleId id : dirty_bundles_) {
        if (bundles_[id].flows > 0) {
            include(id);
            for (const Hop& hop : bundles_[id].path) {
                links_[hop.link].moved = true;
            }
        }
    }
    for (const LinkId id : dirty_links_) {
        touch(id);
        links_[id].moved = true;
    }
    dirty_bundles_.clear();
    dirty_links_.clear();
    int round = 0;
    do {
        if (++round > kRounds) {
            grow_to_component();
        }
        fill();
    } while (grow_by_violated());
    for (const BundleId id : set_) {
        Bundle& bundle = bundles_[id];
        const LinkId bound = bundle.bound;
        bundle.bound = bundle.bound_before;
        set_bound(bundle, bound, now);
        if (std::abs(bundle.level - bundle.before) <= kNoise * bundle.before) {
            bundle.level = bundle.before;
        } else {
            changes_.push_back({id, bundle.before});
        }
    }
    return changes_;
}

/// What the bundles outside the set leave of the link, and the weight of those inside.
void Sharing::prepare(LinkId id) {
    LinkState& link = links_[id];
    link.room = link.capacity;
    link.weight = 0;
    link.open = 0;
    link.top = 0;
    link.binding = false;
    for (const Entry& entry : link.entries) {
        const Bundle& bundle = bundles_[entry.bundle];
        const double share = entry.load * bundle.flows * bundle.weight;
        if (bundle.solve == solve_) {
            link.weight += share;
            ++link.open;
        } else {
            link.room -= share * bundle.level;
        }
    }
    link.room = std::max(link.room, 0.0);
    link.whole_weight = link.weight;
}

/// Shares what the others leave among the bundles of the set: progressive filling, with a heap.
void Sharing::fill() {
    const auto later = [](const Full& a, const Full& b) {
        return a.level != b.level ? a.level > b.level : a.id > b.id;
    };
    heap_.clear();
    risen_ = 0;
    for (const LinkId id : touched_) {
        prepare(id);
        if (links_[id].open > 0) {
            heap_.push_back({links_[id].room / links_[id].weight, id});
        }
    }
    for (const BundleId id : set_) {
        Bundle& bundle = bundles_[id];
        bundle.fixed = false;
        if (std::isfinite(bundle.cap)) {
            heap_.push_back(
                {bundle.cap / bundle.weight, static_cast<std::uint32_t>(links_.size()) + id});
        }
    }
    std::ranges::make_heap(heap_, later);
    while (!heap_.empty()) {
        std::ranges::pop_heap(heap_, later);
        Full next = heap_.back();
        heap_.pop_back();
        if (next.id < links_.size()) {
            if (links_[next.id].open == 0) {
                continue;
            }
            next.level = level_when_full(next.id);
            if (!heap_.empty() && later(next, heap_.front())) {
                heap_.push_back(next);
                std::ranges::push_heap(heap_, later);
                continue;
            }
        }
        rise_to(next);
    }
}

/// The open bundles of the link, or the one bundle, stay at the level.
void Sharing::rise_to(Full next) {
    risen_ = std::max(risen_, next.level);
    if (next.id >= links_.size()) {
        const auto id = next.id - static_cast<std::uint32_t>(links_.size());
        if (!bundles_[id].fixed) {
            fix(id, next.level, kOwnCap);
        }
        return;
    }
    LinkState& link = links_[next.id];
    link.binding = true;
    for (const Entry& entry : link.entries) {
        if (bundles_[entry.bundle].solve == solve_ && !bundles_[entry.bundle].fixed) {
            fix(entry.bundle, next.level, next.id);
        }
    }
}

void Sharing::fix(BundleId id, double level, LinkId bound) {
    Bundle& bundle = bundles_[id];
    bundle.level = level;
    bundle.bound = bound;
    bundle.fixed = true;
    const bool moved = std::abs(level - bundle.before) > kNoise * bundle.before;
    for (const Hop& hop : bundle.path) {
        LinkState& link = links_[hop.link];
        const double share = hop.load * bundle.flows * bundle.weight;
        link.room -= share * level;
        link.weight -= share;
        link.top = std::max(link.top, level);
        link.moved |= moved;
        --link.open;
    }
}

void Sharing::weigh_again(LinkId id) {
    LinkState& link = links_[id];
    link.weight = 0;
    for (const Entry& entry : link.entries) {
        const Bundle& bundle = bundles_[entry.bundle];
        if (bundle.solve == solve_ && !bundle.fixed) {
            link.weight += entry.load * bundle.flows * bundle.weight;
        }
    }
    link.whole_weight = link.weight;
}

/// Never below what the others have risen to, which rounding could bring about.
double Sharing::level_when_full(LinkId id) {
    LinkState& link = links_[id];
    if (link.weight < kCancelled * link.whole_weight) {
        weigh_again(id);
    }
    return std::max(std::max(link.room, 0.0) / link.weight, risen_);
}

/// Takes in the bundles outside the set that the new levels leave without a full link on which no
/// level is higher, or that keep one inside from having it. Tells whether there were any.
bool Sharing::grow_by_violated() {
    const std::size_t before = set_.size();
    const std::size_t count = touched_.size();
    for (std::size_t i = 0; i < count; ++i) {
        const LinkId id = touched_[i];
        const LinkState& link = links_[id];
        if (!link.moved && !link.binding) {
            continue;
        }
        const bool full = link.room <= kSlack * link.capacity;
        const double highest = link.top * (1 + kSlack);
        const double lowest = link.top * (1 - kSlack);
        for (const Entry& entry : link.entries) {
            const Bundle& other = bundles_[entry.bundle];
            if (other.solve == solve_) {
                continue;
            }
            const bool in_the_way = link.binding && other.level > highest;
            const bool robbed = other.bound == id && (!full || other.level < lowest);
            if (in_the_way || robbed) {
                include(entry.bundle);
            }
        }
    }
    return set_.size() > before;
}

void Sharing::grow_to_component() {
    for (std::size_t i = 0; i < touched_.size(); ++i) {
        for (const Entry& entry : links_[touched_[i]].entries) {
            include(entry.bundle);
        }
    }
}

}  // namespace longhaul::flowsim
