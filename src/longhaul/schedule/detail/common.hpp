#pragma once

#include <cstddef>
#include <limits>

namespace longhaul::schedule::detail {

/// The time of what cannot happen, ms.
inline constexpr double kNever = std::numeric_limits<double>::infinity();

/// An island or node number as an index.
constexpr std::size_t slot(int i) {
    return static_cast<std::size_t>(i);
}

}  // namespace longhaul::schedule::detail
