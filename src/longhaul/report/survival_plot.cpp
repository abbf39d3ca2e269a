#include "longhaul/report/survival_plot.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "longhaul/core/assert.hpp"
#include "longhaul/report/axis.hpp"
#include "longhaul/report/labels.hpp"
#include "longhaul/report/palette.hpp"

namespace longhaul::report {
namespace {

double length_of(const SurvivalCurves& curves, std::size_t round, bool over_time) {
    return over_time ? curves.round_ms[round % curves.round_ms.size()] : 1;
}

/// Whether there is something to draw.
bool drawable(const SurvivalCurves& curves, bool over_time) {
    const auto good = [](double ms) { return std::isfinite(ms) && ms > 0; };
    return !curves.curves.empty() &&
           (!over_time || (curves.round_ms.size() == curves.curves.size() &&
                           std::ranges::all_of(curves.round_ms, good)));
}

/// Where the mean falls below 1 % for good, at most twice its area.
double interesting(const SurvivalCurves& curves, const Steps& mean, bool over_time) {
    constexpr double kAgreed = 0.01;
    const auto late = std::find_if(
        mean.rbegin(), mean.rend(), [](const Point& step) { return step.y >= kAgreed; });
    const double agreed =
        late == mean.rbegin() || late == mean.rend() ? mean.back().x : std::prev(late)->x;
    const double round =
        over_time ? std::accumulate(curves.round_ms.begin(), curves.round_ms.end(), 0.0) /
                        static_cast<double>(curves.round_ms.size())
                  : 1;
    const double area = std::isfinite(curves.area) && curves.area > 0 ? curves.area : 10;
    return std::min(agreed, 2 * area * round);
}

class SurvivalPicture {
public:
    explicit SurvivalPicture(const SurvivalPlot& plot)
        : plot_(plot),
          high_(high_of(plot)),
          caption_(wrapped(plot.caption, kWide + kLegend, 12)),
          svg_(size(), plot.title, description(plot)) {
        for (const SurvivalCurves& curves : plot.schedules) {
            const bool shown = drawable(curves, plot.over_time);
            means_.push_back(shown ? mean_survival(curves, plot.over_time) : Steps{});
            if (shown) {
                end_ = std::max(end_, 1.04 * interesting(curves, means_.back(), plot.over_time));
            }
        }
        end_ = end_ > 0 ? end_ : 1;
    }

    std::string draw() {
        svg_.text({kLeft, 32},
                  shortened(plot_.title, 0.9 * (kWide + kLegend), 18),
                  {.size = 18, .bold = true, .full = plot_.title});
        svg_.text({kLeft, 54},
                  shortened(plot_.subtitle, kWide + kLegend, 13),
                  {.size = 13, .fill = kQuietText, .full = plot_.subtitle});
        axes();
        // Later schedules below, so that the first is never hidden.
        for (std::size_t i = plot_.schedules.size(); i-- > 0;) {
            phases(i);
        }
        for (std::size_t i = plot_.schedules.size(); i-- > 0;) {
            svg_.polyline(
                pixels(means_[i]),
                {.stroke = group_ink_of(i), .width = 2.6, .dash = dash_of(i, kGroupColours)});
        }
        names();
        legend();
        for (std::size_t i = 0; i < caption_.size(); ++i) {
            svg_.text({kLeft, kTop + high_ + kBottom + kLine * static_cast<double>(i)},
                      caption_[i],
                      {.size = 12, .fill = kQuietText});
        }
        return svg_.document();
    }

private:
    static constexpr double kLeft = 84;
    static constexpr double kTop = 78;
    static constexpr double kWide = 640;
    static constexpr double kHigh = 380;
    static constexpr double kLegend = 330;
    static constexpr double kBottom = 72;
    static constexpr double kLine = 17;   // of the caption
    static constexpr double kEntry = 62;  // of the legend

    /// As high as the legend.
    static double high_of(const SurvivalPlot& plot) {
        return std::max(kHigh, kEntry * static_cast<double>(plot.schedules.size()) + 56);
    }

    [[nodiscard]] Size size() const {
        return {kLeft + kWide + kLegend,
                kTop + high_ + kBottom + kLine * static_cast<double>(caption_.size())};
    }

    static std::string description(const SurvivalPlot& plot) {
        std::string text = fmt::format("What is left to agree on about an update, over {}. {}",
                                       plot.over_time ? "milliseconds" : "rounds",
                                       plot.subtitle);
        for (const SurvivalCurves& curves : plot.schedules) {
            text += fmt::format(" {}: {}.", curves.name, figures(curves));
        }
        return text;
    }

    /// "A = 2.25, score 1271 ms".
    static std::string figures(const SurvivalCurves& curves) {
        if (curves.curves.empty()) {
            return "no curve";
        }
        std::string area = std::isfinite(curves.area) ? fmt::format("A = {:.4g}", curves.area)
                                                      : std::string("does not mix");
        if (!std::isfinite(curves.area) || curves.score_ms == 0) {
            return area;
        }
        return area + (std::isfinite(curves.score_ms) ? ", score " + milliseconds(curves.score_ms)
                                                      : ", cannot be timed");
    }

