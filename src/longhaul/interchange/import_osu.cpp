// OSU micro-benchmarks: osu_latency, osu_bw, osu_bibw as printed.
#include <algorithm>

#include <fmt/format.h>

#include "longhaul/interchange/detail/readers.hpp"
#include "longhaul/interchange/detail/records.hpp"

namespace longhaul::interchange::detail {
namespace {

using measure::Pattern;

enum class OsuTest { kUnknown, kLatency, kBandwidth, kBothWays };

/// From the title "# OSU MPI Latency Test v7.0" (with or without the dash of "Bi-Directional").
OsuTest osu_test(std::string_view title) {
    const std::vector<std::string_view> words = words_of(title);
    if (words.size() < 5 || words[1] != "OSU" || !words[2].starts_with("MPI")) {
        return OsuTest::kUnknown;
    }
    if (words[3] == "Latency" && words[4] == "Test") {
        return OsuTest::kLatency;
    }
    if (words[3] == "Bandwidth" && words[4] == "Test") {
        return OsuTest::kBandwidth;
    }
    return words[3] == "Bi-Directional" ? OsuTest::kBothWays : OsuTest::kUnknown;
}

struct OsuRow {
    double bytes = 0;
    double value = 0;
    int line = 0;
};

void add_osu_latency(const std::vector<OsuRow>& rows,
                     const Ends& ends,
                     Imported& imported,
                     const Report& report) {
    for (const OsuRow& row : rows) {
        if (!plausible(row.bytes, row.value * 1e-6, row.line, report)) {
            continue;
        }
        for (const Ends& way : {ends, Ends{ends.to, ends.from}}) {
            imported.raw.samples.push_back(
                make_sample(Pattern::kPeer, way, row.bytes, row.value * 1e-6));
        }
    }
    note(imported,
         "osu_latency prints half a round trip: both directions get it, although they may differ");
}

void add_osu_bandwidth(const std::vector<OsuRow>& rows,
                       bool both_ways,
                       const Ends& ends,
                       Imported& imported,
                       const Report& report) {
    const OsuRow& largest = *std::ranges::max_element(rows, {}, &OsuRow::bytes);
    const double rate = largest.value * 1e6 / (both_ways ? 2 : 1);  // bytes a second, one direction
    if (!plausible(largest.bytes, largest.bytes / rate, largest.line, report)) {
        return;
    }
    const Pattern pattern = both_ways ? Pattern::kBothWays : Pattern::kPeer;
    imported.raw.samples.push_back(make_sample(pattern, ends, largest.bytes, largest.bytes / rate));
    if (both_ways) {
        imported.raw.samples.push_back(
            make_sample(pattern, {ends.to, ends.from}, largest.bytes, largest.bytes / rate));
        note(imported, "osu_bibw prints the sum of both directions: each gets half");
    }
    note(imported,
         "osu_bw keeps many messages under way: the largest size gives beta, no alpha; take alpha "
         "from osu_latency");
}

/// Title and rows; what a launcher or a library printed between them is passed over.
struct OsuRun {
    std::string title;
    std::vector<OsuRow> rows;
};

OsuRun osu_run(const SourceText& file, const Report& report) {
    OsuRun run;
    for (const Line& line : lines_of(file.text)) {
        const std::vector<std::string_view> words = words_of(line.text);
        if (words.size() > 1 && words[0] == "#" && words[1] == "OSU" && run.title.empty()) {
            run.title = std::string(trimmed(line.text));
        }
        const auto bytes = words.empty() ? std::nullopt : number_of(words[0]);
        if (!bytes) {
            continue;
        }
        const auto value = words.size() > 1 ? number_of(words[1]) : std::nullopt;
        if (!value || *value <= 0) {
            report.at(line.number, "has no number above 0 behind the size", "give the whole row");
            continue;
        }
        run.rows.push_back({*bytes, *value, line.number});
    }
    return run;
}

}  // namespace

void read_osu(const SourceText& file,
              const ImportOptions& options,
              Imported& imported,
              const Report& report) {
    const std::size_t known = report.problems().size();
    const auto [title, rows] = osu_run(file, report);
    const OsuTest test = osu_test(title);
    if (test == OsuTest::kUnknown) {
        report.whole(title.empty() ? "has no title '# OSU MPI ... Test'"
                                   : core::shown(title, 60) + " is no measurement of one link",
                     "give the output of osu_latency, osu_bw or osu_bibw");
    }
    if (report.problems().size() != known || rows.empty()) {
        return;
    }
    const Ends ends = ends_of(options, "rank0", "rank1", report);
    const std::size_t first = imported.raw.samples.size();
    if (test == OsuTest::kLatency) {
        add_osu_latency(rows, ends, imported, report);
    } else {
        add_osu_bandwidth(rows, test == OsuTest::kBothWays, ends, imported, report);
    }
    for (std::size_t i = first; i < imported.raw.samples.size(); ++i) {
        // Many messages under way are another thing than one: fits must not mix them.
        imported.raw.samples[i].transport = test == OsuTest::kLatency ? "mpi" : "mpi-bulk";
    }
}

}  // namespace longhaul::interchange::detail
