// A small SVG canvas: what pictures need, and no more. Coordinates in pixels, y downwards.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace longhaul::report {

struct Point {
    double x = 0;
    double y = 0;
};

struct Size {
    double width = 0;
    double height = 0;
};

/// Text as it may stand in an element or an attribute: markup escaped; what core::printable_length
/// refuses and what XML does not allow is replaced by U+FFFD.
[[nodiscard]] std::string escaped(std::string_view text);

struct TextStyle {
    double size = 13;
    std::string_view anchor = "start";  ///< "start", "middle", "end"
    std::string_view fill = "#1f2933";
    bool bold = false;
    double turn = 0;             ///< degrees around the point
    bool halo = false;           ///< a white rim, for text on top of lines
    std::string_view full = {};  ///< shown to who points at a shortened text; empty: nothing
};

struct LineStyle {
    std::string_view stroke = "#1f2933";
    double width = 1;
    std::string_view dash = {};  ///< lengths of strokes and gaps, such as "6 4"; empty: none
    double opacity = 1;
};

/// An area with a rim; round at its corners.
struct ShapeStyle {
    std::string_view fill = "none";
    std::string_view stroke = "none";
    double width = 1;  ///< of the rim
    std::string_view dash = {};
    double opacity = 1;  ///< of area and rim as one
};

class Svg {
public:
    /// `title` and `description` are for readers who cannot see the picture.
    Svg(Size size, std::string_view title, std::string_view description);

    void rectangle(Point corner,
                   Size size,
                   std::string_view fill,
                   std::string_view stroke = "none",
                   double radius = 0);
    void circle(Point centre, double radius, std::string_view fill);
    void disc(Point centre, double radius, ShapeStyle style);
    void line(Point from, Point to, LineStyle style = {});
    /// Joined lines; nothing for fewer than two points.
    void polyline(std::span<const Point> points, LineStyle style = {});
    /// A closed shape; two corners with a thick rim make a capsule.
    void polygon(std::span<const Point> corners, ShapeStyle style);
    void text(Point at, std::string_view text, TextStyle style = {});

    /// The whole document.
    [[nodiscard]] std::string document() const;

private:
    std::string body_;
};

/// Width of a text in the sans-serif fonts of the canvas, roughly: for boxes around texts.
[[nodiscard]] double text_width(std::string_view text, double size);

}  // namespace longhaul::report
