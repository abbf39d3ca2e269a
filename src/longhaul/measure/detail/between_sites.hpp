// Links between two sites, in the terms of a fabric.
#pragma once

#include <vector>

#include "longhaul/measure/shared_model.hpp"

namespace longhaul::measure::detail {

/// Appends one entry for each pair of sites with a link that two pairs of hosts or more load, with
/// the rate of each direction.
void add_between_sites(const SharedModel& model,
                       const SharedInput& input,
                       std::vector<fabric::SharedCapacity>& all);

}  // namespace longhaul::measure::detail
