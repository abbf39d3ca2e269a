// How the replicas of a stage average their gradients, and what that takes under each way.
//
// With D devices in a stage group, payload c and m messages, one transfer is
// T_ij(c, m) = m latency(i, j) + c slowness(i, j), and the whole exchange takes
//
//     sharded       max over devices d of sum over peers e of 2 T_de(c / D, m)
//     ring          2 (D - 1) x slowest hop T(c / D, m) of the best ring
//     central       min over roots r of sum over peers e of 2 T_re(c, m)
//     tree          2 x the fastest reduction tree with hops T(c, m), see reduction_tree.hpp
//     hierarchical  2 x inside + across, over the R regions of the group with k owners each (k =
//                   fewest members of a region), least over who owns and which owners meet:
//                   inside = max over devices of sum of T(c / k, m) to the owners of the region
//                   (owners: from all members), across = max over owners of the sum of
//                   2 T(c / (k R), m) to the owners that it meets, one in each other region,
//                   see owners.hpp
//
// Sources: sharded, the geo-placement page; ring, Patarasuk and Yuan, 2009; the rest follow from
// counting who sends what to whom.
#pragma once

#include <span>
#include <vector>

#include "longhaul/core/grid.hpp"
#include "longhaul/fabric/fabric.hpp"
#include "longhaul/placement/owners.hpp"
#include "longhaul/placement/terms.hpp"

namespace longhaul::placement {

/// Links between points, symmetric: seconds a message, seconds a GB. Points are devices, or classes
/// of devices, which may occur several times in a group: the diagonal is the link inside a class.
class PointLinks {
public:
    /// Points are the devices of a fabric.
    explicit PointLinks(const fabric::Links& links);
    /// Points are the rows of both tables.
    PointLinks(core::Grid<double> latency_s, core::Grid<double> slowness);

    /// The same links for some of the points, in the given order.
    [[nodiscard]] PointLinks of(const std::vector<int>& points) const;

    [[nodiscard]] double transfer(int i, int j, double gb, int messages) const {
        const auto a = static_cast<std::size_t>(kind_of_[static_cast<std::size_t>(i)]);
        const auto b = static_cast<std::size_t>(kind_of_[static_cast<std::size_t>(j)]);
        return messages * latency_s_(a, b) + gb * slowness_(a, b);
    }

private:
    std::vector<int> kind_of_;  // of each point
    core::Grid<double> latency_s_;
    core::Grid<double> slowness_;
};

/// What a member sends to another over one exchange; numbers are positions in ExchangePlan::group.
struct Flow {
    int from = 0;
    int to = 0;
    double gb = 0;
};

/// Seconds of an exchange and who sends what.
struct ExchangePlan {
    double seconds = 0;
    bool exact = true;        ///< false: ring, tree or owners were searched, may not be the best
    std::vector<int> group;   ///< points, by class and then by number
    std::vector<int> order;   ///< positions. ring: in ring order; central, tree: the root;
                              ///< hierarchical: owners, those of each region that meet together
    std::vector<Flow> flows;  ///< in GB, both ways
};

/// A flow that an exchange waits for: points, and the seconds that its own messages add.
struct CriticalFlow {
    int from = -1;
    int to = -1;
    double seconds = 0;
};

/// The data-parallel term of one job: a way, links, the region of every point, payload (GB) and
/// messages of a transfer.
class ExchangeTerm {
public:
    /// `class_of_point` numbers points that links and region cannot tell apart; empty: every point
    /// is its own class.
    ExchangeTerm(Exchange kind,
                 PointLinks links,
                 std::vector<int> region,
                 double payload_gb,
                 int messages,
                 std::vector<int> class_of_point = {});

    [[nodiscard]] Exchange kind() const { return kind_; }
    [[nodiscard]] std::size_t points() const { return region_.size(); }
    [[nodiscard]] const std::vector<int>& region() const { return region_; }
    [[nodiscard]] const std::vector<int>& class_of_point() const { return class_; }

    /// The same term for some of the points, in the given order.
    [[nodiscard]] ExchangeTerm of(const std::vector<int>& points) const;

