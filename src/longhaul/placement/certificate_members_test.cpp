// Certificates over classes whose members differ: they carry what the proof says, and no change of
// a log proves more than is true.
#include <cmath>

#include <gtest/gtest.h>

#include "longhaul/core/document.hpp"
#include "longhaul/placement/check_certificate.hpp"
#include "longhaul/placement/check_proof.hpp"
#include "longhaul/placement/compose.hpp"
#include "longhaul/placement/detail/any_classes.hpp"
#include "longhaul/placement/detail/test_support.hpp"
#include "longhaul/placement/make_certificate.hpp"
#include "longhaul/placement/member_model.hpp"
#include "longhaul/placement/proof_classes.hpp"
#include "longhaul/placement/search.hpp"
#include "longhaul/placement/table_proof.hpp"

namespace longhaul::placement {
namespace {

struct MadeCase {
    Problem problem;
    Classes classes;
    double best = 0;  // by exhaustive enumeration
    MadeProof made;
};

MadeCase made_case(std::uint64_t test, int i, double share) {
    testing::Instance instance(test, i);
    const Shape shape = testing::small_shape(i);
    MadeCase one{
        random_problem(shape, instance.levels, instance.equal_rows, instance.random), {}, 0, {}};
    one.classes = testing::any_classes(shape.devices(), instance.random);
    one.best = make_search(SearchKind::kExhaustive)->run(one.problem, {}).score;
    ProofOptions options;
    options.work = 10'000'000;
    std::size_t nodes = 100'000;
    one.made = prove_over_classes(one.problem,
                                  one.classes,
                                  {share * one.best, share * one.best},
                                  options,
                                  options.work,
                                  nodes);
    return one;
}

ProofCheck check(const MadeCase& one, const BoundProof& proof, double target) {
    return check_proof(one.problem, proof, target, {});
}

// The bound of branch and bound over the same classes is what a certificate must carry.
TEST(MemberCertificate, CarriesWhatIsProvedAndNoMoreThanTheOptimum) {
    int trees = 0;
    int breaks = 0;
    for (int i = 0; i < 400; ++i) {
        MadeCase one = made_case(85, i, 1.1);
        ASSERT_LE(one.made.bound, one.best * (1 + 1e-9)) << i;
        ASSERT_TRUE(check(one, one.made.proof, one.made.bound * (1 - 1e-9)).holds()) << i;
        ASSERT_FALSE(check(one, one.made.proof, one.best * (1 + 1e-6) + 1e-9).holds()) << i;
        TableProof proof(
            std::make_unique<MemberTable>(one.problem.costs, one.classes, one.problem.shape),
            one.problem.shape,
            sizes_of_classes(one.classes));
        SliceLimits limits;
        limits.work = 10'000'000;
        const double proved = proof.run(1.1 * one.best, limits).bound;
        std::size_t nodes = 100'000;
        const MadeProof again = prove_over_classes(
            one.problem, one.classes, {proved, 1.1 * one.best}, {}, 10'000'000, nodes);
        ASSERT_GE(again.bound, proved * (1 - 1e-9)) << i;
        trees += again.proof.kind == ProofKind::kTree ? 1 : 0;
        breaks += again.proof.kind == ProofKind::kBreaks ? 1 : 0;
        ASSERT_TRUE(again.proof.members || again.proof.kind == ProofKind::kElementary) << i;
    }
    EXPECT_GT(trees, 100);
    EXPECT_GT(breaks, 20);
}

/// All numbers and flags of a tree, to be changed one at a time.
void changeable(core::Value& value, std::vector<core::Value*>& leaves) {
    const bool scalar = value.kind == core::Value::Kind::kNumber ||
                        value.kind == core::Value::Kind::kBoolean || !value.numbers.empty();
    if (scalar) {
        leaves.push_back(&value);
    }
    for (core::Value& item : value.items) {
        changeable(item, leaves);
    }
    for (core::Member& member : value.members) {
        changeable(member.value, leaves);
    }
}

void change(core::Value& leaf, core::Random& random) {
    if (leaf.kind == core::Value::Kind::kBoolean) {
        leaf.boolean = !leaf.boolean;
    } else if (leaf.kind == core::Value::Kind::kNumber) {
        leaf.number = random.below(2) == 0 ? leaf.number * (0.5 + random.uniform())
                                           : std::floor(4 * random.uniform());
    } else {
        const std::size_t at = random.index(leaf.numbers.size());
        double& number = leaf.numbers[at];
        const std::uint32_t how = random.below(4);
        number = how == 0   ? number * 2 * random.uniform()
                 : how == 1 ? std::floor(4 * random.uniform()) - 1
                            : number;
        if (how == 2) {
            leaf.numbers.erase(leaf.numbers.begin() + static_cast<std::ptrdiff_t>(at));
        } else if (how == 3) {
            std::swap(number, leaf.numbers[random.index(leaf.numbers.size())]);
        }
    }
}

// Whatever is done to a proof, what passes is no more than the optimum by enumeration.
TEST(MemberCertificate, AnythingThatPassesIsTrue) {
    int refused = 0;
    int passed = 0;
    int malformed = 0;
    for (int i = 0; i < 300; ++i) {
        const MadeCase one = made_case(86, i, 1);
        if (!one.made.proof.members) {
            continue;
        }
        core::Random random(86, static_cast<std::uint64_t>(i));
        for (int turn = 0; turn < 12; ++turn) {
            core::Value value = to_value(one.made.proof);
            std::vector<core::Value*> leaves;
            changeable(value, leaves);
            change(*leaves[random.index(leaves.size())], random);
            const double target =
                one.made.bound * (random.below(2) == 0 ? 1 - 1e-9 : 1 + 0.3 * random.uniform());
            core::Document document = core::parse_json(core::write_json(value), "p").value();
            core::Diagnostics problems;
            const BoundProof bad = read_proof(core::Cursor(document, problems),
                                              one.problem.shape,
                                              static_cast<int>(one.problem.devices()),
                                              kMostProofDepth);
            if (!problems.empty()) {
                ++malformed;
                continue;
            }
            const bool holds = check(one, bad, target).holds();
            ASSERT_TRUE(!holds || target <= one.best * (1 + 2e-9)) << i;
            ++(holds ? passed : refused);
        }
    }
    EXPECT_GT(refused, 500);
    EXPECT_GT(passed, 100);
    EXPECT_GT(malformed, 100);
}

/// Table 2 with noise of 10 % on every ordered pair of devices, each cost on its own.
Problem noisy_table2(std::uint64_t seed) {
    Problem problem = testing::shipped_problem("dtfm-table2-worldwide.json", 0.512, 0.65);
    core::Random random(seed);
    const auto noise = [&](std::size_t, std::size_t, double cost) {
        return cost * (0.9 + 0.2 * random.uniform());
    };
    for (PairMatrix* pairs : {&problem.costs.pipeline, &problem.costs.exchange}) {
        testing::change_pairs(*pairs, noise);
        const PairMatrix one_way = *pairs;
        testing::change_pairs(*pairs, [&](std::size_t i, std::size_t j, double cost) {
            return (cost + one_way(j, i)) / 2;
        });
    }
    return problem;
}

class NoisyCertificate : public ::testing::Test {
protected:
    static constexpr const char* kNoisyHash = "noise";
    void SetUp() override {
        problem_ = noisy_table2(1);
        SearchOptions options;
        options.budget = 4'000;
        const SearchResult found = make_search(SearchKind::kPortfolio)->run(problem_, options);
        const std::vector<int> hosts(64, 0);
        const Solved solved = solve_inner(problem_.costs, found.stages);
        plan_.placement = compose(problem_.costs, found.stages, solved.order, hosts);
        plan_.score = score_as_mapped(problem_.costs, plan_.placement);
        plan_.bound = certify(problem_, found.score, {}).bound;
        plan_.bound.incumbent = found.score;
        plan_.fabric_sha256 = kNoisyHash;
        file_ = read_certificate(
                    core::write_json(to_value(make_certificate(problem_, plan_, hosts, {}))), "f")
                    .value();
    }
    [[nodiscard]] std::string refusal() const {
        return check_certificate(file_, problem_, {}, kNoisyHash, {}).why;
    }
    Problem problem_;
    Plan plan_;
    CertificateFile file_;
};

TEST_F(NoisyCertificate, CarriesTheBoundOfThePlanAndRefusesForgery) {
    EXPECT_NE(plan_.bound.method.find("the members of 8 classes"), std::string::npos);
    const CertificateFile good = file_;
    ASSERT_EQ(refusal(), "");
    EXPECT_EQ(good.bound, plan_.bound.value);
    EXPECT_LT(plan_.score.total(), 1.08 * good.bound);
    ASSERT_EQ(good.proof.kind, ProofKind::kTree);
    ASSERT_TRUE(good.proof.members);
    ASSERT_GT(good.proof.levels.size(), 10U);
    const auto bad = [&](auto change_file, std::string_view words) {
        file_ = good;
        change_file(file_);
        EXPECT_NE(refusal().find(words), std::string::npos) << words << " not in: " << refusal();
    };
    bad([](CertificateFile& f) { f.bound *= 1 + 1e-6; }, "slice");
    bad([](CertificateFile& f) { f.proof.members = false; }, "are in no slice");
    bad([](CertificateFile& f) { f.proof.exact = true; }, "are of one exact class");
    bad([](CertificateFile& f) { f.proof.kind = ProofKind::kBreaks; }, "its proof gives");
    bad([](CertificateFile& f) { f.proof.levels.clear(); }, "slices end at");
    bad([](CertificateFile& f) { f.proof.levels[0] *= 0.99; }, "level 1 does not begin");
    bad([](CertificateFile& f) { f.proof.levels[3] *= 2; }, "does not begin");
    bad([](CertificateFile& f) { f.proof.levels.resize(8); }, "the slices end at");
    bad([](CertificateFile& f) { f.proof.log.slices.pop_back(); }, "the slices end at");
    bad([](CertificateFile& f) { f.proof.log.slices[3].floor += 1e-3; }, "are in no slice");
    bad([](CertificateFile& f) { f.proof.log.slices.clear(); }, "the slices end at");
    bad(
        [](CertificateFile& f) {
            std::swap(f.proof.class_of_device[0], f.proof.class_of_device[63]);
        },
        "is left out");
}

TEST_F(NoisyCertificate, EveryNodeThatIsLeftOutIsMissed) {
    const CertificateFile good = file_;
    int named = 0;
    int unneeded = 0;
    for (std::size_t slice = 0; slice < good.proof.log.slices.size(); ++slice) {
        const std::vector<SliceLog::Node>& nodes = good.proof.log.slices[slice].nodes;
        for (std::size_t i = 0; i < nodes.size(); i += 7) {
            std::size_t end = i + 1;
            while (end < nodes.size() && nodes[end].depth > nodes[i].depth) {
                ++end;
            }
            file_ = good;
            auto& left = file_.proof.log.slices[slice].nodes;
            left.erase(left.begin() + static_cast<std::ptrdiff_t>(i),
                       left.begin() + static_cast<std::ptrdiff_t>(end));
            const std::string why = refusal();
            EXPECT_TRUE(why.empty() || why.find("is left out") != std::string::npos) << why;
            ++(why.empty() ? unneeded : named);
        }
    }
    EXPECT_GT(named, 20);
    EXPECT_GT(named, 2 * unneeded);
}

}  // namespace
}  // namespace longhaul::placement
