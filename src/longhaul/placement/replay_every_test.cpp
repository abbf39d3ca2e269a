// Proofs by every placement: the replay finds the optimum of the definition under every term,
// counts as the search does, and believes nothing else.
#include "longhaul/placement/replay_every.hpp"

#include <gtest/gtest.h>

#include "longhaul/core/document.hpp"
#include "longhaul/placement/check_certificate.hpp"
#include "longhaul/placement/check_proof.hpp"
#include "longhaul/placement/detail/every_term.hpp"
#include "longhaul/placement/every_placement.hpp"
#include "longhaul/placement/group_terms.hpp"
#include "longhaul/placement/make_certificate.hpp"
#include "longhaul/placement/solve.hpp"

namespace longhaul::placement {
namespace {

constexpr double kNothingYet = std::numeric_limits<double>::infinity();

BoundProof proof_of(const Problem& problem) {
    BoundProof proof;
    proof.kind = ProofKind::kEvery;
    proof.class_of_device = kinds_of_devices(problem);
    proof.placements = static_cast<int>(replay_placements(problem, proof.class_of_device));
    return proof;
}

TEST(ReplayEvery, UnderAllTermsFindsTheOptimumOfTheDefinition) {
    int found = 0;
    testing::for_all_terms(
        940, [&](const Problem& problem, const fabric::Fabric&, const std::string& what) {
            const double best = testing::best_of_all_maps(problem);
            const BoundProof proof = proof_of(problem);
            const EveryReplay all = replay_every(problem,
                                                 proof.class_of_device,
                                                 static_cast<std::uint64_t>(proof.placements),
                                                 kNothingYet,
                                                 {});
            ASSERT_EQ(all.why, "") << what;
            ASSERT_NEAR(all.least, best, 1e-9 * best) << what;
            ASSERT_TRUE(check_proof(problem, proof, best * (1 - 1e-9), {}).holds()) << what;
            ASSERT_FALSE(check_proof(problem, proof, best * (1 + 1e-6), {}).holds()) << what;
            ++found;
        });
    EXPECT_GE(found, 90);
}

// The search has a count of its own: it refuses one placement fewer.
TEST(ReplayEvery, CountsAsManyPlacementsAsTheSearch) {
    testing::for_all_terms(
        941, [&](const Problem& problem, const fabric::Fabric&, const std::string& what) {
            const auto count = replay_placements(problem, kinds_of_devices(problem));
            ASSERT_TRUE(every_placement(problem, 0, count).has_value()) << what << " " << count;
            if (count > 1) {
                ASSERT_FALSE(every_placement(problem, 0, count - 1).has_value()) << what << count;
            }
        });
}

/// A problem of devices that all differ.
Problem different_devices(Shape shape, int spare, std::uint64_t test) {
    testing::Instance instance(test, 0);
    Problem problem =
        random_problem({1, static_cast<int>(shape.devices()) + spare}, 0, false, instance.random);
    problem.shape = shape;
    return problem;
}

std::uint64_t placements_of(const Problem& problem) {
    return replay_placements(problem, kinds_of_devices(problem));
}

TEST(ReplayEvery, CountsByTheFormula) {
    EXPECT_EQ(placements_of(different_devices({2, 2}, 2, 942)), 45U);     // 6! / (2! 2! 2! 2!)
    EXPECT_EQ(placements_of(different_devices({3, 3}, 0, 943)), 280U);    // 9! / (3!^3 3!)
    EXPECT_EQ(placements_of(different_devices({4, 2}, 0, 944)), 105U);    // 8! / (2!^4 4!)
    EXPECT_EQ(placements_of(different_devices({1, 4}, 3, 945)), 35U);     // 7 choose 4
    EXPECT_EQ(placements_of(different_devices({6, 2}, 0, 946)), 10395U);  // 12! / (2!^6 6!)
    Problem timed = different_devices({4, 2}, 0, 944);
    timed.speed.assign(8, 1.0);
    timed.workload.stage_seconds = {1, 2, 3, 4};
    EXPECT_EQ(placements_of(timed), 2520U);  // in every order: times 4!
    const Problem alike{{8, 8}, {core::Grid<double>(64, 64, 1.0), core::Grid<double>(64, 64, 1.0)}};
    EXPECT_EQ(placements_of(alike), 1U);
}

TEST(ReplayEvery, RefusesMoreThanItTries) {
    // 16! / (4!^4 4!) = 2,627,625 sets of four stages.
    const Problem large = different_devices({4, 4}, 0, 947);
    EXPECT_EQ(placements_of(large), kMostReplayPlacements + 1);
    BoundProof proof = proof_of(large);
    proof.placements = 2'627'625;
    const ProofCheck check = check_proof(large, proof, 1e-9, {});
    EXPECT_NE(check.why.find("more than 2000000 placements"), std::string::npos) << check.why;
    const Problem small = different_devices({3, 3}, 0, 948);
    const ProofCheck limited = check_proof(small, proof_of(small), 1e9, {100, {}});
    EXPECT_NE(limited.why.find("used up"), std::string::npos) << limited.why;
    const Problem many = different_devices({6, 2}, 0, 950);
    const ReplayLimits late{1'000'000'000, [] { return true; }};
    const ProofCheck stopped = check_proof(many, proof_of(many), 1e9, late);
    EXPECT_NE(stopped.why.find("used up"), std::string::npos) << stopped.why;
}

class EveryCertificate : public ::testing::Test {
protected:
    /// Few devices that differ under many terms: nothing else proves the optimum.
    EveryCertificate() {
        testing::TermChoice choice{.name = "all",
                                   .objective = Objective::kPipelined,
                                   .exchange = Exchange::kCentral,
                                   .speeds = true,
                                   .layers = true,
                                   .spare = 1};
        core::Random random(7, 949);
        made_ = testing::term_case(choice, 3, 2, random);
        for (workload::Layer& layer : made_.workload.layers) {
            layer.static_gb = 0.1;  // all fits
        }
        problem_ = made_.problem();
        hosts_ = made_.fabric.host_of_device();
        SolveOptions options;
        options.search.budget = 20'000;
        options.baseline_samples = 0;
        options.proof.work = 1'000'000;
        plan_ = solve(problem_, made_.fabric, options).value();
        plan_.fabric_sha256 = "every";
    }

    [[nodiscard]] CertificateFile certificate(std::uint64_t work = 10'000'000) const {
        CertificateOptions options;
        options.proof.work = work;
        return read(make_certificate(problem_, plan_, hosts_, options));
    }

    static CertificateFile read(const CertificateFile& file) {
        return read_certificate(core::write_json(to_value(file)), "f").value();
    }

    [[nodiscard]] CertificateCheck check(const CertificateFile& file) const {
        return check_certificate(file, problem_, hosts_, "every", {});
    }

    void refuse(const CertificateFile& file, std::string_view words) const {
        const CertificateCheck found = check(file);
        EXPECT_FALSE(found.holds) << words;
        EXPECT_NE(found.why.find(words), std::string::npos) << words << ": " << found.why;
    }

    testing::TermCase made_{"", testing::shipped("two-datacenters-synthetic.toml"), {}, {}, {}};
    Problem problem_;
    std::vector<int> hosts_;
    Plan plan_;
};

TEST_F(EveryCertificate, SaysAsMuchAsThePlan) {
    ASSERT_EQ(plan_.bound.method, "every placement");
    const CertificateFile file = certificate();
    EXPECT_EQ(file.proof.kind, ProofKind::kEvery);
    EXPECT_EQ(file.bound, plan_.bound.value);
    EXPECT_TRUE(file.optimal);
    const CertificateCheck found = check(file);
    EXPECT_TRUE(found.holds) << found.why;
    EXPECT_TRUE(found.optimal);
    EXPECT_EQ(found.nodes, static_cast<std::uint64_t>(file.proof.placements) + 1);
    const double best = testing::best_of_all_maps(problem_);
    EXPECT_NEAR(found.bound, best, 1e-9 * best);
    // Without time for it a weaker bound is carried, which holds.
    const CertificateFile weaker = certificate(1);
    EXPECT_LT(weaker.bound, plan_.bound.value);
    EXPECT_TRUE(check(weaker).holds);
}

TEST_F(EveryCertificate, ForgeriesAreRefusedWithTheirReason) {
    const CertificateFile good = certificate();
    ASSERT_TRUE(check(good).holds);
    // A worse map, so that a higher bound may be claimed: 1.01 times the optimum.
    CertificateFile forged = good;
    Stages stages = good.placement.stages();
    std::swap(stages.front(), stages.back());
    std::swap(stages[0][0], stages[1][0]);
    forged.placement = Placement::from_stages(stages, problem_.devices());
    forged.score = score_as_mapped(problem_, forged.placement).total();
    forged.optimal = false;
    ASSERT_GT(forged.score, good.score * 1.001);
    EXPECT_TRUE(check(forged).holds) << "the bound is still true";
    forged.bound = good.bound * (1 + 1e-6);
    refuse(forged, "its proof gives");
    forged.bound = forged.score;
    forged.optimal = true;
    refuse(forged, "its proof gives");
    for (const int count : {1, good.proof.placements - 1, good.proof.placements + 1, 2'000'001}) {
        CertificateFile miscounted = good;
        miscounted.proof.placements = count;
        refuse(miscounted, "placements, not");
    }
    CertificateFile merged = good;
    std::ranges::fill(merged.proof.class_of_device, 0);
    refuse(merged, "are of one kind, but differ");
    CertificateFile short_of_one = good;
    short_of_one.proof.class_of_device.pop_back();
    refuse(short_of_one, "it has kinds of");
    CertificateFile renamed = good;
    renamed.proof.kind = ProofKind::kElementary;
    refuse(renamed, "its proof gives");
}

// The claims of one objective under another: the score of the map is told first; where that is
// forged too, every placement shows that there are better ones.
TEST_F(EveryCertificate, AnotherObjectiveOrExchangeIsNoticed) {
    const CertificateFile good = certificate();
    const auto under = [&](Objective objective, Exchange exchange) {
        testing::TermCase other = made_;
        other.terms.objective = objective;
        other.terms.exchange = exchange;
        return other.problem();
    };
    for (const auto& [objective, exchange] : {std::pair{Objective::kAdditive, Exchange::kCentral},
                                              std::pair{Objective::kPipelined, Exchange::kSharded},
                                              std::pair{Objective::kAdditive, Exchange::kRing}}) {
        const Problem problem = under(objective, exchange);
        CertificateFile forged = good;
        forged.terms = problem.terms;
        EXPECT_NE(
            check_certificate(forged, problem, hosts_, "every", {}).why.find("the rank map scores"),
            std::string::npos);
        const double best = testing::best_of_all_maps(problem);
        forged.score = score_as_mapped(problem, forged.placement).total();
        forged.bound = forged.score;
        forged.plan_bound = forged.score;
        forged.optimal = true;
        const bool optimal = forged.score <= best * (1 + 1e-9);
        EXPECT_EQ(check_certificate(forged, problem, hosts_, "every", {}).holds, optimal);
        forged.bound = best * (1 + 1e-6);
        forged.optimal = false;
        EXPECT_FALSE(check_certificate(forged, problem, hosts_, "every", {}).holds);
    }
}

TEST_F(EveryCertificate, MemoryTellsDevicesApart) {
    const std::vector<int> kinds = kinds_of_devices(problem_);
    EXPECT_EQ(every_difference(problem_, kinds), "");
    // Two devices with equal links, and unequal memory.
    const std::vector<int> alike(4, 0);
    Problem equal{{2, 2}, {core::Grid<double>(4, 4, 1.0), core::Grid<double>(4, 4, 1.0)}};
    EXPECT_EQ(every_difference(equal, alike), "");
    equal.memory_gb = {1, 1, 1, 2};
    EXPECT_EQ(every_difference(equal, alike), "");  // no layer needs any
    EXPECT_EQ(kinds_of_devices(equal), alike);
    equal.workload.layers = {{1, 0.5, 0.1}, {1, 0.5, 0.1}};
    EXPECT_NE(every_difference(equal, alike).find("differ in memory"), std::string::npos);
    EXPECT_NE(kinds_of_devices(equal), alike);
    // Speeds count where something is computed.
    equal.memory_gb.clear();
    equal.workload.layers.clear();
    equal.speed = {1, 1, 1, 2};
    EXPECT_EQ(every_difference(equal, alike), "");
    EXPECT_EQ(kinds_of_devices(equal), alike);
    equal.workload.stage_seconds = {1};
    EXPECT_NE(every_difference(equal, alike), "");
    EXPECT_NE(kinds_of_devices(equal), alike);
}

TEST_F(EveryCertificate, ACountThatIsNoneIsRefusedByTheReader) {
    const std::string text = core::write_json(to_value(certificate()));
    const auto with = [&](const std::string& count) {
        std::string changed = text;
        const std::size_t at = changed.find("\"placements\": ") + 14;
        changed.replace(at, changed.find_first_of(",\n}", at) - at, count);
        return read_certificate(changed, "f");
    };
    EXPECT_TRUE(with("5"));
    for (const char* count : {"0", "-1", "1.5", "2e9", "\"5\"", "null"}) {
        EXPECT_FALSE(with(count)) << count;
    }
}

}  // namespace
}  // namespace longhaul::placement
