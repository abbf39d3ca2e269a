#include "longhaul/placement/check_certificate.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "longhaul/placement/check_proof.hpp"
#include "longhaul/placement/evaluate.hpp"
#include "longhaul/placement/tensor.hpp"

namespace longhaul::placement {
namespace {

bool agree(double a, double b) {
    return std::abs(a - b) <= kReplayTolerance * std::max(std::abs(a), std::abs(b));
}

/// Score of the rank map as it stands, straight from its definition.
double score_of_map(const Costs& costs, const std::vector<std::vector<int>>& stages) {
    double data_parallel = 0;
    double pipeline = 0;
    for (std::size_t s = 0; s < stages.size(); ++s) {
        double slowest_pair = 0;
        for (std::size_t r = 0; r < stages[s].size(); ++r) {
            double exchange = 0;
            for (std::size_t q = 0; q < stages[s].size(); ++q) {
                exchange += q == r ? 0 : costs.exchange(stages[s][r], stages[s][q]);
            }
            data_parallel = std::max(data_parallel, exchange);
            if (s > 0) {
                slowest_pair =
                    std::max(slowest_pair, costs.pipeline(stages[s - 1][r], stages[s][r]));
            }
        }
        pipeline += slowest_pair;
    }
    return data_parallel + pipeline;
}

/// Problems whose score the loops above tell.
bool links_alone(const Problem& problem) {
    return problem.shape.tp == 1 && problem.terms.objective == Objective::kAdditive &&
           !problem.exchange && !has_compute(problem) && problem.shared.empty();
}

class CertificateChecker {
public:
    CertificateChecker(const CertificateFile& file,
                       const Problem& problem,
                       std::span<const int> host_of,
                       const ReplayLimits& limits)
        : file_(file), problem_(problem), host_of_(host_of), limits_(limits) {}

    CertificateCheck run(std::string_view fabric_sha256) {
        check_.why = problem_of(fabric_sha256);
        check_.holds = check_.why.empty();
        check_.bound = check_.holds ? file_.bound : 0;
        check_.optimal = check_.holds && *check_.score <= file_.bound * (1 + kReplayTolerance);
        return std::move(check_);
    }

private:
    std::string problem_of(std::string_view fabric_sha256) {
        if (fabric_sha256 != file_.fabric_sha256) {
            return fmt::format(
                "the fabric is another one: its SHA-256 is {}, the certificate is "
                "about {}",
                fabric_sha256,
                core::shown(file_.fabric_sha256, 64));
        }
        if (problem_.devices() != file_.placement.devices()) {
            return fmt::format("the rank map has {} devices, the fabric {}",
                               file_.placement.devices(),
                               problem_.devices());
        }
        const double score = links_alone(problem_)
                                 ? score_of_map(problem_.costs, file_.placement.stages())
                                 : score_as_mapped(problem_, file_.placement).total();
        check_.score = score;
        if (!agree(score, file_.score)) {
            return fmt::format(
                "the rank map scores {:.9f} s, the certificate says {:.9f} s", score, file_.score);
        }
        if (file_.bound > score * (1 + kReplayTolerance)) {
            return fmt::format(
                "the claimed bound of {:.9f} s is above the score of its own rank "
                "map, {:.9f} s",
                file_.bound,
                score);
        }
        if (file_.plan_bound > score * (1 + kReplayTolerance)) {
            return fmt::format(
                "the plan's bound of {:.9f} s is above the score of its own rank map, {:.9f} s",
                file_.plan_bound,
                score);
        }
        if (file_.optimal && !agree(file_.bound, score)) {
            return fmt::format(
                "the rank map is called optimal, but the claimed bound of {:.9f} s "
                "is below its score, {:.9f} s",
                file_.bound,
                score);
        }
        return problem_of_proof(file_.bound * (1 - kReplayTolerance));
    }

    std::string problem_of_proof(double target) {
        Problem units;
        if (problem_.shape.tp > 1) {
            const TensorGroups groups = make_tensor_groups(host_of_, problem_.shape.tp);
            if (groups.members.size() < problem_.shape.cells()) {
                return "the hosts do not hold the tensor groups";
            }
            units = grouped(problem_, groups);
        }
        ProofCheck found =
            check_proof(problem_.shape.tp > 1 ? units : problem_, file_.proof, target, limits_);
        check_.nodes = found.nodes;
        return std::move(found.why);
    }

    const CertificateFile& file_;
    const Problem& problem_;
    std::span<const int> host_of_;
    const ReplayLimits& limits_;
    CertificateCheck check_;
};

}  // namespace

CertificateCheck check_certificate(const CertificateFile& file,
                                   const Problem& problem,
                                   std::span<const int> host_of,
                                   std::string_view fabric_sha256,
                                   const ReplayLimits& limits) {
    return CertificateChecker(file, problem, host_of, limits).run(fabric_sha256);
}

}  // namespace longhaul::placement
