// A placement with its provenance: what `place` writes and the later commands read.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "longhaul/placement/baselines.hpp"
#include "longhaul/placement/bounds.hpp"
#include "longhaul/placement/device_places.hpp"
#include "longhaul/placement/search.hpp"
#include "longhaul/placement/spare.hpp"

namespace longhaul::placement {

/// How the search ended.
struct SearchRecord {
    std::uint64_t seed = 0;
    std::uint64_t budget = 0;
    int restarts = 0;
    std::uint64_t evaluations = 0;
    double wall_s = 0;  ///< filled in by the caller, who has a clock
    int threads = 0;
    std::string stopped_by;
    std::string found_by;
};

struct Plan {
    std::string fabric_path;
    std::string fabric_sha256;
    std::vector<std::string> devices;  ///< fabric::device_names; empty: not known
    std::vector<DevicePlace> places;   ///< host of each device; empty: no host is known
    workload::Workload workload;
    Terms terms;
    Placement placement;
    Score score;                    ///< of the rank map exactly as it stands
    std::vector<LeftOut> left_out;  ///< of the devices without a rank; empty when read from a file
    std::vector<int> first_layers;  ///< of each stage; empty without layers
    /// Of each stage group: devices in ring order, or the root of a central or tree exchange; empty
    /// for other exchanges.
    std::vector<std::vector<int>> exchange_orders;
    std::string shared_bottleneck;  ///< shared resource that bounds the exchange; empty: none
    /// Shared resource that micro-batches wait for, pipelined; empty: a pair or compute is slower.
    std::string pipeline_bottleneck;
    std::string misfit;  ///< why the layers of no plan fit the memory; empty: they do. Not kept
    Bound bound;
    std::optional<Baselines> baselines;
    SearchRecord search;
    std::string version;                          ///< of the tool
    std::string command;                          ///< as typed
    std::string time;                             ///< UTC, ISO 8601
    core::Value unknown = core::Value::object();  ///< keys of newer versions, kept on rewriting
};

/// The file form, "longhaul.plan/1".
[[nodiscard]] core::Value to_value(const Plan& plan);

/// Reads a plan. The format key is required, and so are shape, workload and rank_map; the rest
/// describes how the plan came about and may be missing. Every problem is reported.
[[nodiscard]] core::Result<Plan> read_plan(std::string_view text, std::string_view name);

}  // namespace longhaul::placement
