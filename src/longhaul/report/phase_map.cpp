#include "longhaul/report/phase_map.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "longhaul/core/assert.hpp"
#include "longhaul/report/palette.hpp"
#include "longhaul/report/svg.hpp"

namespace longhaul::report {
namespace {

constexpr double kLeft = 84;
constexpr double kTop = 78;
constexpr double kSecondLine = 18;  // of the subtitle
constexpr double kPlot = 520;       // width and height of the map
constexpr double kLegend = 400;     // width of the legend
constexpr double kEntryGap = 14;    // between its entries
constexpr double kBottom = 78;
constexpr std::size_t kLetters = 26;
constexpr std::string_view kInk = "#1f2933";
constexpr std::string_view kSoftInk = "#52606d";

std::string letter_of(std::size_t i) {
    return i < kLetters ? std::string(1, static_cast<char>('A' + i)) : std::to_string(i + 1);
}

std::string_view colour_of(std::size_t i) {
    return i < kColours ? fill_of(i) : kNeutral;
}

/// A name broken into lines of at most `width` pixels, at blanks.
std::vector<std::string> lines_of(const std::string& name, double width, double size) {
    std::vector<std::string> lines(1);
    std::size_t start = 0;
    while (start < name.size()) {
        const std::size_t end = std::min(name.find(' ', start), name.size());
        const std::string word = name.substr(start, end - start);
        std::string& last = lines.back();
        if (!last.empty() && text_width(last + " " + word, size) > width) {
            lines.push_back(word);
        } else {
            last += (last.empty() ? "" : " ") + word;
        }
        start = end + 1;
    }
    return lines;
}

/// At most `most` lines; the last one says that there is more.
std::vector<std::string> cut(std::vector<std::string> lines, std::size_t most) {
    if (lines.size() > most) {
        lines.resize(most);
        lines.back() += " \u2026";
    }
    return lines;
}

/// An entry of the legend: its name, what it consists of, and its share.
struct Entry {
    std::vector<std::string> name;
    std::vector<std::string> details;
    [[nodiscard]] double height() const {
        return 16 * static_cast<double>(name.size() + 1) +
               14 * static_cast<double>(details.size()) + kEntryGap;
    }
};

std::vector<Entry> entries_of(const PhaseMap& map) {
    constexpr double kWide = kLegend - 110;
    std::vector<Entry> entries;
    for (std::size_t i = 0; i < map.structures.size(); ++i) {
        Entry& entry = entries.emplace_back();
        entry.name = cut(lines_of(map.structures[i], kWide, 13), 2);
        if (i < map.details.size() && !map.details[i].empty()) {
            entry.details = cut(lines_of(map.details[i], kWide, 11), 3);
        }
    }
    return entries;
}

class PhasePicture {
public:
    explicit PhasePicture(const PhaseMap& map)
        : map_(map),
          edges_x_(cell_edges(map.x)),
          edges_y_(cell_edges(map.y)),
          top_(kTop + (map.second_subtitle.empty() ? 0 : kSecondLine)),
          entries_(entries_of(map)),
          svg_({kLeft + kPlot + kLegend, height()}, map.title, description(map)) {
        LONGHAUL_ASSERT(map.structure.rows() == map.y.values.size());
        LONGHAUL_ASSERT(map.structure.columns() == map.x.values.size());
    }

    std::string draw() {
        svg_.text({kLeft, 32}, map_.title, {.size = 18, .bold = true});
        svg_.text({kLeft, 54}, map_.subtitle, {.size = 13, .fill = kSoftInk});
        if (!map_.second_subtitle.empty()) {
            svg_.text(
                {kLeft, 54 + kSecondLine}, map_.second_subtitle, {.size = 13, .fill = kSoftInk});
        }
        cells();
        borders();
        place_letters();
        open_cells();
        axes();
        letters();
        legend();
        return svg_.document();
    }

private:
    [[nodiscard]] double height() const {
        double legend = 40;
        for (const Entry& entry : entries_) {
            legend += entry.height();
        }
        return top_ + std::max(kPlot, legend) + kBottom;
    }

    static std::string description(const PhaseMap& map) {
        return fmt::format("A map with {} across and {} upwards. {} structures win somewhere: {}.",
                           map.x.title,
                           map.y.title,
                           map.structures.size(),
                           fmt::join(map.structures, "; "));
    }

