// Groups as they are written, and the chains that they nest into.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "longhaul/core/cursor.hpp"
#include "longhaul/topology/declaration.hpp"

namespace longhaul::topology::detail {

/// One [[group]] as it was written.
struct Group {
    std::string name;
    std::string inner;        ///< of what it has `count`
    bool endpoints = false;   ///< `inner` names endpoints, not a group
    std::vector<Level> made;  ///< levels, innermost first; more than one for a fat tree
    double ports = 0;         ///< of each switch; 0: not given
    double cables = 1;
    core::Cursor table;
};

/// Index of the group of that name; -1: there is none.
[[nodiscard]] int index_of(const std::vector<Group>& groups, const std::string& name);

/// The chain below an outermost group, checked from inside to outside; nullopt after a problem.
/// `site`: it will be a site of a WAN.
[[nodiscard]] std::optional<Chain> make_chain(const std::vector<Group>& groups,
                                              int root,
                                              bool site);

}  // namespace longhaul::topology::detail
