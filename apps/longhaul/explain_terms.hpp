// What explain says of terms beyond links: other exchanges, messages that repeat, compute, shared
// capacity.
#pragma once

#include "longhaul/command.hpp"
#include "longhaul/fabric/fabric.hpp"
#include "longhaul/placement/explain.hpp"
#include "longhaul/placement/plan.hpp"

namespace longhaul::app {

/// The score and its terms, compute where there is any, and the objective.
[[nodiscard]] std::string score_line(const placement::Explanation& why,
                                     const placement::Plan& plan);
[[nodiscard]] std::string exchange_header(const placement::Plan& plan);
[[nodiscard]] std::string edges_header(const placement::Plan& plan);

/// "shared NAME" of an edge that waits for it.
[[nodiscard]] std::string waits_for(const fabric::Fabric& fabric,
                                    const placement::EdgeReason& edge);

/// Sections for repeats, compute and shared capacity; empty where the score has none.
[[nodiscard]] std::string terms_text(const placement::Explanation& why,
                                     const fabric::Fabric& fabric);

/// Keys of a stage that has compute times.
void add_compute_keys(const placement::StageReason& stage, core::Value& value);
/// The name, or null.
[[nodiscard]] core::Value shared_name(const fabric::Fabric& fabric,
                                      const placement::EdgeReason& edge);
[[nodiscard]] core::Value resources_value(const placement::Explanation& why);
/// null unless messages are pipelined.
[[nodiscard]] core::Value repeats_value(const placement::Explanation& why);

}  // namespace longhaul::app
