#include "longhaul/measure_text.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "longhaul/fabric/limits.hpp"
#include "longhaul/measure_common.hpp"

namespace longhaul::app {
namespace {

using measure::LinkFit;

constexpr std::size_t kShownMissing = 20;
constexpr std::size_t kShownPlaces = 3;
constexpr double kBoundless = 0.999;  // of the largest rate there is

bool one_way(const LinkFit& fit) {
    return fit.timing == measure::Timing::kOneWay;
}

/// "40.1 (39.8 - 40.6)"; an end that nothing bounds is "unknown".
std::string with_range(double value, const measure::Range& range) {
    const bool bounded = range.upper < kBoundless * fabric::kMaxBetaGbps;
    return fmt::format("{:.4g} ({:.4g} - {})",
                       value,
                       range.lower,
                       bounded ? fmt::format("{:.4g}", range.upper) : "unknown");
}

/// "-" where the line of the largest messages meets zero bytes below zero.
std::string alpha_text(const LinkFit& fit, bool say_one_way) {
    return fit.alpha_ms < 0 ? "-"
                            : with_range(fit.alpha_ms, fit.alpha_interval) +
                                  (say_one_way && one_way(fit) ? " one way" : "");
}

/// "warm", "idle 1 s".
std::string state_text(const LinkFit& fit) {
    return fit.state == measure::State::kIdle ? fmt::format("idle {:g} s", fit.idle_s)
                                              : std::string(name_of(fit.state));
}

/// One fit under a heading.
struct Row {
    std::string name;
    const LinkFit* fit;
};

std::vector<Row> rows_of(const std::vector<LinkFit>& fits) {
    std::vector<Row> rows;
    for (const LinkFit& fit : fits) {
        rows.push_back({measure::key_of(fit), &fit});
    }
    return rows;
}

std::vector<Row> fan_rows(const std::vector<measure::FanFit>& fans) {
    std::vector<Row> rows;
    for (const measure::FanFit& fan : fans) {
        if (fan.root_fit) {
            rows.push_back({fan.key + " all", &*fan.root_fit});
        }
        for (const LinkFit& fit : fan.per_peer) {
            rows.push_back({fan.key + " " + measure::key_of(fit), &fit});
        }
    }
    return rows;
}

/// Lines of text under one heading, columns as wide as their longest entry.
std::string table(const std::string& heading, const std::vector<Row>& rows) {
    if (rows.empty()) {
        return "";
    }
    using Cells = std::vector<std::string>;
    const bool only_one_way =
        std::ranges::all_of(rows, [](const Row& row) { return one_way(*row.fit); });
    std::vector<Cells> lines = {
        {heading,
         "transport",
         "state",
         "streams",
         only_one_way ? "alpha ms, one way (95 %)" : "alpha ms, round trip (95 %)",
         "beta Gbit/s (95 %)",
         "limit",
         "verdict"}};
    for (const auto& [name, fit] : rows) {
        lines.push_back({name,
                         fit->transport,
                         state_text(*fit),
                         std::to_string(fit->streams),
                         alpha_text(*fit, !only_one_way),
                         with_range(fit->beta_gbps, fit->beta_interval),
                         std::string(name_of(fit->limiter)),
                         std::string(name_of(fit->verdict))});
    }
    std::vector<std::size_t> widths(lines.front().size(), 0);
    for (const Cells& cells : lines) {
        for (std::size_t i = 0; i < cells.size(); ++i) {
            widths[i] = std::max(widths[i], cells[i].size());
        }
    }
    std::string text;
    for (const Cells& cells : lines) {
        for (std::size_t i = 0; i + 1 < cells.size(); ++i) {
            text += fmt::format("{:<{}}  ", cells[i], widths[i]);
        }
        text += cells.back() + "\n";
    }
    return text + "\n";
}

/// Remarks of one table with the same words before the place and after it.
struct Remarks {
    std::string gate;
    bool warning = false;
    std::vector<std::string> places;
    std::vector<std::string> texts;  ///< one a place
};

/// Why the line of the largest messages has no start-up, and what such a message costs.
measure::Finding below_zero(const LinkFit& fit) {
    const double bytes = fit.segments.back().to_bytes;
    return {"below_zero",
            fmt::format("no start-up of its last line, which meets zero bytes at {:.4g} ms",
                        fit.alpha_ms),
            fmt::format("a message of {} takes {:.4g} s",
                        shown_bytes(bytes),
                        measure::cost_of(fit, bytes).value()),
            true};
}

std::vector<Remarks> remarks_of(const std::vector<Row>& rows) {
    std::vector<Remarks> all;
    const auto add = [&all](const std::string& name, const measure::Finding& finding) {
        auto same = std::ranges::find_if(all, [&](const Remarks& remarks) {
            return remarks.gate == finding.gate && remarks.warning == finding.warning;
        });
        if (same == all.end()) {
            same = all.insert(all.end(), Remarks{finding.gate, finding.warning, {}, {}});
        }
        same->places.push_back(name);
        same->texts.push_back(finding.reason + "; " + finding.advice);
    };
    for (const auto& [name, fit] : rows) {
        for (const measure::Finding& finding : fit->findings) {
            add(name, finding);
        }
        if (fit->alpha_ms < 0) {
            add(name, below_zero(*fit));
        }
    }
    return all;
}

/// One line a remark; when a gate speaks of many places, one line with the first.
std::string reasons(const std::string& heading, const std::vector<Row>& rows) {
    std::string text;
    for (const Remarks& remarks : remarks_of(rows)) {
        const std::string kind = remarks.warning ? "note" : "suspect";
        if (remarks.places.size() > kShownPlaces) {
            text += fmt::format("{} {} ({}); the first: {}\n",
                                kind,
                                some_of(remarks.places),
                                heading,
                                remarks.texts.front());
            continue;
        }
        for (std::size_t i = 0; i < remarks.places.size(); ++i) {
            text +=
                fmt::format("{} {} ({}): {}\n", kind, remarks.places[i], heading, remarks.texts[i]);
        }
    }
    return text;
}

std::string missing_text(const std::vector<measure::HostPair>& missing) {
    if (missing.empty()) {
        return "";
    }
    std::string text = fmt::format(
        "{} directed {} missing:", missing.size(), missing.size() == 1 ? "pair is" : "pairs are");
    for (std::size_t i = 0; i < std::min(missing.size(), kShownMissing); ++i) {
        text += fmt::format(" {}>{}", missing[i].from, missing[i].to);
    }
    if (missing.size() > kShownMissing) {
        text += fmt::format(" and {} more", missing.size() - kShownMissing);
    }
    return text + "\n";
}

std::string streams_text(const std::vector<measure::StreamChoice>& choices) {
    std::string text;
    for (const measure::StreamChoice& choice : choices) {
        text += fmt::format("{}>{} {} {}: {} streams are enough;",
                            choice.from,
                            choice.to,
                            choice.transport,
                            name_of(choice.state),
                            choice.enough);
        for (std::size_t i = 0; i < choice.streams.size(); ++i) {
            text += fmt::format(" {}: {:.4g} Gbit/s{}",
                                choice.streams[i],
                                choice.beta_gbps[i],
                                i + 1 < choice.streams.size() ? "," : "\n");
        }
    }
    return text;
}

}  // namespace

std::string some_of(const std::vector<std::string>& places) {
    std::string text;
    for (std::size_t i = 0; i < std::min(places.size(), kShownPlaces); ++i) {
        text += (i == 0 ? "" : i + 1 == places.size() ? " and " : ", ") + places[i];
    }
    return places.size() > kShownPlaces
               ? text + fmt::format(" and {} more", places.size() - kShownPlaces)
               : text;
}

std::string fits_text(const measure::LinkFits& fits) {
    const std::vector<std::pair<std::string, std::vector<Row>>> tables = {
        {"pair", rows_of(fits.pairs)},
        {"both ways", rows_of(fits.both_ways)},
        {"fan", fan_rows(fits.fans)},
        {"path", rows_of(fits.paths)},
        {"path, both ways", rows_of(fits.both_ways_paths)},
        {"relay", rows_of(fits.relays)},
        {"local copy", rows_of(fits.locals)}};
    std::string text;
    for (const auto& [heading, rows] : tables) {
        text += table(heading, rows);
    }
    for (const auto& [heading, rows] : tables) {
        text += reasons(heading, rows);
    }
    return text + streams_text(fits.stream_choices) + missing_text(fits.missing);
}

}  // namespace longhaul::app