    [[nodiscard]] double x_of(double share) const { return kLeft + kPlot * share; }
    [[nodiscard]] double y_of(double share) const { return top_ + kPlot * (1 - share); }

    [[nodiscard]] std::size_t at(std::size_t row, std::size_t column) const {
        return static_cast<std::size_t>(map_.structure(row, column));
    }

    /// Runs of equal cells of a row as one rectangle; a hair of overlap hides seams.
    void cells() {
        constexpr double kHair = 0.4;
        for (std::size_t row = 0; row < map_.structure.rows(); ++row) {
            std::size_t first = 0;
            for (std::size_t c = 1; c <= map_.structure.columns(); ++c) {
                if (c < map_.structure.columns() && at(row, c) == at(row, first)) {
                    continue;
                }
                const double left = x_of(edges_x_[first]);
                const double top = y_of(edges_y_[row + 1]);
                const double right = std::min(x_of(edges_x_[c]) + kHair, kLeft + kPlot);
                const double bottom = std::min(y_of(edges_y_[row]) + kHair, top_ + kPlot);
                svg_.rectangle(
                    {left, top}, {right - left, bottom - top}, colour_of(at(row, first)));
                first = c;
            }
        }
    }

    void borders() {
        const LineStyle style{.stroke = kInk, .width = 1.4};
        for (std::size_t row = 0; row < map_.structure.rows(); ++row) {
            for (std::size_t c = 0; c < map_.structure.columns(); ++c) {
                if (c > 0 && at(row, c) != at(row, c - 1)) {
                    svg_.line({x_of(edges_x_[c]), y_of(edges_y_[row])},
                              {x_of(edges_x_[c]), y_of(edges_y_[row + 1])},
                              style);
                }
                if (row > 0 && at(row, c) != at(row - 1, c)) {
                    svg_.line({x_of(edges_x_[c]), y_of(edges_y_[row])},
                              {x_of(edges_x_[c + 1]), y_of(edges_y_[row])},
                              style);
                }
            }
        }
    }

    [[nodiscard]] Point centre(std::size_t row, std::size_t column) const {
        return {x_of((edges_x_[column] + edges_x_[column + 1]) / 2),
                y_of((edges_y_[row] + edges_y_[row + 1]) / 2)};
    }

    void open_cells() {
        for (std::size_t row = 0; row < map_.proved.rows(); ++row) {
            for (std::size_t c = 0; c < map_.proved.columns(); ++c) {
                if (map_.proved(row, c) != 0) {
                    continue;
                }
                open_ = true;
                if (!under_letter(centre(row, c))) {
                    svg_.circle(centre(row, c), 1.8, kInk);
                }
            }
        }
    }

    void axes() {
        svg_.line({kLeft, top_ + kPlot}, {kLeft + kPlot, top_ + kPlot});
        svg_.line({kLeft, top_}, {kLeft, top_ + kPlot});
        for (const Tick& tick : ticks(map_.x)) {
            const double length = tick.label.empty() ? 4 : 7;
            const double x = x_of(tick.position);
            svg_.line({x, top_ + kPlot}, {x, top_ + kPlot + length});
            if (!tick.label.empty()) {
                svg_.text({x, top_ + kPlot + 23}, tick.label, {.anchor = "middle"});
            }
        }
        for (const Tick& tick : ticks(map_.y)) {
            const double length = tick.label.empty() ? 4 : 7;
            const double y = y_of(tick.position);
            svg_.line({kLeft - length, y}, {kLeft, y});
            if (!tick.label.empty()) {
                svg_.text({kLeft - 11, y + 4.5}, tick.label, {.anchor = "end"});
            }
        }
        svg_.text(
            {kLeft + kPlot / 2, top_ + kPlot + 50}, map_.x.title, {.size = 14, .anchor = "middle"});
        svg_.text(
            {24, top_ + kPlot / 2}, map_.y.title, {.size = 14, .anchor = "middle", .turn = -90});
    }

    [[nodiscard]] bool under_letter(Point point) const {
        return std::ranges::any_of(letters_, [&](const Letter& letter) {
            const double wide = text_width(letter.text, letter.size) / 2 + 3;
            return !letter.text.empty() && std::abs(point.x - letter.centre.x) < wide &&
                   std::abs(point.y - letter.centre.y) < letter.size / 2 + 2;
        });
    }

