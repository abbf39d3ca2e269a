// The flows file: a network of named links, and flows over them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "longhaul/core/diagnostic.hpp"
#include "longhaul/core/value.hpp"
#include "longhaul/flowsim/batch.hpp"
#include "longhaul/topology/routes.hpp"

namespace longhaul::flowsim {

struct FlowsFile {
    std::vector<std::string> link_names;
    std::vector<Link> links;
    std::vector<std::string> flow_names;  ///< "flow 0", "flow 1", ... where the file gives none
    std::vector<PlannedFlow> flows;
    ColdStart cold;
    std::size_t declared_links = 0;  ///< the first ones, which a topology declares
};

/// Reads TOML, or JSON where the name ends in ".json", of the format longhaul.flows/1
/// (docs/formats/flows.md). With routes, flows may name two endpoints instead of their links: the
/// links of that topology come first, before those of the file.
[[nodiscard]] core::Result<FlowsFile> read_flows(std::string_view text,
                                                 std::string_view name,
                                                 const topology::Routes* routes = nullptr);

/// Times of all flows and use of all links, as documented on the page of the command `flows`; of
/// the links that a topology declares those alone that carried something.
[[nodiscard]] core::Value to_value(const FlowsFile& file, const BatchResult& result);

}  // namespace longhaul::flowsim
