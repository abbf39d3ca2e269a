#include "longhaul/report/schedule_timeline.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include <fmt/format.h>

#include "longhaul/core/assert.hpp"
#include "longhaul/report/axis.hpp"
#include "longhaul/report/labels.hpp"
#include "longhaul/report/palette.hpp"
#include "longhaul/report/svg.hpp"

namespace longhaul::report {
namespace {

/// A round at its place in time.
struct PlacedRound {
    const TimelineRound* round = nullptr;
    std::size_t number = 0;  ///< of the period
    double start_ms = 0;
};

constexpr std::string_view kDown = "#f6d5cf";     // what does not work
constexpr std::string_view kDownInk = "#a03020";  // its rim and name: 6 to 1 on it

/// Islands, then what has spans alone, in the order of these.
std::vector<std::string> all_lanes(const ScheduleTimeline& timeline) {
    std::vector<std::string> lanes = timeline.islands;
    const auto islands = std::ssize(lanes);
    for (const TimelineSpan& span : timeline.spans) {
        if (span.island < 0 &&
            std::find(lanes.begin() + islands, lanes.end(), span.name) == lanes.end()) {
            lanes.push_back(span.name);
        }
    }
    return lanes;
}

/// When an island is busy with a round.
struct Busy {
    double begin = 0;
    double end = 0;
};

Busy busy_of(const TimelineExchange& exchange, double start_ms) {
    return {start_ms + std::min(exchange.offset_ms, exchange.first_ms),
            start_ms + std::max(exchange.offset_ms + exchange.sending_ms, exchange.end_ms)};
}

std::vector<PlacedRound> placed_rounds(const ScheduleTimeline& timeline) {
    std::vector<PlacedRound> placed;
    double start = 0;
    const int repeats = timeline.streamed && timeline.rounds.size() == 1 ? 2 : 1;
    for (int k = 0; k < repeats; ++k) {
        for (std::size_t r = 0; r < timeline.rounds.size(); ++r) {
            LONGHAUL_ASSERT(std::isfinite(timeline.rounds[r].length_ms));
            placed.push_back({&timeline.rounds[r], r, start});
            start += timeline.rounds[r].length_ms;
        }
    }
    return placed;
}

/// Whether rounds that share a part of a lane overlap when there are so many parts.
bool collide(const std::vector<PlacedRound>& rounds, std::size_t parts) {
    std::map<std::pair<int, std::size_t>, double> free_from;  // of an island's part
    for (std::size_t r = 0; r < rounds.size(); ++r) {
        for (const TimelineExchange& exchange : rounds[r].round->exchanges) {
            const Busy busy = busy_of(exchange, rounds[r].start_ms);
            const auto [at, fresh] =
                free_from.emplace(std::pair{exchange.island, r % parts}, busy.end);
            if (!fresh && busy.begin < at->second - 1e-6) {
                return true;
            }
            at->second = busy.end;
        }
    }
    return false;
}

std::size_t parts_of(const ScheduleTimeline& timeline, const std::vector<PlacedRound>& rounds) {
    constexpr std::size_t kMost = 4;
    std::size_t parts = timeline.streamed ? 2 : 1;
    while (timeline.streamed && parts < kMost && collide(rounds, parts)) {
        ++parts;
    }
    return parts;
}

class TimelinePicture {
public:
    explicit TimelinePicture(const ScheduleTimeline& timeline)
        : timeline_(timeline),
          rounds_(placed_rounds(timeline)),
          parts_(parts_of(timeline, rounds_)),
          lanes_(all_lanes(timeline)),
          names_(shortened_names(lanes_, kNameRoom, kNameSize)),
          left_(left_of()),
          wide_(std::clamp(170.0 * static_cast<double>(rounds_.size()), 1000.0, 2400.0)),
          svg_(size(), timeline.title, description(timeline)) {
        LONGHAUL_ASSERT(!timeline.islands.empty());
        set_range();
    }

