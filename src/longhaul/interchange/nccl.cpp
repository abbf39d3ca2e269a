#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "longhaul/interchange/detail/nccl.hpp"

namespace longhaul::interchange::detail {
namespace {

using measure::Pattern;
using measure::Sample;

/// "node3/0" and "node3/1" are two devices of a host.
std::string path_between(const std::string& a, const std::string& b) {
    return a.substr(0, a.rfind('/')) == b.substr(0, b.rfind('/')) ? "intra_node" : "inter_node";
}

/// Adds one sample a repetition.
void add_repetitions(const NcclRow& row, Sample sample, Imported& imported) {
    sample.transport = "nccl";
    sample.path = path_between(sample.from, sample.to);
    for (std::size_t i = 0; i < row.seconds.size(); ++i) {
        sample.elapsed_s = row.seconds[i];
        sample.rep = static_cast<int>(i);
        if (!sample.peers.empty()) {
            sample.root_s = sample.elapsed_s;
        }
        imported.raw.samples.push_back(sample);
    }
}

/// Every rank sends to the next and receives from the one before.
void add_shift(const NcclRun& run, const NcclRow& row, Imported& imported) {
    const std::size_t n = run.ranks.size();
    for (std::size_t to = 0; to < n; ++to) {
        const Ends ends{run.ranks[(to + n - 1) % n], run.ranks[to]};
        Sample sample =
            make_sample(n == 2 ? Pattern::kBothWays : Pattern::kRelay, ends, row.bytes, 0);
        if (n > 2) {
            sample.send_path = path_between(ends.to, run.ranks[(to + 1) % n]);
        }
        add_repetitions(row, sample, imported);
    }
}

/// The printed size is that of all ranks together; each peer has an equal part.
void add_fan(const NcclRun& run, const NcclRow& row, bool in, Imported& imported) {
    const std::size_t n = run.ranks.size();
    const auto root = static_cast<std::size_t>(row.root);
    std::vector<std::string> peers;
    for (std::size_t i = 1; i < n; ++i) {
        peers.push_back(run.ranks[(root + i) % n]);
    }
    for (const std::string& peer : peers) {
        const Ends ends = in ? Ends{peer, run.ranks[root]} : Ends{run.ranks[root], peer};
        Sample sample = make_sample(
            in ? Pattern::kFanIn : Pattern::kFanOut, ends, row.bytes / static_cast<double>(n), 0);
        sample.peers = peers;
        add_repetitions(row, sample, imported);
    }
}

bool row_holds(const NcclRun& run, const NcclRow& row, const Report& report) {
    if (row.root < 0 || row.root >= static_cast<int>(run.ranks.size())) {
        report.at(row.line,
                  fmt::format("root is {}", row.root),
                  fmt::format("a root is a rank from 0 to {}", run.ranks.size() - 1));
        return false;
    }
    return std::ranges::all_of(row.seconds, [&](double seconds) {
        return plausible(row.bytes, seconds, row.line, report);
    });
}

void add_notes(const NcclRun& run, Imported& imported) {
    if (run.test == "sendrecv") {
        note(imported,
             run.ranks.size() == 2
                 ? "sendrecv_perf on 2 ranks: both send at once, so this is both_ways, not one way"
                 : "sendrecv_perf is a ring shift: every rank sends and receives at once (relay), "
                   "so this is not one way; no peer link can be fitted from it");
    } else {
        note(imported,
             fmt::format("{}_perf: each of {} peers has 1/{} of the printed size; its own time is "
                         "not printed, that of the whole fan stands for it",
                         run.test,
                         run.ranks.size() - 1,
                         run.ranks.size()));
    }
    note(imported,
         "this has no pair measured one way, so measure fit gives links -o but no --fabric from it "
         "alone: add peer links of the same devices, from longhaul measure template --patterns "
         "ping,peer");
    note(imported, "nccl-tests prints means over iterations; its spread is not known from them");
}

}  // namespace

std::string nccl_test_in(std::string_view text) {
    const std::size_t end = text.find("_perf");
    if (end == std::string_view::npos) {
        return {};
    }
    std::size_t first = end;
    const auto of_name = [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; };
    while (first > 0 && of_name(text[first - 1])) {
        --first;
    }
    return std::string(text.substr(first, end - first));
}

std::string nccl_test_of(const ImportOptions& options, std::string_view found) {
    std::string test(options.test.empty() ? found : options.test);
    if (test.ends_with("_perf")) {
        test.resize(test.size() - std::string_view("_perf").size());
    }
    return test;
}

std::string nccl_rank_name(const std::vector<std::string>& before,
                           std::string_view host,
                           std::string_view device) {
    const std::string name = fmt::format("{}/{}", host, device);
    const bool taken = std::ranges::find(before, name) != before.end();
    return taken ? fmt::format("{}#{}", name, before.size()) : name;
}

void add_nccl_run(const NcclRun& run, Imported& imported, const Report& report) {
    constexpr std::array<std::string_view, 3> kLinks = {"sendrecv", "gather", "scatter"};
    if (run.test.empty()) {
        report.whole("does not say which test ran",
                     "name it with --test sendrecv, gather or scatter");
        return;
    }
    if (std::ranges::find(kLinks, run.test) == kLinks.end()) {
        report.whole(fmt::format("is the output of {}_perf: its bandwidth is that of a collective, "
                                 "which is no link",
                                 run.test),
                     "measure links with sendrecv_perf, gather_perf or scatter_perf, or with "
                     "longhaul measure template");
        return;
    }
    if (run.ranks.size() < 2) {
        report.whole(fmt::format("names {} ranks", run.ranks.size()),
                     "a link needs two ranks, each on a line '# Rank ... on HOST device ...'");
        return;
    }
    for (const NcclRow& row : run.rows) {
        if (row.bytes == 0 || !row_holds(run, row, report)) {
            continue;
        }
        if (run.test == "sendrecv") {
            add_shift(run, row, imported);
        } else {
            add_fan(run, row, run.test == "gather", imported);
        }
    }
    add_notes(run, imported);
}

}  // namespace longhaul::interchange::detail
