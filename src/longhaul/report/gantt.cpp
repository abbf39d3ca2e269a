#include "longhaul/report/gantt.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "longhaul/core/assert.hpp"
#include "longhaul/report/axis.hpp"
#include "longhaul/report/palette.hpp"
#include "longhaul/report/svg.hpp"

namespace longhaul::report {
namespace {

constexpr double kGanttTop = 104;
constexpr double kTimeAxis = 1000;  // width of the time axis
constexpr double kRightMargin = 28;
constexpr double kAxisRoom = 62;
constexpr double kNameSize = 12;
constexpr double kLaneHeight = 13;
constexpr double kRowGap = 6;
constexpr double kThinnest = 1.0 / 3;  // pixels
constexpr std::string_view kAxisInk = "#52606d";
constexpr std::string_view kPathInk = "#1f2933";
constexpr std::string_view kGround = "#f4f6f8";

double left_of(const Gantt& gantt) {
    double widest = 0;
    for (const std::string& name : gantt.rows) {
        widest = std::max(widest, text_width(name, kNameSize));
    }
    return std::max(widest + 26, 84.0);
}

double row_height(const Gantt& gantt) {
    return kLaneHeight * gantt.lanes + kRowGap;
}

double plot_height(const Gantt& gantt) {
    return row_height(gantt) * static_cast<double>(gantt.rows.size());
}

class GanttPicture {
public:
    explicit GanttPicture(const Gantt& gantt)
        : gantt_(gantt),
          left_(left_of(gantt)),
          svg_({left_ + kTimeAxis + kRightMargin, kGanttTop + plot_height(gantt) + kAxisRoom},
               gantt.title,
               description(gantt)) {
        LONGHAUL_ASSERT(gantt.end > 0);
    }

    std::string draw() {
        svg_.text({left_, 32}, gantt_.title, {.size = 18, .bold = true});
        svg_.text({left_, 54}, gantt_.subtitle, {.size = 13, .fill = kAxisInk});
        legend();
        rows();
        grid();
        bars();
        path();
        return svg_.document();
    }

private:
    static std::string description(const Gantt& gantt) {
        return fmt::format(
            "{} rows over {:g} seconds. {}", gantt.rows.size(), gantt.end, gantt.subtitle);
    }

    [[nodiscard]] double x_of(double seconds) const {
        return left_ + kTimeAxis * seconds / gantt_.end;
    }

    [[nodiscard]] double y_of(const GanttBar& bar) const {
        return kGanttTop + row_height(gantt_) * bar.row + kRowGap / 2 + kLaneHeight * bar.lane;
    }

    void legend() {
        double x = left_;
        for (std::size_t k = 0; k < gantt_.kinds.size(); ++k) {
            svg_.rectangle({x, 69}, {14, 14}, fill_of(k), "none", 2);
            svg_.text({x + 20, 80.5}, gantt_.kinds[k], {.size = 12});
            x += 20 + text_width(gantt_.kinds[k], 12) + 22;
        }
        if (!gantt_.path.empty()) {
            svg_.rectangle({x, 69}, {14, 14}, "none", kPathInk);
            svg_.text({x + 20, 80.5}, "critical path", {.size = 12});
        }
    }

    void rows() {
        for (std::size_t row = 0; row < gantt_.rows.size(); ++row) {
            const double top = kGanttTop + row_height(gantt_) * static_cast<double>(row);
            svg_.rectangle(
                {left_, top + kRowGap / 2}, {kTimeAxis, row_height(gantt_) - kRowGap}, kGround);
            svg_.text({left_ - 10, top + row_height(gantt_) / 2 + 4},
                      gantt_.rows[row],
                      {.size = kNameSize, .anchor = "end"});
        }
    }

    void grid() {
        // The axis runs from 0 to the end: cells of two values a quarter from each side.
        const Axis axis{"", {gantt_.end / 4, 3 * gantt_.end / 4}, false};
        const double bottom = kGanttTop + plot_height(gantt_);
        for (const Tick& tick : ticks(axis)) {
            const double x = left_ + kTimeAxis * tick.position;
            svg_.line({x, kGanttTop}, {x, bottom}, {.stroke = "#ffffff", .width = 1});
            svg_.line({x, bottom}, {x, bottom + 6}, {.stroke = kAxisInk});
            svg_.text({x, bottom + 21}, tick.label, {.size = 12, .anchor = "middle"});
        }
        svg_.line({left_, bottom}, {left_ + kTimeAxis, bottom}, {.stroke = kAxisInk});
        svg_.text({left_ + kTimeAxis / 2, bottom + 44}, "seconds", {.anchor = "middle"});
    }

    /// Bars in order; those too narrow to be seen grow into one with their neighbours.
    void bars() {
        std::vector<GanttBar> sorted = gantt_.bars;
        std::erase_if(sorted, [](const GanttBar& bar) { return bar.end <= bar.begin; });
        std::ranges::stable_sort(sorted, [](const GanttBar& a, const GanttBar& b) {
            return std::tie(a.row, a.lane, a.begin) < std::tie(b.row, b.lane, b.begin);
        });
        for (std::size_t i = 0; i < sorted.size();) {
            GanttBar bar = sorted[i++];
            while (i < sorted.size() && joined(bar, sorted[i])) {
                bar.end = std::max(bar.end, sorted[i].end);
                bar.label.clear();
                ++i;
            }
            bar_of(bar);
        }
    }

    [[nodiscard]] bool joined(const GanttBar& bar, const GanttBar& next) const {
        const double pixel = kThinnest * gantt_.end / kTimeAxis;
        return bar.row == next.row && bar.lane == next.lane && bar.kind == next.kind &&
               next.begin - bar.end < pixel &&
               (bar.end - bar.begin < pixel || next.end - next.begin < pixel);
    }

    void bar_of(const GanttBar& bar) {
        const double width = std::max(x_of(bar.end) - x_of(bar.begin), kThinnest);
        const Point corner{x_of(bar.begin), y_of(bar)};
        svg_.rectangle(
            corner, {width, kLaneHeight - 1}, fill_of(static_cast<std::size_t>(bar.kind)));
        if (!bar.label.empty() && text_width(bar.label, 10) + 4 < width) {
            svg_.text({corner.x + width / 2, corner.y + kLaneHeight - 3.5},
                      bar.label,
                      {.size = 10, .anchor = "middle"});
        }
    }

    void path() {
        for (const GanttBar& bar : gantt_.path) {
            const double width = std::max(x_of(bar.end) - x_of(bar.begin), kThinnest);
            svg_.rectangle(
                {x_of(bar.begin), y_of(bar)}, {width, kLaneHeight - 1}, "none", kPathInk);
        }
    }

    const Gantt& gantt_;
    double left_;
    Svg svg_;
};

}  // namespace

std::string draw(const Gantt& gantt) {
    return GanttPicture(gantt).draw();
}

}  // namespace longhaul::report
