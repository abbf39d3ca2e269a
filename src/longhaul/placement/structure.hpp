// What a placement looks like from far: how its stages lie over the labels of the fabric.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "longhaul/placement/evaluate.hpp"

namespace longhaul::placement {

/// A placement seen through labels (regions, hosts): two placements of one structure give every
/// stage the same devices but for exchanges of devices of one label and the order of stages.
struct Structure {
    std::string name;       ///< its kind, such as "one region a stage"; see structure_of
    std::string signature;  ///< counts in path order: "Tokyo 4 + Seoul 4 (x2) | Ohio 8"
    std::vector<std::vector<int>> counts;  ///< rows sorted: devices of each label in each stage

    friend bool operator==(const Structure& a, const Structure& b) { return a.counts == b.counts; }
};

/// Names of kinds, `word` being what a label is ("region", "host"):
/// - "all in one region": all stages lie in the same one;
/// - "pipelines inside regions": all stages hold the same devices of each label, so that every
///   pipeline can stay inside one;
/// - "one region a stage": no stage lies in two; "one region for two stages each" where each region
///   has as many;
/// - "pairs of regions, two stages each": blocks of stages that share equal regions evenly, as many
///   stages as it takes to use them up ("groups of 3 regions, 4 stages each");
/// - otherwise the counts of the blocks without names, such as "mixed: 6x(4+4), 2x(8)".
/// `stages` in path order, labels as small indices with names. O(n + pp log pp).
[[nodiscard]] Structure structure_of(const Stages& stages,
                                     std::span<const int> label_of_device,
                                     const std::vector<std::string>& label_names,
                                     const std::string& word = "region");

/// Distinct labels in order of first occurrence.
[[nodiscard]] std::vector<std::string> distinct_labels(const std::vector<std::string>& labels);

}  // namespace longhaul::placement