    std::string draw() {
        svg_.text({left_, 32},
                  shortened(timeline_.title, 0.9 * wide_, 18),
                  {.size = 18, .bold = true, .full = timeline_.title});
        svg_.text({left_, 54},
                  shortened(timeline_.subtitle, wide_, 13),
                  {.size = 13, .fill = kQuietText, .full = timeline_.subtitle});
        legend();
        lanes();
        for (const TimelineSpan& span : timeline_.spans) {
            shade(span);
        }
        grid();
        borders();
        for (std::size_t r = 0; r < rounds_.size(); ++r) {
            bars(r);
        }
        return svg_.document();
    }

private:
    static constexpr double kTop = 124;
    static constexpr double kRight = 28;
    static constexpr double kAxis = 62;
    static constexpr double kNameRoom = 130;
    static constexpr double kNameSize = 12;
    static constexpr double kSend = 14;  // heights of bars
    static constexpr double kArrive = 9;
    static constexpr double kSpread = 4;
    static constexpr double kBetween = 1;
    static constexpr double kLaneGap = 9;
    static constexpr double kThinnest = 0.5;  // pixels

    [[nodiscard]] double left_of() const {
        double widest = 0;
        for (const std::string& name : names_) {
            widest = std::max(widest, text_extent(name, kNameSize));
        }
        return std::max(widest + 26, 60.0);
    }

    [[nodiscard]] double part_height() const { return kSend + kBetween + kArrive + 2; }

    [[nodiscard]] double lane_height() const {
        return part_height() * static_cast<double>(parts_) + kLaneGap;
    }

    [[nodiscard]] double bottom() const {
        return kTop + lane_height() * static_cast<double>(lanes_.size());
    }

    [[nodiscard]] Size size() const { return {left_ + wide_ + kRight, bottom() + kAxis}; }

    static std::string description(const ScheduleTimeline& timeline) {
        double length = 0;
        double spread = 0;
        for (const TimelineRound& round : timeline.rounds) {
            length += round.length_ms;
            for (const TimelineExchange& exchange : round.exchanges) {
                spread = std::max(spread, exchange.last_ms - exchange.first_ms);
            }
        }
        std::string text =
            fmt::format("{} islands, {} rounds in {}; arrivals differ by up to {}. {}",
                        timeline.islands.size(),
                        timeline.rounds.size(),
                        milliseconds(length),
                        milliseconds(spread),
                        timeline.subtitle);
        for (const TimelineSpan& span : timeline.spans) {
            text += fmt::format(
                " {} {} from {}{}.",
                span.island >= 0 ? timeline.islands[static_cast<std::size_t>(span.island)]
                                 : span.name,
                span.what,
                milliseconds(span.from_ms),
                std::isfinite(span.to_ms) ? " to " + milliseconds(span.to_ms) : " on");
        }
        return text;
    }

    void set_range() {
        for (const PlacedRound& placed : rounds_) {
            end_ = std::max(end_, placed.start_ms + placed.round->length_ms);
            for (const TimelineExchange& exchange : placed.round->exchanges) {
                const Busy busy = busy_of(exchange, placed.start_ms);
                begin_ = std::isfinite(busy.begin) ? std::min(begin_, busy.begin) : begin_;
                end_ = std::isfinite(busy.end) ? std::max(end_, busy.end) : end_;
            }
        }
        end_ = end_ > begin_ ? end_ : begin_ + 1;
    }

    [[nodiscard]] double x_of(double ms) const {
        return left_ + wide_ * (ms - begin_) / (end_ - begin_);
    }

    [[nodiscard]] double top_of(std::size_t island, std::size_t round) const {
        return kTop + lane_height() * static_cast<double>(island) + kLaneGap / 2 +
               part_height() * static_cast<double>(round % parts_);
    }

