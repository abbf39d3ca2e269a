// The least dot product between two clouds of points.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "longhaul/schedule/detail/corners.hpp"

namespace longhaul::schedule::detail {

/// The least a . b, up to rounding in single precision; nothing when work or `stop` end it. `work`
/// (numbers added) is lowered by what was used. Both clouds are cut into nested boxes; pairs of
/// boxes whose least possible product is above what was found are left out (a dual tree: Curtin,
/// Ram and Gray, Fast exact max-kernel search, 2013).
[[nodiscard]] std::optional<float> least_product(const std::vector<Point>& a,
                                                 const std::vector<Point>& b,
                                                 std::size_t dimensions,
                                                 double& work,
                                                 const std::function<bool()>& stop);

}  // namespace longhaul::schedule::detail
