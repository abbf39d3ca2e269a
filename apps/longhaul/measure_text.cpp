#include "longhaul/measure_text.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace longhaul::app {
namespace {

using measure::LinkFit;

constexpr std::size_t kShownMissing = 20;

/// "40.1 (39.8 - 40.6)".
std::string with_range(double value, const measure::Range& range) {
    return fmt::format("{:.4g} ({:.4g} - {:.4g})", value, range.lower, range.upper);
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
    std::vector<Cells> lines = {{heading,
                                 "transport",
                                 "state",
                                 "streams",
                                 "alpha ms (95 %)",
                                 "beta Gbit/s (95 %)",
                                 "limit",
                                 "verdict"}};
    for (const auto& [name, fit] : rows) {
        lines.push_back({name,
                         fit->transport,
                         state_text(*fit),
                         std::to_string(fit->streams),
                         with_range(fit->alpha_ms, fit->alpha_interval),
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

std::string reasons(const std::vector<Row>& rows) {
    std::string text;
    for (const auto& [name, fit] : rows) {
        for (const measure::Finding& finding : fit->findings) {
            text += fmt::format("{}{}: {}; {}\n",
                                finding.warning ? "note " : "suspect ",
                                name,
                                finding.reason,
                                finding.advice);
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
        text += reasons(rows);
    }
    return text + streams_text(fits.stream_choices) + missing_text(fits.missing);
}

}  // namespace longhaul::app
