// What the checker of certificates bounds apart, and the problems that are left then.
#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "longhaul/placement/check_proof.hpp"
#include "longhaul/placement/replay_compute.hpp"
#include "longhaul/placement/replay_exchange.hpp"

namespace longhaul::placement {
namespace {

constexpr double kTooDear = 1e5;                    // times the dearest pair
constexpr std::size_t kMostJoinedOneByOne = 2'048;  // devices

/// Devices that hang together, joined pair by pair, the cheapest first.
class JoinedDevices {
public:
    JoinedDevices(const PairMatrix& pairs, Shape shape)
        : shape_(shape), size_(pairs.size(), 1), part_(pairs.size()) {
        std::iota(part_.begin(), part_.end(), std::size_t{0});
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                pairs_.push_back({pairs(i, j), i, j});
            }
        }
        std::ranges::stable_sort(pairs_, {}, &Pair::cost);
    }

    struct Edges {
        double sum = 0;
        double slowest = 0;
    };

    /// Every edge of a path costs as much as the cheapest pair; as long as the stages do not fit
    /// into fewer pieces, those between pieces cost as much as the next pair that joins two parts.
    Edges run() && {
        Edges edges;
        int between = shape_.pp - 1;
        for (const Pair& pair : pairs_) {
            const std::size_t a = part_of(pair.i);
            const std::size_t b = part_of(pair.j);
            if (a == b || between == 0) {
                continue;
            }
            edges.sum += between * (pair.cost - edges.slowest);
            edges.slowest = pair.cost;
            part_[a] = b;
            size_[b] += size_[a];
            size_[a] = 0;
            while (between > 0 && fit(between)) {
                --between;
            }
        }
        return edges;
    }

private:
    struct Pair {
        double cost;
        std::size_t i;
        std::size_t j;
    };

    std::size_t part_of(std::size_t device) {
        while (part_[device] != device) {
            device = part_[device] = part_[part_[device]];
        }
        return device;
    }

    /// Whether stages may fit into so many pieces: the longest has an equal share of them or more,
    /// and each of its stages as many devices of a part as the others.
    [[nodiscard]] bool fit(int pieces) const {
        const int stages = shape_.pp / pieces + (shape_.pp % pieces > 0 ? 1 : 0);
        int places = 0;
        for (const int size : size_) {
            places = std::min(shape_.dp, places + size / stages);
        }
        return places == shape_.dp;
    }

    Shape shape_;
    std::vector<int> size_;  // of the part that a device stands for
    std::vector<std::size_t> part_;
    std::vector<Pair> pairs_;
};

JoinedDevices::Edges replay_edges(const PairMatrix& pairs, Shape shape) {
    return shape.pp > 1 && pairs.size() > shape.devices() && pairs.size() <= kMostJoinedOneByOne
               ? JoinedDevices(pairs, shape).run()
               : JoinedDevices::Edges{};
}

}  // namespace

double replay_elementary(const Problem& problem) {
    double seconds = ReplayExchange(problem).least();
    const double joined = replay_edges(problem.costs.pipeline, problem.shape).sum;
    if (problem.shape.pp > 1) {
        double cheapest = std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < problem.devices(); ++i) {
            for (std::size_t j = 0; j < problem.devices(); ++j) {
                cheapest = i == j ? cheapest : std::min(cheapest, problem.costs.pipeline(i, j));
            }
        }
        seconds += std::max(joined, (problem.shape.pp - 1) * cheapest);
    }
    if (problem.terms.objective != Objective::kPipelined) {
        return seconds + parts_apart(problem, true, false);
    }
    const ReplayCompute least = replay_compute(problem);
    const double slowest = replay_edges(problem.links.slowness, problem.shape).slowest;
    return seconds + least.sum + replay_repeats(problem, least, slowest);
}

double parts_apart(const Problem& problem, bool compute, bool exchange) {
    double seconds = exchange ? ReplayExchange(problem).least() : 0;
    if (compute) {
        const ReplayCompute least = replay_compute(problem);
        seconds += least.sum + replay_repeats(problem, least, 0);
    }
    return seconds;
}

Problem without_parts(const Problem& problem, bool compute, bool exchange) {
    Problem rest = problem;
    if (compute) {
        if (problem.terms.objective == Objective::kPipelined) {
            rest.shared = {};  // its loads are those of all messages
        }
        rest.terms.objective = Objective::kAdditive;
        rest.workload.stage_seconds.clear();
        rest.workload.layers.clear();
        rest.speed.clear();
        rest.memory_gb.clear();
    }
    if (exchange) {
        rest.exchange.reset();
        rest.shared = {};
        rest.terms.exchange = Exchange::kSharded;
        core::Grid<double> none = problem.costs.exchange.table();
        std::ranges::fill(none.cells(), 0.0);
        rest.costs.exchange = {problem.costs.exchange.kind_of_device(), std::move(none)};
    }
    return rest;
}

Problem under_limit(const Problem& problem, double limit) {
    Problem first = without_parts(problem, true, false);
    core::Grid<double> pairs = problem.costs.pipeline.table();
    const core::Grid<double>& slow = problem.links.slowness.table();
    const double dear = kTooDear * std::max(1e-9, std::ranges::max(pairs.cells()));
    for (std::size_t i = 0; i < pairs.cells().size(); ++i) {
        pairs.cells()[i] += slow.cells()[i] > limit ? dear : 0;
    }
    first.costs.pipeline = {problem.costs.pipeline.kind_of_device(), std::move(pairs)};
    return first;
}

double beside_limit(const Problem& problem, double above) {
    const ReplayCompute compute = replay_compute(problem);
    double next = above < -1 ? 0 : std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < problem.devices() && above >= -1; ++i) {
        for (std::size_t j = 0; j < problem.devices(); ++j) {
            const double slowness = problem.links.slowness(i, j);
            next = i != j && slowness > above ? std::min(next, slowness) : next;
        }
    }
    return next == std::numeric_limits<double>::infinity()
               ? next
               : compute.sum + replay_repeats(problem, compute, next);
}

}  // namespace longhaul::placement
