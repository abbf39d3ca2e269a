// The pipelined score with shared capacity against a plain simulation of its messages.
#include <algorithm>

#include <gtest/gtest.h>

#include "longhaul/placement/detail/test_support.hpp"
#include "longhaul/placement/shared_pipeline.hpp"

namespace longhaul::placement {
namespace {

/// One pass, message by message: a message takes an edge when it has come, the link is free, and so
/// is every resource that its pairs cross; all pairs of an edge go together. Messages go first that
/// came first.
class Events {
public:
    struct Hop {
        double link = 0;     // seconds that a message keeps the link
        double latency = 0;  // until it arrives, after that
        std::vector<std::pair<std::size_t, double>> shared;  // resources and seconds on each
    };

    Events(std::vector<Hop> hops, std::size_t resources)
        : hops_(std::move(hops)), link_free_(hops_.size(), 0), free_(resources, 0) {}

    double run(int messages) {
        std::vector<std::size_t> at(messages, 0);
        std::vector<double> ready(messages, 0);
        double last = 0;
        while (true) {
            int next = -1;
            double first = 0;
            for (int m = 0; m < messages; ++m) {
                if (at[m] < hops_.size() && (m == 0 || at[m] < at[m - 1])) {
                    const double start = begins(at[m], ready[m]);
                    if (next < 0 || start < first) {
                        next = m;
                        first = start;
                    }
                }
            }
            if (next < 0) {
                return last;
            }
            ready[next] = send(at[next]++, first);
            last = std::max(last, ready[next]);
        }
    }

private:
    [[nodiscard]] double begins(std::size_t hop, double ready) const {
        double start = std::max(ready, link_free_[hop]);
        for (const auto& [resource, seconds] : hops_[hop].shared) {
            start = std::max(start, free_[resource]);
        }
        return start;
    }

    double send(std::size_t hop, double start) {
        link_free_[hop] = start + hops_[hop].link;
        double arrives = start + hops_[hop].link + hops_[hop].latency;
        for (const auto& [resource, seconds] : hops_[hop].shared) {
            free_[resource] = start + seconds;
            arrives = std::max(arrives, start + seconds);
        }
        return arrives;
    }

