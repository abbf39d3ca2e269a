#include "longhaul/placement/make_proof.hpp"

#include <algorithm>
#include <cmath>

#include "longhaul/placement/check_proof.hpp"
#include "longhaul/placement/classes.hpp"
#include "longhaul/placement/group_terms.hpp"
#include "longhaul/placement/pipelined.hpp"
#include "longhaul/placement/replay_crossing.hpp"
#include "longhaul/placement/replay_every.hpp"
#include "longhaul/placement/replay_tables.hpp"
#include "longhaul/placement/search_terms.hpp"

namespace longhaul::placement {
namespace {

constexpr std::size_t kMostLimits = 64;  // as many as the proof of a plan takes
constexpr std::size_t kMostChoiceParts = 10'000;
constexpr double kClose = 1e-12;

bool has_other_exchange(const Problem& problem) {
    return problem.exchange && problem.terms.exchange != Exchange::kSharded;
}

class ProofMaker {
public:
    explicit ProofMaker(const CertificateOptions& options)
        : options_(options), most_nodes_(options.most_nodes) {}

    MadeProof make(const Problem& problem, const ProofAim& aim, std::uint64_t work) {
        MadeProof best;
        keep(best, {std::min(aim.bound, replay_elementary(problem)), {}});
        if (good(best, aim)) {
            return best;
        }
        const bool all_used = problem.devices() == problem.shape.devices();
        const bool additive = problem.terms.objective == Objective::kAdditive;
        if (additive && has_other_terms(problem) && work > 0) {
            tables(problem, aim, best);
        }
        if (!problem.shared.empty()) {
            crossing(problem, aim, work, best);
        }
        const bool chosen = !all_used && !good(best, aim) && choices(problem, aim, work, best);
        if (has_other_exchange(problem)) {
            if (!good(best, aim) && all_used && additive) {
                groups(problem, aim, work, best);
            }
            if (!good(best, aim)) {
                sum(problem, false, true, aim, work, best);
            }
            return best;
        }
        if (good(best, aim)) {
            return best;
        }
        Problem alone = problem;  // shared capacity only adds seconds
        alone.exchange.reset();
        alone.shared = {};
        const bool apart = !problem.shared.empty() && !all_used;
        if (chosen || (apart && choices(alone, aim, work, best))) {
            return best;
        }
        if (!additive) {
            limits(alone, aim, work, best);
        } else if (has_compute(problem)) {
            sum(alone, true, false, aim, work, best);
        } else if (all_used) {
            keep(best, prove_pairs(alone, aim, options_.proof, work, most_nodes_));
        }
        return best;
    }

    /// Every placement, tried again, where nothing else gives the bound.
    void every(const Problem& problem, const ProofAim& aim, MadeProof& best) const {
        if (good(best, aim) || options_.proof.work == 0) {
            return;
        }
        BoundProof proof;
        proof.kind = ProofKind::kEvery;
        proof.class_of_device = kinds_of_devices(problem);
        const std::uint64_t count = replay_placements(problem, proof.class_of_device);
        if (count > kMostReplayPlacements) {
            return;
        }
        proof.placements = static_cast<int>(count);
        const EveryReplay found = replay_every(problem,
                                               proof.class_of_device,
                                               count,
                                               aim.bound,
                                               {options_.proof.work * 4, options_.proof.stop});
        if (found.why.empty()) {
            keep(best, {std::min(aim.bound, found.least), std::move(proof)});
        }
    }

private:
    static void keep(MadeProof& best, MadeProof made) {
        if (made.bound > best.bound) {
            best = std::move(made);
        }
    }

    static bool good(const MadeProof& best, const ProofAim& aim) {
        return best.bound >= aim.bound * (1 - kClose);
    }

    void tables(const Problem& problem, const ProofAim& aim, MadeProof& best) const {
        Problem kinds = problem;  // memory is in no bound
        kinds.memory_gb.clear();
        BoundProof proof;
        proof.kind = ProofKind::kTables;
        proof.class_of_device = kinds_of_devices(kinds);
        const TablesReplay found = replay_tables(problem,
                                                 proof.class_of_device,
                                                 aim.bound,
                                                 {options_.proof.work * 4, options_.proof.stop});
        if (found.why.empty()) {
            keep(best, {std::min(aim.bound, found.least), std::move(proof)});
        }
    }

    void crossing(const Problem& problem,
                  const ProofAim& aim,
                  std::uint64_t work,
                  MadeProof& best) {
        BoundProof proof;
        proof.kind = ProofKind::kCrossing;
        const double steps = 4 * static_cast<double>(options_.proof.work);
        const double alone = replay_crossing(problem, steps);
        keep(best, {std::min(aim.bound, alone), proof});
        const double needed = crossing_needs(problem, steps, aim.bound);
        if (needed <= 0 || !std::isfinite(needed)) {
            return;
        }
        MadeProof first = make(without_parts(problem, true, false), {needed, needed}, work);
        const double raised = replay_crossing(problem, steps, first.bound);
        if (raised > alone) {
            proof.parts.push_back(std::move(first.proof));
            keep(best, {std::min(aim.bound, raised), std::move(proof)});
        }
    }

