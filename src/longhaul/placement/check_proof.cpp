#include "longhaul/placement/check_proof.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "longhaul/placement/replay_crossing.hpp"
#include "longhaul/placement/replay_different.hpp"
#include "longhaul/placement/replay_every.hpp"
#include "longhaul/placement/replay_exchange.hpp"
#include "longhaul/placement/replay_tables.hpp"

namespace longhaul::placement {
namespace {

constexpr double kProofRounding = 1e-9;
constexpr std::size_t kMostMembersOfProof = 2'048;  // devices

bool as_good(double a, double b) {
    return std::abs(a - b) <= kProofRounding * std::max(std::abs(a), std::abs(b));
}

/// What tells two devices of a class apart; empty when nothing does.
std::string difference(const Costs& costs, std::span<const int> classes) {
    std::vector<std::size_t> first;
    for (std::size_t i = 0; i < classes.size(); ++i) {
        const auto k = static_cast<std::size_t>(classes[i]);
        if (first.size() <= k) {
            first.resize(k + 1, classes.size());
        }
        first[k] = std::min(first[k], i);
        const std::size_t twin = first[k];
        for (std::size_t j = 0; j < classes.size(); ++j) {
            if (j != i && j != twin &&
                !(as_good(costs.pipeline(i, j), costs.pipeline(twin, j)) &&
                  as_good(costs.exchange(i, j), costs.exchange(twin, j)))) {
                return fmt::format(
                    "devices {} and {} are of one exact class, but differ towards "
                    "device {}",
                    twin,
                    i,
                    j);
            }
        }
    }
    return "";
}

std::string place_of(const Replay& replay, const ProofLog& log) {
    if (replay.slice >= log.slices.size()) {
        return "log";
    }
    const SliceLog& slice = log.slices[replay.slice];
    const std::string place = fmt::format("slice {} of {}, ", replay.slice + 1, log.slices.size());
    return replay.node == 0 ? place + "root"
                            : place + fmt::format("node {} of {} (depth {})",
                                                  replay.node,
                                                  slice.nodes.size(),
                                                  slice.nodes[replay.node - 1].depth);
}

bool other_exchange(const Problem& problem) {
    return problem.exchange && problem.terms.exchange != Exchange::kSharded;
}

class ProofChecker {
public:
    explicit ProofChecker(const ReplayLimits& limits) : limits_(limits) {}

    std::string check(const Problem& problem, const BoundProof& proof, double target) {
        if (target <= 0) {
            return {};  // no score is below 0
        }
        switch (proof.kind) {
            case ProofKind::kElementary:
                ++nodes_;
                return too_low(replay_elementary(problem), target);
            case ProofKind::kBreaks:
            case ProofKind::kTree:
            case ProofKind::kDifferent:
                return classes(problem, proof, target);
            case ProofKind::kTables:
                return tables(problem, proof, target);
            case ProofKind::kCrossing:
                return crossing(problem, proof, target);
            case ProofKind::kSum:
                return sum(problem, proof, target);
            case ProofKind::kLimits:
                return limits(problem, proof, target);
            case ProofKind::kChoices:
                return choices(problem, proof, target);
            case ProofKind::kEvery:
                return every(problem, proof, target);
        }
        return "its kind is unknown";
    }

    [[nodiscard]] std::uint64_t nodes() const { return nodes_; }

private:
    static std::string too_low(double bound, double target) {
        return bound >= target
                   ? ""
                   : fmt::format("its proof gives {:.9f} s, {:.9f} s are needed", bound, target);
    }

    /// Proofs over classes of devices that are all in use.
    std::string classes(const Problem& problem, const BoundProof& proof, double target) {
        if (proof.class_of_device.size() != problem.devices() ||
            problem.devices() != problem.shape.devices()) {
            return fmt::format("it has classes of {} devices, there are {} for {} places",
                               proof.class_of_device.size(),
                               problem.devices(),
                               problem.shape.devices());
        }
        if (other_exchange(problem) != proof.groups) {
            return "it is about another exchange than the score";
        }
        if (proof.kind != ProofKind::kDifferent &&
            std::ranges::max(proof.class_of_device) >= static_cast<int>(kMostReplayClasses)) {
            return "there are too many classes";
        }
        if (proof.kind == ProofKind::kDifferent) {
            ++nodes_;
            return replay_different(
                problem.costs, proof.class_of_device, problem.shape, proof.different, target);
        }
        if (proof.exact) {
            if (std::string why = difference(problem.costs, proof.class_of_device); !why.empty()) {
                return why;
            }
        }
        if (proof.groups && (proof.members || proof.kind == ProofKind::kBreaks)) {
            return "breaks and members are about sums of pairs";
        }
        ReplayModel model(problem.costs, proof.class_of_device, problem.shape);
        if (!proof.members) {
            return breaks_or_tree(problem, proof, target, model);
        }
        if (problem.devices() > kMostMembersOfProof) {
            return fmt::format("members are told apart up to {} devices", kMostMembersOfProof);
        }
        const ReplayMembers members(problem.costs, proof.class_of_device, problem.shape);
        if (std::string why = model.set_members(members, proof.levels); !why.empty()) {
            return why;
        }
        return breaks_or_tree(problem, proof, target, model);
    }

