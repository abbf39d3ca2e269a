#include "longhaul/placement/make_certificate.hpp"

#include <algorithm>

#include "longhaul/placement/check_certificate.hpp"
#include "longhaul/placement/check_proof.hpp"
#include "longhaul/placement/units.hpp"

namespace longhaul::placement {
namespace {

constexpr std::uint64_t kFinalCheckFactor = 40;

/// What a plan claims, with no bound yet.
CertificateFile claims_of(const Plan& plan) {
    CertificateFile file;
    file.fabric_path = plan.fabric_path;
    file.fabric_sha256 = plan.fabric_sha256;
    file.workload = plan.workload;
    file.terms = plan.terms;
    file.placement = plan.placement;
    file.score = plan.score.total();
    file.plan_bound = plan.bound.value;
    file.plan_bound_method = plan.bound.method;
    file.version = plan.version;
    file.command = plan.command;
    file.time = plan.time;
    file.optimal = gap_between(file.score, 0).optimal;
    return file;
}

}  // namespace

CertificateFile make_certificate(const Problem& problem,
                                 const Plan& plan,
                                 std::span<const int> host_of,
                                 const CertificateOptions& options) {
    CertificateFile file = claims_of(plan);
    const double goal = std::min(plan.bound.value, file.score);
    const Problem units = units_to_place(problem, host_of);
    const ReplayLimits limits{
        std::max<std::uint64_t>(1'000'000, options.proof.work) * kFinalCheckFactor,
        options.proof.stop};
    const auto carry = [&](MadeProof made) {
        CertificateFile next = file;
        next.bound = std::min(made.bound, goal);
        next.optimal = gap_between(next.score, next.bound).optimal;
        next.proof = std::move(made.proof);
        if (next.bound > file.bound &&
            check_certificate(next, problem, host_of, next.fabric_sha256, limits).holds) {
            file = std::move(next);
        }
    };
    carry({replay_elementary(units), {}});
    carry(make_proof(units, {goal, plan.bound.incumbent}, options));
    return file;
}

}  // namespace longhaul::placement
