// A plan's claims with what it takes to check them: the file of `place --certificate`.
#pragma once

#include <string>
#include <string_view>

#include "longhaul/core/value.hpp"
#include "longhaul/placement/proof_log.hpp"
#include "longhaul/placement/shape.hpp"
#include "longhaul/workload/workload.hpp"

namespace longhaul::placement {

/// How a bound is proved.
enum class ProofKind {
    kElementary,  ///< cheapest peers of every device, cheapest pair at every boundary
    kBreaks,      ///< breaks that any path over classes has; no node is needed
    kTree,        ///< branch and bound over classes: the log of its nodes
};

/// Classes have the least costs between their members, so the bound holds for any partition; where
/// it is `exact`, members cannot be told apart, and nothing is lost.
struct BoundProof {
    ProofKind kind = ProofKind::kElementary;
    bool exact = false;
    std::vector<int> class_of_device;  ///< empty for kElementary
    ProofLog log;                      ///< of kTree
};

/// "longhaul.certificate/1". The score is the upper end, realised by the rank map; the bound the
/// lower one, which the proof gives.
struct CertificateFile {
    std::string fabric_path;
    std::string fabric_sha256;
    workload::Workload workload;
    std::string objective = "additive";
    Placement placement;
    double score = 0;
    double bound = 0;
    bool optimal = false;
    double plan_bound = 0;  ///< of the plan: may be more than what the certificate carries
    std::string plan_bound_method;
    BoundProof proof;
    std::string version;  ///< of the tool
    std::string command;  ///< as typed
    std::string time;     ///< UTC, ISO 8601
};

/// Classes, columns and nodes that a file may have.
inline constexpr int kMostCertificateClasses = 16;
inline constexpr int kMostCertificateNodes = 50'000'000;

[[nodiscard]] std::string_view name_of(ProofKind kind);

[[nodiscard]] core::Value to_value(const CertificateFile& file);

/// Reads a certificate; it is well-formed then, and its log can be followed (see replay). Every
/// problem is reported.
[[nodiscard]] core::Result<CertificateFile> read_certificate(std::string_view text,
                                                             std::string_view name);

}  // namespace longhaul::placement