    /// Each in the cell of its structure that lies deepest inside it: most steps to another
    /// structure or to the border of the map.
    void place_letters() {
        struct Deepest {
            std::size_t depth = 0;
            std::size_t row = 0;
            std::size_t column = 0;
        };
        std::vector<Deepest> deepest(map_.structures.size());
        for (std::size_t row = 0; row < map_.structure.rows(); ++row) {
            for (std::size_t c = 0; c < map_.structure.columns(); ++c) {
                const std::size_t depth = depth_at(row, c);
                Deepest& best = deepest[at(row, c)];
                if (depth > best.depth) {
                    best = {depth, row, c};
                }
            }
        }
        for (std::size_t i = 0; i < deepest.size(); ++i) {
            const Point cell = centre(deepest[i].row, deepest[i].column);
            if (deepest[i].depth == 0) {
                continue;
            }
            letters_.push_back({letter_of(i), cell, deepest[i].depth < 2 ? 13.0 : 22.0});
        }
    }

    void letters() {
        for (const Letter& letter : letters_) {
            svg_.text({letter.centre.x, letter.centre.y + 0.36 * letter.size},
                      letter.text,
                      {.size = letter.size, .anchor = "middle", .fill = kInk, .bold = true});
        }
    }

    /// Half the side of the largest square of one structure around a cell, in cells, plus one.
    [[nodiscard]] std::size_t depth_at(std::size_t row, std::size_t column) const {
        std::size_t depth = 1;
        while (depth <= row && depth <= column && row + depth < map_.structure.rows() &&
               column + depth < map_.structure.columns() && square_is_equal(row, column, depth)) {
            ++depth;
        }
        return depth;
    }

    [[nodiscard]] bool square_is_equal(std::size_t row, std::size_t column, std::size_t d) const {
        for (std::size_t i = 0; i <= 2 * d; ++i) {
            if (at(row - d, column - d + i) != at(row, column) ||
                at(row + d, column - d + i) != at(row, column) ||
                at(row - d + i, column - d) != at(row, column) ||
                at(row - d + i, column + d) != at(row, column)) {
                return false;
            }
        }
        return true;
    }

    void legend() {
        constexpr double kSwatch = 26;
        const double x = kLeft + kPlot + 34;
        double y = top_;
        std::vector<std::size_t> cells(map_.structures.size());
        for (const int winner : map_.structure.cells()) {
            ++cells[static_cast<std::size_t>(winner)];
        }
        for (std::size_t i = 0; i < map_.structures.size(); ++i) {
            svg_.rectangle({x, y}, {kSwatch, kSwatch}, colour_of(i), kInk, 3);
            svg_.text({x + kSwatch / 2, y + 18},
                      letter_of(i),
                      {.size = 14, .anchor = "middle", .bold = true});
            const Entry& entry = entries_[i];
            double line = y + 11;
            for (const std::string& text : entry.name) {
                svg_.text({x + kSwatch + 10, line}, text);
                line += 16;
            }
            for (const std::string& text : entry.details) {
                svg_.text({x + kSwatch + 10, line - 1},
                          text,
                          {.size = 11, .fill = kSoftInk, .full = map_.details[i]});
                line += 14;
            }
            svg_.text({x + kSwatch + 10, line},
                      fmt::format("{:.3g} % of the map",
                                  100 * static_cast<double>(cells[i]) /
                                      static_cast<double>(map_.structure.cells().size())),
                      {.size = 12, .fill = kSoftInk});
            y += entry.height();
        }
        if (open_) {
            svg_.circle({x + kSwatch / 2, y + 14}, 3, kInk);
            svg_.text({x + kSwatch + 10, y + 18}, "best found, not proved optimal", {.size = 12});
        }
    }

    const PhaseMap& map_;
    std::vector<double> edges_x_;
    std::vector<double> edges_y_;
    struct Letter {
        std::string text;
        Point centre;
        double size = 0;
    };

    double top_;
    std::vector<Entry> entries_;
    std::vector<Letter> letters_;
    Svg svg_;
    bool open_ = false;
};

}  // namespace

std::string draw(const PhaseMap& map) {
    return PhasePicture(map).draw();
}

}  // namespace longhaul::report
