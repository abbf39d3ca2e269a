#include "longhaul/report/mixing_matrix.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "longhaul/core/assert.hpp"
#include "longhaul/report/labels.hpp"
#include "longhaul/report/palette.hpp"
#include "longhaul/report/svg.hpp"

namespace longhaul::report {
namespace {

struct Colour {
    double red = 0;
    double green = 0;
    double blue = 0;
};

// Lightness falls steadily, so the scale survives grey print and every kind of colour blindness.
constexpr std::array<Colour, 5> kWeightColours{
    {{255, 255, 255}, {198, 219, 239}, {107, 174, 214}, {33, 113, 181}, {8, 48, 107}}};

/// Share of the colour scale, 0 to 1.
double scale_of(double weight, double most) {
    return most > 0 ? std::sqrt(std::clamp(weight / most, 0.0, 1.0)) : 0;
}

/// ".33", "1", "0.01": two digits behind the point and no zero before it.
std::string short_weight(double weight) {
    const std::string text = fmt::format("{:.2f}", weight);
    return text == "0.00" ? "0" : text == "1.00" ? "1" : text[0] == '0' ? text.substr(1) : text;
}

double largest_weight(const MixingPicture& picture) {
    double most = 0;
    for (const MixingPanel& panel : picture.panels) {
        for (const double weight : panel.weights.cells()) {
            most = std::max(most, weight);
        }
    }
    return most;
}

class MatrixPicture {
public:
    explicit MatrixPicture(const MixingPicture& picture)
        : picture_(picture),
          most_(largest_weight(picture)),
          cell_(cell_of(picture)),
          name_size_(std::min(11.5, cell_ - 1)),
          names_(shortened_names(picture.islands, kNameRoom, name_size_)),
          header_(header_of()),
          columns_(columns_of()),
          svg_(size(), picture.title, description(picture)) {
        LONGHAUL_ASSERT(!picture.islands.empty());
    }

    std::string draw() {
        const double width = size().width - 2 * kMargin;
        svg_.text({kMargin, 32},
                  shortened(picture_.title, 0.9 * width, 18),
                  {.size = 18, .bold = true, .full = picture_.title});
        svg_.text({kMargin, 54},
                  shortened(picture_.subtitle, width, 13),
                  {.size = 13, .fill = kQuietText, .full = picture_.subtitle});
        for (std::size_t k = 0; k < picture_.panels.size(); ++k) {
            panel(k);
        }
        key();
        return svg_.document();
    }

private:
    static constexpr double kMargin = 24;
    static constexpr double kTop = 72;
    static constexpr double kNameRoom = 88;  // longer names are shortened
    static constexpr double kHead = 26;      // of a panel
    static constexpr double kFoot = 30;
    static constexpr double kSpace = 26;
    static constexpr double kKey = 62;  // underneath
    static constexpr double kWidest = 1280;
    static constexpr double kWidestTitle = 760;  // longer ones are shortened
    static constexpr std::size_t kWithNumbers = 12;

    /// Whole pixels: cells that touch show no seams.
    static double cell_of(const MixingPicture& picture) {
        const auto n = static_cast<double>(picture.islands.size());
        return picture.islands.size() <= kWithNumbers ? 30
                                                      : std::floor(std::clamp(400 / n, 11.0, 24.0));
    }

    /// Room for names beside and above the cells.
    [[nodiscard]] double header_of() const {
        double widest = 0;
        for (const std::string& name : names_) {
            widest = std::max(widest, text_extent(name, name_size_));
        }
        return widest + 10;
    }

    [[nodiscard]] double side() const {
        return cell_ * static_cast<double>(picture_.islands.size());
    }

    [[nodiscard]] double panel_width() const { return header_ + std::max(side(), 130.0); }

    [[nodiscard]] double panel_height() const { return kHead + header_ + side() + kFoot; }

    [[nodiscard]] std::size_t columns_of() const {
        const double fit = (kWidest - 2 * kMargin + kSpace) / (panel_width() + kSpace);
        const auto most = static_cast<std::size_t>(std::max(1.0, std::floor(fit)));
        const std::size_t panels = std::max<std::size_t>(picture_.panels.size(), 1);
        const std::size_t rows = (panels + most - 1) / most;
        return (panels + rows - 1) / rows;
    }

    [[nodiscard]] Size size() const {
        const std::size_t rows = (picture_.panels.size() + columns_ - 1) / columns_;
        const auto columns = static_cast<double>(columns_);
        const double title = std::min(text_extent(picture_.title, 18) / 0.9, kWidestTitle);
        return {std::max({columns * (panel_width() + kSpace) - kSpace, title, 412.0}) + 2 * kMargin,
                kTop + static_cast<double>(rows) * (panel_height() + kSpace) + kKey};
    }

    static std::string description(const MixingPicture& picture) {
        std::string text = fmt::format(
            "Weights that {} islands (rows) give to the parameters of each (columns). {}",
            picture.islands.size(),
            picture.subtitle);
        for (std::size_t k = 0; k < picture.panels.size(); ++k) {
            const auto cells = picture.panels[k].weights.cells();
            const auto reached = std::ranges::count_if(cells, [](double w) { return w > 0; });
            text += fmt::format(" After {} {}: {} of {} pairs have exchanged.",
                                k + 1,
                                k == 0 ? "round" : "rounds",
                                reached,
                                cells.size());
        }
        return text;
    }