    [[nodiscard]] double x_of(double age) const { return kLeft + kWide * age / end_; }
    [[nodiscard]] double y_of(double share) const { return kTop + high_ * (1 - share); }

    void axes() {
        svg_.rectangle({kLeft, kTop}, {kWide, high_}, kPanelGround);
        for (int fifth = 0; fifth <= 5; ++fifth) {
            const double y = y_of(fifth / 5.0);
            svg_.line({kLeft, y}, {kLeft + kWide, y}, {.stroke = "#ffffff", .width = 1});
            svg_.text({kLeft - 9, y + 4.5}, fmt::format("{:g}", fifth / 5.0), {.anchor = "end"});
        }
        // The axis runs from 0 to the end: cells of two values a quarter from each side.
        for (const Tick& tick : ticks({"", {end_ / 4, 3 * end_ / 4}, false})) {
            const double x = kLeft + kWide * tick.position;
            svg_.line({x, kTop}, {x, kTop + high_}, {.stroke = "#ffffff", .width = 1});
            svg_.line({x, kTop + high_}, {x, kTop + high_ + 6}, {.stroke = kQuietText});
            svg_.text({x, kTop + high_ + 22}, tick.label, {.anchor = "middle"});
        }
        svg_.line({kLeft, kTop + high_}, {kLeft + kWide, kTop + high_}, {.stroke = kQuietText});
        svg_.line({kLeft, kTop}, {kLeft, kTop + high_}, {.stroke = kQuietText});
        svg_.text({kLeft + kWide / 2, kTop + high_ + 48},
                  plot_.over_time ? "age of the update, ms" : "age of the update, rounds",
                  {.size = 14, .anchor = "middle"});
        svg_.text({26, kTop + high_ / 2},
                  "left to agree on",
                  {.size = 14, .anchor = "middle", .turn = -90});
    }

    /// Corners of a step curve up to the end of the axis; what nobody sees is joined.
    [[nodiscard]] std::vector<Point> pixels(const Steps& steps) const {
        constexpr double kSeen = 0.3;  // pixels
        std::vector<Point> points;
        for (const Point& step : steps) {
            const Point at{x_of(std::min(step.x, end_)), y_of(step.y)};
            if (points.empty()) {
                points.push_back(at);
                continue;
            }
            const Point last = points.back();
            if (step.x >= end_) {
                break;
            }
            if (at.x - last.x < kSeen && std::abs(at.y - last.y) < kSeen) {
                continue;
            }
            points.push_back({at.x, last.y});
            points.push_back(at);
        }
        if (!points.empty()) {
            points.push_back({x_of(end_), points.back().y});
        }
        return points;
    }

    void phases(std::size_t i) {
        const SurvivalCurves& curves = plot_.schedules[i];
        for (std::size_t p = 0; curves.phases && !means_[i].empty() && curves.curves.size() > 1 &&
                                p < curves.curves.size();
             ++p) {
            svg_.polyline(pixels(survival_steps(curves, p, plot_.over_time)),
                          {.stroke = group_ink_of(i), .width = 1, .opacity = 0.55});
        }
    }

    /// Where the mean first falls to `share` or below.
    [[nodiscard]] static double age_at(const Steps& mean, double share) {
        const auto fallen =
            std::ranges::find_if(mean, [&](const Point& step) { return step.y <= share; });
        return fallen == mean.end() ? mean.back().x : fallen->x;
    }

    /// Names at points of the means, each at a height of its own; none where they do not fit.
    void names() {
        constexpr double kSize = 11;
        constexpr double kRoom = 150;
        constexpr double kHighest = 0.88;
        constexpr double kLowest = 0.12;
        constexpr std::size_t kMost = 12;
        std::vector<std::size_t> shown;
        for (std::size_t i = 0; i < means_.size(); ++i) {
            if (!means_[i].empty() && !plot_.schedules[i].name.empty()) {
                shown.push_back(i);
            }
        }
        if (shown.size() < 2 || shown.size() > kMost) {
            return;  // one needs none, and many would hide the curves
        }
        std::ranges::stable_sort(shown, {}, [&](std::size_t i) { return age_at(means_[i], 0.5); });
        std::vector<Point> points;
        std::vector<std::string> full;
        for (std::size_t k = 0; k < shown.size(); ++k) {
            // Fast ones low and slow ones high, where their neighbours are farthest.
            const double share = kLowest + (kHighest - kLowest) * static_cast<double>(k) /
                                               static_cast<double>(shown.size() - 1);
            const double age = std::min(age_at(means_[shown[k]], share), 0.97 * end_);
            points.push_back({x_of(age), y_of(share)});
            full.push_back(plot_.schedules[shown[k]].name);
        }
        const std::vector<std::string> texts = shortened_names(full, kRoom, kSize);
        const auto labels = place_labels(
            points, texts, kSize, 3, {kLeft + 2, kTop + 2, kLeft + kWide - 2, kTop + high_ - 2});
        for (std::size_t k = 0; labels && k < shown.size(); ++k) {
            const PlacedLabel& label = (*labels)[k];
            const std::string_view ink = group_ink_of(shown[k]);
            svg_.disc(points[k], 3, {.fill = ink});
            if (label.leader) {
                svg_.line(points[k],
                          {std::clamp(points[k].x, label.box.left, label.box.right),
                           std::clamp(points[k].y, label.box.top, label.box.bottom)},
                          {.stroke = ink, .width = 0.8});
            }
            svg_.text(label.baseline,
                      texts[k],
                      {.size = kSize, .fill = ink, .halo = true, .full = full[k]});
        }
    }

