#include "longhaul/placement/check_certificate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "longhaul/placement/plain.hpp"

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

/// Every device sits with dp - 1 others, and every boundary has a pair.
double bound_of_any_costs(const Costs& costs, std::size_t n, Shape shape) {
    double worst = 0;
    double cheapest = std::numeric_limits<double>::infinity();
    std::vector<double> peers;
    for (std::size_t i = 0; i < n; ++i) {
        peers.clear();
        for (std::size_t j = 0; j < n; ++j) {
            if (i != j) {
                peers.push_back(costs.exchange(i, j));
                cheapest = std::min(cheapest, costs.pipeline(i, j));
            }
        }
        std::ranges::sort(peers);
        double seconds = 0;
        for (int p = 0; p + 1 < shape.dp; ++p) {
            seconds += peers[p];
        }
        worst = std::max(worst, seconds);
    }
    return worst + (shape.pp > 1 ? (shape.pp - 1) * cheapest : 0);
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
                !(agree(costs.pipeline(i, j), costs.pipeline(twin, j)) &&
                  agree(costs.exchange(i, j), costs.exchange(twin, j)))) {
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

class CertificateChecker {
public:
    CertificateChecker(const CertificateFile& file,
                       const Problem& problem,
                       const ReplayLimits& limits)
        : file_(file),
          problem_(problem),
          costs_(problem.costs),
          n_(file.placement.shape().devices()),
          limits_(limits) {}

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
        if (std::string beyond = beyond_certificates(problem_); !beyond.empty()) {
            return beyond;
        }
        const double score = score_of_map(costs_, file_.placement.stages());
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
        const BoundProof& proof = file_.proof;
        const Shape shape = file_.placement.shape();
        check_.nodes = 1;
        if (proof.kind == ProofKind::kElementary) {
            return too_low(bound_of_any_costs(costs_, n_, shape), target);
        }
        if (proof.exact) {
            if (std::string problem = difference(costs_, proof.class_of_device); !problem.empty()) {
                return problem;
            }
        }
        ReplayModel model(costs_, proof.class_of_device, shape);
        if (proof.kind == ProofKind::kBreaks) {
            const ReplayState root = model.root();
            const double exchange = model.exchange_of_rest(root.rest);
            return too_low(exchange + model.path_bound(root, target), target);
        }
        const Replay replayed = replay(model, proof.log, target, limits_);
        check_.nodes = replayed.nodes;
        return replayed.holds ? "" : place_of(replayed, proof.log) + ": " + replayed.why;
    }

    [[nodiscard]] std::string too_low(double bound, double target) const {
        return bound >= target ? ""
                               : fmt::format(
                                     "its proof gives {:.9f} s, the claimed bound is "
                                     "{:.9f} s",
                                     bound,
                                     file_.bound);
    }

    const CertificateFile& file_;
    const Problem& problem_;
    const Costs& costs_;
    std::size_t n_;
    const ReplayLimits& limits_;
    CertificateCheck check_;
};

}  // namespace

std::string beyond_certificates(const Problem& problem) {
    if (const std::string beyond = beyond_links(problem); !beyond.empty()) {
        return "certificates are about links alone and do not count " + beyond;
    }
    if (problem.devices() != problem.shape.devices()) {
        return fmt::format(
            "certificates are about pp x dp devices that are all in use; the fabric "
            "has {}, the shape {}",
            problem.devices(),
            problem.shape.devices());
    }
    return "";
}

CertificateCheck check_certificate(const CertificateFile& file,
                                   const Problem& problem,
                                   std::string_view fabric_sha256,
                                   const ReplayLimits& limits) {
    return CertificateChecker(file, problem, limits).run(fabric_sha256);
}

}  // namespace longhaul::placement
