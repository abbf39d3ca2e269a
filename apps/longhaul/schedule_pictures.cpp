#include "longhaul/schedule_pictures.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <string_view>

#include "longhaul/command.hpp"
#include "longhaul/report/mixing_matrix.hpp"
#include "longhaul/report/schedule_map.hpp"
#include "longhaul/report/schedule_timeline.hpp"
#include "longhaul/report/survival_plot.hpp"
#include "longhaul/schedule_text.hpp"
#include "longhaul/topology/multicast.hpp"

namespace longhaul::app {
namespace {

using schedule::TimedClique;
using schedule::TimedRound;

/// The best of the others that are drawn, and those that readers look for wherever they stand.
constexpr std::size_t kBestCurves = 4;
constexpr std::string_view kAlwaysDrawn[] = {
    "Base-(k+1)", "MATCHA", "ring of least latency", "random pairs"};
constexpr const char* kWords =
    "A: the number of rounds for which islands disagree about an update, on average. Score: the "
    "same in time";
/// Panels of the mixing picture at most.
constexpr std::size_t kMostPanels = 8;

std::vector<std::string> names_of(const schedule::Islands& islands) {
    std::vector<std::string> names;
    for (const schedule::Island& island : islands.islands) {
        names.push_back(island.name);
    }
    return names;
}

std::string subtitle_of(const LoadedIslands& loaded, const DrawnSchedule& drawn) {
    return fmt::format(
        "{}, A {:.4g}, score {:.1f} ms", loaded.islands.name, drawn.mixing.area, drawn.score_ms);
}

/// How the score follows from A, and what a round is.
const char* pace_words(schedule::Pace pace) {
    switch (pace) {
        case schedule::Pace::kUniform:
            return ", A times the longest round.";
        case schedule::Pace::kOwn:
            return ", with each round as long as its own exchange.";
        case schedule::Pace::kStreamed:
            return "; a round starts while the one before is still on its way.";
    }
    return ".";
}

std::string map_of(const LoadedIslands& loaded, const DrawnSchedule& drawn) {
    report::ScheduleMap map;
    map.title = "Rounds of " + drawn.name;
    map.subtitle = subtitle_of(loaded, drawn);
    map.islands = names_of(loaded.islands);
    map.transit = loaded.islands.transit.size();
    for (const topology::Link& link : loaded.islands.network.links) {
        if (link.from < link.to) {
            map.links.push_back({link.from, link.to, link.latency_ms});
        }
    }
    for (std::size_t k = 0; k < drawn.timed.rounds.size(); ++k) {
        report::MapRound round;
        round.time_ms = drawn.round_ms[k];
        for (const TimedClique& clique : drawn.timed.rounds[k].cliques) {
            round.cliques.push_back(schedule::members_of(clique.members));
            std::vector<report::MapUse>& uses = round.trees.emplace_back();
            for (const topology::StreamTree& tree : clique.trees) {
                for (const std::uint32_t id : tree.links) {
                    const topology::Link& link = loaded.islands.network.links[id];
                    uses.push_back({link.from, link.to});
                }
            }
        }
        map.rounds.push_back(std::move(round));
    }
    if (drawn.timed.pace == schedule::Pace::kUniform) {
        map.common_ms = drawn.timed.rounds.front().length_ms;
    }
    map.caption = std::string(kWords) + pace_words(drawn.timed.pace);
    return report::draw(map);
}

/// Weights of one round: those of the file, or equal ones.
schedule::MixingMatrix weights_of(const TimedRound& round,
                                  const LoadedIslands& loaded,
                                  const std::vector<double>& target) {
    schedule::Round plain;
    for (const TimedClique& clique : round.cliques) {
        plain.cliques.push_back(clique.members);
    }
    schedule::MixingMatrix weights =
        schedule::mixing_matrix(plain, static_cast<int>(loaded.islands.size()), target);
    for (const TimedClique& clique : round.cliques) {
        const std::vector<int> members = schedule::members_of(clique.members);
        for (std::size_t i = 0; i < clique.weights.rows(); ++i) {
            for (std::size_t j = 0; j < clique.weights.columns(); ++j) {
                weights(static_cast<std::size_t>(members[i]),
                        static_cast<std::size_t>(members[j])) = clique.weights(i, j);
            }
        }
    }
    return weights;
}

std::string mixing_of(const LoadedIslands& loaded, const DrawnSchedule& drawn) {
    report::MixingPicture picture;
    picture.title = "How far " + drawn.name + " has spread updates";
    picture.subtitle = subtitle_of(loaded, drawn);
    picture.islands = names_of(loaded.islands);
    const std::size_t n = picture.islands.size();
    const auto target = schedule::with_targets(loaded.mixing, loaded.islands).target;
    schedule::MixingMatrix phi(n, n, 0);
    for (std::size_t i = 0; i < n; ++i) {
        phi(i, i) = 1;
    }
    const std::size_t period = drawn.timed.rounds.size();
    for (std::size_t h = 0; h < std::min(kMostPanels, std::max<std::size_t>(period, 2)); ++h) {
        const auto weights = weights_of(drawn.timed.rounds[h % period], loaded, target);
        schedule::MixingMatrix next(n, n, 0);
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < n; ++j) {
                for (std::size_t x = 0; x < n; ++x) {
                    next(i, x) += weights(i, j) * phi(j, x);
                }
            }
        }
        phi = next;
        picture.panels.push_back({phi, ""});
    }
    return report::draw(picture);
}

