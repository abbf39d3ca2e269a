#include "longhaul/placement/check_certificate.hpp"

#include <gtest/gtest.h>

#include "longhaul/placement/compose.hpp"
#include "longhaul/placement/detail/test_support.hpp"
#include "longhaul/placement/make_certificate.hpp"
#include "longhaul/placement/search.hpp"
#include "longhaul/placement/solve.hpp"

namespace longhaul::placement {
namespace {

constexpr const char* kHash = "ab";

/// A plan of the stages with their best pairs and order, which claims a bound.
Plan claimed(const Problem& problem, const Stages& stages, double bound) {
    const std::vector<int> hosts(problem.devices(), 0);
    const Solved solved = solve_inner(problem.costs, stages);
    Plan plan;
    plan.fabric_sha256 = kHash;
    plan.placement = compose(problem.costs, stages, solved.order, hosts);
    plan.score = score_as_mapped(problem.costs, plan.placement);
    plan.bound = {bound, "a test", 0, 0, 0};
    return plan;
}

CertificateCheck check(const CertificateFile& file, const Problem& problem) {
    return check_certificate(file, problem, {}, kHash, {});
}

/// The file as another program would read it.
CertificateFile read_back(const CertificateFile& file) {
    return read_certificate(core::write_json(to_value(file)), "f").value();
}

struct Case {
    Problem problem;
    SearchResult best;  // by exhaustive enumeration
};

Case small_case(std::uint64_t test, int i, bool equal_rows) {
    testing::Instance instance(test, i);
    Problem problem =
        random_problem(testing::small_shape(i), instance.levels, equal_rows, instance.random);
    SearchResult best = make_search(SearchKind::kExhaustive)->run(problem, {});
    return {std::move(problem), std::move(best)};
}

TEST(Certificate, HoldsForTheOptimumOfExhaustiveEnumeration) {
    for (int i = 0; i < 300; ++i) {
        const auto [problem, best] = small_case(61, i, i % 4 != 0);
        for (const double share : {1.0, 0.999, 0.9}) {
            const Plan plan = claimed(problem, best.stages, share * best.score);
            const CertificateFile file = read_back(make_certificate(problem, plan, {}, {}));
            const CertificateCheck result = check(file, problem);
            ASSERT_TRUE(result.holds) << i << ": " << result.why;
            ASSERT_NEAR(result.bound, share * best.score, 1e-9 * best.score) << i;
            ASSERT_NEAR(result.score.value(), best.score, 1e-9 * best.score) << i;
            ASSERT_EQ(result.optimal, share == 1.0 || best.score == 0) << i;
        }
    }
}

TEST(Certificate, NoClaimAboveTheOptimumIsMadeOrBelieved) {
    for (int i = 0; i < 200; ++i) {
        const auto [problem, best] = small_case(62, i, true);
        const SearchResult host = make_search(SearchKind::kHostOrder)->run(problem, {});
        if (host.score <= best.score * (1 + 1e-6)) {
            continue;
        }
        // The plan claims more than is true; the certificate carries the optimum.
        const Plan plan = claimed(problem, host.stages, host.score);
        CertificateFile file = make_certificate(problem, plan, {}, {});
        ASSERT_NEAR(file.bound, best.score, 1e-9 * best.score) << i;
        ASSERT_FALSE(file.optimal);
        ASSERT_TRUE(check(file, problem).holds);
        file.bound = best.score * (1 + 1e-6);
        const CertificateCheck result = check(file, problem);
        ASSERT_FALSE(result.holds) << i;
        ASSERT_FALSE(result.why.empty());
    }
}

/// One random change of a log or of the classes that a file may hold after reading.
void mutate(CertificateFile& file, core::Random& random) {
    ProofLog& log = file.proof.log;
    SliceLog& slice = log.slices[random.index(log.slices.size())];
    const std::uint32_t change = random.below(7);
    if (change == 0) {
        std::vector<int>& classes = file.proof.class_of_device;
        std::swap(classes[random.index(classes.size())], classes[random.index(classes.size())]);
        file.proof.exact = false;
    } else if (change == 1) {
        random.shuffle(std::span<std::vector<int>>(log.columns));
    } else if (change == 2) {
        (random.below(2) == 0 ? slice.floor : slice.cap) *= 1 + 0.3 * (random.uniform() - 0.5);
    } else if (change == 3) {
        log.slices.erase(log.slices.begin() +
                         static_cast<std::ptrdiff_t>(random.index(log.slices.size())));
    } else if (!slice.nodes.empty()) {
        const std::size_t at = random.index(slice.nodes.size());
        SliceLog::Node& node = slice.nodes[at];
        if (change == 4) {
            slice.nodes.erase(slice.nodes.begin() + static_cast<std::ptrdiff_t>(at));
        } else if (change == 5) {
            node.column = static_cast<int>(random.index(log.columns.size()));
        } else {
            node.times = 1 + static_cast<int>(random.below(3));
        }
    }
}

// Whatever is done to a log, a claim above the optimum must not pass; and a claim that passes must
// be true by enumeration. Most changes break the proof.
TEST(Certificate, AnythingThatPassesIsTrue) {
    int refused = 0;
    int passed = 0;
    for (int i = 0; i < 400; ++i) {
        const auto [problem, best] = small_case(63, i, true);
        const SearchResult host = make_search(SearchKind::kHostOrder)->run(problem, {});
        const CertificateFile good =
            make_certificate(problem, claimed(problem, host.stages, best.score), {}, {});
        if (good.proof.kind != ProofKind::kTree) {
            continue;
        }
        core::Random random(63, static_cast<std::uint64_t>(i));
        for (int change = 0; change < 10; ++change) {
            CertificateFile bad = good;
            bad.optimal = false;
            mutate(bad, random);
            bad.bound *= 1 + (random.below(2) == 0 ? 0 : 0.2 * random.uniform());
            if (const auto read = read_certificate(core::write_json(to_value(bad)), "f")) {
                const bool holds = check(*read, problem).holds;
                ASSERT_TRUE(!holds || bad.bound <= best.score * (1 + 2e-9)) << i;
                ++(holds ? passed : refused);
            }
        }
    }
    EXPECT_GT(refused, 500);
    EXPECT_GT(passed, 20);  // such as another order of classes that does as well
}

TEST(Certificate, ClassesOfNoisyCostsGiveABoundBelowTheOptimum) {
    int trees = 0;
    for (int i = 0; i < 30; ++i) {
        testing::Instance instance(64, i);
        const Problem exact = random_problem({4, 5}, 4, true, instance.random);
        Problem noisy = exact;
        for (PairMatrix* pairs : {&noisy.costs.pipeline, &noisy.costs.exchange}) {
            core::Grid<double> grid(20, 20, 0.0);
            for (std::size_t a = 0; a < 20; ++a) {
                for (std::size_t b = 0; b < a; ++b) {
                    grid(a, b) = grid(b, a) =
                        (*pairs)(a, b) * (1 + 0.1 * instance.random.uniform());
                }
            }
            *pairs = grid;
        }
        SearchOptions options;
        options.budget = 2'000;
        CertificateOptions made;
        made.proof.work = 1'000'000;
        const SearchResult found = make_search(SearchKind::kPortfolio)->run(noisy, options);
        CertificateFile file =
            make_certificate(noisy, claimed(noisy, found.stages, found.score), {}, made);
        EXPECT_LE(file.bound, found.score);
        EXPECT_GE(file.bound, elementary_bound(noisy).value * (1 - 1e-12));
        EXPECT_TRUE(check(file, noisy).holds);
        EXPECT_FALSE(file.proof.exact);
        if (file.proof.kind == ProofKind::kTree) {
            ++trees;
            file.proof.exact = true;
            EXPECT_NE(check(file, noisy).why.find("exact class"), std::string::npos);
        }
    }
    EXPECT_GT(trees, 3);
}

class KnownCertificate : public ::testing::Test {
protected:
    void make(const char* name, double c_pp, double c_dp) {
        const fabric::Fabric fabric = testing::shipped(name);
        problem_ = make_problem(fabric, name, testing::payloads(c_pp, c_dp), {8, 8}).value();
        SolveOptions options;
        options.baseline_samples = 0;
        Plan plan = solve(problem_, fabric, options).value();
        plan.fabric_sha256 = kHash;
        file_ = read_back(make_certificate(problem_, plan, {}, {}));
    }
    [[nodiscard]] std::string refusal() const {
        const CertificateCheck result = check(file_, problem_);
        return result.holds ? "" : result.why;
    }
    [[nodiscard]] bool refused_for(std::string_view words) const {
        return refusal().find(words) != std::string::npos;
    }
    Problem problem_;
    CertificateFile file_;
};

// Known optima: docs/mathematics/placement.md.
TEST_F(KnownCertificate, KnownAnswersReplay) {
    const struct {
        const char* fabric;
        double c_pp, c_dp, score;
    } known[] = {{"dtfm-table2-worldwide.json", 0.512, 0.65, 51.500424},
                 {"dtfm-table2-worldwide.json", 0.512, 1.3, 62.201579},
                 {"dtfm-regional.json", 0.512, 0.65, 37.084085},
                 {"dtfm-spot.json", 0.471249, 0.65, 31.634148}};
    for (const auto& one : known) {
        make(one.fabric, one.c_pp, one.c_dp);
        const CertificateCheck result = check(file_, problem_);
        EXPECT_TRUE(result.holds) << one.fabric << ": " << result.why;
        EXPECT_TRUE(result.optimal);
        EXPECT_NEAR(result.score.value(), one.score, 1e-6);
        EXPECT_NEAR(result.bound, one.score, 1e-6);
    }
}

TEST_F(KnownCertificate, EveryTamperingIsRefusedWithItsReason) {
    make("dtfm-table2-worldwide.json", 0.512, 0.65);
    const CertificateFile good = file_;
    ASSERT_EQ(good.proof.kind, ProofKind::kTree);
    ASSERT_GT(good.proof.log.nodes(), 20U);
    const auto bad = [&](auto change, std::string_view words) {
        file_ = good;
        change(file_);
        EXPECT_TRUE(refused_for(words)) << words << " not in: " << refusal();
    };
    bad([](CertificateFile& f) { f.score += 1e-6; }, "the rank map scores 51.500423");
    bad([](CertificateFile& f) { f.bound += 1e-6; }, "above the score of its own rank map");
    bad([](CertificateFile& f) { f.bound -= 1e-6; }, "called optimal");
    bad([](CertificateFile& f) { f.fabric_sha256 = "cd"; }, "the fabric is another one");
    bad([](CertificateFile& f) { f.proof.kind = ProofKind::kElementary; },
        "its proof gives 33.362");
    bad([](CertificateFile& f) { f.proof.kind = ProofKind::kBreaks; }, "its proof gives");
    bad([](CertificateFile& f) { f.proof.log.slices[0].nodes.clear(); },
        "slice 1 of 20, root: column (");
    bad([](CertificateFile& f) { f.proof.log.slices.back().cap *= 0.9999; }, "the slices end at");
    bad([](CertificateFile& f) { f.proof.log.slices.erase(f.proof.log.slices.begin()); },
        "are in no slice");
    bad([](CertificateFile& f) { f.proof.log.slices[7].floor += 1e-3; }, "are in no slice");
    bad(
        [](CertificateFile& f) {
            std::swap(f.proof.class_of_device[0], f.proof.class_of_device[63]);
        },
        "are of one exact class");
    // Two devices exchanged in the map.
    bad(
        [](CertificateFile& f) {
            std::vector<int> map = f.placement.rank_map();
            std::swap(map[0], map[63]);
            f.placement = Placement::from_rank_map({8, 8}, map).value();
        },
        "the rank map scores");
    file_ = good;
    EXPECT_EQ(refusal(), "");
}

// Nodes are there because their bound is below the target, so hardly any can be left out: what is
// left out is named, at the node above it. (The checker's bounds exclude a few nodes more.)
TEST_F(KnownCertificate, WhatIsLeftOutIsNamed) {
    make("dtfm-table2-worldwide.json", 0.512, 0.65);
    const CertificateFile good = file_;
    int named = 0;
    int unneeded = 0;
    for (std::size_t slice = 0; slice < good.proof.log.slices.size(); ++slice) {
        const std::vector<SliceLog::Node>& nodes = good.proof.log.slices[slice].nodes;
        for (std::size_t i = 0; i < nodes.size(); i += 1 + i / 20) {
            std::size_t end = i + 1;
            while (end < nodes.size() && nodes[end].depth > nodes[i].depth) {
                ++end;
            }
            file_ = good;
            auto& left = file_.proof.log.slices[slice].nodes;
            left.erase(left.begin() + static_cast<std::ptrdiff_t>(i),
                       left.begin() + static_cast<std::ptrdiff_t>(end));
            const bool left_out = refused_for("is left out, but its bound is");
            EXPECT_TRUE(left_out || refusal().empty()) << refusal();
            ++(left_out ? named : unneeded);
        }
    }
    EXPECT_GT(named, 50);
    EXPECT_GT(named, 5 * unneeded);
}

TEST_F(KnownCertificate, ALogThatIsTooLongLeavesAWeakerBound) {
    make("dtfm-table2-worldwide.json", 0.512, 0.65);
    Plan plan;
    plan.fabric_sha256 = kHash;
    plan.placement = file_.placement;
    plan.score = score_as_mapped(problem_.costs, plan.placement);
    plan.bound.value = plan.score.total();
    CertificateOptions options;
    double before = 0;
    for (const std::size_t most : {0U, 20U, 60U, 1'000U}) {
        options.most_nodes = most;
        const CertificateFile file = make_certificate(problem_, plan, {}, options);
        EXPECT_TRUE(check(file, problem_).holds);
        EXPECT_GE(file.bound, before);
        EXPECT_LE(file.proof.log.nodes(), most);
        EXPECT_EQ(file.optimal, most == 1'000);
        before = file.bound;
    }
    options.proof.work = 0;
    EXPECT_NE(make_certificate(problem_, plan, {}, options).proof.kind, ProofKind::kTree);
}

TEST_F(KnownCertificate, TheCheckEndsWhenItsWorkIsDone) {
    make("dtfm-table2-worldwide.json", 0.512, 0.65);
    const CertificateCheck result = check_certificate(file_, problem_, {}, kHash, {100, {}});
    EXPECT_FALSE(result.holds);
    EXPECT_NE(result.why.find("the work of the check is used up"), std::string::npos);
    const ReplayLimits stopped{1'000'000'000, [] { return true; }};
    EXPECT_FALSE(check_certificate(file_, problem_, {}, kHash, stopped).holds);
}

}  // namespace
}  // namespace longhaul::placement