    void panel(std::size_t k) {
        const double left = kMargin + static_cast<double>(k % columns_) * (panel_width() + kSpace);
        const double top = kTop + static_cast<double>(k / columns_) * (panel_height() + kSpace);
        const MixingPanel& shown = picture_.panels[k];
        LONGHAUL_ASSERT(shown.weights.rows() == picture_.islands.size());
        LONGHAUL_ASSERT(shown.weights.columns() == picture_.islands.size());
        svg_.text({left, top + 16},
                  k == 0 ? "After 1 round" : fmt::format("After {} rounds", k + 1),
                  {.size = 14, .bold = true});
        const Point corner{left + header_, top + kHead + header_};
        headers(corner);
        cells(shown.weights, corner);
        svg_.rectangle(corner, {side(), side()}, "none", kGreyInk);
        svg_.text({corner.x, corner.y + side() + 19},
                  shortened(shown.caption, panel_width() - header_, 12),
                  {.size = 12, .fill = kQuietText, .full = shown.caption});
    }

    void headers(Point corner) {
        const double baseline = 0.35 * name_size_;
        for (std::size_t i = 0; i < names_.size(); ++i) {
            const double middle = (static_cast<double>(i) + 0.5) * cell_;
            svg_.text({corner.x - 6, corner.y + middle + baseline},
                      names_[i],
                      {.size = name_size_, .anchor = "end", .full = picture_.islands[i]});
            svg_.text({corner.x + middle + baseline, corner.y - 6},
                      names_[i],
                      {.size = name_size_, .turn = -90, .full = picture_.islands[i]});
        }
    }

    /// Few cells stand apart and carry their weights; of many, runs of one colour are joined.
    void cells(const core::Grid<double>& weights, Point corner) {
        const bool numbers = picture_.islands.size() <= kWithNumbers;
        for (std::size_t i = 0; i < weights.rows(); ++i) {
            const double y = corner.y + static_cast<double>(i) * cell_;
            for (std::size_t j = 0; j < weights.columns();) {
                const std::string colour = weight_colour(weights(i, j), most_);
                const std::size_t first = j++;
                while (!numbers && j < weights.columns() &&
                       weight_colour(weights(i, j), most_) == colour) {
                    ++j;
                }
                if (!(weights(i, first) > 0)) {
                    continue;
                }
                const double x = corner.x + static_cast<double>(first) * cell_;
                const double width = static_cast<double>(j - first) * cell_;
                const double gap = numbers ? 0.5 : 0;
                svg_.rectangle({x + gap, y + gap}, {width - 2 * gap, cell_ - 2 * gap}, colour);
                if (numbers) {
                    number(weights(i, first), {x + cell_ / 2, y + cell_ / 2 + 4});
                }
            }
        }
    }

    void number(double weight, Point at) {
        const bool dark = scale_of(weight, most_) > 0.6;
        svg_.text(at,
                  short_weight(weight),
                  {.size = 11, .anchor = "middle", .fill = dark ? "#ffffff" : kText});
    }

    /// The scale of colours: equal steps of colour, with weights underneath.
    void key() {
        constexpr int kSteps = 40;
        constexpr double kWidth = 240;
        const double top = size().height - kKey + 6;
        for (int step = 0; step < kSteps; ++step) {
            const double share = (step + 0.5) / kSteps;
            svg_.rectangle({kMargin + kWidth * step / kSteps, top},
                           {kWidth / kSteps + 0.3, 14},
                           weight_colour(share * share, 1));
        }
        svg_.rectangle({kMargin, top}, {kWidth, 14}, "none", kGreyInk);
        const double even = 1 / static_cast<double>(picture_.islands.size());
        mark(kMargin, top, "0");
        const double at = scale_of(even, most_);
        if (at > 0.08 && at < 0.8) {
            mark(kMargin + kWidth * at, top, fmt::format("1/{}", picture_.islands.size()));
        }
        mark(kMargin + kWidth, top, fmt::format("{:.3g}", most_));
        svg_.text({kMargin + kWidth + 34, top + 12},
                  "rows receive, columns send",
                  {.size = 12, .fill = kQuietText});
    }

    void mark(double x, double top, const std::string& label) {
        svg_.line({x, top + 14}, {x, top + 19}, {.stroke = kGreyInk});
        svg_.text({x, top + 33}, label, {.size = 12, .anchor = "middle"});
    }

    const MixingPicture& picture_;
    double most_;
    double cell_;
    double name_size_;
    std::vector<std::string> names_;
    double header_;
    std::size_t columns_;
    Svg svg_;
};

}  // namespace

std::string weight_colour(double weight, double most) {
    constexpr std::size_t kLast = kWeightColours.size() - 1;
    const double at = scale_of(weight, most) * static_cast<double>(kLast);
    const std::size_t below = std::min(static_cast<std::size_t>(at), kLast - 1);
    const double share = at - static_cast<double>(below);
    const auto mixed = [&](double Colour::* part) {
        const double value =
            kWeightColours[below].*part * (1 - share) + kWeightColours[below + 1].*part * share;
        return static_cast<int>(std::lround(value));
    };
    return fmt::format(
        "#{:02x}{:02x}{:02x}", mixed(&Colour::red), mixed(&Colour::green), mixed(&Colour::blue));
}

std::string draw(const MixingPicture& picture) {
    return MatrixPicture(picture).draw();
}

}  // namespace longhaul::report
