// Names in pictures: how wide they are, how they are shortened, where they fit without touching.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "longhaul/report/svg.hpp"

namespace longhaul::report {

/// Width of a text, pixels, hardly ever too small: advance widths of DejaVu Sans for ASCII, the
/// size for every other character. For texts that must not touch others; text_width is rougher.
[[nodiscard]] double text_extent(std::string_view text, double size);

/// The text, or as much of its start as fits into `width` pixels with an ellipsis.
[[nodiscard]] std::string shortened(std::string_view text, double width, double size);

/// The same for names of one picture: names that would become equal keep their ends instead, and
/// those that differ in the middle only get their number (from 1) behind. Different names stay
/// different, given room for an ellipsis and a number.
[[nodiscard]] std::vector<std::string> shortened_names(std::span<const std::string> names,
                                                       double width,
                                                       double size);

/// The text in lines of at most `width` pixels, broken at spaces; a longer word has a line of its
/// own.
[[nodiscard]] std::vector<std::string> wrapped(std::string_view text, double width, double size);

/// A time with its unit, four digits: "564.9 ms", "12710 ms"; "no time" when it is not finite.
[[nodiscard]] std::string milliseconds(double value);

struct Box {
    double left = 0;
    double top = 0;
    double right = 0;
    double bottom = 0;
};

/// Whether two boxes share more than a border.
[[nodiscard]] bool overlap(const Box& a, const Box& b);

struct PlacedLabel {
    Box box;
    Point baseline;       ///< where text with anchor "start" begins
    bool leader = false;  ///< so far from its point that a line should join them
};

/// Places for one-line texts beside their points, inside `room`: no label touches another, nor a
/// point's disc of `radius`. Points in crowds choose first; right, left, below and above are tried
/// before corners, near before far. Nothing when one does not fit. O(points^2).
[[nodiscard]] std::optional<std::vector<PlacedLabel>> place_labels(
    std::span<const Point> points,
    std::span<const std::string> texts,
    double size,
    double radius,
    const Box& room);

}  // namespace longhaul::report
