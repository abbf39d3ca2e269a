// How fast islands agree about an update: survival curves of schedules over rounds or time.
#pragma once

#include <string>
#include <vector>

#include "longhaul/report/svg.hpp"

namespace longhaul::report {

/// The curves of one schedule.
struct SurvivalCurves {
    std::string name;
    std::vector<std::vector<double>> curves;  ///< [phase][h], what is left to agree on, 0 to 1
    std::vector<double> round_ms;  ///< distance from the start of each round to the next, one a
                                   ///< phase; needed for a plot over time
    double flight_ms = 0;          ///< how long an update travels before it is mixed for the first
                                   ///< time, where rounds overlap; 0: as long as its round
    double area = 0;               ///< A, rounds; not finite: does not mix
    double score_ms = 0;           ///< not finite: cannot be timed; 0: not stated
    bool phases = true;            ///< a thin line a phase beside the mean
};

struct SurvivalPlot {
    std::string title;
    std::string subtitle;
    bool over_time = false;  ///< milliseconds, else rounds
    std::vector<SurvivalCurves> schedules;
    std::string caption{};  ///< what the words of the picture mean; stands below, in lines
};

/// A function that is `y` from `x` until the next step, and 0 before the first.
using Steps = std::vector<Point>;

/// Disagreement over the age of an update that was made in the middle of a round of this phase: 1
/// while it waits for half a round and travels for one, then e(1), e(2), ... for a round each. Over
/// time, round p + 1 + h takes its own length. Ends with 0, or with the last value of a curve that
/// does not mix.
[[nodiscard]] Steps survival_steps(const SurvivalCurves& curves, std::size_t phase, bool over_time);

/// Mean over phases, over time weighted by the lengths of their rounds (updates are born evenly in
/// time). The area underneath is A, or the score. O(steps log steps).
[[nodiscard]] Steps mean_survival(const SurvivalCurves& curves, bool over_time);

/// An SVG picture: for each schedule a thin line a phase (where asked for), a thick one for their
/// mean, its name beside the mean where there is room, and a legend with period, A and score. Names
/// touch neither each other nor the point that they name; they lie at different heights. The axis
/// ends where the means are below 1 %, at most at twice the area. Schedules without curves, or
/// without times in a plot over time, stand in the legend only. O(steps log steps).
[[nodiscard]] std::string draw(const SurvivalPlot& plot);

}  // namespace longhaul::report