    void legend() {
        constexpr double kY = 69;
        double x = left_;
        const auto entry = [&](std::string_view text) {
            svg_.text({x + 28, kY + 11.5}, text, {.size = 12});
            x += 28 + text_extent(text, 12) + 22;
        };
        svg_.rectangle({x, kY}, {22, kSend}, group_fill_of(0), group_ink_of(0), 2);
        entry("sending, in the colour of its clique");
        svg_.rectangle({x, kY + 3}, {22, kArrive}, group_tint_of(0), "none", 2);
        entry("arriving");
        svg_.rectangle({x, kY + 3}, {22, kArrive}, group_tint_of(0), "none", 2);
        svg_.rectangle({x, kY + 3 + kArrive - kSpread}, {15, kSpread}, group_ink_of(0));
        entry("spread of arrivals, in memory");
        svg_.rectangle({x, kY + 5}, {22, 4}, kNeutral);
        entry("alone");
        if (!timeline_.spans.empty()) {
            svg_.rectangle({x, kY}, {22, kSend}, kDown, kDownInk);
            entry("not working");
        }
    }

    void shade(const TimelineSpan& span) {
        constexpr double kSize = 10.5;
        const double begin = std::max(span.from_ms, begin_);
        const double end = std::min(span.to_ms, end_);
        if (!(end > begin)) {
            return;
        }
        const auto own = std::ranges::find(
            lanes_.begin() + std::ssize(timeline_.islands), lanes_.end(), span.name);
        const std::size_t lane = span.island >= 0 ? static_cast<std::size_t>(span.island)
                                                  : static_cast<std::size_t>(own - lanes_.begin());
        LONGHAUL_ASSERT(lane < lanes_.size());
        const Point corner{x_of(begin),
                           kTop + lane_height() * static_cast<double>(lane) + kLaneGap / 2 - 2};
        const Size size{std::max(x_of(end) - x_of(begin), 1.0), lane_height() - kLaneGap + 2};
        svg_.rectangle(corner, size, kDown, kDownInk);
        if (text_extent(span.what, kSize) + 6 <= size.width) {
            svg_.text({corner.x + 3, corner.y + size.height - 3},
                      span.what,
                      {.size = kSize, .fill = kDownInk});
        }
    }

    void lanes() {
        for (std::size_t i = 0; i < names_.size(); ++i) {
            const double top = kTop + lane_height() * static_cast<double>(i);
            svg_.rectangle({left_, top + kLaneGap / 2 - 2},
                           {wide_, lane_height() - kLaneGap + 2},
                           kPanelGround);
            svg_.text({left_ - 10, top + lane_height() / 2 + 4},
                      names_[i],
                      {.size = kNameSize, .anchor = "end", .full = lanes_[i]});
        }
    }

    void grid() {
        // The axis runs from begin to end: cells of two values a quarter from each side.
        const double quarter = (end_ - begin_) / 4;
        for (const Tick& tick : ticks({"", {begin_ + quarter, end_ - quarter}, false})) {
            const double x = left_ + wide_ * tick.position;
            svg_.line({x, kTop}, {x, bottom()}, {.stroke = "#ffffff"});
            svg_.line({x, bottom()}, {x, bottom() + 6}, {.stroke = kQuietText});
            svg_.text({x, bottom() + 21}, tick.label, {.size = 12, .anchor = "middle"});
        }
        svg_.line({left_, bottom()}, {left_ + wide_, bottom()}, {.stroke = kQuietText});
        svg_.text({left_ + wide_ / 2, bottom() + 44}, "ms", {.anchor = "middle"});
    }

    /// Starts of rounds, and the end of the last, with names above.
    void borders() {
        double named_until = left_ - 40;
        for (std::size_t r = 0; r <= rounds_.size() && !rounds_.empty(); ++r) {
            const PlacedRound& round = rounds_[std::min(r, rounds_.size() - 1)];
            const bool last = r == rounds_.size();
            const double x = x_of(round.start_ms + (last ? round.round->length_ms : 0));
            svg_.line({x, kTop - 12}, {x, bottom()}, {.stroke = kText, .dash = "3 4"});
            if (last) {
                break;
            }
            const double room = x_of(round.start_ms + round.round->length_ms) - x - 8;
            const std::string name = fmt::format("round {}", round.number + 1);
            const std::string more = name + ", " + milliseconds(round.round->length_ms);
            const std::string number = std::to_string(round.number + 1);
            const std::string& label = text_extent(more, 12) <= room   ? more
                                       : text_extent(name, 12) <= room ? name
                                                                       : number;
            if (x + 4 >= named_until) {
                svg_.text({x + 4, kTop - 8}, label, {.size = 12});
                named_until = x + 4 + text_extent(label, 12) + 4;
            }
        }
    }