    std::vector<Hop> hops_;
    std::vector<double> link_free_;
    std::vector<double> free_;
};

/// Seconds of the pipeline by events, GPipe: all forward, then all backward.
double by_events(const Problem& problem, const Stages& paired) {
    const Passes passes = passes_of(problem.workload, problem.terms);
    const auto& sides = problem.shared.sides();
    double seconds = 0;
    for (const bool backward : {false, true}) {
        const double gb = backward ? passes.backward_gb : passes.forward_gb;
        std::vector<Events::Hop> hops(paired.size() - 1);
        for (std::size_t s = 1; s < paired.size(); ++s) {
            std::vector<Load> loads;
            problem.shared.add_pairs(paired[s - 1], paired[s], gb, loads);
            Events::Hop& hop = hops[s - 1];
            hop.link = gb * problem.links.slowness(paired[s - 1][0], paired[s][0]);
            hop.latency = problem.links.latency_s(paired[s - 1][0], paired[s][0]);
            for (std::size_t r = 0; r < sides.size(); ++r) {
                for (const bool there : {true, false}) {
                    std::vector<Load> one(sides.size());
                    one[r].there = there ? loads[r].there : loads[r].back;
                    const double busy = problem.shared.slowest(one).seconds;
                    if (busy > 0) {
                        hop.shared.emplace_back(2 * r + (there == backward ? 1 : 0), busy);
                    }
                }
            }
        }
        if (backward) {
            std::ranges::reverse(hops);
        }
        seconds += Events(std::move(hops), 2 * sides.size())
                       .run(backward ? passes.backward_units : passes.forward_units);
    }
    return seconds;
}

/// Pairs of an edge are alike, so that it has one link; payloads are equal, or nothing has latency,
/// so that the slower of link and resource is the same in both passes.
Problem chain(Shape shape, bool crossed_once, core::Random& random) {
    const std::size_t n = shape.devices();
    const auto dp = static_cast<std::size_t>(shape.dp);
    core::Grid<double> latency(n, n, 0.0);
    core::Grid<double> slowness(n, n, 0.0);
    const bool equal = random.below(2) == 0;
    for (std::size_t s = 1; s < n / dp; ++s) {
        const double far = equal ? 0.3 * random.uniform() : 0;
        const double slow = random.uniform();
        for (std::size_t i = 0; i < dp; ++i) {
            for (std::size_t j = 0; j < dp; ++j) {
                const std::size_t a = (s - 1) * dp + i;
                const std::size_t b = s * dp + j;
                latency(a, b) = latency(b, a) = far;
                slowness(a, b) = slowness(b, a) = slow;
            }
        }
    }
    Problem problem;
    problem.shape = shape;
    problem.links = {std::move(latency), std::move(slowness)};
    problem.workload = testing::payloads(1 + random.uniform(), 0);
    problem.workload.pp_messages = 2 + static_cast<int>(random.below(12));
    if (!equal) {
        problem.workload.c_pp_backward = core::Gigabytes(0.2 + random.uniform());
        problem.workload.pp_backward_messages = 1 + static_cast<int>(random.below(9));
    }
    problem.terms.objective = Objective::kPipelined;
    problem.costs = costs_of(problem.links, problem.workload, shape, problem.terms);
    std::vector<std::vector<int>> sides(2, std::vector<int>(n, 0));
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t stage = i / dp;
        // The first resource joins both ends of one edge; the other lies between random devices.
        sides[0][i] = stage == 0 ? 1 : stage == 1 ? 2 : 0;
        sides[1][i] = crossed_once ? 0 : static_cast<int>(random.below(3));
    }
    problem.shared = Contention({"one", "many"},
                                {8 * static_cast<double>(dp) * (0.5 + 3 * random.uniform()),
                                 8 * static_cast<double>(dp) * (0.5 + 2 * random.uniform())},
                                std::move(sides));
    problem.exchange = std::make_shared<ExchangeTerm>(
        Exchange::kSharded, PointLinks(problem.links), std::vector<int>(n, 0), 0, 1);
    return problem;
}

Stages stages_in_line(Shape shape) {
    Stages stages(shape.pp);
    for (int i = 0; i < static_cast<int>(shape.devices()); ++i) {
        stages[i / shape.dp].push_back(i);
    }
    return stages;
}

TEST(SharedPipeline, EqualsEventsWhereEdgesShareNothing) {
    int bound_by_resource = 0;
    for (int i = 0; i < 200; ++i) {
        core::Random random(763, i);
        const Shape shape{2 + i % 4, 1 + i % 3};
        const Problem problem = chain(shape, true, random);
        const Stages stages = stages_in_line(shape);
        const Score score = score_as_mapped(problem, Placement::from_stages(stages));
        ASSERT_NEAR(score.pipeline, by_events(problem, stages), 1e-9) << i;
        double slowest = 0;
        for (std::size_t s = 1; s < stages.size(); ++s) {
            slowest = std::max(slowest, problem.links.slowness(stages[s - 1][0], stages[s][0]));
        }
        bound_by_resource += steady_load(problem, stages).seconds > slowest ? 1 : 0;
    }
    EXPECT_GE(bound_by_resource, 40);
}

TEST(SharedPipeline, IsCloseToEventsWhereEdgesShareACable) {
    double low = 10;
    double high = 0;
    for (int i = 0; i < 400; ++i) {
        core::Random random(764, i);
        const Shape shape{3 + i % 6, 1 + i % 4};
        const Problem problem = chain(shape, false, random);
        const Stages stages = stages_in_line(shape);
        const double model = score_as_mapped(problem, Placement::from_stages(stages)).pipeline;
        const double events = by_events(problem, stages);
        low = std::min(low, model / events);
        high = std::max(high, model / events);
    }
    // Measured: 0.746 to 1.18. First come, first served is no best schedule: a message that holds
    // back for its link leaves the cable idle.
    EXPECT_GE(low, 0.7);
    EXPECT_LE(high, 1.25);
}

}  // namespace
}  // namespace longhaul::placement
