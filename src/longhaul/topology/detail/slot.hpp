// Small numbers that are signed in the data and index vectors.
#pragma once

#include <cstddef>

namespace longhaul::topology::detail {

[[nodiscard]] constexpr std::size_t slot(int i) {
    return static_cast<std::size_t>(i);
}

}  // namespace longhaul::topology::detail
