// Reads one clique of a schedule file.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "longhaul/core/cursor.hpp"
#include "longhaul/schedule/islands.hpp"
#include "longhaul/schedule/timed.hpp"

namespace longhaul::schedule::detail {

inline constexpr double kLongestTimeMs = 1e9;  ///< of rounds and offsets: eleven days

/// What a clique of a file is read against.
struct CliqueFrame {
    const Islands& islands;
    std::map<std::string, std::uint32_t, std::less<>> links;  ///< directed links by name
    Pace pace = Pace::kUniform;
    double payload_gb = 1;
    bool same_network = true;  ///< latencies are those that the schedule was made with
};

/// The clique; after a problem, which is reported, whatever could be read. `taken`: islands of the
/// round so far, to which its members are added. Members may stand in any order in the file; in
/// memory they ascend, and everything that is listed by member with them.
[[nodiscard]] TimedClique read_timed_clique(const core::Cursor& at,
                                            const CliqueFrame& frame,
                                            Clique& taken);

/// A positive number up to `most`; 1 after a problem.
[[nodiscard]] double positive_or_report(const core::Cursor& at, double most);

/// Equal as far as numbers that people rounded are: to 1e-6 of them, or ms.
[[nodiscard]] bool about_equal(double a, double b);

}  // namespace longhaul::schedule::detail
