// Colours that stay apart for readers who see few colours.
#pragma once

#include <cstddef>
#include <string_view>

namespace longhaul::report {

/// Colours before they repeat.
inline constexpr std::size_t kColours = 10;

/// Fill of category i. The first eight follow Okabe and Ito, "Color universal design" (2008), in
/// lighter tints, so that dark letters stand on each; neighbours differ in lightness too.
[[nodiscard]] std::string_view fill_of(std::size_t i);

/// For what shows no category, such as "all others".
inline constexpr std::string_view kNeutral = "#d5d9de";

}  // namespace longhaul::report
