#include "longhaul/placement/replay_crossing.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "longhaul/placement/replay_compute.hpp"
#include "longhaul/placement/replay_exchange.hpp"

namespace longhaul::placement {
namespace {

constexpr double kNotToBeHad = std::numeric_limits<double>::infinity();

/// Least sum over the stages of what each parts when it holds `low` to `high` of the devices.
double least_parted(Shape shape, std::size_t devices, std::size_t low, std::size_t high) {
    const auto size = static_cast<std::size_t>(shape.dp);
    std::vector<double> least(devices + 1, kNotToBeHad);
    least[0] = 0;
    for (int stage = 0; stage < shape.pp; ++stage) {
        std::vector<double> next(devices + 1, kNotToBeHad);
        for (std::size_t held = 0; held <= devices; ++held) {
            for (std::size_t a = low; a <= std::min(high, held); ++a) {
                next[held] =
                    std::min(next[held], least[held - a] + static_cast<double>(a * (size - a)));
            }
        }
        least = std::move(next);
    }
    return least[devices];
}

class Crossings {
public:
    Crossings(const Problem& problem, std::size_t resource)
        : problem_(problem), resource_(resource), compute_(replay_compute(problem)) {
        for (std::size_t i = 0; i < problem.devices(); ++i) {
            for (std::size_t j = 0; j < problem.devices(); ++j) {
                if (i != j) {
                    pair_ = std::min(pair_, problem.costs.pipeline(i, j));
                    slowness_ = std::min(slowness_, problem.links.slowness(i, j));
                }
            }
        }
        exchange_ = ReplayExchange(problem).least();
    }

    /// Least seconds over all ranges; `devices` lie on the first side, and the exchange and the
    /// edges of one message take `first` seconds at least.
    [[nodiscard]] double least(std::size_t devices, double first) const {
        double best = kNotToBeHad;
        for_ranges(devices, [&](double parted, double across) {
            best = std::min(best, std::max(first, message(parted)) + beside(across));
        });
        return best;
    }

    /// What `first` must be for that to reach a target; 0: anything does.
    [[nodiscard]] double needed(std::size_t devices, double target) const {
        double most = 0;
        for_ranges(devices, [&](double parted, double across) {
            if (message(parted) + beside(across) < target) {
                most = std::max(most, target - beside(across));
            }
        });
        return most;
    }

private:
    template <class F>
    void for_ranges(std::size_t devices, F f) const {
        const auto size = static_cast<std::size_t>(problem_.shape.dp);
        for (std::size_t low = 0; low <= size; ++low) {
            for (std::size_t high = low; high <= size; ++high) {
                const double parted = least_parted(problem_.shape, devices, low, high);
                if (parted < kNotToBeHad) {
                    f(parted, static_cast<double>(high - low));
                }
            }
        }
    }

    [[nodiscard]] double message(double parted) const {
        const double gb = parted * 2 * problem_.workload.c_dp.value() / problem_.shape.dp;
        std::vector<Load> loads(problem_.shared.size());
        loads[resource_] = {gb, gb};
        return std::max(exchange_, problem_.shared.slowest(loads).seconds) +
               (problem_.shape.pp - 1) * pair_;
    }

    [[nodiscard]] double beside(double across) const {
        std::vector<Load> loads(problem_.shared.size());
        loads[resource_] = {across, 0};
        const double interval = std::max(slowness_, problem_.shared.slower_pass(loads).seconds);
        return compute_.sum + replay_repeats(problem_, compute_, interval);
    }

    const Problem& problem_;
    std::size_t resource_;
    ReplayCompute compute_;
    double pair_ = kNotToBeHad;
    double slowness_ = kNotToBeHad;
    double exchange_ = 0;
};

/// f(crossings, devices on the first side) of every resource that few enough steps bound.
template <class F>
void for_crossings(const Problem& problem, double most_steps, F f) {
    const Shape shape = problem.shape;
    if (problem.terms.objective != Objective::kPipelined ||
        problem.terms.exchange != Exchange::kSharded || shape.pp < 2 ||
        problem.devices() != shape.devices()) {
        return;
    }
    for (std::size_t r = 0; r < problem.shared.size(); ++r) {
        const std::vector<int>& side = problem.shared.sides()[r];
        if (std::ranges::any_of(side, [](int s) { return s != 1 && s != 2; })) {
            continue;
        }
        const auto devices = static_cast<std::size_t>(std::ranges::count(side, 1));
        const double steps = static_cast<double>(devices + 1) * shape.pp * (shape.dp + 1.0) *
                             (shape.dp + 1.0) * (shape.dp + 1.0) / 6;
        if (steps <= most_steps) {
            f(Crossings(problem, r), devices);
        }
    }
}

}  // namespace

double replay_crossing(const Problem& problem, double most_steps, double first) {
    double best = 0;
    for_crossings(problem, most_steps, [&](const Crossings& crossings, std::size_t devices) {
        best = std::max(best, crossings.least(devices, first));
    });
    return best;
}

double crossing_needs(const Problem& problem, double most_steps, double target) {
    double least = kNotToBeHad;
    for_crossings(problem, most_steps, [&](const Crossings& crossings, std::size_t devices) {
        least = std::min(least, crossings.needed(devices, target));
    });
    return least;
}

}  // namespace longhaul::placement
