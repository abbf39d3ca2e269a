// Measured links between devices: start-up latency and bandwidth of every ordered pair.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "longhaul/core/diagnostic.hpp"
#include "longhaul/core/grid.hpp"
#include "longhaul/core/units.hpp"
#include "longhaul/core/value.hpp"
#include "longhaul/fabric/pair_matrix.hpp"
#include "longhaul/fabric/shared.hpp"

namespace longhaul::fabric {

/// What is known of one accelerator; everything is optional.
struct Device {
    std::string host;
    std::string address;
    std::optional<int> local_rank;
    std::string gpu;
    std::optional<double> memory_gb;
    double speed = 1;  ///< relative to the reference device, > 0
    std::vector<std::string> groups;
    core::Value unknown = core::Value::object();  ///< keys of newer versions, kept on rewriting
};

/// Lower and upper end of a measured matrix, n x n.
struct Interval {
    PairMatrix lower;
    PairMatrix upper;
};

/// The parts of a fabric. Row = sender, column = receiver; diagonals are ignored. All matrices are
/// over the same kinds of devices.
struct FabricParts {
    std::vector<std::string> labels;  ///< n locality labels, may repeat
    PairMatrix alpha_ms;              ///< n x n start-up latency, ms, >= 0
    PairMatrix beta_gbps;             ///< n x n bandwidth, decimal Gbit/s, > 0 off the diagonal
    std::vector<Device> devices;      ///< n, or empty when nothing is known
    PairTable<char> estimated;        ///< n x n: 1 where not measured; empty when unknown
    std::optional<Interval> alpha_interval;
    std::optional<Interval> beta_interval;
    /// Ordered pairs of hosts whose measurement failed a gate; absent when unknown.
    std::optional<int> suspect;
    std::vector<SharedCapacity> shared;  ///< what several pairs load at once
    std::string provenance;
    core::Value unknown = core::Value::object();  ///< keys of newer versions, kept on rewriting
};

/// A fabric that holds: square matrices of one size, finite and plausible values.
class Fabric {
public:
    /// Checks the parts. Every problem is reported, with `name` as the file. O(n + kinds^2).
    [[nodiscard]] static core::Result<Fabric> make(FabricParts parts, const std::string& name);

    [[nodiscard]] std::size_t size() const { return parts_.labels.size(); }
    [[nodiscard]] const FabricParts& parts() const { return parts_; }
    [[nodiscard]] const std::vector<std::string>& labels() const { return parts_.labels; }

    /// Host of every device as a small index (equal host name = equal index); devices without a
    /// host name get one of their own.
    [[nodiscard]] std::vector<int> host_of_device() const;

    /// Sides of every shared resource, see fabric::sides_of: sides[resource][device].
    [[nodiscard]] std::vector<std::vector<int>> shared_sides() const;

private:
    explicit Fabric(FabricParts parts) : parts_(std::move(parts)) {}
    FabricParts parts_;
};

/// What a transfer between two devices costs, the same in both directions: one message of c GB
/// takes latency_s + c slowness seconds.
struct Links {
    PairMatrix latency_s;  ///< (a_ij + a_ji) / 2, seconds a message
    PairMatrix slowness;   ///< 8 (1/b_ij + 1/b_ji) / 2, seconds a GB
};

/// The harmonic mean of both bandwidths keeps the sum of both directions' serialisation times.
/// Source: geo-placement page, "Architecture". O(n + kinds^2).
[[nodiscard]] Links make_links(const Fabric& fabric);

/// Transfer time in seconds: T_ij(c, m) = m latency_ij + c slowness_ij. c >= 0, m >= 0.
[[nodiscard]] PairMatrix transfer_seconds(const Links& links,
                                          core::Gigabytes payload,
                                          double messages);

/// Index of equal labels in order of first occurrence: O(n log n).
[[nodiscard]] std::vector<int> index_of_labels(const std::vector<std::string>& labels);

}  // namespace longhaul::fabric
