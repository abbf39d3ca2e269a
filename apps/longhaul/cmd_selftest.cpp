// selftest: solvers against brute force, and known answers.
#include <limits>

#include "longhaul/command.hpp"
#include "longhaul/fabric/read.hpp"
#include "longhaul/inputs.hpp"
#include "longhaul/placement/selftest.hpp"
#include "longhaul/placement/solve.hpp"
#include "embedded_fabrics.hpp"

namespace longhaul::app {
namespace {

/// Optimal scores at 8 x 8 with one message each. Sources: exhaustive search over region counts
/// (world-wide, regional, campuses, data centre); the spot value by hand, 7.28 + 2 (4 * 8 c / 1.25
/// + 3 * 8 c / 100).
struct KnownAnswer {
    std::string_view name;
    std::string_view fabric;
    double c_pp;
    double c_dp;
    double score;
};

constexpr KnownAnswer kKnownAnswers[] = {
    {"Table 2, 0.512 / 0.650", kWorldwideTable2, 0.512, 0.650, 51.500424},
    {"Table 2, 0.128 / 0.650", kWorldwideTable2, 0.128, 0.650, 19.447381},
    {"Table 2, 0.030 / 0.650", kWorldwideTable2, 0.030, 0.650, 8.666324},
    {"Table 2, 0.512 / 1.300", kWorldwideTable2, 0.512, 1.300, 62.201579},
    {"regional, 0.512 / 0.650", kRegional, 0.512, 0.650, 37.084085},
    {"campuses, 0.512 / 0.650", kCampuses, 0.512, 0.650, 16.999657},
    {"data centre, 0.512 / 0.650", kDatacenter, 0.512, 0.650, 3.485440},
    {"spot, 0.471249 / 0.650",
     kSpot,
     0.471249,
     0.650,
     7.28 + 2 * (4 * 8 * 0.471249 / 1.25 + 3 * 8 * 0.471249 / 100)}};

/// Score that the default search reaches; infinity when anything on the way fails.
double solved_score(const KnownAnswer& known, int threads) {
    const auto fabric = fabric::read_fabric(known.fabric, known.name);
    workload::Workload workload;
    workload.c_pp = core::Gigabytes(known.c_pp);
    workload.c_dp = core::Gigabytes(known.c_dp);
    placement::SolveOptions options;
    options.baseline_samples = 0;
    options.search.threads = threads;
    const auto problem =
        fabric ? placement::make_problem(*fabric, std::string(known.name), workload, {8, 8})
               : core::Result<placement::Problem>(tl::unexpected(fabric.error()));
    const auto plan = problem ? placement::solve(*problem, *fabric, options)
                              : core::Result<placement::Plan>(tl::unexpected(problem.error()));
    return plan ? plan->score.total() : std::numeric_limits<double>::infinity();
}

bool print_check(std::string_view name, bool passed, const std::string& detail) {
    print(fmt::format("{}  {}: {}\n", passed ? "ok    " : "FAILED", name, detail));
    return passed;
}

/// The two directions of a link: their mean must keep the sum of both serialisation times.
bool check_transfer() {
    const std::string_view text =
        R"({"labels": ["a", "b"], "alpha_ms": [[0, 10], [30, 0]], "beta_gbps": [[0, 1], [3, 0]]})";
    const auto fabric = fabric::read_fabric(text, "two devices");
    const double both = 0.010 + 0.25 * 8 / 1.0 + 0.030 + 0.25 * 8 / 3.0;
    const double twice =
        fabric ? 2 * fabric::transfer_seconds(make_links(*fabric), core::Gigabytes(0.25), 1)(0, 1)
               : 0;
    return print_check("sum of both directions' transfer times is kept",
                       std::abs(twice - both) < 1e-12,
                       fmt::format("{} s", twice));
}

bool check_rejection() {
    const std::string_view text =
        R"({"labels": ["a", "b"], "alpha_ms": [[0, null], [1, 0]], "beta_gbps": [[0, 1], [1, 0]]})";
    const auto fabric = fabric::read_fabric(text, "null latency");
    return print_check("a latency that is no number is refused",
                       !fabric,
                       fabric ? "accepted" : core::to_string(fabric.error().front()));
}

int run_selftest(std::uint64_t seed, int threads) {
    bool passed = true;
    for (const placement::Check& check : placement::run_selftest(seed)) {
        passed = print_check(
                     check.name, check.passed(), fmt::format("{}/{}", check.agreed, check.tried)) &&
                 passed;
    }
    passed = check_transfer() && passed;
    passed = check_rejection() && passed;
    for (const KnownAnswer& known : kKnownAnswers) {
        const double score = solved_score(known, threads);
        passed = print_check(known.name,
                             std::abs(score - known.score) < 1e-6,
                             fmt::format("{:.6f} s, known optimum {:.6f} s", score, known.score)) &&
                 passed;
    }
    print(passed ? "all checks passed\n" : "some checks FAILED\n");
    return passed ? kDone : kNo;
}

}  // namespace

void add_selftest(CLI::App& parent, Session& session) {
    CLI::App* command = parent.add_subcommand(
        "selftest", "Checks the solvers against brute force and known answers");
    example(*command, "longhaul selftest");
    struct Options {
        std::uint64_t seed = 7;
        int threads = 1;
    };
    auto options = std::make_shared<Options>();
    add_seed(*command, options->seed);
    add_threads(*command, options->threads);
    command->callback([options, &session] {
        session.run = [options] { return run_selftest(options->seed, options->threads); };
    });
}

}  // namespace longhaul::app
