// What a file of fits or a fabric says of pairs of hosts, in one form: for checks and comparisons.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "longhaul/fabric/fabric.hpp"
#include "longhaul/measure/fabric_of.hpp"

namespace longhaul::measure {

/// A gate that a fit did not pass.
struct FailedGate {
    std::string pair;  ///< "a>b"
    Finding finding;
};

/// n hosts (of a fabric: one device of each host, or of each kind of device). Matrices are n x n
/// with a diagonal of no meaning.
struct PairFacts {
    std::vector<std::string> names;
    std::vector<std::string> sites;  ///< "" where unknown
    core::Grid<double> alpha_ms;     ///< one way
    core::Grid<double> beta_gbps;    ///< 0 where unknown
    core::Grid<double> alpha_lower;  ///< ends of the intervals; the values where there are none
    core::Grid<double> alpha_upper;
    core::Grid<double> beta_lower;
    core::Grid<double> beta_upper;
    bool intervals = false;      ///< some pair has one
    core::Grid<char> estimated;  ///< 1 where not measured
    std::string started;         ///< UTC of the campaign; "" when unknown
    std::vector<FailedGate> gates;
    /// Pairs whose fit is suspect; absent where a file does not say (a fabric that was not
    /// measured).
    std::optional<std::size_t> suspects;
    [[nodiscard]] std::size_t size() const { return names.size(); }
};

/// Pairs of the state, transport and streams that the options ask for.
[[nodiscard]] PairFacts facts_of(const LinkFits& fits, const FabricOptions& options);

/// Devices of one host count once, by their first. Names are hosts, else "label" or "label #2".
/// O(hosts^2), of devices of a kind O(kinds^2).
[[nodiscard]] PairFacts facts_of(const fabric::Fabric& fabric);

}  // namespace longhaul::measure
