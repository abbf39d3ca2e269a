// nccl-tests -J FILE, as in NVIDIA/nccl-tests@a0b82b2 (version 3 of its format).
#include <fmt/format.h>

#include "longhaul/core/cursor.hpp"
#include "longhaul/interchange/detail/nccl.hpp"
#include "longhaul/interchange/detail/readers.hpp"

namespace longhaul::interchange::detail {
namespace {

using core::Cursor;
using core::Value;

constexpr double kNcclMostBytes = 1e15;

/// The command line, a text or a list of texts.
std::string nccl_arguments(const Cursor& root) {
    const auto arguments = root.find("args");
    if (!arguments) {
        return {};
    }
    std::string line = arguments->value().string;
    for (const Value& item : arguments->value().items) {
        line += " " + item.string;
    }
    return line;
}

std::vector<std::string> nccl_ranks(const Cursor& root) {
    std::vector<std::string> ranks;
    const auto config = root.require("config", "what ran where (a version 3 file has it)");
    if (!config || !config->is_object()) {
        return ranks;
    }
    const auto devices = config->require("devices", "the device of each rank");
    for (std::size_t i = 0; devices && devices->is_array() && i < devices->value().size(); ++i) {
        const Cursor device = devices->item(i);
        if (!device.is_object()) {
            continue;
        }
        const auto host = device.require("hostname", "the host of the rank");
        const auto number = device.require("device", "the number of its device");
        const auto local = number ? number->integer(0, 1'000'000) : std::nullopt;
        const auto name = host ? host->string() : std::nullopt;
        if (name && local) {
            ranks.push_back(nccl_rank_name(ranks, *name, std::to_string(*local)));
        }
    }
    return ranks;
}

/// Times of the iterations where they were kept (-I 1), else their mean. Microseconds in the file.
std::vector<double> nccl_times(const Cursor& result) {
    std::vector<double> seconds;
    if (const auto each = result.find("out_of_place_per_iter"); each && each->is_object()) {
        const auto times = each->require("times_us", "the time of each iteration");
        for (std::size_t i = 0; times && times->is_array() && i < times->value().size(); ++i) {
            seconds.push_back(times->item(i).positive_number().value_or(1) * 1e-6);
        }
        if (!seconds.empty()) {
            return seconds;
        }
    }
    const auto mean = result.require("out_of_place", "the times of the transfer");
    if (!mean || !mean->is_object()) {
        return seconds;
    }
    if (mean->find("cpu_time") && !mean->find("time")) {
        mean->report("has cpu_time only", "run without -C: that is not the time of the transfer");
        return seconds;
    }
    const auto time = mean->require("time", "the mean time, microseconds");
    if (const auto value = time ? time->positive_number() : std::nullopt) {
        seconds.push_back(*value * 1e-6);
    }
    return seconds;
}

void read_result(const Cursor& result, NcclRun& run) {
    if (!result.is_object()) {
        return;
    }
    NcclRow row;
    row.line = result.value().line;
    const auto size = result.require("size", "bytes");
    row.bytes = size ? size->number_in(0, kNcclMostBytes).value_or(0) : 0;
    if (row.bytes == 0) {
        return;  // rows of size 0 carry nothing
    }
    if (const auto root = result.find("root")) {
        row.root = std::max(0, root->integer(-1, 1'000'000).value_or(0));
    }
    row.seconds = nccl_times(result);
    if (!row.seconds.empty()) {
        run.rows.push_back(std::move(row));
    }
}

bool is_older_proposal(const Cursor& root) {
    const auto version = root.find("version");
    return !root.find("config") || !root.find("results") ||
           (version && version->value().kind == Value::Kind::kNumber &&
            version->value().number < 3);
}

}  // namespace

void read_nccl_json(const SourceText& file,
                    const ImportOptions& options,
                    Imported& imported,
                    const Report& report) {
    const auto document = core::parse_foreign_json(file.text, file.name);
    if (!document) {
        report.problems().insert(
            report.problems().end(), document.error().begin(), document.error().end());
        return;
    }
    const Cursor root(*document, report.problems());
    if (is_older_proposal(root)) {
        report.whole(
            "is not of version 3 of the JSON format of nccl-tests: config and results are missing "
            "or older",
            "run a newer nccl-tests with -J, or give its text output to nccl-tests");
        return;
    }
    NcclRun run;
    run.test = nccl_test_of(options, nccl_test_in(nccl_arguments(root)));
    run.ranks = nccl_ranks(root);
    const auto results = root.require("results", "one object a size");
    for (std::size_t i = 0; results && results->is_array() && i < results->value().size(); ++i) {
        read_result(results->item(i), run);
    }
    if (!report.problems().empty()) {
        return;
    }
    add_nccl_run(run, imported, report);
    if (const auto version = root.find("nccl_version")) {
        for (const std::string& rank : run.ranks) {
            host_of(imported.raw, rank).facts.set("nccl", version->value());
        }
    }
}

}  // namespace longhaul::interchange::detail