/// The best few of the others, and those that are always drawn, best first.
std::vector<schedule::Comparator> drawn_others(const DrawnSchedule& drawn) {
    std::vector<schedule::Comparator> others = drawn.others;
    std::erase_if(others, [&](const schedule::Comparator& other) {
        return !other.feasible || other.curves.empty() ||
               (other.schedule && *other.schedule == drawn.timed.schedule());
    });
    std::ranges::stable_sort(others, {}, &schedule::Comparator::score_ms);
    std::vector<schedule::Comparator> chosen;
    for (std::size_t i = 0; i < others.size(); ++i) {
        if (i < kBestCurves ||
            std::ranges::find(kAlwaysDrawn, others[i].name) != std::end(kAlwaysDrawn)) {
            chosen.push_back(std::move(others[i]));
        }
    }
    return chosen;
}

std::string curves_of(const LoadedIslands& loaded, const DrawnSchedule& drawn) {
    report::SurvivalPlot plot;
    plot.title = "What islands still disagree about";
    plot.subtitle = loaded.islands.name;
    plot.over_time = true;
    std::vector<double> lengths;
    for (const TimedRound& round : drawn.timed.rounds) {
        lengths.push_back(round.length_ms);
    }
    plot.schedules.push_back(
        {drawn.name, drawn.mixing.curves, lengths, 0, drawn.mixing.area, drawn.score_ms});
    for (const schedule::Comparator& other : drawn_others(drawn)) {
        plot.schedules.push_back(
            {other.name, other.curves, other.lengths_ms, 0, other.area, other.score_ms, false});
    }
    plot.caption = std::string(kWords) + pace_words(drawn.timed.pace) +
                   " Others run in rounds that do not overlap. Each name stands at a point of its "
                   "curve.";
    return report::draw(plot);
}

/// What one clique does, member by member.
void add_exchanges(const TimedClique& clique,
                   std::size_t number,
                   const topology::StreamNetwork& network,
                   report::TimelineRound& round) {
    const std::vector<int> members = schedule::members_of(clique.members);
    const std::size_t k = members.size();
    const std::size_t first_one = round.exchanges.size();
    for (std::size_t i = 0; i < k; ++i) {
        report::TimelineExchange exchange;
        exchange.island = members[i];
        exchange.clique = number;
        exchange.offset_ms = clique.offset_ms[i];
        exchange.sending_ms = clique.sender_ms.empty() ? clique.sending_ms : clique.sender_ms[i];
        exchange.first_ms = std::numeric_limits<double>::infinity();
        exchange.last_ms = -std::numeric_limits<double>::infinity();
        round.exchanges.push_back(exchange);
    }
    for (std::size_t i = 0; i < k; ++i) {
        topology::Stream stream{members[i], members, 1};
        std::erase(stream.receivers, members[i]);
        const auto far = topology::stream_latencies(network, stream, clique.trees[i]);
        for (std::size_t r = 0; r < far.size(); ++r) {
            report::TimelineExchange& at = round.exchanges[first_one + (r < i ? r : r + 1)];
            const double arrival = clique.offset_ms[i] + far[r];
            at.first_ms = std::min(at.first_ms, arrival);
            at.last_ms = std::max(at.last_ms, arrival);
            at.end_ms = std::max(at.end_ms, arrival + round.exchanges[first_one + i].sending_ms);
        }
    }
}

