// Divisions of islands into sides between which disagreement lasts.
#pragma once

#include <functional>
#include <vector>

#include "longhaul/schedule/detail/product_floors.hpp"

namespace longhaul::schedule::detail {

/// Divisions into n - 1 (at most six), ..., three, two sides, in this order, whose floors seem to
/// be the highest: of all cuts and, step by step, of the best ones with one side divided once more,
/// judged by products of few rounds. `work` as in ProductFloors.
[[nodiscard]] std::vector<Sides> promising_sides(const RoundTable& table,
                                                 double& work,
                                                 const std::function<bool()>& stop);

}  // namespace longhaul::schedule::detail
