#include "longhaul/placement/memory_fit.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "longhaul/core/assert.hpp"
#include "longhaul/placement/fit_search.hpp"
#include "longhaul/placement/tensor.hpp"

namespace longhaul::placement {
namespace {

constexpr int kHalvingsOfMissing = 40;
constexpr double kMissingDigits = 1e-7;      // of all layers
constexpr std::uint64_t kHalvingShare = 20;  // of the work, of one halving

std::vector<double> needs_of(const StretchMemory& memory, const std::vector<int>& first) {
    std::vector<double> needs;
    for (int s = 0; s < memory.stages(); ++s) {
        const auto at = static_cast<std::size_t>(s);
        const int end = at + 1 < first.size() ? first[at + 1] : memory.layers();
        needs.push_back(memory.gb(s, first[at], end));
    }
    return needs;
}

/// Memory of groups of dp devices, those of most together.
std::vector<double> memory_of_groups(const Problem& problem) {
    std::vector<double> sorted = problem.memory_gb;
    std::ranges::sort(sorted, std::greater<>());
    std::vector<double> groups;
    for (int k = 1; k <= problem.shape.pp; ++k) {
        groups.push_back(
            sorted[static_cast<std::size_t>(k) * static_cast<std::size_t>(problem.shape.dp) - 1]);
    }
    return groups;
}

/// How many devices of each guide stage are such as a group of each capacity has.
core::Grid<double> likeness_to(const Problem& problem,
                               const Capacities& capacities,
                               const Stages* guide) {
    core::Grid<double> likeness(
        static_cast<std::size_t>(problem.shape.pp), capacities.gb.size(), 0.0);
    for (std::size_t s = 0; guide != nullptr && s < guide->size(); ++s) {
        for (const int device : (*guide)[s]) {
            likeness(s, capacities.of(problem.memory_gb[static_cast<std::size_t>(device)])) += 1;
        }
    }
    return likeness;
}

MemoryFit fit_groups(const Problem& problem,
                     const Capacities& capacities,
                     const core::Grid<double>& likeness,
                     std::uint64_t work) {
    const StretchMemory memory(problem);
    if (memory.layers() < memory.stages()) {
        return {};
    }
    const bool hopeless = plainly_too_large(memory, capacities);
    Divided found;
    if (!hopeless) {
        found = search_fit(memory, capacities, 0, likeness, work);
        if (!found.first.empty()) {
            return {needs_of(memory, found.first), 0, found.complete};
        }
    }
    MemoryFit fit{{}, std::numeric_limits<double>::infinity(), found.complete};
    double low = 0;
    double high = memory.all();
    for (int i = 0; i < kHalvingsOfMissing && high - low > kMissingDigits * memory.all(); ++i) {
        const double middle = i == 0 ? high : low + (high - low) / 2;
        found = search_fit(memory, capacities, middle, likeness, work / kHalvingShare);
        if (found.first.empty()) {
            low = middle;
            continue;
        }
        fit.needed_gb = needs_of(memory, found.first);
        double missing = 0;
        for (std::size_t s = 0; s < fit.needed_gb.size(); ++s) {
            missing = std::max(missing, fit.needed_gb[s] - capacities.gb[found.capacity[s]]);
        }
        fit.missing_gb = high = std::min(high, missing);
    }
    return fit;
}

}  // namespace

bool memory_matters(const Problem& problem) {
    return !problem.workload.layers.empty() && !problem.memory_gb.empty() &&
           !memory_holds(std::ranges::min(problem.memory_gb), StretchMemory(problem).all());
}

MemoryFit fit_memory(const Problem& problem, const Stages* guide, std::uint64_t work) {
    LONGHAUL_ASSERT(problem.shape.tp == 1 && !problem.memory_gb.empty());
    const Capacities capacities(memory_of_groups(problem), StretchMemory(problem).all());
    return fit_groups(problem, capacities, likeness_to(problem, capacities, guide), work);
}

std::vector<int> fitting_order(const Problem& problem, const Stages& stages, std::uint64_t work) {
    const double most = StretchMemory(problem).all();
    std::vector<double> smallest;
    for (const std::vector<int>& stage : stages) {
        smallest.push_back(most);
        for (const int device : stage) {
            smallest.back() =
                std::min(smallest.back(), problem.memory_gb[static_cast<std::size_t>(device)]);
        }
    }
    const Capacities capacities(smallest, most);
    core::Grid<double> likeness(stages.size(), capacities.gb.size(), 0.0);
    for (std::size_t s = 0; s < stages.size(); ++s) {
        likeness(s, capacities.of(smallest[s])) = 1;
    }
    const StretchMemory memory(problem);
    if (plainly_too_large(memory, capacities)) {
        return {};
    }
    const Divided found = search_fit(memory, capacities, 0, likeness, work);
    if (found.first.empty()) {
        return {};
    }
    std::vector<int> order(stages.size(), -1);
    std::vector<std::vector<int>> others(capacities.gb.size());  // that leave their place
    for (std::size_t s = 0; s < stages.size(); ++s) {
        const std::size_t own = capacities.of(smallest[s]);
        if (found.capacity[s] == own) {
            order[s] = static_cast<int>(s);
        } else {
            others[own].push_back(static_cast<int>(s));
        }
    }
    for (std::size_t s = stages.size(); s-- > 0;) {
        if (order[s] < 0) {
            order[s] = others[found.capacity[s]].back();
            others[found.capacity[s]].pop_back();
        }
    }
    return order;
}

namespace {

/// Deals devices to stages whose groups are known to fit, one stage after the other.
class StageSeats {
public:
    StageSeats(const Problem& problem, const MemoryFit& fit, const Stages& guide)
        : problem_(problem),
          fit_(fit),
          guide_(guide),
          wanted_(problem.devices(), 0),
          taken_(problem.devices(), 0) {
        for (std::size_t s = 0; s < guide.size(); ++s) {
            for (const int device : guide[s]) {
                wanted_[static_cast<std::size_t>(device)] = fits(device, s) ? 1 : 0;
            }
        }
    }

