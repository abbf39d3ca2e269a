#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "longhaul/report/schedule_timeline.hpp"
#include "longhaul/schedule/schedule_file.hpp"
#include "longhaul/schedule_simulated.hpp"

namespace longhaul::app {
namespace {

/// Until when an island sends that starts at `from_ms`: an outage cuts it off. Not later than
/// `from_ms`: it never starts.
double sends_until(const schedule::SimulationOptions& options,
                   int island,
                   double from_ms,
                   double to_ms) {
    for (const schedule::Outage& outage : options.outages) {
        const bool hit = outage.what == schedule::Outage::What::kIsland &&
                         static_cast<int>(outage.index) == island;
        if (hit && outage.from_ms < to_ms && outage.to_ms > from_ms) {
            to_ms = std::max(from_ms, outage.from_ms);
        }
    }
    return to_ms;
}

/// When a round starts, counted on period after period, ms.
double start_of(const schedule::TimedSchedule& timed, int round) {
    double start = 0;
    for (int k = 0; k < round; ++k) {
        start += timed.rounds[static_cast<std::size_t>(k) % timed.rounds.size()].length_ms;
    }
    return start;
}

const char* what_of(schedule::Outage::What what) {
    using What = schedule::Outage::What;
    return what == What::kAggregatorClosed ? "aggregator closed"
           : what == What::kAggregatorOpen ? "aggregator open"
                                           : "down";
}

/// Everything that does not work in the run: outages, and islands before they join or after they
/// leave.
std::vector<report::TimelineSpan> spans_of(const SimulatedSchedule& simulated,
                                           const schedule::Islands& islands) {
    constexpr double kNever = std::numeric_limits<double>::infinity();
    std::vector<report::TimelineSpan> spans;
    const std::vector<std::string> links = schedule::link_names(islands);
    for (const schedule::Outage& outage : simulated.options.outages) {
        const bool link = outage.what == schedule::Outage::What::kLink;
        spans.push_back({link ? -1 : static_cast<int>(outage.index),
                         link ? links[outage.index] : std::string(),
                         what_of(outage.what),
                         outage.from_ms,
                         outage.to_ms});
    }
    std::vector<schedule::Change> changes = simulated.options.changes;
    std::ranges::stable_sort(changes, {}, &schedule::Change::round);
    for (std::size_t at = 0; at < changes.size(); ++at) {
        const schedule::Change& change = changes[at];
        const double when = start_of(simulated.timed, change.round);
        const auto same = [&](const schedule::Change& other) {
            return other.island == change.island;
        };
        const auto here = changes.begin() + static_cast<std::ptrdiff_t>(at);
        if (change.joins && std::ranges::none_of(changes.begin(), here, same)) {
            spans.push_back({change.island, "", "not there yet", 0, when});
        } else if (!change.joins) {
            const auto back = std::ranges::find_if(here + 1, changes.end(), same);
            spans.push_back(
                {change.island,
                 "",
                 "left",
                 when,
                 back == changes.end() ? kNever : start_of(simulated.timed, back->round)});
        }
    }
    return spans;
}

}  // namespace

std::string simulated_picture(const SimulatedSchedule& simulated,
                              const schedule::Islands& islands) {
    using Kind = schedule::SimulationEvent::Kind;
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    report::ScheduleTimeline picture;
    picture.title = "What happened to " + simulated.name;
    picture.subtitle = fmt::format("{}, rounds 1 to {} of {}, simulated",
                                   islands.name,
                                   simulated.options.log_rounds,
                                   simulated.options.rounds);
    picture.streamed = simulated.timed.pace == schedule::Pace::kStreamed;
    for (const schedule::Island& island : islands.islands) {
        picture.islands.push_back(island.name);
    }
    const std::vector<schedule::TimedRound>& rounds = simulated.timed.rounds;
    double start = 0;
    for (int k = 0; k < simulated.options.log_rounds; ++k) {
        const schedule::TimedRound& planned = rounds[static_cast<std::size_t>(k) % rounds.size()];
        report::TimelineRound& lane = picture.rounds.emplace_back();
        lane.length_ms = planned.length_ms;
        std::vector<report::TimelineExchange> by_island(islands.size());
        std::size_t clique = 0;
        for (const schedule::TimedClique& each : planned.cliques) {
            const bool alone = schedule::clique_size(each.members) < 2;
            for (const int island : schedule::members_of(each.members)) {
                by_island[static_cast<std::size_t>(island)] = {
                    alone ? -1 : island, clique, kNone, kNone, kNone, kNone, kNone};
            }
            clique += alone ? 0 : 1;
        }
        for (const schedule::SimulationEvent& event : simulated.run.log) {
            if (event.round != k) {
                continue;
            }
            if (event.kind == Kind::kSend) {
                auto& at = by_island[static_cast<std::size_t>(event.from)];
                at.offset_ms = event.start_ms - start;
                at.sending_ms =
                    sends_until(simulated.options, event.from, event.start_ms, event.end_ms) -
                    event.start_ms;
            } else if (event.kind == Kind::kArrive) {
                auto& at = by_island[static_cast<std::size_t>(event.to)];
                at.first_ms = std::fmin(at.first_ms, event.start_ms - start);
                at.last_ms = std::fmax(at.last_ms, event.start_ms - start);
                at.end_ms = std::fmax(at.end_ms, event.end_ms - start);
            }
        }
        std::erase_if(by_island, [](const auto& exchange) { return exchange.island < 0; });
        lane.exchanges = std::move(by_island);
        start += planned.length_ms;
    }
    picture.spans = spans_of(simulated, islands);
    return report::draw(picture);
}

}  // namespace longhaul::app