std::string timeline_of(const LoadedIslands& loaded, const DrawnSchedule& drawn) {
    report::ScheduleTimeline timeline;
    timeline.title = "One period of " + drawn.name;
    timeline.subtitle = subtitle_of(loaded, drawn);
    timeline.islands = names_of(loaded.islands);
    timeline.streamed = drawn.timed.pace == schedule::Pace::kStreamed;
    for (const TimedRound& round : drawn.timed.rounds) {
        report::TimelineRound& lane = timeline.rounds.emplace_back();
        lane.length_ms = round.length_ms;
        std::size_t number = 0;
        for (const TimedClique& clique : round.cliques) {
            if (schedule::clique_size(clique.members) > 1) {
                add_exchanges(clique, number++, loaded.islands.network, lane);
            }
        }
    }
    return report::draw(timeline);
}

}  // namespace

void add_pictures(CLI::App& command, SchedulePictures& pictures) {
    const auto add = [&](const char* name, std::string& path, const char* what) {
        command.add_option(name, path, what)->type_name("FILE.svg");
    };
    add("--picture-map", pictures.map, "rounds as maps of the network, to write");
    add("--picture-mixing", pictures.mixing, "how far updates have spread, as matrices, to write");
    add("--picture-curves",
        pictures.curves,
        "what islands still disagree about over time, to write");
    add("--picture-timeline", pictures.timeline, "who sends and receives when, to write");
}

void add_schedule_outputs(CLI::App& command,
                          std::string& output,
                          SchedulePictures& pictures,
                          bool& json) {
    command
        .add_option("-o,--output",
                    output,
                    "schedule with offsets, rates and trees to write; - is standard output")
        ->type_name("FILE");
    add_pictures(command, pictures);
    command.add_flag("--json", json, "print one JSON object");
}

std::vector<std::string> written_files(const std::string& output,
                                       const SchedulePictures& pictures) {
    std::vector<std::string> written = pictures.paths();
    written.push_back(output);
    return written;
}

core::Result<void> check_outputs(const std::string& output,
                                 const SchedulePictures& pictures,
                                 const std::vector<std::string>& read,
                                 bool json) {
    const std::vector<std::string> written = written_files(output, pictures);
    if (auto apart = check_apart(written, read); !apart) {
        return apart;
    }
    if (auto alone = check_json_alone(json, written); !alone) {
        return alone;
    }
    for (const std::string& path : written) {
        if (auto writable = path.empty() ? core::Result<void>() : check_writable(path); !writable) {
            return writable;
        }
    }
    return {};
}

core::Result<void> write_all(const std::string& output,
                             const SchedulePictures& pictures,
                             const LoadedIslands& loaded,
                             const DrawnSchedule& drawn) {
    if (auto written = write_timed(output, drawn.timed, loaded); !written) {
        return written;
    }
    return write_pictures(pictures, loaded, drawn);
}

core::Result<void> write_pictures(const SchedulePictures& pictures,
                                  const LoadedIslands& loaded,
                                  const DrawnSchedule& drawn) {
    using Draw = std::string (*)(const LoadedIslands&, const DrawnSchedule&);
    const std::pair<const std::string*, Draw> all[] = {{&pictures.map, map_of},
                                                       {&pictures.mixing, mixing_of},
                                                       {&pictures.curves, curves_of},
                                                       {&pictures.timeline, timeline_of}};
    for (const auto& [path, draw] : all) {
        if (path->empty()) {
            continue;
        }
        if (auto written = write_file(*path, draw(loaded, drawn)); !written) {
            return written;
        }
    }
    return {};
}

}  // namespace longhaul::app