    void groups(const Problem& problem, const ProofAim& aim, std::uint64_t work, MadeProof& best) {
        const double apart = parts_apart(problem, true, false);
        MadeProof made = prove_groups(without_parts(problem, true, false),
                                      aim.beside(apart),
                                      options_.proof,
                                      work,
                                      most_nodes_);
        if (made.bound <= 0 && apart <= 0) {
            return;
        }
        if (has_compute(problem)) {
            BoundProof proof;
            proof.kind = ProofKind::kSum;
            proof.compute = true;
            proof.parts.push_back(std::move(made.proof));
            made.proof = std::move(proof);
        }
        keep(best, {std::min(aim.bound, made.bound + apart), std::move(made.proof)});
    }

    void sum(const Problem& problem,
             bool compute,
             bool exchange,
             const ProofAim& aim,
             std::uint64_t work,
             MadeProof& best) {
        const double apart = parts_apart(problem, compute, exchange);
        MadeProof rest = make(without_parts(problem, compute, exchange), aim.beside(apart), work);
        BoundProof proof;
        proof.kind = ProofKind::kSum;
        proof.compute = compute;
        proof.exchange = exchange;
        proof.parts.push_back(std::move(rest.proof));
        keep(best, {std::min(aim.bound, rest.bound + apart), std::move(proof)});
    }

    void limits(const Problem& problem, const ProofAim& aim, std::uint64_t work, MadeProof& best) {
        BoundProof proof;
        proof.kind = ProofKind::kLimits;
        const bool one_stage = problem.shape.pp == 1;
        const std::vector<double> levels =
            one_stage ? std::vector<double>{0} : slowness_levels(problem, kMostLimits);
        const double first = replay_elementary(without_parts(problem, true, false));
        double bound = aim.bound;
        double above = -1;
        for (const double level : levels) {
            const double beside = beside_limit(problem, one_stage ? -2 : above);
            if (first + beside >= aim.bound) {
                break;  // and so do all higher limits
            }
            MadeProof part =
                make(under_limit(problem, level), aim.beside(beside), work / levels.size());
            bound = std::min(bound, part.bound + beside);
            proof.limits.push_back(level);
            proof.parts.push_back(std::move(part.proof));
            above = level;
        }
        if (!proof.limits.empty()) {
            keep(best, {bound, std::move(proof)});
        }
    }

    /// One part for each choice by kind of what is left out; false when there are too many kinds or
    /// choices. Memory is in no bound.
    bool choices(const Problem& whole, const ProofAim& aim, std::uint64_t work, MadeProof& best) {
        if (work == 0) {
            return false;
        }
        Problem problem = whole;
        problem.memory_gb.clear();
        const Classes classes = classes_under_terms(problem);
        const int spare = static_cast<int>(problem.devices() - problem.shape.devices());
        if (classes.size() > kMostChoiceClasses) {
            return false;
        }
        std::optional<std::vector<std::vector<int>>> all =
            left_out_choices(classes, spare, kMostChoiceParts);
        if (!all) {
            return false;
        }
        BoundProof proof;
        proof.kind = ProofKind::kChoices;
        proof.class_of_device = classes.of_device;
        proof.left_out = std::move(*all);
        double bound = aim.bound;
        for (const std::vector<int>& out : proof.left_out) {
            std::vector<int> devices;
            for (std::size_t k = 0; k < classes.size(); ++k) {
                devices.insert(
                    devices.end(), classes.members[k].begin(), classes.members[k].end() - out[k]);
            }
            std::ranges::sort(devices);
            const Problem part_problem = restricted(problem, devices);
            MadeProof part = make(part_problem, aim, work / proof.left_out.size());
            bound = std::min(bound, part.bound);
            proof.parts.push_back(std::move(part.proof));
            if (bound <= best.bound) {
                return true;  // no better than what is there
            }
        }
        keep(best, {bound, std::move(proof)});
        return true;
    }

    static constexpr std::size_t kMostChoiceClasses = 64;

    const CertificateOptions& options_;
    std::size_t most_nodes_;
};

}  // namespace

MadeProof make_proof(const Problem& problem,
                     const ProofAim& aim,
                     const CertificateOptions& options) {
    ProofMaker maker(options);
    MadeProof best = maker.make(problem, aim, options.proof.work);
    maker.every(problem, aim, best);
    return best;
}

}  // namespace longhaul::placement
