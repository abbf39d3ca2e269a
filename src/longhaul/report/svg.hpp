// A small SVG canvas: what pictures need, and no more. Coordinates in pixels, y downwards.
#pragma once

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

/// Text as it may stand in an element or an attribute: markup escaped, control bytes and bad UTF-8
/// replaced, since XML allows neither.
[[nodiscard]] std::string escaped(std::string_view text);

struct TextStyle {
    double size = 13;
    std::string_view anchor = "start";  ///< "start", "middle", "end"
    std::string_view fill = "#1f2933";
    bool bold = false;
    double turn = 0;  ///< degrees around the point
};

struct LineStyle {
    std::string_view stroke = "#1f2933";
    double width = 1;
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
    void line(Point from, Point to, LineStyle style = {});
    void text(Point at, std::string_view text, TextStyle style = {});

    /// The whole document.
    [[nodiscard]] std::string document() const;

private:
    std::string body_;
};

/// Width of a text in the sans-serif fonts of the canvas, roughly: for boxes around texts.
[[nodiscard]] double text_width(std::string_view text, double size);

}  // namespace longhaul::report