    void legend() {
        constexpr double kTextWidth = kLegend - 94;
        const double x = kLeft + kWide + 28;
        double y = kTop;
        for (std::size_t i = 0; i < plot_.schedules.size(); ++i) {
            const SurvivalCurves& curves = plot_.schedules[i];
            svg_.line({x, y + 9},
                      {x + 30, y + 9},
                      {.stroke = group_ink_of(i), .width = 3, .dash = dash_of(i, kGroupColours)});
            svg_.text({x + 40, y + 14},
                      shortened(curves.name, 0.9 * kTextWidth, 13),
                      {.bold = true, .full = curves.name});
            svg_.text({x + 40, y + 31}, figures(curves), {.size = 12});
            const std::size_t period = curves.curves.size();
            svg_.text({x + 40, y + 47},
                      period == 1 ? "1 round" : fmt::format("{} rounds", period),
                      {.size = 12, .fill = kQuietText});
            y += kEntry;
        }
        svg_.line({x, y + 10}, {x + 30, y + 10}, {.stroke = kQuietText, .width = 2.6});
        svg_.text({x + 40, y + 14}, "mean; the area under it is the", {.size = 12});
        svg_.text({x + 40, y + 29}, plot_.over_time ? "score" : "A of the schedule", {.size = 12});
        const bool thin = std::ranges::any_of(plot_.schedules, [](const SurvivalCurves& curves) {
            return curves.phases && curves.curves.size() > 1;
        });
        if (thin) {
            svg_.line({x, y + 45}, {x + 30, y + 45}, {.stroke = kQuietText, .opacity = 0.7});
            svg_.text({x + 40, y + 49}, "updates of one phase", {.size = 12});
        }
    }

    const SurvivalPlot& plot_;
    double high_;  ///< of the axes
    std::vector<std::string> caption_;
    std::vector<Steps> means_;  ///< one a schedule; empty: not drawn
    double end_ = 0;            ///< of the axis
    Svg svg_;
};

}  // namespace

Steps survival_steps(const SurvivalCurves& curves, std::size_t phase, bool over_time) {
    LONGHAUL_ASSERT(phase < curves.curves.size());
    LONGHAUL_ASSERT(!over_time || !curves.round_ms.empty());
    const std::vector<double>& left = curves.curves[phase];
    Steps steps{{0, 1}};
    double age = length_of(curves, phase, over_time) / 2;
    for (std::size_t h = 1; h < left.size(); ++h) {
        const bool overlapping = over_time && h == 1 && curves.flight_ms > 0;
        age += overlapping ? curves.flight_ms : length_of(curves, phase + h, over_time);
        steps.push_back({age, left[h]});
    }
    if (std::isfinite(curves.area)) {
        const bool overlapping = over_time && left.size() < 2 && curves.flight_ms > 0;
        const std::size_t next = phase + std::max<std::size_t>(left.size(), 1);
        age += overlapping ? curves.flight_ms : length_of(curves, next, over_time);
        steps.push_back({age, 0});
    }
    return steps;
}

Steps mean_survival(const SurvivalCurves& curves, bool over_time) {
    struct Change {
        double age = 0;
        double by = 0;
    };
    std::vector<Change> changes;
    double all = 0;
    for (std::size_t p = 0; p < curves.curves.size(); ++p) {
        const double weight = length_of(curves, p, over_time);
        all += weight;
        double last = 0;
        for (const Point& step : survival_steps(curves, p, over_time)) {
            changes.push_back({step.x, weight * (step.y - last)});
            last = step.y;
        }
    }
    std::ranges::stable_sort(changes, {}, &Change::age);
    Steps mean;
    double sum = 0;
    for (const Change& change : changes) {
        sum += change.by;
        const double value = std::clamp(sum / all, 0.0, 1.0);
        if (!mean.empty() && mean.back().x == change.age) {
            mean.back().y = value;
        } else {
            mean.push_back({change.age, value});
        }
    }
    return mean;
}

std::string draw(const SurvivalPlot& plot) {
    return SurvivalPicture(plot).draw();
}

}  // namespace longhaul::report
