#include "longhaul/placement/spare_bound.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "longhaul/placement/group_terms.hpp"
#include "longhaul/placement/least_compute.hpp"
#include "longhaul/placement/pipelined.hpp"

namespace longhaul::placement {
namespace {

constexpr double kNotJoined = std::numeric_limits<double>::infinity();

/// A threshold at which two kinds, or the devices of one kind, come to hang together.
struct Join {
    double cost;
    std::size_t kind;
    std::size_t other;  ///< the same: the devices of one kind
};

/// Joins of a minimum spanning tree (Prim), and of every kind in itself by its cheapest pair.
std::vector<Join> joins_of(const core::Grid<double>& table, const std::vector<int>& devices) {
    const std::size_t kinds = devices.size();
    std::vector<double> nearest(kinds, kNotJoined);  // to the tree
    std::vector<std::size_t> to(kinds, 0);
    std::vector<double> inside(kinds, kNotJoined);  // cheapest pair of a device of the kind
    std::vector<char> in_tree(kinds, 0);
    std::vector<Join> joins;
    std::size_t next = 0;
    while (next < kinds && devices[next] == 0) {
        ++next;
    }
    while (next < kinds) {
        const std::size_t a = next;
        in_tree[a] = 1;
        if (nearest[a] < kNotJoined) {
            joins.push_back({nearest[a], a, to[a]});
        }
        next = kinds;
        for (std::size_t b = 0; b < kinds; ++b) {
            if (devices[b] == 0) {
                continue;
            }
            if (b != a || devices[a] > 1) {
                inside[a] = std::min(inside[a], table(a, b));
            }
            if (in_tree[b] != 0) {
                continue;
            }
            if (table(a, b) < nearest[b]) {
                nearest[b] = table(a, b);
                to[b] = a;
            }
            next = next == kinds || nearest[b] < nearest[next] ? b : next;
        }
    }
    for (std::size_t a = 0; a < kinds; ++a) {
        if (devices[a] > 1) {
            joins.push_back({inside[a], a, a});
        }
    }
    std::ranges::stable_sort(joins, {}, &Join::cost);
    return joins;
}

/// Parts that hang together, by their first kind.
class JoinedKinds {
public:
    explicit JoinedKinds(const std::vector<int>& devices)
        : devices_(devices), together_(devices.size(), 0), part_(devices.size()) {
        std::iota(part_.begin(), part_.end(), std::size_t{0});
    }

    void join(const Join& join) {
        together_[join.kind] = together_[join.other] = 1;
        part_[first(join.kind)] = first(join.other);
    }

    /// Sizes of the parts; devices that nothing joins are parts of one.
    [[nodiscard]] std::vector<int> sizes() {
        std::vector<int> sizes(devices_.size(), 0);
        for (std::size_t kind = 0; kind < devices_.size(); ++kind) {
            if (together_[kind] != 0) {
                sizes[first(kind)] += devices_[kind];
            } else {
                sizes.insert(sizes.end(), static_cast<std::size_t>(devices_[kind]), 1);
            }
        }
        return sizes;
    }

private:
    std::size_t first(std::size_t kind) {
        while (part_[kind] != kind) {
            kind = part_[kind] = part_[part_[kind]];
        }
        return kind;
    }

    const std::vector<int>& devices_;
    std::vector<char> together_;
    std::vector<std::size_t> part_;
};

}  // namespace

int fewest_pieces(Shape shape, std::span<const int> parts) {
    const auto enough = [&](int pieces) {
        const int stages = (shape.pp + pieces - 1) / pieces;
        long long devices = 0;
        for (const int size : parts) {
            devices += size / stages;
        }
        return devices >= shape.dp;
    };
    int low = 1;
    int high = shape.pp;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        (enough(middle) ? high : low) = enough(middle) ? middle : middle + 1;
    }
    return low;
}

EdgesAtLeast edges_at_least(const PairMatrix& pairs, Shape shape) {
    EdgesAtLeast least;
    if (shape.pp == 1) {
        return least;
    }
    const std::vector<int> devices =
        fabric::devices_of_kinds(pairs.kind_of_device(), pairs.kinds());
    const std::vector<Join> joins = joins_of(pairs.table(), devices);
    JoinedKinds joined(devices);
    int broken = shape.pp - 1;  // edges above the joins so far
    double before = 0;
    for (std::size_t i = 0; i < joins.size() && broken > 0; ++i) {
        const double cost = joins[i].cost;
        least.sum += broken * (cost - before);
        least.slowest = before = cost;
        joined.join(joins[i]);
        while (i + 1 < joins.size() && joins[i + 1].cost == cost) {
            joined.join(joins[++i]);
        }
        broken = fewest_pieces(shape, joined.sizes()) - 1;
    }
    return least;
}

Bound spare_bound(const Problem& problem) {
    const bool spare = problem.devices() > problem.shape.devices();
    const bool pipelined = problem.terms.objective == Objective::kPipelined;
    Bound bound;
    bound.method = "elementary";
    bound.data_parallel = data_parallel_bound(problem);
    double slowest = 0;
    if (problem.shape.pp > 1) {
        const double cheapest = nearest_costs(problem.costs, problem.shape.dp).pipeline;
        bound.pipeline = (problem.shape.pp - 1) * cheapest;
        if (spare) {
            bound.pipeline = edges_at_least(problem.costs.pipeline, problem.shape).sum;
            const EdgesAtLeast slow =
                pipelined ? edges_at_least(problem.links.slowness, problem.shape) : EdgesAtLeast{};
            slowest = slow.slowest;
            const double even = (problem.shape.pp - 1) * slow.slowest;
            if (bound.pipeline > (problem.shape.pp - 1) * cheapest || even > slow.sum) {
                bound.method = "breaks of any path";
            }
        }
    }
    const StageCompute compute = least_compute(problem);
    bound.value = bound.data_parallel + bound.pipeline + compute.sum +
                  repeats(passes_of(problem.workload, problem.terms), compute, slowest);
    return bound;
}

}  // namespace longhaul::placement
