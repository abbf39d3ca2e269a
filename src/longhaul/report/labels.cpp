#include "longhaul/report/labels.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "longhaul/core/assert.hpp"

namespace longhaul::report {
namespace {

constexpr std::string_view kEllipsis = "\xE2\x80\xA6";

// Advance widths of DejaVu Sans from ' ' to '~', hundredths of the size, rounded up.
constexpr std::array<unsigned char, 95> kAdvances{
    32, 41, 46, 84, 64, 96, 78, 28, 40,  40, 50, 84, 32, 37, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64,
    64, 64, 34, 34, 84, 84, 84, 54, 100, 69, 69, 70, 77, 64, 58, 78, 76, 30, 30, 66, 56, 87, 75, 79,
    61, 79, 70, 64, 62, 74, 69, 99, 69,  62, 69, 40, 34, 40, 84, 50, 50, 62, 64, 55, 64, 62, 36, 64,
    64, 28, 28, 58, 28, 98, 64, 62, 64,  64, 42, 53, 40, 64, 60, 82, 60, 60, 53, 64, 34, 64, 84};

double advance_of(std::string_view character) {
    const auto byte = static_cast<unsigned char>(character[0]);
    return character.size() == 1 && byte >= ' ' && byte <= '~'
               ? kAdvances[byte - std::size_t{' '}] / 100.0
           : character == kEllipsis ? 1.0
                                    : 1.05;  // Latin letters are narrower, and wide ones alike
}

/// Bytes of a lead byte and those that continue it; stray ones stand alone. Bad text is cut
/// somewhere, which is all that it can ask for.
std::vector<std::string_view> characters_of(std::string_view text) {
    std::vector<std::string_view> characters;
    for (std::size_t begin = 0; begin < text.size();) {
        std::size_t end = begin + 1;
        const auto continues = [&](std::size_t i) {
            return (static_cast<unsigned char>(text[i]) & 0xC0U) == 0x80U;
        };
        const bool lead = static_cast<unsigned char>(text[begin]) >= 0xC0U;
        while (lead && end < text.size() && end < begin + 4 && continues(end)) {
            ++end;
        }
        characters.push_back(text.substr(begin, end - begin));
        begin = end;
    }
    return characters;
}

/// As many characters as fit, taken from the front or the back.
std::string fitting(std::span<const std::string_view> characters, double ems, bool front) {
    std::string kept;
    for (std::size_t i = 0; i < characters.size(); ++i) {
        const std::string_view next = characters[front ? i : characters.size() - 1 - i];
        ems -= advance_of(next);
        if (ems < 0) {
            break;
        }
        kept = front ? kept + std::string(next) : std::string(next) + kept;
    }
    return kept;
}

std::string without_middle(std::string_view text, double width, double size) {
    if (text_extent(text, size) <= width) {
        return std::string(text);
    }
    const auto characters = characters_of(text);
    const double ems = (width / size - 1) / 2;
    return fitting(characters, ems, true) + std::string(kEllipsis) +
           fitting(characters, ems, false);
}

std::string numbered(std::string_view text, std::size_t number, double width, double size) {
    const std::string ending = std::string(kEllipsis) + std::to_string(number);
    const double ems = (width - text_extent(ending, size)) / size;
    return fitting(characters_of(text), ems, true) + ending;
}

/// For each label, whether another name has the same one.
std::vector<bool> clashes(std::span<const std::string> names,
                          const std::vector<std::string>& labels) {
    std::map<std::string_view, std::size_t> first;
    std::vector<bool> clash(labels.size(), false);
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const auto [at, fresh] = first.emplace(labels[i], i);
        if (!fresh && names[i] != names[at->second]) {
            clash[i] = clash[at->second] = true;
        }
    }
    return clash;
}

Box box_around(Point centre, double half_width, double half_height) {
    return {centre.x - half_width,
            centre.y - half_height,
            centre.x + half_width,
            centre.y + half_height};
}

bool inside(const Box& box, const Box& room) {
    return box.left >= room.left && box.right <= room.right && box.top >= room.top &&
           box.bottom <= room.bottom;
}

/// Indices of points, those with close neighbours first.
std::vector<std::size_t> crowded_first(std::span<const Point> points) {
    std::vector<double> crowd(points.size(), 0);
    for (std::size_t i = 0; i < points.size(); ++i) {
        for (std::size_t j = 0; j < points.size(); ++j) {
            const double x = points[i].x - points[j].x;
            const double y = points[i].y - points[j].y;
            crowd[i] += i == j ? 0 : 1 / (1 + x * x + y * y);
        }
    }
    std::vector<std::size_t> order(points.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order,
                             [&](std::size_t a, std::size_t b) { return crowd[a] > crowd[b]; });
    return order;
}

}  // namespace