    std::string breaks_or_tree(const Problem& problem,
                               const BoundProof& proof,
                               double target,
                               ReplayModel& model) {
        if (proof.kind == ProofKind::kTree) {
            return tree(problem, proof, target, model);
        }
        ++nodes_;
        const double exchange = std::max(model.least_exchange(), ReplayExchange(problem).least());
        return too_low(exchange + model.path_bound(model.root(), target), target);
    }

    std::string tree(const Problem& problem,
                     const BoundProof& proof,
                     double target,
                     ReplayModel& model) {
        const ReplayExchange exchange(problem);
        std::vector<std::vector<int>> members;
        if (proof.groups) {
            if (std::string why = set_groups(problem, proof, exchange, members, model);
                !why.empty()) {
                return why;
            }
        }
        const Replay replayed = replay(model, proof.log, target, limits_);
        nodes_ += replayed.nodes;
        return replayed.holds ? "" : place_of(replayed, proof.log) + ": " + replayed.why;
    }

    /// Stages cost what their first members do: so members must not differ at all.
    static std::string set_groups(const Problem& problem,
                                  const BoundProof& proof,
                                  const ReplayExchange& exchange,
                                  std::vector<std::vector<int>>& members,
                                  ReplayModel& model) {
        if (std::string why = kinds_of_links_differ(problem, proof.class_of_device); !why.empty()) {
            return why;
        }
        members.resize(model.classes());
        for (std::size_t i = 0; i < proof.class_of_device.size(); ++i) {
            members[static_cast<std::size_t>(proof.class_of_device[i])].push_back(
                static_cast<int>(i));
        }
        std::vector<double> least;
        for (const std::vector<int>& devices : members) {
            least.push_back(exchange.least_with(devices.front()));
        }
        model.set_groups(
            [&exchange, &members](const ReplayRow& row) {
                std::vector<int> group;
                for (std::size_t k = 0; k < members.size(); ++k) {
                    group.insert(group.end(), members[k].begin(), members[k].begin() + row[k]);
                }
                return exchange.seconds(group);
            },
            std::move(least));
        return {};
    }

    /// What tells devices of a class apart, memory aside. Without another exchange and repeated
    /// messages costs tell all of the links.
    static std::string difference_under_terms(const Problem& problem,
                                              const std::vector<int>& class_of_device) {
        Problem terms = problem;
        if (problem.terms.objective == Objective::kAdditive && !problem.exchange) {
            terms.links = {};
        }
        return kinds_difference(terms, class_of_device);
    }

    static std::string kinds_of_links_differ(const Problem& problem,
                                             const std::vector<int>& class_of_device) {
        Problem links = problem;  // speeds and shared capacity count apart
        links.speed.clear();
        links.shared = {};
        return kinds_difference(links, class_of_device);
    }

    /// A part may show what the first message takes at least.
    std::string crossing(const Problem& problem, const BoundProof& proof, double target) {
        ++nodes_;
        const auto steps = static_cast<double>(limits_.work);
        const double first = crossing_needs(problem, steps, target);
        if (first > 0 && (proof.parts.size() != 1 || !std::isfinite(first))) {
            return too_low(replay_crossing(problem, steps), target);
        }
        return first > 0 ? check(without_parts(problem, true, false), proof.parts.front(), first)
                         : "";
    }

    std::string tables(const Problem& problem, const BoundProof& proof, double target) {
        const TablesReplay found = replay_tables(problem, proof.class_of_device, target, limits_);
        nodes_ += found.sets + 1;
        return found.why.empty() ? too_low(found.least, target) : found.why;
    }

    std::string every(const Problem& problem, const BoundProof& proof, double target) {
        const EveryReplay found = replay_every(problem,
                                               proof.class_of_device,
                                               static_cast<std::uint64_t>(proof.placements),
                                               target,
                                               limits_);
        nodes_ += found.placements + 1;
        return found.why.empty() ? too_low(found.least, target) : found.why;
    }

