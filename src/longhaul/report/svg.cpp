#include "longhaul/report/svg.hpp"

#include <fmt/format.h>

#include "longhaul/core/diagnostic.hpp"

namespace longhaul::report {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

std::string_view entity(char byte) {
    switch (byte) {
        case '&':
            return "&amp;";
        case '<':
            return "&lt;";
        case '>':
            return "&gt;";
        case '"':
            return "&quot;";
        case '\'':
            return "&apos;";
        default:
            return {};
    }
}

/// Bytes of a code point by its first byte; the text is known to be well formed.
std::size_t length_of(char first) {
    const auto byte = static_cast<unsigned char>(first);
    return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

/// XML 1.0 allows neither most control characters nor U+FFFE and U+FFFF; marks that turn text
/// around would turn what stands beside them too.
bool allowed(std::string_view point) {
    return core::printable_length(point, 0) != 0 && point != "\xEF\xBF\xBE" &&
           point != "\xEF\xBF\xBF";
}

/// Hundredths of a pixel are enough; no "-0".
std::string number(double value) {
    const std::string text = fmt::format("{:.2f}", value);
    std::size_t end = text.find_last_not_of('0');
    end = text[end] == '.' ? end : end + 1;
    const std::string shortened = text.substr(0, end);
    return shortened == "-0" ? "0" : shortened;
}

std::string points_of(std::span<const Point> points) {
    std::string text;
    for (const Point& point : points) {
        text += (text.empty() ? "" : " ") + number(point.x) + "," + number(point.y);
    }
    return text;
}

/// What is as it is by default is left out.
std::string rarer(std::string_view dash, double opacity) {
    return (dash.empty() ? "" : fmt::format(" stroke-dasharray=\"{}\"", escaped(dash))) +
           (opacity < 1 ? fmt::format(" opacity=\"{}\"", number(opacity)) : "");
}

std::string shape(const ShapeStyle& style) {
    const std::string fill = fmt::format(" fill=\"{}\"", escaped(style.fill));
    return style.stroke == "none"
               ? fill + rarer("", style.opacity)
               : fill +
                     fmt::format(" stroke=\"{}\" stroke-width=\"{}\" stroke-linejoin=\"round\"",
                                 escaped(style.stroke),
                                 number(style.width)) +
                     rarer(style.dash, style.opacity);
}

}  // namespace

std::string escaped(std::string_view text) {
    std::string result;
    while (!text.empty()) {
        const std::size_t bad = core::first_invalid_utf8(text);
        const std::size_t good = std::min(bad, text.size());
        for (std::size_t i = 0; i < good;) {
            const std::string_view point = text.substr(i, length_of(text[i]));
            const std::string_view name = entity(point[0]);
            result += !name.empty() ? name : allowed(point) ? point : kReplacement;
            i += point.size();
        }
        if (good < text.size()) {
            result += kReplacement;
        }
        text.remove_prefix(std::min(text.size(), good + 1));
    }
    return result;
}

double text_width(std::string_view text, double size) {
    std::size_t characters = 0;
    for (const char byte : text) {
        characters += (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U ? 1 : 0;
    }
    return 0.56 * size * static_cast<double>(characters);
}

Svg::Svg(Size size, std::string_view title, std::string_view description) {
    body_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
        "viewBox=\"0 0 {0} {1}\" role=\"img\" aria-labelledby=\"title text\" "
        "font-family=\"DejaVu Sans, Verdana, sans-serif\">\n"
        "<title id=\"title\">{2}</title>\n<desc id=\"text\">{3}</desc>\n",
        number(size.width),
        number(size.height),
        escaped(title),
        escaped(description));
    rectangle({0, 0}, size, "#ffffff");
}

void Svg::rectangle(
    Point corner, Size size, std::string_view fill, std::string_view stroke, double radius) {
    body_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"",
                         number(corner.x),
                         number(corner.y),
                         number(size.width),
                         number(size.height),
                         escaped(fill));
    body_ += stroke == "none" ? "" : fmt::format(" stroke=\"{}\"", escaped(stroke));
    body_ += radius > 0 ? fmt::format(" rx=\"{}\"", number(radius)) : "";
    body_ += "/>\n";
}

void Svg::circle(Point centre, double radius, std::string_view fill) {
    body_ += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"{}\"/>\n",
                         number(centre.x),
                         number(centre.y),
                         number(radius),
                         escaped(fill));
}

void Svg::line(Point from, Point to, LineStyle style) {
    body_ += fmt::format(
        "<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke=\"{}\" stroke-width=\"{}\" "
        "stroke-linecap=\"round\"{}/>\n",
        number(from.x),
        number(from.y),
        number(to.x),
        number(to.y),
        escaped(style.stroke),
        number(style.width),
        rarer(style.dash, style.opacity));
}

void Svg::disc(Point centre, double radius, ShapeStyle style) {
    body_ += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\"{}/>\n",
                         number(centre.x),
                         number(centre.y),
                         number(radius),
                         shape(style));
}

void Svg::polyline(std::span<const Point> points, LineStyle style) {
    if (points.size() < 2) {
        return;
    }
    body_ += fmt::format(
        "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" "
        "stroke-linejoin=\"round\"{}/>\n",
        points_of(points),
        escaped(style.stroke),
        number(style.width),
        rarer(style.dash, style.opacity));
}

void Svg::polygon(std::span<const Point> corners, ShapeStyle style) {
    if (!corners.empty()) {
        body_ += fmt::format("<polygon points=\"{}\"{}/>\n", points_of(corners), shape(style));
    }
}

void Svg::text(Point at, std::string_view text, TextStyle style) {
    const std::string turn = style.turn == 0 ? ""
                                             : fmt::format(" transform=\"rotate({} {} {})\"",
                                                           number(style.turn),
                                                           number(at.x),
                                                           number(at.y));
    body_ += fmt::format(
        "<text x=\"{}\" y=\"{}\" font-size=\"{}\" text-anchor=\"{}\" fill=\"{}\"{}{}{}>",
        number(at.x),
        number(at.y),
        number(style.size),
        escaped(style.anchor),
        escaped(style.fill),
        style.bold ? " font-weight=\"bold\"" : "",
        style.halo ? " stroke=\"#ffffff\" stroke-width=\"3\" stroke-linejoin=\"round\" "
                     "paint-order=\"stroke\""
                   : "",
        turn);
    body_ += escaped(text);
    if (!style.full.empty() && style.full != text) {
        body_ += "<title>" + escaped(style.full) + "</title>";
    }
    body_ += "</text>\n";
}

std::string Svg::document() const {
    return body_ + "</svg>\n";
}

}  // namespace longhaul::report