    /// Those of the guide that fit, then the nearest of the others.
    [[nodiscard]] std::vector<int> stage(std::size_t s) {
        std::vector<int> stage;
        for (const int device : guide_[s]) {
            if (may_take(device, s)) {
                take(device, stage);
            }
        }
        while (stage.size() < static_cast<std::size_t>(problem_.shape.dp)) {
            take(nearest(stage, s), stage);
        }
        return stage;
    }

private:
    [[nodiscard]] bool fits(int device, std::size_t s) const {
        return memory_holds(
            problem_.memory_gb[static_cast<std::size_t>(device)] + fit_.missing_gb * (1 + 1e-9),
            fit_.needed_gb[s]);
    }

    [[nodiscard]] bool may_take(int device, std::size_t s) const {
        return taken_[static_cast<std::size_t>(device)] == 0 && fits(device, s);
    }

    void take(int device, std::vector<int>& stage) {
        stage.push_back(device);
        taken_[static_cast<std::size_t>(device)] = 1;
    }

    [[nodiscard]] int nearest(const std::vector<int>& stage, std::size_t s) const {
        std::pair<int, double> least{2, 0};
        int nearest = -1;
        for (int device = 0; device < static_cast<int>(problem_.devices()); ++device) {
            if (!may_take(device, s)) {
                continue;
            }
            std::pair<int, double> price{wanted_[static_cast<std::size_t>(device)], 0};
            for (const int member : stage) {
                price.second += problem_.costs.exchange(device, member);
            }
            if (price < least) {
                least = price;
                nearest = device;
            }
        }
        LONGHAUL_ASSERT(nearest >= 0);
        return nearest;
    }

    const Problem& problem_;
    const MemoryFit& fit_;
    const Stages& guide_;
    std::vector<char> wanted_;  ///< by a stage that it can stay in
    std::vector<char> taken_;
};

}  // namespace

Stages seated(const Problem& problem, const MemoryFit& fit, const Stages& guide) {
    LONGHAUL_ASSERT(fit.needed_gb.size() == guide.size());
    std::vector<std::size_t> order(guide.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(
        order, std::greater<>(), [&](std::size_t s) { return fit.needed_gb[s]; });
    StageSeats seating(problem, fit, guide);
    Stages stages(guide.size());
    for (const std::size_t s : order) {
        stages[s] = seating.stage(s);
    }
    return stages;
}

std::optional<Stages> made_to_fit(const Problem& problem, const Stages& stages) {
    const MemoryFit fit = fit_memory(problem, &stages);
    return fit.needed_gb.empty() ? std::nullopt : std::optional(seated(problem, fit, stages));
}

bool proved_not_to_fit(const Problem& problem) {
    if (problem.workload.layers.empty() || problem.memory_gb.empty()) {
        return false;
    }
    const StretchMemory memory(problem);
    const Capacities capacities(memory_of_groups(problem), memory.all());
    if (plainly_too_large(memory, capacities)) {
        return true;
    }
    const Divided found =
        search_fit(memory, capacities, 0, likeness_to(problem, capacities, nullptr), kFitWork);
    return found.complete && found.first.empty();
}

std::string none_fits(const Problem& problem,
                      std::span<const int> host_of,
                      const std::string& closest) {
    bool proved = true;
    Problem unit = problem;
    if (problem.shape.tp > 1) {
        const TensorGroups groups = make_tensor_groups(host_of, problem.shape.tp);
        for (const std::vector<int>& group : groups.members) {
            for (const int device : group) {  // else other groups may hold more
                proved = proved && problem.memory_gb[static_cast<std::size_t>(device)] ==
                                       problem.memory_gb[static_cast<std::size_t>(group.front())];
            }
        }
        unit = grouped(problem, groups);
    }
    return proved && proved_not_to_fit(unit)
               ? "no plan fits the memory of the devices: " + closest
               : "found no plan that fits the memory of the devices, though there may be one: " +
                     closest;
}

}  // namespace longhaul::placement
