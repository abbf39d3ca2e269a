// Colours that stay apart for readers who see few colours.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace longhaul::report {

/// Colours before they repeat.
inline constexpr std::size_t kColours = 10;

/// Fill of category i. The first eight follow Okabe and Ito, "Color universal design" (2008), in
/// lighter tints, so that dark letters stand on each; neighbours differ in lightness too.
[[nodiscard]] std::string_view fill_of(std::size_t i);

/// The same hue, dark enough for lines and rims on white: at least 3 to 1 (WCAG 2.1, 1.4.11).
[[nodiscard]] std::string_view ink_of(std::size_t i);

/// Colours for groups when grey means "in no group", before they repeat.
inline constexpr std::size_t kGroupColours = kColours - 1;

/// As fill_of and ink_of, without their grey.
[[nodiscard]] std::string_view group_fill_of(std::size_t i);
[[nodiscard]] std::string_view group_ink_of(std::size_t i);

/// A lighter tint of group_fill_of.
[[nodiscard]] std::string group_tint_of(std::size_t i);

/// Dashes that tell the i-th line from those of the same colour; none for the first `colours`.
[[nodiscard]] std::string_view dash_of(std::size_t i, std::size_t colours);

/// For what shows no category, such as "all others".
inline constexpr std::string_view kNeutral = "#d5d9de";

inline constexpr std::string_view kText = "#1f2933";       ///< on white: 14 to 1
inline constexpr std::string_view kQuietText = "#52606d";  ///< for what is said besides: 6 to 1
inline constexpr std::string_view kGreyInk = "#7b8794";    ///< rims of what is in no group
inline constexpr std::string_view kHairline = "#cbd2d9";   ///< frames and grids
inline constexpr std::string_view kPanelGround = "#f4f6f8";

}  // namespace longhaul::report