    /// Seconds of a stage group, given as points in any order; points that are classes may repeat.
    /// Members are taken class by class, so that only the classes of a group matter. O(D^2) but for
    /// ring and tree, and hierarchical where members of a region differ.
    [[nodiscard]] double seconds(std::span<const int> group) const;

    /// The same with everything that was decided.
    [[nodiscard]] ExchangePlan plan(std::span<const int> group) const;

    /// The flows that the seconds of a group wait for, costliest first, ties of what is slowest
    /// included: of the worst devices (sharded), the slowest hops (ring), all of the root
    /// (central), the slowest branch (tree), the worst device of each half of the way
    /// (hierarchical). Empty for a group of one.
    [[nodiscard]] std::vector<CriticalFlow> critical_flows(std::span<const int> group) const;

    /// No group of `size` members that holds `point` and others out of `peers` (points other than
    /// the member itself, repeats allowed, at least size - 1) takes less. O(p log p) for p peers;
    /// central O(p^2).
    [[nodiscard]] double member_bound(int point, std::span<const int> peers, int size) const;

    /// member_bound of every point, with all others as peers. O(c n log n) for n points in c
    /// classes.
    [[nodiscard]] std::vector<double> member_bounds(int size) const;

    /// No group of `size` members that contains `part` takes less, whoever else is in it. Only
    /// `sharded` grows with every member, so only it has a bound above 0 from the part alone; the
    /// others can get cheaper by a member that joins (see exchange_test.cpp).
    [[nodiscard]] double part_bound(std::span<const int> part, int size) const;

private:
    [[nodiscard]] double transfer(int a, int b, double gb) const {
        return links_.transfer(a, b, gb, messages_);
    }
    [[nodiscard]] std::vector<int> sorted(std::span<const int> group) const;
    [[nodiscard]] core::Grid<double> hops(std::span<const int> group, double gb) const;
    [[nodiscard]] double sharded(std::span<const int> group, double gb) const;
    [[nodiscard]] std::size_t central_root(std::span<const int> group) const;
    [[nodiscard]] double sum_to(std::span<const int> group, std::size_t root, double gb) const;
    /// By positions in the group.
    [[nodiscard]] Owners owners(std::span<const int> group) const;
    void add_flows(ExchangePlan& plan) const;
    void critical_sums(std::span<const int> group,
                       double gb,
                       double times,
                       std::vector<CriticalFlow>& flows) const;
    void critical_ring(std::span<const int> group, std::vector<CriticalFlow>& flows) const;
    void critical_tree(std::span<const int> group, std::vector<CriticalFlow>& flows) const;
    void critical_regions(std::span<const int> group, std::vector<CriticalFlow>& flows) const;
    void add_pair_flows(ExchangePlan& plan) const;
    void add_hierarchical_flows(ExchangePlan& plan) const;
    [[nodiscard]] std::vector<double> cheapest(int point,
                                               std::span<const int> peers,
                                               int count,
                                               double gb) const;
    [[nodiscard]] double cheapest_sum(int point,
                                      std::span<const int> peers,
                                      int count,
                                      double gb) const;
    [[nodiscard]] double cheapest_pair(std::span<const int> members) const;
    [[nodiscard]] double central_bound(int point, std::span<const int> peers, int size) const;
    struct RegionBound;
    [[nodiscard]] RegionBound region_bound(int point, std::span<const int> peers) const;
    [[nodiscard]] double hierarchical_bound(int point, const RegionBound& region, int size) const;
    [[nodiscard]] std::vector<int> all_points() const;
    [[nodiscard]] std::vector<int> one_of_each_class(std::span<const int> points) const;
    [[nodiscard]] double inside_class(int point) const;
    [[nodiscard]] std::vector<double> central_bounds(std::span<const int> points, int size) const;
    [[nodiscard]] std::vector<double> tree_bounds(std::span<const int> points, int size) const;

    Exchange kind_;
    PointLinks links_;
    std::vector<int> region_;
    double payload_gb_;
    int messages_;
    std::vector<int> class_;
};

}  // namespace longhaul::placement
