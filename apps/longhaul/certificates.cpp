#include "longhaul/certificates.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "longhaul/command.hpp"
#include "longhaul/inputs.hpp"
#include "longhaul/plan_fabric.hpp"

namespace longhaul::app {
namespace {

using placement::BoundProof;
using placement::ProofKind;

/// "elementary bounds", "branch and bound over 8 device classes".
std::string kind_text(const BoundProof& proof) {
    const int classes =
        proof.class_of_device.empty() ? 0 : std::ranges::max(proof.class_of_device) + 1;
    const std::string view =
        fmt::format("{}{} classes",
                    proof.exact     ? ""
                    : proof.members ? "the members of "
                                    : "least costs of ",
                    proof.exact ? fmt::format("{} device", classes) : fmt::format("{}", classes));
    switch (proof.kind) {
        case ProofKind::kElementary:
            return "cheapest peers of every device and cheapest pair of every boundary";
        case ProofKind::kBreaks:
            return "breaks of the path over " + view;
        case ProofKind::kTree:
            return "branch and bound over " + view;
        case ProofKind::kDifferent:
            return fmt::format("different stages over {} device classes", classes);
        case ProofKind::kTables:
            return fmt::format("every table of {} kinds of devices", classes);
        case ProofKind::kCrossing:
            return "what must cross a shared resource";
        case ProofKind::kSum:
            return fmt::format("least {} apart, {}",
                               proof.compute && proof.exchange ? "compute and exchange"
                               : proof.compute                 ? "compute"
                                                               : "exchange of a device",
                               proof.parts.empty() ? "nothing" : kind_text(proof.parts.front()));
        case ProofKind::kLimits:
            return fmt::format("{} limits of the slowest pair", proof.parts.size());
        case ProofKind::kChoices:
            return fmt::format("{} choices of what is left out", proof.parts.size());
        case ProofKind::kEvery:
            return fmt::format("each of {} placements, tried again", proof.placements);
    }
    return {};
}

std::string proof_text(const placement::CertificateFile& file, std::uint64_t nodes) {
    const std::size_t logged = file.proof.nodes();
    return kind_text(file.proof) +
           (logged > 0 ? fmt::format(", {} of {} nodes checked", nodes, logged) : std::string());
}

std::string verdict_text(const placement::CertificateFile& file,
                         const placement::CertificateCheck& check) {
    if (!check.holds) {
        return "does not hold: " + check.why;
    }
    const placement::Gap gap = placement::gap_between(check.score.value_or(0), check.bound);
    std::string text = check.optimal ? "holds: the rank map is optimal"
                       : gap.known   ? fmt::format(
                                         "holds: the rank map is at most {:.2f} % above the "
                                           "optimum",
                                         100 * gap.value)
                                   : std::string("holds, for a bound of 0");
    if (file.plan_bound > check.bound * (1 + placement::kReplayTolerance)) {
        text += fmt::format("\nnot carried   the plan's bound of {:.6f} s ({})",
                            file.plan_bound,
                            core::shown(file.plan_bound_method, 120));
    }
    return text;
}

std::string answer_text(const placement::CertificateFile& file,
                        const placement::CertificateCheck& check) {
    const placement::Shape shape = file.placement.shape();
    const std::string found = check.score ? fmt::format("{:.6f} s", *check.score) : "not computed";
    return fmt::format(
        "shape        pp {} x dp {}{}\n"
        "score        {}, realised by the rank map; {:.6f} s claimed\n"
        "bound        {:.6f} s claimed\n"
        "proof        {}\n"
        "verdict      {}\n",
        shape.pp,
        shape.dp,
        shape.tp > 1 ? fmt::format(" x tp {}", shape.tp) : "",
        found,
        file.score,
        file.bound,
        proof_text(file, check.nodes),
        verdict_text(file, check));
}

core::Value answer_value(const placement::CertificateFile& file,
                         const placement::CertificateCheck& check,
                         const std::string& sha256) {
    const placement::Gap gap = placement::gap_between(check.score.value_or(0), check.bound);
    return core::Value::object()
        .set("holds", check.holds)
        .set("why", check.why)
        .set("score", check.score ? core::Value(*check.score) : core::Value())
        .set("score_claimed", file.score)
        .set("bound", check.bound)
        .set("bound_claimed", file.bound)
        .set("gap", check.holds && gap.known ? core::Value(gap.value) : core::Value())
        .set("optimal", check.optimal)
        .set("proof", std::string(name_of(file.proof.kind)))
        .set("nodes", static_cast<double>(check.nodes))
        .set("plan_bound", file.plan_bound)
        .set("plan_bound_method", file.plan_bound_method)
        .set("fabric_sha256", sha256);
}

}  // namespace

core::Result<void> check_certifiable(const std::string& path) {
    if (path == "-") {
        return core::fail({"", "--certificate", "found -", "certificates are written to files"});
    }
    return check_writable(path);
}

core::Result<void> write_certificate(const std::string& path,
                                     const placement::Problem& problem,
                                     const placement::Plan& plan,
                                     std::span<const int> host_of,
                                     const placement::CertificateOptions& options) {
    const placement::CertificateFile file =
        placement::make_certificate(problem, plan, host_of, options);
    if (file.bound == 0 && plan.bound.value > 0) {
        const placement::CertificateCheck check =
            placement::check_certificate(file, problem, host_of, file.fabric_sha256, {});
        if (!check.holds) {
            return core::fail({path,
                               "",
                               "no bound of this plan can be certified: " + check.why,
                               "place without --certificate"});
        }
    }
    if (file.bound < plan.bound.value * (1 - placement::kReplayTolerance)) {
        warn(
            fmt::format("the certificate holds a bound of {:.6f} s; the plan's, {:.6f} s, needs a "
                        "longer log, more work or another kind of proof",
                        file.bound,
                        plan.bound.value));
    }
    return write_file(path, core::write_json(placement::to_value(file)));
}

core::Result<int> answer(const CertificateQuestion& question) {
    if (auto once = read_once({question.certificate, question.fabric}); !once) {
        return tl::unexpected(once.error());
    }
    const core::Result<std::string> text = read_file(question.certificate);
    if (!text) {
        return tl::unexpected(text.error());
    }
    const std::string name = input_name(question.certificate);
    const core::Result<placement::CertificateFile> file = placement::read_certificate(*text, name);
    if (!file) {
        return tl::unexpected(file.error());
    }
    const core::Result<FoundFabric> found =
        fabric_of_plan({file->fabric_path, "", name, "certificate"}, question.fabric);
    if (!found) {
        return tl::unexpected(found.error());
    }
    const std::string& path = found->path;
    const LoadedFabric* fabric = &found->loaded;
    const core::Result<placement::Problem> problem = placement::make_problem(
        fabric->fabric, path, file->workload, file->placement.shape(), file->terms);
    if (!problem) {
        return tl::unexpected(problem.error());
    }
    const placement::CertificateCheck check = placement::check_certificate(
        *file, *problem, fabric->fabric.host_of_device(), fabric->sha256, {question.work, {}});
    print(question.json ? core::write_json(answer_value(*file, check, fabric->sha256))
                        : answer_text(*file, check));
    return check.holds ? kDone : kNo;
}

}  // namespace longhaul::app
