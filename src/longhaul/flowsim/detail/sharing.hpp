// Max-min fair rates that follow changes: each change recomputes only what it moves.
//
// Flows with the same path, weight and cap always have the same rate, so they are kept as one
// bundle. A solve takes the bundles that changed, and those that a link limited which got room,
// into a set, and shares among the set what the others leave: the level of all rises together.
// Where a link is full, the bundles of the set stay at that level, once nobody outside the set has
// a higher one there: who has joins the set first. Where a bundle ends up with less than before,
// the bundles that its links limited join, too. All who join have higher levels than the one
// reached, so that nothing has to be taken back, and each bundle is handled once.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "longhaul/flowsim/network.hpp"

namespace longhaul::flowsim {

using BundleId = std::uint32_t;

/// A stretch of time that is summed while a count is above zero.
class Busy {
public:
    void change(std::int32_t by, Time now);
    [[nodiscard]] std::int32_t count() const { return count_; }
    [[nodiscard]] Time total(Time now) const {
        return count_ > 0 ? total_ + (now - since_) : total_;
    }

private:
    std::int32_t count_ = 0;
    Time since_{};
    Time total_{};
};

class Sharing {
public:
    static constexpr LinkId kOwnCap = std::numeric_limits<LinkId>::max();

    /// A bundle whose level a solve changed.
    struct Change {
        BundleId bundle;
        double before;  ///< its level until now
    };

    explicit Sharing(std::span<const Link> links);

    /// A bundle of one flow. `path` must outlive it, and be empty only when there is a cap. The
    /// number of a removed bundle is used again.
    [[nodiscard]] BundleId add(std::span<const Hop> path, double weight, double cap, Time now);
    /// Sets how many flows the bundle has; 0 removes it.
    void resize(BundleId bundle, std::uint32_t flows, Time now);
    void set_capacity(LinkId link, core::GbitPerSecond capacity);

    /// Brings all levels up to date. Valid until the next call: bundles with another level than
    /// before. Levels that moved by rounding alone stay as they are.
    [[nodiscard]] std::span<const Change> solve(Time now);

    [[nodiscard]] std::uint32_t flows(BundleId bundle) const { return bundles_[bundle].flows; }
    /// Gbit/s of one flow of the bundle over its weight, as of the last solve; 0 before the first.
    [[nodiscard]] double level(BundleId bundle) const { return bundles_[bundle].level; }
    /// Gbit/s of one flow of the bundle.
    [[nodiscard]] double rate(BundleId bundle) const { return rate_at(bundle, level(bundle)); }
    [[nodiscard]] double rate_at(BundleId bundle, double level) const {
        return level * bundles_[bundle].weight;
    }
    /// The link that limits the bundle, or kOwnCap.
    [[nodiscard]] LinkId limit(BundleId bundle) const { return bundles_[bundle].bound; }
    /// How long flows crossed the link, and how long it limited one.
    [[nodiscard]] Time used(LinkId link, Time now) const { return links_[link].used.total(now); }
    [[nodiscard]] Time limiting(LinkId link, Time now) const {
        return links_[link].limiting.total(now);
    }

private:
    /// A bundle on a link; `hop` is the place of the link in the bundle's path.
    struct Entry {
        BundleId bundle;
        std::uint32_t hop;
        double load;
    };
    struct LinkState {
        double capacity = 0;
        std::vector<Entry> entries;
        Busy used;
        Busy limiting;
        double room = 0;            ///< capacity that is left
        std::uint32_t touches = 0;  ///< solves that touched it
        // Of the solve under way.
        std::uint32_t solve = 0;      ///< number of the last solve that touched it
        std::uint32_t open = 0;       ///< entries of the set that still rise
        double weight = 0;            ///< what these take of it a level
        double whole_weight = 0;      ///< the same when it was last added up
        double key = 0;               ///< of its valid entry in the heap
        bool joined = false;          ///< whether it is in the list of that name
        bool limited_are_in = false;  ///< whether all that it limited are in the set
    };
    struct Bundle {
        std::span<const Hop> path;
        std::vector<std::uint32_t> places;  ///< of its entries in the links' lists
        double weight = 1;
        double cap = 0;
        double level = 0;
        double taken = 0;   ///< rate of all its flows, as of the last solve
        double before = 0;  ///< level at the start of the solve
        std::uint32_t flows = 0;
        LinkId bound = kOwnCap;
        LinkId bound_before = kOwnCap;
        std::uint32_t solve = 0;
        bool fixed = false;
    };
    /// What fills up next: a link, or (from links_.size() on) the cap of a bundle.
    struct Full {
        double level;
        std::uint32_t id;
    };
    struct Later {
        bool operator()(const Full& a, const Full& b) const {
            return a.level != b.level ? a.level > b.level : a.id > b.id;
        }
    };

    void touch(LinkId link);
    void include(BundleId bundle);
    void include_limited(LinkId link);
    [[nodiscard]] bool include_higher(LinkId link, double level);
    void fill();
    void push(Full next);
    void push_joined();
    void fix_all(LinkId link, double level);
    void fix(BundleId bundle, double level, LinkId bound);
    [[nodiscard]] double level_when_full(LinkId link);
    void weigh_again(LinkId link);
    [[nodiscard]] bool is_fair() const;
    void remove_entry(BundleId bundle, std::size_t hop);
    void set_bound(Bundle& bundle, LinkId bound, Time now);

    std::vector<LinkState> links_;
    std::vector<Bundle> bundles_;
    std::vector<BundleId> free_;
    std::vector<BundleId> dirty_bundles_;
    std::vector<LinkId> dirty_links_;
    // Of the solve under way.
    std::uint32_t solve_ = 0;
    std::vector<BundleId> set_;
    std::vector<Full> heap_;
    std::vector<LinkId> joined_;  // links whose key in the heap may be too high
    std::vector<Full> higher_;
    double risen_ = 0;
    std::vector<Change> changes_;
};

}  // namespace longhaul::flowsim
