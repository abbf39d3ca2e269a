#include "longhaul/placement/prove_spare.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "longhaul/placement/classes.hpp"
#include "longhaul/placement/group_terms.hpp"
#include "longhaul/placement/pipelined.hpp"
#include "longhaul/placement/spare_bound.hpp"

namespace longhaul::placement {
namespace {

constexpr std::size_t kMostSpareCaps = 64;
constexpr std::uint64_t kChoiceWork = 10'000;  // of the root bound of one choice
constexpr std::size_t kMaxChoices = 20'000;    // of what is left out

struct OpenChoice {
    std::vector<int> devices;
    Bound bound;
};

std::vector<int> devices_without(const Classes& classes, const std::vector<int>& taken) {
    std::vector<int> devices;
    for (std::size_t k = 0; k < classes.size(); ++k) {
        devices.insert(
            devices.end(), classes.members[k].begin(), classes.members[k].end() - taken[k]);
    }
    std::ranges::sort(devices);
    return devices;
}

/// Of the root bounds of some choices of what is left out: one for each cap of the slowest pair.
std::uint64_t work_of_choices(const Problem& problem, std::size_t choices) {
    const bool pipelined = problem.terms.objective == Objective::kPipelined && problem.shape.pp > 1;
    return choices * kChoiceWork *
           (pipelined ? slowness_levels(problem, kMostSpareCaps).size() : 1);
}

/// Takes a better placement of some devices, numbered as in the whole problem.
void adopt_better(const Problem& problem,
                  const std::vector<int>& devices,
                  Certificate& part,
                  double& incumbent,
                  Certificate& result) {
    if (!part.better) {
        return;
    }
    for (std::vector<int>& group : *part.better) {
        for (int& device : group) {
            device = devices[device];
        }
    }
    const Solved solved = solve_inner(problem, *part.better);
    if (solved.score.total() < incumbent) {
        incumbent = solved.score.total();
        result.better = std::move(part.better);
    }
}

/// Branch and bound on choices that are open, the least bound first.
void prove_open(const Problem& problem,
                const std::vector<OpenChoice>& open,
                std::size_t all,
                double incumbent,
                const ProofOptions& options,
                const PlainProof& whole,
                Certificate& result) {
    double least = incumbent;
    std::string method;
    std::uint64_t nodes = 0;
    ProofOptions share = options;
    share.work = options.work / std::max<std::size_t>(1, open.size());
    for (const OpenChoice& choice : open) {
        if (options.stop && options.stop()) {
            if (choice.bound.value < least) {  // this choice; later ones take no less
                least = choice.bound.value;
                method = choice.bound.method;
            }
            break;
        }
        Certificate part = whole(restricted(problem, choice.devices), incumbent, share);
        nodes += part.bound.nodes;
        if (part.bound.value < least) {
            least = part.bound.value;
            method = part.bound.method;
        }
        adopt_better(problem, choice.devices, part, incumbent, result);
    }
    least = std::min(least, incumbent);
    if (least > result.bound.value) {
        result.bound.value = least;
        result.bound.nodes = nodes;
        result.bound.method = fmt::format("{} for each of {} choices of what is left out",
                                          method.empty() ? "branch and bound" : method,
                                          all);
    }
}

}  // namespace

std::optional<Certificate> prove_choices(const Problem& problem,
                                         double incumbent,
                                         const ProofOptions& options,
                                         const PlainProof& whole) {
    Problem relaxed = problem;  // memory is in no bound
    relaxed.memory_gb.clear();
    const Classes classes = classes_under_terms(relaxed);
    const std::optional<std::vector<std::vector<int>>> all = left_out_choices(
        classes, static_cast<int>(problem.devices() - problem.shape.devices()), kMaxChoices);
    if (!all || work_of_choices(problem, all->size()) > options.work) {
        return std::nullopt;
    }
    Certificate result;
    result.bound = spare_bound(problem);
    std::vector<OpenChoice> open;  // without a bound at the incumbent
    for (const std::vector<int>& choice : *all) {
        std::vector<int> devices = devices_without(classes, choice);
        ProofOptions root = options;
        root.work = 0;
        Bound bound = whole(restricted(problem, devices), incumbent, root).bound;
        if (bound.value < incumbent) {
            open.push_back({std::move(devices), std::move(bound)});
        }
        if (options.stop && options.stop()) {
            return result;
        }
    }
    std::ranges::stable_sort(open, {}, [](const OpenChoice& choice) { return choice.bound.value; });
    prove_open(problem, open, all->size(), incumbent, options, whole, result);
    return result;
}

}  // namespace longhaul::placement