    std::string sum(const Problem& problem, const BoundProof& proof, double target) {
        if (proof.parts.size() != 1 || (!proof.compute && !proof.exchange)) {
            return "a sum needs one part, and something beside it";
        }
        const double apart = parts_apart(problem, proof.compute, proof.exchange);
        return check(without_parts(problem, proof.compute, proof.exchange),
                     proof.parts.front(),
                     target - apart);
    }

    /// The slowest pair lies between two limits, or above the last one.
    std::string limits(const Problem& problem, const BoundProof& proof, double target) {
        if (problem.terms.objective != Objective::kPipelined ||
            proof.parts.size() != proof.limits.size() || proof.limits.empty()) {
            return "limits are about the pipelined objective, with one part each";
        }
        double above = -1;
        for (std::size_t k = 0; k < proof.limits.size(); ++k) {
            const double limit = proof.limits[k];
            const double beside =
                problem.shape.pp > 1 ? beside_limit(problem, above) : beside_limit(problem, -2);
            if (!(limit > above)) {
                return "limits must rise";
            }
            above = limit;
            if (std::string why =
                    check(under_limit(problem, limit), proof.parts[k], target - beside);
                !why.empty()) {
                return fmt::format("limit {} of {}: {}", k + 1, proof.limits.size(), why);
            }
        }
        if (problem.shape.pp == 1) {
            return {};
        }
        const double beside = beside_limit(problem, above);
        const Problem first = without_parts(problem, true, false);
        return replay_elementary(first) + beside >= target
                   ? ""
                   : fmt::format("slower pairs than {} s a GB are not excluded", above);
    }

    /// Every way to leave devices out, by class. Memory is in no bound, and shared capacity only
    /// adds seconds: where it alone tells devices of a class apart, it is left out.
    std::string choices(const Problem& whole, const BoundProof& proof, double target) {
        const std::size_t n = whole.devices();
        if (proof.class_of_device.size() != n || proof.parts.size() != proof.left_out.size()) {
            return "choices are about classes of all devices, with one part each";
        }
        Problem problem = whole;
        problem.memory_gb.clear();
        std::string why = difference_under_terms(problem, proof.class_of_device);
        if (!why.empty() && !problem.shared.empty() && !other_exchange(problem)) {
            problem.exchange.reset();
            problem.shared = {};
            why = difference_under_terms(problem, proof.class_of_device);
        }
        if (!why.empty()) {
            return why;
        }
        std::map<std::vector<int>, const BoundProof*> known;
        for (std::size_t i = 0; i < proof.parts.size(); ++i) {
            known.emplace(proof.left_out[i], &proof.parts[i]);
        }
        std::vector<int> sizes(
            static_cast<std::size_t>(1 + std::ranges::max(proof.class_of_device)), 0);
        for (const int k : proof.class_of_device) {
            ++sizes[static_cast<std::size_t>(k)];
        }
        std::vector<int> taken(sizes.size(), 0);
        return every_choice(problem,
                            proof.class_of_device,
                            sizes,
                            0,
                            static_cast<int>(n - problem.shape.devices()),
                            taken,
                            known,
                            target);
    }

    std::string every_choice(const Problem& problem,
                             const std::vector<int>& class_of_device,
                             const std::vector<int>& sizes,
                             std::size_t k,
                             int missing,
                             std::vector<int>& taken,
                             const std::map<std::vector<int>, const BoundProof*>& known,
                             double target) {
        if (k == sizes.size()) {
            if (missing > 0) {
                return {};
            }
            const auto part = known.find(taken);
            if (part == known.end()) {
                return "some choice of what is left out has no proof";
            }
            std::vector<int> out = taken;
            std::vector<int> devices;
            for (std::size_t i = class_of_device.size(); i-- > 0;) {
                if (--out[static_cast<std::size_t>(class_of_device[i])] < 0) {
                    devices.push_back(static_cast<int>(i));
                }
            }
            std::ranges::reverse(devices);
            return check(restricted(problem, devices), *part->second, target);
        }
        for (int out = 0; out <= std::min(missing, sizes[k]); ++out) {
            taken[k] = out;
            std::string why = every_choice(
                problem, class_of_device, sizes, k + 1, missing - out, taken, known, target);
            if (!why.empty()) {
                return why;
            }
        }
        taken[k] = 0;
        return {};
    }

    const ReplayLimits& limits_;
    std::uint64_t nodes_ = 0;
};

}  // namespace

ProofCheck check_proof(const Problem& problem,
                       const BoundProof& proof,
                       double target,
                       const ReplayLimits& limits) {
    ProofChecker checker(limits);
    ProofCheck found{checker.check(problem, proof, target), 0};
    found.nodes = std::max<std::uint64_t>(1, checker.nodes());
    return found;
}

}  // namespace longhaul::placement
