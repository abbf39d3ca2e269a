// perftest (ib_write_bw, ib_send_lat, ...), as printed or as --out_json writes it.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "longhaul/core/cursor.hpp"
#include "longhaul/interchange/detail/readers.hpp"
#include "longhaul/interchange/detail/records.hpp"

namespace longhaul::interchange::detail {
namespace {

using core::Cursor;
using measure::Pattern;

constexpr double kBitsOfMib = 8.0 * 1048576;
constexpr double kBitsOfGbit = 1e9;

/// What the title of a run says of it.
struct PerftestKind {
    bool latency = false;
    bool both_ways = false;
    bool half =
        true;  ///< latency is half a round trip (write, send), not a whole one (read, atomic)
};

struct PerftestRow {
    double bytes = 0;
    double rate_bits = 0;  ///< bit/s, of bandwidth tests
    std::optional<double> least_s, most_s;
    double middle_s = 0;  ///< of latency tests
    int line = 0;
};

PerftestKind perftest_kind(std::string_view title) {
    const std::string text = lower(title);
    const auto has = [&](std::string_view word) { return text.find(word) != std::string::npos; };
    return {has("latency") || has("_lat"),
            has("bidirectional"),
            !has("read") && !has("atomic") && !has("fetch")};
}

void add_latency(const std::vector<PerftestRow>& rows,
                 const PerftestKind& kind,
                 const Ends& ends,
                 Imported& imported) {
    for (const PerftestRow& row : rows) {
        if (kind.half) {
            for (const Ends& way : {ends, Ends{ends.to, ends.from}}) {
                add_summary(imported.raw.samples,
                            make_sample(Pattern::kPeer, way, row.bytes, 0),
                            row.least_s,
                            row.middle_s,
                            row.most_s);
            }
        } else if (&row == &rows.front()) {
            add_summary(
                imported.raw.samples, make_ping(ends, 0), row.least_s, row.middle_s, row.most_s);
        }
    }
    note(imported,
         kind.half ? "perftest latency of write and send is half a round trip: both directions get "
                     "it, although their alphas may differ"
                   : "perftest latency of read and atomic is a whole round trip: the least size is "
                     "kept as a ping, larger ones are left out");
}

void add_bandwidth(std::vector<PerftestRow> rows,
                   const PerftestKind& kind,
                   const Ends& ends,
                   Imported& imported) {
    const PerftestRow& row = *std::ranges::max_element(rows, {}, &PerftestRow::bytes);
    if (kind.both_ways) {
        for (const Ends& way : {ends, Ends{ends.to, ends.from}}) {
            imported.raw.samples.push_back(make_sample(
                Pattern::kBothWays, way, row.bytes, 8 * row.bytes / (row.rate_bits / 2)));
        }
        note(imported, "a bidirectional run prints the sum of both directions: each gets half");
    } else {
        imported.raw.samples.push_back(
            make_sample(Pattern::kPeer, ends, row.bytes, 8 * row.bytes / row.rate_bits));
    }
    note(imported,
         "perftest bandwidth keeps many messages under way: the largest size gives beta, no alpha; "
         "frameworks reach less, so it is an upper bound");
}

void add_perftest(std::vector<PerftestRow> rows,
                  const PerftestKind& kind,
                  const Ends& ends,
                  Imported& imported,
                  const Report& report) {
    std::erase_if(rows, [&](const PerftestRow& row) {
        return !plausible(row.bytes,
                          kind.latency ? row.middle_s : 8 * row.bytes / row.rate_bits,
                          row.line,
                          report);
    });
    if (rows.empty()) {
        return;
    }
    const std::size_t first = imported.raw.samples.size();
    if (kind.latency) {
        add_latency(rows, kind, ends, imported);
    } else {
        add_bandwidth(std::move(rows), kind, ends, imported);
    }
    for (std::size_t i = first; i < imported.raw.samples.size(); ++i) {
        // Many messages under way are another thing than one: fits must not mix them.
        imported.raw.samples[i].transport = kind.latency ? "rdma" : "rdma-bulk";
    }
}

// ---- text
// ----------------------------------------------------------------------------------------

/// Columns of the head "#bytes #iterations BW average[MiB/sec] ...". Its words: names may hold
/// blanks, so places are counted by the words that start a column.
struct PerftestColumns {
    std::vector<std::string> names;
    double unit_bits = 0;
};

/// "#bytes #iterations t_min[usec]    t_max[usec]  99% percentile[usec]" as names.
PerftestColumns perftest_columns(std::string_view head) {
    PerftestColumns columns;
    std::string name;
    for (const std::string_view word : words_of(head)) {
        name += (name.empty() ? "" : " ") + std::string(word);
        const bool starts = word == "BW" || word == "tps" || word.ends_with('%');
        if (!starts) {
            columns.names.push_back(std::exchange(name, ""));
        }
    }
    const auto has = [&](std::string_view unit) {
        return head.find(unit) != std::string_view::npos;
    };
    columns.unit_bits = has("[Gb/sec]")                       ? kBitsOfGbit
                        : has("[MiB/sec]") || has("[MB/sec]") ? kBitsOfMib
                                                              : 0;
    return columns;
}

std::optional<double> cell(const PerftestColumns& columns,
                           const std::vector<std::string_view>& words,
                           std::string_view name) {
    for (std::size_t i = 0; i < std::min(columns.names.size(), words.size()); ++i) {
        if (columns.names[i].starts_with(name)) {
            return number_of(words[i]);
        }
    }
    return std::nullopt;
}

std::optional<double> in_seconds(std::optional<double> microseconds) {
    return microseconds ? std::optional(*microseconds * 1e-6) : std::nullopt;
}

void read_perftest_row(const Line& line,
                       const PerftestColumns& columns,
                       bool latency,
                       std::vector<PerftestRow>& rows,
                       const Report& report) {
    const std::vector<std::string_view> words = words_of(line.text);
    PerftestRow row;
    row.line = line.number;
    const auto bytes = cell(columns, words, "#bytes");
    auto value = cell(columns, words, latency ? "t_typical" : "BW average");
    if (latency && !value) {
        value = cell(columns, words, "t_avg");
    }
    if (!bytes || !value || *value <= 0) {
        report.at(line.number,
                  latency ? "t_typical and t_avg are missing or not above 0"
                          : "BW average is missing or not above 0",
                  "give the output as it was printed");
        return;
    }
    row.bytes = *bytes;
    row.rate_bits = latency ? 0 : *value * columns.unit_bits;
    row.middle_s = latency ? *value * 1e-6 : 0;
    row.least_s = in_seconds(cell(columns, words, "t_min"));
    row.most_s = in_seconds(cell(columns, words, "t_max"));
    const bool seen = std::ranges::any_of(
        rows, [&](const PerftestRow& other) { return other.bytes == row.bytes; });
    if (!seen) {  // server and client may share a log
        rows.push_back(row);
    }
}

void read_perftest_text(const SourceText& file,
                        const Ends& ends,
                        Imported& imported,
                        const Report& report) {
    PerftestKind kind;
    std::optional<PerftestColumns> columns;
    std::vector<PerftestRow> rows;
    const std::size_t known = report.problems().size();
    for (const Line& line : lines_of(file.text)) {
        const std::string_view text = trimmed(line.text);
        if (text.ends_with(" Test")) {
            kind = perftest_kind(text);
        } else if (text.starts_with("#bytes")) {
            columns = perftest_columns(text);
            kind.latency = kind.latency || text.find("t_avg") != std::string_view::npos;
            if (!kind.latency && columns->unit_bits == 0) {
                report.at(line.number,
                          "the head names no unit of bandwidth that is known",
                          "it must be [MiB/sec], [MB/sec] or [Gb/sec]");
                return;
            }
        } else if (columns && !text.empty() && text.front() >= '0' && text.front() <= '9') {
            read_perftest_row(line, *columns, kind.latency, rows, report);
        }
    }
    if (!columns) {
        report.whole("has no head '#bytes #iterations ...'",
                     "give the output of an ib_*_bw or ib_*_lat run, or its --out_json file");
    } else if (report.problems().size() == known) {
        add_perftest(std::move(rows), kind, ends, imported, report);
    }
}

// ---- JSON
// ----------------------------------------------------------------------------------------

std::optional<double> perftest_unit(const ImportOptions& options, const Report& report) {
    if (options.unit == "gbit" || options.unit == "mib") {
        return options.unit == "gbit" ? kBitsOfGbit : kBitsOfMib;
    }
    report.whole("does not say in which unit its bandwidth is",
                 "give --unit mib (the default of perftest), or --unit gbit when it ran with "
                 "--report_gbits");
    return std::nullopt;
}

std::optional<double> seconds_member(const Cursor& object, std::string_view key) {
    const auto found = object.find(key);
    return found ? in_seconds(found->positive_number()) : std::nullopt;
}

void read_json_result(const Cursor& result,
                      PerftestKind& kind,
                      const ImportOptions& options,
                      std::vector<PerftestRow>& rows,
                      const Report& report) {
    if (!result.is_object()) {
        return;
    }
    PerftestRow row;
    row.line = result.value().line;
    const auto size = result.require("MsgSize", "bytes of a message");
    row.bytes = size ? size->number_at_least(0).value_or(0) : 0;
    kind.latency = kind.latency || result.find("t_avg") || result.find("t_typical");
    if (kind.latency) {
        const auto middle = result.find("t_typical") ? seconds_member(result, "t_typical")
                                                     : seconds_member(result, "t_avg");
        row.middle_s = middle.value_or(0);
        row.least_s = seconds_member(result, "t_min");
        row.most_s = seconds_member(result, "t_max");
    } else if (const auto rate = result.require("BW_average", "the mean bandwidth")) {
        const auto unit = perftest_unit(options, report);
        row.rate_bits = rate->positive_number().value_or(0) * unit.value_or(1);
    }
    rows.push_back(row);
}

void read_perftest_json(const SourceText& file,
                        const ImportOptions& options,
                        const Ends& ends,
                        Imported& imported,
                        const Report& report) {
    const auto document = core::parse_foreign_json(file.text, file.name);
    if (!document) {
        report.problems().insert(
            report.problems().end(), document.error().begin(), document.error().end());
        return;
    }
    const std::size_t known = report.problems().size();
    const Cursor root(*document, report.problems());
    PerftestKind kind;
    if (const auto info = root.find("test_info"); info && info->find("test")) {
        kind = perftest_kind(info->find("test")->value().string);
    }
    std::vector<PerftestRow> rows;
    const auto results = root.require("results", "what was measured");
    if (results && results->value().kind == core::Value::Kind::kArray) {
        for (std::size_t i = 0; i < results->value().size(); ++i) {
            read_json_result(results->item(i), kind, options, rows, report);
        }
    } else if (results) {
        read_json_result(*results, kind, options, rows, report);
    }
    if (report.problems().size() == known) {
        add_perftest(std::move(rows), kind, ends, imported, report);
    }
}

}  // namespace

void read_perftest(const SourceText& file,
                   const ImportOptions& options,
                   Imported& imported,
                   const Report& report) {
    const Ends ends = ends_of(options, "client", "server", report);
    if (trimmed(file.text.substr(0, 64)).starts_with('{')) {
        read_perftest_json(file, options, ends, imported, report);
    } else if (!options.unit.empty()) {
        report.whole("says itself in which unit its bandwidth is, and --unit is given",
                     "leave --unit out: it is for the JSON output");
    } else {
        read_perftest_text(file, ends, imported, report);
    }
}

}  // namespace longhaul::interchange::detail