    void bars(std::size_t r) {
        const PlacedRound& placed = rounds_[r];
        std::vector<bool> together(timeline_.islands.size(), false);
        for (const TimelineExchange& exchange : placed.round->exchanges) {
            const auto island = static_cast<std::size_t>(exchange.island);
            LONGHAUL_ASSERT(island < together.size());
            together[island] = true;
            exchange_bars(exchange, placed, top_of(island, r));
        }
        for (std::size_t island = 0; island < together.size(); ++island) {
            if (!together[island]) {
                const double end = placed.start_ms + placed.round->length_ms;
                bar(placed.start_ms, end, top_of(island, r) + 5, 4, kNeutral);
            }
        }
    }

    void exchange_bars(const TimelineExchange& exchange, const PlacedRound& placed, double top) {
        const double start = placed.start_ms;
        const std::size_t colour = exchange.clique;
        const double begin = start + exchange.offset_ms;
        if (bar(begin,
                begin + exchange.sending_ms,
                top,
                kSend,
                group_fill_of(colour),
                group_ink_of(colour))) {
            label(exchange, *placed.round, begin, top);
        }
        const double below = top + kSend + kBetween;
        bar(start + exchange.first_ms,
            start + exchange.end_ms,
            below,
            kArrive,
            group_tint_of(colour));
        bar(start + exchange.first_ms,
            start + exchange.last_ms,
            below + kArrive - kSpread,
            kSpread,
            group_ink_of(colour));
    }

    /// False when there is nothing to see.
    bool bar(double begin,
             double end,
             double top,
             double height,
             std::string_view fill,
             std::string_view stroke = "none") {
        if (!std::isfinite(begin) || !std::isfinite(end) || end - begin < 1e-9) {
            return false;
        }
        const double width = std::max(x_of(end) - x_of(begin), kThinnest);
        svg_.rectangle({x_of(begin), top}, {width, height}, fill, stroke);
        return true;
    }

    /// The others of the clique, in the bar of sending.
    void label(const TimelineExchange& exchange,
               const TimelineRound& round,
               double begin,
               double top) {
        constexpr double kSize = 10.5;
        const double room = x_of(begin + exchange.sending_ms) - x_of(begin) - 8;
        std::string others;
        for (const TimelineExchange& other : round.exchanges) {
            if (other.clique == exchange.clique && other.island != exchange.island) {
                others += (others.empty() ? "to " : ", ") +
                          names_[static_cast<std::size_t>(other.island)];
            }
        }
        const std::string text = shortened(others, room, kSize);
        if (text_extent(text, kSize) <= room && text_extent("to A\xE2\x80\xA6", kSize) <= room) {
            svg_.text({x_of(begin) + 4, top + kSend - 3.2}, text, {.size = kSize, .full = others});
        }
    }

    const ScheduleTimeline& timeline_;
    std::vector<PlacedRound> rounds_;
    std::size_t parts_;               ///< of each lane
    std::vector<std::string> lanes_;  ///< islands, then what has spans alone
    std::vector<std::string> names_;  ///< of lanes, as far as there is room
    double left_;
    double wide_;
    Svg svg_;
    double begin_ = 0;  ///< of the axis, ms
    double end_ = 0;
};

}  // namespace

std::string draw(const ScheduleTimeline& timeline) {
    return TimelinePicture(timeline).draw();
}

}  // namespace longhaul::report
