// Parts of the reader of topology files.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "longhaul/core/cursor.hpp"
#include "longhaul/topology/topology.hpp"

namespace longhaul::topology::detail {

/// Limits of what people write: beyond them a number is a slip of the pen.
inline constexpr double kMostLatencyMs = 1e6;
inline constexpr double kMostGbps = 1e9;
inline constexpr double kLeastGbps = 1e-9;
inline constexpr int kMostCost = 1'000'000'000;
inline constexpr int kMostCount = 100'000'000;

/// A name of a group, switch, endpoint or site: reports what is empty, has a slash or, where names
/// are numbered, ends in a digit.
[[nodiscard]] std::string read_name(const core::Cursor& place, bool numbered);

/// Latency under `latency_ms` or `latency_us` with a suffix, in ms; `fallback` without.
[[nodiscard]] double read_latency(const core::Cursor& table,
                                  const std::string& suffix,
                                  double fallback);
[[nodiscard]] double read_gbps(const core::Cursor& table, std::string_view key, double fallback);

/// The tables of a list such as [[group]]; empty without it.
[[nodiscard]] std::vector<core::Cursor> read_tables(const core::Cursor& root, std::string_view key);

/// The chains of nested groups, by the name of their outermost group.
struct Chains {
    std::vector<Chain> list;
    std::map<std::string, int> by_root;
};

/// Reads [[group]]. `roots`: the outermost groups that sites name; empty: the one group that is no
/// member of another. Problems go to the cursor.
[[nodiscard]] Chains read_groups(const core::Cursor& root, const std::vector<std::string>& roots);

/// Reads [[exception]] and [[policy]] into the declaration of a sound network.
void read_exceptions(const core::Cursor& root, const Topology& plain, Declaration& declaration);
void read_policies(const core::Cursor& root, const Topology& plain, Declaration& declaration);

}  // namespace longhaul::topology::detail