double text_extent(std::string_view text, double size) {
    double ems = 0;
    for (const std::string_view character : characters_of(text)) {
        ems += advance_of(character);
    }
    return ems * size;
}

std::string shortened(std::string_view text, double width, double size) {
    if (text_extent(text, size) <= width) {
        return std::string(text);
    }
    return fitting(characters_of(text), width / size - 1, true) + std::string(kEllipsis);
}

std::vector<std::string> shortened_names(std::span<const std::string> names,
                                         double width,
                                         double size) {
    std::vector<std::string> labels;
    labels.reserve(names.size());
    for (const std::string& name : names) {
        labels.push_back(shortened(name, width, size));
    }
    const std::vector<bool> same = clashes(names, labels);
    for (std::size_t i = 0; i < names.size(); ++i) {
        labels[i] = same[i] ? without_middle(names[i], width, size) : labels[i];
    }
    const std::vector<bool> still = clashes(names, labels);
    for (std::size_t i = 0; i < names.size(); ++i) {
        labels[i] = still[i] ? numbered(names[i], i + 1, width, size) : labels[i];
    }
    return labels;
}

std::vector<std::string> wrapped(std::string_view text, double width, double size) {
    std::vector<std::string> lines;
    while (!text.empty()) {
        const std::size_t space = std::min(text.find(' '), text.size());
        const std::string_view word = text.substr(0, space);
        text.remove_prefix(std::min(text.size(), space + 1));
        if (word.empty()) {
            continue;
        }
        if (lines.empty() || text_extent(lines.back() + " " + std::string(word), size) > width) {
            lines.emplace_back(word);
        } else {
            lines.back() += " " + std::string(word);
        }
    }
    return lines;
}

std::string milliseconds(double value) {
    if (!std::isfinite(value)) {
        return "no time";
    }
    return std::abs(value) >= 1000 ? fmt::format("{:.0f} ms", value)
                                   : fmt::format("{:.4g} ms", value);
}

bool overlap(const Box& a, const Box& b) {
    return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

std::optional<std::vector<PlacedLabel>> place_labels(std::span<const Point> points,
                                                     std::span<const std::string> texts,
                                                     double size,
                                                     double radius,
                                                     const Box& room) {
    LONGHAUL_ASSERT(points.size() == texts.size());
    constexpr std::array<Point, 8> kSides{
        {{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, -1}, {1, 1}, {-1, -1}, {-1, 1}}};
    constexpr std::array<double, 6> kDistances{3, 7, 13, 21, 32, 46};
    constexpr double kFar = 8;  // pixels without a line to the point
    std::vector<Box> taken;
    for (const Point& point : points) {
        taken.push_back(box_around(point, radius, radius));
    }
    std::vector<PlacedLabel> labels(points.size());
    const auto place = [&](std::size_t i) {
        const double half_width = text_extent(texts[i], size) / 2;
        const double half_height = 0.6 * size;
        for (const double distance : kDistances) {
            for (const Point& side : kSides) {
                const double slant = side.x != 0 && side.y != 0 ? 0.75 : 1;
                const double x = side.x * (radius + distance) * slant + side.x * half_width;
                const double y = side.y * (radius + distance) * slant + side.y * half_height;
                const Box box =
                    box_around({points[i].x + x, points[i].y + y}, half_width, half_height);
                const auto touches = [&](const Box& other) { return overlap(box, other); };
                if (inside(box, room) && std::ranges::none_of(taken, touches)) {
                    labels[i] = {box, {box.left, box.bottom - 0.24 * size}, distance > kFar};
                    taken.push_back(box);
                    return true;
                }
            }
        }
        return false;
    };
    for (const std::size_t i : crowded_first(points)) {
        if (!place(i)) {
            return std::nullopt;
        }
    }
    return labels;
}

}  // namespace longhaul::report
