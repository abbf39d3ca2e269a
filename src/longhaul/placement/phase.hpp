// Which structure of placement wins where: the best placement on a grid of payloads.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "longhaul/placement/solve.hpp"
#include "longhaul/placement/structure.hpp"

namespace longhaul::placement {

/// Values of one payload, ascending, in GB.
struct PhaseAxisValues {
    std::vector<double> gigabytes;
    bool logarithmic = true;
};

/// "lo:hi:n" or "lo:hi:n:lin": n values from lo to hi, spaced evenly on a logarithmic scale (or a
/// linear one). Fails (with `where`) on anything else: n from 1 to 1000, 0 < lo < hi <= 1e9 (lo = 0
/// is fine when linear; lo = hi when n = 1).
[[nodiscard]] core::Result<PhaseAxisValues> parse_axis(std::string_view text,
                                                       const std::string& where);

/// One cell of the grid.
struct PhaseCell {
    double c_pp_gb = 0;
    double c_dp_gb = 0;
    Score score;
    Bound bound;
    std::size_t structure = 0;  ///< index into PhaseResult::structures
    Stages stages;              ///< in path order
};

struct PhaseResult {
    std::vector<PhaseCell> cells;       ///< row by row: index = i_dp * (values of c_pp) + i_pp
    std::vector<Structure> structures;  ///< distinct ones, the most frequent first
    std::vector<std::size_t> share;     ///< cells of each structure
    std::uint64_t evaluations = 0;
};

struct PhaseOptions {
    SolveOptions solve;  ///< of one cell; threads are spent on cells
    std::string word = "region";
};

/// The problem at a payload. Called from several threads.
using ProblemAt = std::function<Problem(core::Gigabytes c_pp, core::Gigabytes c_dp)>;

/// Under every term. With tp > 1 stages are of tensor groups, which count as one device with the
/// label of their first one. Solves every fourth cell both ways from scratch. In the others the
/// placements that were found compete, and a cell is searched only where the best of them is not
/// proved optimal. Then all placements compete in all cells once more, and a cell that improves is
/// bounded again; of equal scores the structure of most cells wins, so that ties do not speckle the
/// map. Does not depend on the threads.
[[nodiscard]] core::Result<PhaseResult> phase_map(const ProblemAt& problem_at,
                                                  const fabric::Fabric& fabric,
                                                  const std::vector<double>& c_pp_gb,
                                                  const std::vector<double>& c_dp_gb,
                                                  const PhaseOptions& options);

/// The CSV form: a header line, then one line a cell.
[[nodiscard]] std::string phase_csv(const PhaseResult& result);

}  // namespace longhaul::placement
