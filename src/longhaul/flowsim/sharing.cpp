#include <algorithm>
#include <cmath>

#include "longhaul/core/assert.hpp"
#include "longhaul/flowsim/detail/sharing.hpp"

namespace longhaul::flowsim {
namespace {

/// Levels are equal, and links full, within this share.
constexpr double kSlack = 1e-10;
/// Levels that differ by less than this differ by rounding.
constexpr double kNoise = 1e-12;
/// A sum of weights is added up anew when so much of it was subtracted.
constexpr double kCancelled = 1e-6;
/// What is left of a link is added up anew after so many solves that touched it.
constexpr std::uint32_t kRefresh = 256;

constexpr double kNoKey = std::numeric_limits<double>::infinity();

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
        links_[l].room = links_[l].capacity;
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
    bundle.taken = 0;
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

void Sharing::remove_entry(BundleId id, std::size_t hop) {
    const Bundle& bundle = bundles_[id];
    std::vector<Entry>& entries = links_[bundle.path[hop].link].entries;
    const std::uint32_t place = bundle.places[hop];
    entries[place] = entries.back();
    entries.pop_back();
    if (place < entries.size()) {
        bundles_[entries[place].bundle].places[entries[place].hop] = place;
    }
}

void Sharing::resize(BundleId id, std::uint32_t flows, Time now) {
    Bundle& bundle = bundles_[id];
    if (flows < bundle.flows) {
        for (const Hop& hop : bundle.path) {
            dirty_links_.push_back(hop.link);
        }
    }
    bundle.flows = flows;
    if (flows > 0) {
        dirty_bundles_.push_back(id);
        return;
    }
    set_bound(bundle, kOwnCap, now);
    for (std::size_t hop = 0; hop < bundle.path.size(); ++hop) {
        LinkState& link = links_[bundle.path[hop].link];
        link.room += bundle.path[hop].load * bundle.taken;
        link.used.change(-1, now);
        remove_entry(id, hop);
    }
    free_.push_back(id);
}

void Sharing::set_capacity(LinkId id, core::GbitPerSecond capacity) {
    LONGHAUL_ASSERT(capacity.value() > 0 && std::isfinite(capacity.value()));
    links_[id].room += capacity.value() - links_[id].capacity;
    links_[id].capacity = capacity.value();
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

/// Prepares a link for the solve under way, if that is not done.
void Sharing::touch(LinkId id) {
    LinkState& link = links_[id];
    if (link.solve == solve_) {
        return;
    }
    link.solve = solve_;
    link.open = 0;
    link.weight = 0;
    link.whole_weight = 0;
    link.limited_are_in = false;
    link.joined = false;
    link.key = kNoKey;
    if (++link.touches % kRefresh == 0) {
        link.room = link.capacity;
        for (const Entry& entry : link.entries) {
            link.room -= entry.load * bundles_[entry.bundle].taken;
        }
    }
}

/// Takes a bundle into the set: what it had is free again, and it rises with the others.
void Sharing::include(BundleId id) {
    Bundle& bundle = bundles_[id];
    if (bundle.solve == solve_) {
        return;
    }
    bundle.solve = solve_;
    bundle.fixed = false;
    bundle.before = bundle.level;
    bundle.bound_before = bundle.bound;
    set_.push_back(id);
    for (const Hop& hop : bundle.path) {
        touch(hop.link);
        LinkState& link = links_[hop.link];
        const double share = hop.load * bundle.flows * bundle.weight;
        link.room += hop.load * bundle.taken;
        link.weight += share;
        link.whole_weight += share;
        ++link.open;
        if (!link.joined) {
            link.joined = true;
            joined_.push_back(hop.link);
        }
    }
    if (std::isfinite(bundle.cap)) {
        push({bundle.cap / bundle.weight, static_cast<std::uint32_t>(links_.size()) + id});
    }
}

/// The bundles that a link limited, which got room: they may rise.
void Sharing::include_limited(LinkId id) {
    touch(id);
    LinkState& link = links_[id];
    if (link.limited_are_in || link.limiting.count() == 0) {
        return;
    }
    link.limited_are_in = true;
    for (const Entry& entry : link.entries) {
        if (bundles_[entry.bundle].bound == id) {
            include(entry.bundle);
        }
    }
}

/// Of the bundles outside the set, those that have more than a link which is full at `level` can
/// give: the highest first, as long as that is so. Tells whether there were any.
bool Sharing::include_higher(LinkId id, double level) {
    higher_.clear();
    for (const Entry& entry : links_[id].entries) {
        const Bundle& bundle = bundles_[entry.bundle];
        if (bundle.solve != solve_ && bundle.level > level * (1 + kSlack)) {
            higher_.push_back({bundle.level, entry.bundle});
        }
    }
    std::ranges::sort(higher_, [](const Full& a, const Full& b) {
        return a.level != b.level ? a.level > b.level : a.id < b.id;
    });
    for (const Full& one : higher_) {
        if (one.level <= level_when_full(id) * (1 + kSlack)) {
            break;
        }
        include(one.id);
    }
    return !higher_.empty();
}

std::span<const Sharing::Change> Sharing::solve(Time now) {
    changes_.clear();
    if (dirty_bundles_.empty() && dirty_links_.empty()) {
        return changes_;
    }
    ++solve_;
    set_.clear();
    heap_.clear();
    risen_ = 0;
    for (const LinkId id : dirty_links_) {
        include_limited(id);
    }
    for (const BundleId id : dirty_bundles_) {
        if (bundles_[id].flows > 0) {
            include(id);
        }
    }
    dirty_bundles_.clear();
    dirty_links_.clear();
    fill();
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
        bundle.taken = bundle.flows * bundle.weight * bundle.level;
    }
    LONGHAUL_ASSERT_HEAVY(is_fair());
    return changes_;
}

/// Progressive filling of the set, which grows meanwhile.
void Sharing::fill() {
    for (push_joined(); !heap_.empty(); push_joined()) {
        std::ranges::pop_heap(heap_, Later{});
        Full next = heap_.back();
        heap_.pop_back();
        if (next.id >= links_.size()) {
            const auto id = next.id - static_cast<std::uint32_t>(links_.size());
            if (!bundles_[id].fixed) {
                fix(id, std::max(next.level, risen_), kOwnCap);
            }
            continue;
        }
        LinkState& link = links_[next.id];
        if (link.key != next.level) {
            continue;  // there is a newer entry of the link
        }
        link.key = kNoKey;
        if (link.open == 0) {
            continue;
        }
        next.level = level_when_full(next.id);
        const bool first = heap_.empty() || !Later{}(next, heap_.front());
        if (!first || include_higher(next.id, next.level)) {
            next.level = level_when_full(next.id);
            push(next);
        } else {
            fix_all(next.id, next.level);
        }
    }
}

void Sharing::push(Full next) {
    if (next.id < links_.size()) {
        links_[next.id].key = next.level;
    }
    heap_.push_back(next);
    std::ranges::push_heap(heap_, Later{});
}

/// Links that bundles joined are full at lower levels than before.
void Sharing::push_joined() {
    for (const LinkId id : joined_) {
        links_[id].joined = false;
        if (links_[id].open == 0) {
            continue;
        }
        const double level = level_when_full(id);
        if (level < links_[id].key) {
            push({level, id});
        }
    }
    joined_.clear();
}

/// The open bundles of a link stay at the level at which it is full.
void Sharing::fix_all(LinkId id, double level) {
    const LinkState& link = links_[id];
    for (std::size_t i = 0; i < link.entries.size(); ++i) {
        const BundleId bundle = link.entries[i].bundle;
        if (bundles_[bundle].solve == solve_ && !bundles_[bundle].fixed) {
            fix(bundle, level, id);
        }
    }
}

void Sharing::fix(BundleId id, double level, LinkId bound) {
    Bundle& bundle = bundles_[id];
    risen_ = std::max(risen_, level);
    bundle.level = level;
    bundle.bound = bound;
    bundle.fixed = true;
    for (const Hop& hop : bundle.path) {
        LinkState& link = links_[hop.link];
        const double share = hop.load * bundle.flows * bundle.weight;
        link.room -= share * level;
        link.weight -= share;
        --link.open;
    }
    if (bundle.flows * bundle.weight * level < bundle.taken * (1 - kNoise)) {
        for (const Hop& hop : bundle.path) {
            include_limited(hop.link);
        }
    }
}

/// The level at which the open bundles of a link fill it. Never below what others have risen to,
/// which rounding could bring about.
double Sharing::level_when_full(LinkId id) {
    const LinkState& link = links_[id];
    if (link.weight < kCancelled * link.whole_weight) {
        weigh_again(id);
    }
    return std::max(std::max(link.room, 0.0) / link.weight, risen_);
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

/// What only max-min fair rates fulfil: no link is overfull, and every bundle is at its cap or
/// crosses a full link on which no level is higher. O(sum of path lengths): for tests.
bool Sharing::is_fair() const {
    constexpr double kClose = 1e-7;
    std::vector<double> room(links_.size());
    std::vector<double> top(links_.size());
    for (std::size_t l = 0; l < links_.size(); ++l) {
        room[l] = links_[l].capacity;
        for (const Entry& entry : links_[l].entries) {
            room[l] -= entry.load * bundles_[entry.bundle].taken;
            top[l] = std::max(top[l], bundles_[entry.bundle].level);
        }
        if (room[l] < -kClose * links_[l].capacity) {
            return false;
        }
    }
    return std::ranges::all_of(bundles_, [&](const Bundle& bundle) {
        const double cap = bundle.cap / bundle.weight;
        return bundle.flows == 0 || bundle.level >= cap * (1 - kClose) ||
               std::ranges::any_of(bundle.path, [&](const Hop& hop) {
                   return room[hop.link] <= kClose * links_[hop.link].capacity &&
                          bundle.level >= top[hop.link] * (1 - kClose);
               });
    });
}

}  // namespace longhaul::flowsim
