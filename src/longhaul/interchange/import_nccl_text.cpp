// nccl-tests, as printed. Columns are found by their heads, since they differ between versions.
#include <algorithm>

#include <fmt/format.h>

#include "longhaul/interchange/detail/nccl.hpp"
#include "longhaul/interchange/detail/readers.hpp"

namespace longhaul::interchange::detail {
namespace {

/// The line without the prefix that mpirun --tag-output adds, "[1,0]<stdout>:".
std::string_view nccl_untagged(std::string_view line) {
    const std::size_t tag = line.find("<stdout>:");
    return trimmed(tag == std::string_view::npos ? line : line.substr(tag + 9));
}

/// Places of the columns that count.
struct NcclColumns {
    std::size_t all = 0;
    std::size_t time = 0;
    std::optional<std::size_t> root;
    std::optional<std::size_t> redop;
};

std::optional<NcclColumns> nccl_columns(const std::vector<std::string_view>& words) {
    const auto place = [&](std::string_view name) -> std::optional<std::size_t> {
        const auto found = std::ranges::find(words, name);
        return found == words.end()
                   ? std::nullopt
                   : std::optional(static_cast<std::size_t>(found - words.begin()) - 1);
    };
    if (words.size() < 4 || words[0] != "#" || words[1] != "size" || !place("time")) {
        return std::nullopt;
    }
    return NcclColumns{words.size() - 1, *place("time"), place("root"), place("redop")};
}

/// "#  Rank  0 Group  0 Pid 12 on node3 device  0 [0x31] NAME".
void read_rank(const std::vector<std::string_view>& words, NcclRun& run) {
    const auto on = std::ranges::find(words, "on");
    const auto device = std::ranges::find(words, "device");
    if (words.size() > 2 && words[0] == "#" && words[1] == "Rank" && device != words.end() &&
        device - on == 2 && device + 1 != words.end()) {
        run.ranks.push_back(nccl_rank_name(run.ranks, *(on + 1), *(device + 1)));
    }
}

/// A row of numbers. Logs of collectives without reduction may leave out the word under redop.
void read_row(const Line& line,
              const std::vector<std::string_view>& words,
              const NcclColumns& columns,
              NcclRun& run,
              const Report& report) {
    const bool short_row = columns.redop && words.size() + 1 == columns.all;
    if (words.size() != columns.all && !short_row) {
        report.at(line.number,
                  fmt::format("has {} columns, the head has {}", words.size(), columns.all),
                  "give the output as it was printed, without lines that others wrote into it");
        return;
    }
    const auto word = [&](std::size_t column) {
        const bool shifted = short_row && column > *columns.redop;
        return words[shifted ? column - 1 : column];
    };
    const auto bytes = number_of(word(0));
    const auto time = number_of(word(columns.time));
    const auto root = columns.root ? number_of(word(*columns.root)) : std::optional(0.0);
    if (!bytes || !time || !root || *root < -1 || *root > 1e6) {
        report.at(line.number,
                  "size, time and root are not all numbers",
                  "give the output as it was printed");
        return;
    }
    run.rows.push_back({*bytes, std::max(0, static_cast<int>(*root)), {*time * 1e-6}, line.number});
}

}  // namespace

void read_nccl_text(const SourceText& file,
                    const ImportOptions& options,
                    Imported& imported,
                    const Report& report) {
    NcclRun run;
    std::optional<NcclColumns> columns;
    for (const Line& line : lines_of(file.text)) {
        const std::string_view text = nccl_untagged(line.text);
        const std::vector<std::string_view> words = words_of(text);
        if (words.empty()) {
            continue;
        }
        if (run.test.empty()) {
            run.test = nccl_test_in(text);
        }
        if (text.starts_with('#')) {
            read_rank(words, run);
            if (const auto found = nccl_columns(words)) {
                columns = found;
            }
        } else if (columns && number_of(words[0])) {
            read_row(line, words, *columns, run, report);
        }
    }
    if (!columns) {
        report.whole("has no head '# size count type ...'",
                     "give the text that a program of nccl-tests prints");
        return;
    }
    run.test = nccl_test_of(options, run.test);
    if (run.rows.empty() && report.problems().empty()) {
        report.whole("has a head but no rows", "give the output of a run that ended well");
        return;
    }
    add_nccl_run(run, imported, report);
}

}  // namespace longhaul::interchange::detail
