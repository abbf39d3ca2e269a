// Capacity that several pairs load at once: what a plan sends over each resource, and how long that
// takes at least.
//
// A resource carries a rate in each direction at the same time, or (half duplex) one rate for what
// both directions send. Loads are in GB a step:
//
//     exchange   all stage groups exchange at once: the sum of their flows, per direction
//     edge       forward all pipelines cross at once, then backward the other way: the sum of both
//                passes
//
// A load takes 8 GB / gbps: of the slower direction, or (half duplex) of both together. So DataP =
// max(worst group, every resource), and an edge costs max(slowest pair, every resource). Any way of
// the exchange counts, since it says who sends what to whom (exchange.hpp). Micro-batches that
// follow each other keep a resource busy on all edges at once: see shared_pipeline.hpp.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "longhaul/core/grid.hpp"
#include "longhaul/fabric/fabric.hpp"
#include "longhaul/placement/exchange.hpp"

namespace longhaul::placement {

/// GB from side 1 to side 2 of a resource, and back.
struct Load {
    double there = 0;
    double back = 0;
};

/// What a resource carries, as fabric::SharedCapacity states it. Half duplex: both rates are equal.
struct SharedRates {
    double there_gbps = 0;
    double back_gbps = 0;
    bool duplex = true;
};

/// The slowest resource: -1 when there is none or nothing is sent.
struct Contended {
    double seconds = 0;
    int resource = -1;
};

/// Pairs between two stage groups when resources count.
struct ContendedEdge {
    std::vector<int> partner;  ///< position in the right group of each left position
    double pair_seconds = 0;   ///< slowest pair
    Contended shared;          ///< slowest resource
    double bound = 0;          ///< no matching takes less
    [[nodiscard]] double seconds() const { return std::max(pair_seconds, shared.seconds); }
};

class Contention {
public:
    Contention() = default;
    explicit Contention(const fabric::Fabric& fabric);
    /// Full duplex, one rate for both directions. sides[resource][point] is 0, 1 or 2, see
    /// fabric::sides_of. Points are devices or classes.
    Contention(std::vector<std::string> names,
               const std::vector<double>& gbps,
               std::vector<std::vector<int>> sides);
    [[nodiscard]] static Contention with_rates(std::vector<std::string> names,
                                               std::vector<SharedRates> rates,
                                               std::vector<std::vector<int>> sides);

    [[nodiscard]] std::size_t size() const { return rates_.size(); }
    [[nodiscard]] bool empty() const { return rates_.empty(); }
    [[nodiscard]] const std::vector<std::vector<int>>& sides() const { return sides_; }

    /// The same resources for some of the points, in the given order.
    [[nodiscard]] Contention of(const std::vector<int>& points) const;
    /// What is left for one when `parts` equal loads use every resource at once.
    [[nodiscard]] Contention divided(int parts) const;

    /// Whether an edge may take longer read from its other end: some resource has another rate each
    /// way, and the passes send different amounts. Read backwards, an edge sends forward what it
    /// sent backward: the two payloads change places.
    [[nodiscard]] bool directed(double forward_gb, double backward_gb) const;

    [[nodiscard]] const std::string& name(int resource) const {
        return names_[static_cast<std::size_t>(resource)];
    }

    /// Adds the flows of one exchange. O(flows resources).
    void add(const ExchangePlan& plan, std::vector<Load>& loads) const;
    [[nodiscard]] Contended slowest(std::span<const Load> loads) const;
    /// The same for the slower of two passes: these loads, and the same in opposite directions.
    [[nodiscard]] Contended slower_pass(std::span<const Load> loads) const;

    /// Adds `gb` for every pair of an edge whose position r joins left[r] with right[r]. O(D
    /// resources).
    void add_pairs(std::span<const int> left,
                   std::span<const int> right,
                   double gb,
                   std::vector<Load>& loads) const;

    /// Both passes over an edge whose position r joins left[r] with right[r]. O(D resources).
    [[nodiscard]] Contended edge(std::span<const int> left,
                                 std::span<const int> right,
                                 double forward_gb,
                                 double backward_gb) const;

    /// Pairs that take least: pair_seconds(i, j) between left position i and right position j. From
    /// the bottleneck value up, the matching of least load under each threshold, until a higher
    /// threshold cannot pay. The best where it meets `bound`, and always with one resource of the
    /// kind `of` (least load is then least in both directions, whatever their rates); with several,
    /// least load is the least sum over them. O(D^3) a threshold, at most 16.
    [[nodiscard]] ContendedEdge match(const core::Grid<double>& pair_seconds,
                                      std::span<const int> left,
                                      std::span<const int> right,
                                      double forward_gb,
                                      double backward_gb) const;

    /// The matching of pairs with finite seconds that loads all resources together least; of equal
    /// ones that with the fastest slowest pair. Empty when no matching has finite pairs only.
    /// O(D^3 log D).
    [[nodiscard]] std::vector<int> least_load(const core::Grid<double>& pair_seconds,
                                              std::span<const int> left,
                                              std::span<const int> right) const;

    /// Of `of` devices a side, the fewest pairs that cross in each direction whatever the matching:
    /// one entry a resource, as loads of 1 GB a pair.
    [[nodiscard]] std::vector<Load> fewest_crossing(std::span<const int> left,
                                                    std::span<const int> right) const;

private:
    [[nodiscard]] double seconds(std::size_t resource, const Load& load) const;
    [[nodiscard]] double passes(std::size_t resource,
                                const Load& pairs,
                                double forward_gb,
                                double backward_gb) const;
    [[nodiscard]] int side(std::size_t resource, int point) const {
        return sides_[resource][static_cast<std::size_t>(point)];
    }
    [[nodiscard]] core::Grid<double> crossing_seconds(std::span<const int> left,
                                                      std::span<const int> right,
                                                      double forward_gb,
                                                      double backward_gb) const;

    std::vector<std::string> names_;
    std::vector<SharedRates> rates_;
    std::vector<std::vector<int>> sides_;
};

}  // namespace longhaul::placement
