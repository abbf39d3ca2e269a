// A plan's claims with what it takes to check them: the file of `place --certificate`.
#pragma once

#include <string>
#include <string_view>

#include "longhaul/core/cursor.hpp"
#include "longhaul/core/value.hpp"
#include "longhaul/placement/proof_log.hpp"
#include "longhaul/placement/shape.hpp"
#include "longhaul/placement/terms.hpp"
#include "longhaul/workload/workload.hpp"

namespace longhaul::placement {

/// How a bound is proved.
enum class ProofKind {
    kElementary,  ///< cheapest peers of every device, cheapest pair at every boundary
    kBreaks,      ///< breaks that any path over classes has; no node is needed
    kTree,        ///< branch and bound over classes: the log of its nodes
    kDifferent,   ///< no number of different stages is cheap: trees of what a stage holds
    kTables,      ///< every set of stages over kinds of devices, enumerated; no log is needed
    kCrossing,    ///< pipelined: what must cross a shared resource; no log is needed
    kSum,         ///< compute, the exchange, or both bounded apart from one part, the rest
    kLimits,      ///< pipelined: one part for each limit on the slowest pair
    kChoices,     ///< devices to spare: one part for each choice of what is left out
    kEvery,       ///< every placement, tried again; no log is needed
};

/// Classes have the least costs between their members, or what some choice of their members must
/// cost, so the bound holds for any partition; where it is `exact`, members cannot be told apart,
/// and nothing is lost.
struct BoundProof {
    ProofKind kind = ProofKind::kElementary;
    bool exact = false;
    /// Of all that its problem places, tensor groups with tp > 1; empty for kElementary,
    /// kCrossing, kSum, kLimits.
    std::vector<int> class_of_device;
    ProofLog log;                ///< of kTree
    bool groups = false;         ///< of kTree: under another exchange than sums of pairs
    bool members = false;        ///< of kBreaks, kTree: by what some choice of members must cost
    std::vector<double> levels;  ///< of members: two costs each, rising; breaks count inside them
    DifferentLog different;      ///< of kDifferent
    bool compute = false;        ///< of kSum: bounded apart
    bool exchange = false;       ///< of kSum: bounded apart
    std::vector<double> limits;  ///< of kLimits: seconds a GB, rising; one a part
    std::vector<std::vector<int>> left_out;  ///< of kChoices: devices of each class; one a part
    int placements = 0;                      ///< of kEvery: how many there are
    std::vector<BoundProof> parts;
    /// Nodes of all logs, roots included.
    [[nodiscard]] std::size_t nodes() const;
};

/// Depth to which proofs may hold each other.
inline constexpr int kMostProofDepth = 6;

/// "longhaul.certificate/1". The score is the upper end, realised by the rank map; the bound the
/// lower one, which the proof gives.
struct CertificateFile {
    std::string fabric_path;
    std::string fabric_sha256;
    workload::Workload workload;
    Terms terms;
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
[[nodiscard]] core::Value to_value(const BoundProof& proof);

/// Reads a proof about `points` devices or tensor groups in this shape; -1: the check tells how
/// many there are. Problems go to the cursor.
[[nodiscard]] BoundProof read_proof(const core::Cursor& object, Shape shape, int points, int depth);

/// Reads a certificate; it is well-formed then, and its log can be followed (see replay). Every
/// problem is reported.
[[nodiscard]] core::Result<CertificateFile> read_certificate(std::string_view text,
                                                             std::string_view name);

}  // namespace longhaul::placement
