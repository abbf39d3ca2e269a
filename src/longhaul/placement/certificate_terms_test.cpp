// Certificates of problems beyond links alone, and of different stages: they carry what plans
// claim, and no change of them proves more than is true.
#include <set>

#include <gtest/gtest.h>

#include "longhaul/core/document.hpp"
#include "longhaul/placement/check_certificate.hpp"
#include "longhaul/placement/check_proof.hpp"
#include "longhaul/placement/detail/globe.hpp"
#include "longhaul/placement/detail/term_cases.hpp"
#include "longhaul/placement/different_stages.hpp"
#include "longhaul/placement/every_table.hpp"
#include "longhaul/placement/group_terms.hpp"
#include "longhaul/placement/least_compute.hpp"
#include "longhaul/placement/make_certificate.hpp"
#include "longhaul/placement/pipelined.hpp"
#include "longhaul/placement/replay_compute.hpp"
#include "longhaul/placement/replay_exchange.hpp"
#include "longhaul/placement/replay_layers.hpp"
#include "longhaul/placement/replay_tables.hpp"
#include "longhaul/placement/solve.hpp"
#include "longhaul/placement/units.hpp"

namespace longhaul::placement {
namespace {

constexpr const char* kFabricHash = "terms";

struct TermPlan {
    testing::TermCase made;
    std::vector<int> hosts;
    Problem problem;
    Plan plan;
};

TermPlan term_plan(const testing::TermChoice& choice, int i, bool few) {
    testing::Instance instance(4500, i);
    testing::TermCase made = few ? testing::few_kinds(choice, 3, 2, instance.random)
                                 : testing::term_case(choice, 3, 2, instance.random);
    SolveOptions options;
    options.search.budget = 10;  // fewer than there are placements: trying all has no log
    options.proof.work = 3'000'000;
    options.baseline_samples = 0;
    TermPlan found{made, made.fabric.host_of_device(), made.problem(), {}};
    found.plan = solve(found.problem, made.fabric, options).value();
    found.plan.fabric_sha256 = kFabricHash;
    return found;
}

CertificateFile certificate_of(const TermPlan& from) {
    CertificateOptions options;
    options.proof.work = 3'000'000;
    const CertificateFile file = make_certificate(from.problem, from.plan, from.hosts, options);
    return read_certificate(core::write_json(to_value(file)), "f").value();
}

TEST(TermCertificate, CarriesTheBoundOfThePlanUnderEveryTerm) {
    std::set<ProofKind> kinds;
    for (const testing::TermChoice& choice : testing::term_choices()) {
        for (int i = 0; i < 4; ++i) {
            const TermPlan from = term_plan(choice, i, i % 2 == 0);
            if (!from.plan.misfit.empty()) {
                continue;
            }
            const CertificateFile file = certificate_of(from);
            const CertificateCheck check =
                check_certificate(file, from.problem, from.hosts, kFabricHash, {});
            SCOPED_TRACE(std::string(choice.name) + " " + std::to_string(i) + " " +
                         from.plan.bound.method + " / " + std::string(name_of(file.proof.kind)));
            EXPECT_TRUE(check.holds) << check.why;
            EXPECT_GE(check.bound, from.plan.bound.value * (1 - 1e-9));
            EXPECT_EQ(check.score.value(), from.plan.score.total());
            kinds.insert(file.proof.kind);
            for (const BoundProof& part : file.proof.parts) {
                kinds.insert(part.kind);
            }
        }
    }
    for (const ProofKind kind : {ProofKind::kTree,
                                 ProofKind::kTables,
                                 ProofKind::kSum,
                                 ProofKind::kLimits,
                                 ProofKind::kChoices}) {
        EXPECT_TRUE(kinds.contains(kind)) << name_of(kind);
    }
}

/// All numbers and flags of a tree, to be changed one at a time.
void leaves_of(core::Value& value, std::vector<core::Value*>& leaves) {
    if (value.kind == core::Value::Kind::kNumber || value.kind == core::Value::Kind::kBoolean) {
        leaves.push_back(&value);
    }
    if (!value.numbers.empty()) {
        leaves.push_back(&value);
    }
    for (core::Value& item : value.items) {
        leaves_of(item, leaves);
    }
    for (core::Member& member : value.members) {
        leaves_of(member.value, leaves);
    }
}

/// Changes one number, or leaves one out; flags are turned around.
void change_leaf(core::Value& leaf, core::Random& random) {
    if (leaf.kind == core::Value::Kind::kBoolean) {
        leaf.boolean = !leaf.boolean;
    } else if (leaf.kind == core::Value::Kind::kNumber) {
        leaf.number = random.below(2) == 0 ? leaf.number * (0.5 + random.uniform())
                                           : std::floor(4 * random.uniform());
    } else {
        const std::size_t at = random.index(leaf.numbers.size());
        if (random.below(4) == 0) {
            leaf.numbers.erase(leaf.numbers.begin() + static_cast<std::ptrdiff_t>(at));
        } else {
            leaf.numbers[at] = random.below(3) == 0 ? leaf.numbers[at] * random.uniform()
                                                    : std::floor(4 * random.uniform()) - 1;
        }
    }
}

/// Reads a proof back from a tree that was changed; nothing when the reader refuses it.
std::optional<BoundProof> read_changed(const core::Value& tree, Shape shape) {
    const core::Result<core::Document> document = core::parse_json(core::write_json(tree), "p");
    if (!document) {
        return std::nullopt;
    }
    core::Diagnostics problems;
    const core::Cursor root(*document, problems);
    BoundProof proof = read_proof(root, shape, -1, kMostProofDepth);
    return problems.empty() ? std::optional(std::move(proof)) : std::nullopt;
}

struct Tampered {
    int tried = 0;
    int still_hold = 0;
};

/// Changes a proof in many ways: none may prove more than the optimum.
Tampered tamper(const Problem& unit,
                const BoundProof& proof,
                double bound,
                double optimum,
                core::Random& random) {
    Tampered count;
    for (int change = 0; change < 60; ++change) {
        core::Value tree = to_value(proof);
        std::vector<core::Value*> leaves;
        leaves_of(tree, leaves);
        if (leaves.empty()) {
            return count;
        }
        change_leaf(*leaves[random.index(leaves.size())], random);
        const std::optional<BoundProof> changed = read_changed(tree, unit.shape);
        ++count.tried;
        if (!changed) {
            continue;
        }
        count.still_hold +=
            check_proof(unit, *changed, bound * (1 - 1e-9), {1'000'000, {}}).holds() ? 1 : 0;
        EXPECT_FALSE(check_proof(unit, *changed, optimum * (1 + 1e-6), {1'000'000, {}}).holds())
            << core::write_json(tree);
    }
    return count;
}

TEST(TermCertificate, NoChangeProvesMoreThanTheOptimum) {
    for (const testing::TermChoice& choice : testing::term_choices()) {
        Tampered sum;
        for (int i = 0; i < 2; ++i) {
            const TermPlan from = term_plan(choice, i, i % 2 == 0);
            if (!from.plan.misfit.empty()) {
                continue;
            }
            const CertificateFile file = certificate_of(from);
            const Problem unit = units_to_place(from.problem, from.hosts);
            const double optimum = testing::best_of_all_stages(unit);
            EXPECT_FALSE(check_proof(unit, file.proof, optimum * (1 + 1e-6), {}).holds());
            core::Random random(20221206, 4510 + static_cast<std::uint64_t>(i));
            const Tampered count = tamper(unit, file.proof, file.bound, optimum, random);
            sum.tried += count.tried;
            sum.still_hold += count.still_hold;
        }
        if (sum.tried > 0) {
            EXPECT_LT(sum.still_hold, sum.tried) << choice.name;
        }
    }
}

/// Regions of equal devices, as many as do for different stages.
Problem globe_problem(int regions, int devices, Shape shape, double c_pp, double c_dp) {
    const fabric::Fabric fabric =
        fabric::read_fabric(testing::globe_table(regions, devices), "globe").value();
    return make_problem(fabric, "globe", testing::payloads(c_pp, c_dp), shape).value();
}

BoundProof different_proof(const Problem& problem, double goal, double& bound) {
    const Classes classes = exact_classes(problem.costs);
    std::vector<int> sizes;
    for (const std::vector<int>& members : classes.members) {
        sizes.push_back(static_cast<int>(members.size()));
    }
    BoundProof proof;
    proof.kind = ProofKind::kDifferent;
    proof.class_of_device = classes.of_device;
    bound = different_stages_bound(
        class_costs(problem.costs, classes), problem.shape, sizes, goal, 4'000, &proof.different);
    return proof;
}

// The replay proves what the bound says, and not a bit more.
TEST(DifferentCertificate, ReplaysTheBoundExactly) {
    int said = 0;
    for (int i = 0; i < 60; ++i) {
        core::Random random(20221206, 4520 + static_cast<std::uint64_t>(i));
        const int regions = 3 + i % 4;
        const int devices = 4 + 2 * (i % 3);
        const int pp = i % 2 == 0 ? 2 : regions;
        if (regions * devices % pp != 0) {
            continue;
        }
        const Problem problem = globe_problem(regions,
                                              devices,
                                              {pp, regions * devices / pp},
                                              0.05 + random.uniform(),
                                              0.1 + 3 * random.uniform());
        double bound = 0;
        const BoundProof proof = different_proof(problem, 1e6, bound);
        if (bound <= 0) {
            continue;
        }
        ++said;
        const BoundProof read = read_changed(to_value(proof), problem.shape).value();
        EXPECT_EQ(check_proof(problem, read, bound * (1 - 1e-9), {}).why, "") << i;
        EXPECT_FALSE(check_proof(problem, read, bound * (1 + 1e-6), {}).holds()) << i;
    }
    EXPECT_GT(said, 30);
}

TEST(DifferentCertificate, NoChangeProvesMoreThanTheOptimum) {
    Tampered sum;
    for (int i = 0; i < 6; ++i) {
        const Problem problem =
            globe_problem(4, 2, {2 + 2 * (i % 2), i % 2 == 0 ? 4 : 2}, 0.1 + 0.2 * i, 1);
        double bound = 0;
        const BoundProof proof = different_proof(problem, 1e6, bound);
        const double optimum = testing::best_of_all_stages(problem);
        ASSERT_LE(bound, optimum * (1 + 1e-9));
        core::Random random(20221206, 4530 + static_cast<std::uint64_t>(i));
        const Tampered count = tamper(problem, proof, bound, optimum, random);
        sum.tried += count.tried;
        sum.still_hold += count.still_hold;
    }
    EXPECT_GT(sum.tried, 100);
    EXPECT_LT(sum.still_hold, sum.tried / 2);
}

TEST(DifferentCertificate, IsMadeWhereStagesAreLarge) {
    // 16 regions of 64 devices: branch and bound cannot list stages of 64.
    const Problem problem = globe_problem(16, 64, {16, 64}, 0.5, 1);
    const Stages natural = [&] {
        Stages stages(16);
        for (int device = 0; device < 1024; ++device) {
            stages[static_cast<std::size_t>(device / 64)].push_back(device);
        }
        return stages;
    }();
    const Solved solved = solve_inner(problem, natural);
    double bound = 0;
    (void)different_proof(problem, solved.score.total(), bound);
    ASSERT_GT(bound, elementary_bound(problem).value);
    Plan plan;
    plan.workload = problem.workload;
    plan.placement = Placement::from_stages(in_order(natural, solved.order));
    plan.score = score_as_mapped(problem, plan.placement);
    plan.bound.value = std::min(bound, plan.score.total());
    plan.fabric_sha256 = kFabricHash;
    CertificateOptions options;
    options.proof.work = 10'000'000;
    const CertificateFile file = make_certificate(problem, plan, {}, options);
    EXPECT_EQ(file.proof.kind, ProofKind::kDifferent);
    EXPECT_NEAR(file.bound, plan.bound.value, 1e-9 * file.bound);
}

// Twins: what the checker computes of exchanges, compute and tables by its own code equals what the
// proof and the score compute.
TEST(ReplayExchange, EqualsTheScoreOfEveryGroup) {
    for (const Exchange kind : {Exchange::kSharded,
                                Exchange::kRing,
                                Exchange::kCentral,
                                Exchange::kTree,
                                Exchange::kHierarchical}) {
        for (int i = 0; i < 10; ++i) {
            testing::Instance instance(4540, i);
            const testing::TermChoice choice{.name = "exchange", .exchange = kind, .shared = true};
            const testing::TermCase made =
                testing::term_case(choice, 2, 2 + i % 5, instance.random);
            const Problem problem = made.problem();
            const ReplayExchange replay(problem);
            std::vector<int> group = testing::shuffled(problem.devices(), instance.random);
            group.resize(static_cast<std::size_t>(problem.shape.dp));
            EXPECT_NEAR(replay.seconds(group), problem.exchange->seconds(group), 1e-12)
                << name_of(kind) << " " << i;
            EXPECT_NEAR(replay.least(), data_parallel_bound(problem), 1e-12)
                << name_of(kind) << " " << i;
        }
    }
}

TEST(ReplayCompute, EqualsTheProof) {
    for (const testing::TermChoice& choice : testing::term_choices()) {
        for (int i = 0; i < 4; ++i) {
            testing::Instance instance(4550, i);
            const testing::TermCase made = testing::term_case(choice, 3, 2, instance.random);
            const Problem unit = units_to_place(made.problem(), made.fabric.host_of_device());
            const ReplayCompute replay = replay_compute(unit);
            EXPECT_NEAR(
                replay.sum + replay_repeats(unit, replay, 0), least_compute_seconds(unit), 1e-12)
                << choice.name;
            EXPECT_NEAR(replay_repeats(unit, replay, 3.5),
                        repeats(passes_of(unit.workload, unit.terms), least_compute(unit), 3.5),
                        1e-12)
                << choice.name;
        }
    }
}

TEST(ReplayDivisions, TakeAsLongAsTheDivisionOfTheScore) {
    int misfits = 0;
    for (int i = 0; i < 200; ++i) {
        testing::Instance instance(4560, i);
        Problem problem;
        problem.shape = {1 + i % 4, 1};
        problem.terms.schedule = i % 3 == 0 ? Schedule::kGpipe : Schedule::kOneForwardOneBackward;
        problem.terms.forward_share = instance.random.uniform();
        problem.workload.pp_messages = 1 + static_cast<int>(instance.random.below(5));
        problem.workload.pp_backward_messages = 1 + static_cast<int>(instance.random.below(9));
        for (std::uint32_t layer = 0; layer < 4 + instance.random.below(6); ++layer) {
            problem.workload.layers.push_back({0.1 + instance.random.uniform(), 1, 0.2});
        }
        Stages stages;
        std::vector<ReplayPace> paces;
        for (int s = 0; s < problem.shape.pp; ++s) {
            stages.push_back({s});
            problem.speed.push_back(instance.random.below(2) == 0 ? 0.5 : 1);
            problem.memory_gb.push_back(2 + static_cast<double>(instance.random.below(9)));
            paces.push_back({problem.speed.back(), problem.memory_gb.back()});
        }
        const std::vector<ReplayCompute> divisions = replay_divisions(problem, paces);
        ASSERT_FALSE(divisions.empty());
        const double seconds = compute_alone(problem, stages);
        for (const ReplayCompute& one : divisions) {
            ASSERT_NEAR(one.sum + replay_repeats(problem, one, 0), seconds, 1e-9 * seconds) << i;
        }
        misfits += seconds >= kDoesNotFit ? 1 : 0;
    }
    EXPECT_GT(misfits, 20);
    EXPECT_LT(misfits, 150);
}

TEST(ReplayTables, EqualsTheProof) {
    int compared = 0;
    for (const testing::TermChoice& choice : testing::term_choices()) {
        for (int i = 0; i < 3; ++i) {
            const TermPlan from = term_plan(choice, i, true);
            if (choice.tp > 1 || choice.spare > 0 || !from.plan.misfit.empty() ||
                from.problem.terms.objective != Objective::kAdditive) {
                continue;
            }
            const double score = from.plan.score.total();
            const auto proved = bound_every_table(from.problem, score, 100'000);
            EXPECT_FALSE(bound_every_table(from.problem, score, 100'000, [] { return true; }));
            const std::vector<int> kinds = kinds_of_devices(from.problem);
            const TablesReplay replay = replay_tables(from.problem, kinds, score, {});
            ASSERT_TRUE(proved) << choice.name;
            EXPECT_EQ(replay.why, "") << choice.name;
            EXPECT_NEAR(replay.least, proved->bound.value, 1e-9) << choice.name << " " << i;
            ++compared;
        }
    }
    EXPECT_GT(compared, 15);
}

}  // namespace
}  // namespace longhaul::placement
