// Contrasts of which much is left after many rounds.
#pragma once

#include <functional>
#include <vector>

#include "longhaul/schedule/detail/contrast_floors.hpp"

namespace longhaul::schedule::detail {

/// At most `count` contrasts whose floors seem to be the highest, the best first: of all in which
/// twins have one number, judged by products of 2, 4, 6, ... rounds. `work` as in ContrastFloors.
[[nodiscard]] std::vector<Contrast> promising_contrasts(const RoundTable& table,
                                                        const Twins& twins,
                                                        std::size_t count,
                                                        double& work,
                                                        const std::function<bool()>& stop);

}  // namespace longhaul::schedule::detail
