#include "longhaul/placement/structure.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace longhaul::placement {
namespace {

using Row = std::vector<int>;  // devices of each label in one stage

std::vector<Row> rows_of(const Stages& stages, std::span<const int> label_of, std::size_t labels) {
    std::vector<Row> rows(stages.size(), Row(labels, 0));
    for (std::size_t s = 0; s < stages.size(); ++s) {
        for (const int device : stages[s]) {
            ++rows[s][static_cast<std::size_t>(label_of[static_cast<std::size_t>(device)])];
        }
    }
    return rows;
}

std::string counts_text(const Row& row, const std::vector<std::string>& names) {
    std::vector<std::string> parts;
    for (std::size_t k = 0; k < row.size(); ++k) {
        if (row[k] > 0) {
            parts.push_back(fmt::format("{} {}", names[k], row[k]));
        }
    }
    return fmt::format("{}", fmt::join(parts, " + "));
}

std::string signature_of(const std::vector<Row>& rows, const std::vector<std::string>& names) {
    std::string text;
    for (std::size_t first = 0; first < rows.size();) {
        std::size_t last = first + 1;
        while (last < rows.size() && rows[last] == rows[first]) {
            ++last;
        }
        text += (first == 0 ? "" : " | ") + counts_text(rows[first], names);
        text += last - first > 1 ? fmt::format(" (x{})", last - first) : "";
        first = last;
    }
    return text;
}

std::string in_words(std::size_t count) {
    static constexpr std::string_view kWords[] = {"no", "one", "two", "three", "four"};
    return count < std::size(kWords) ? std::string(kWords[count]) : std::to_string(count);
}

/// "pairs of regions, two stages each" when all blocks are alike and disjoint, else nothing.
std::string even_blocks(const std::map<Row, std::size_t>& blocks, const std::string& word) {
    std::set<std::size_t> used;
    std::size_t regions = 0;
    std::size_t stages = 0;
    for (const auto& [row, times] : blocks) {
        std::set<int> shares;
        std::size_t here = 0;
        for (std::size_t k = 0; k < row.size(); ++k) {
            if (row[k] > 0) {
                ++here;
                shares.insert(row[k]);
                if (!used.insert(k).second) {
                    return {};
                }
            }
        }
        if (shares.size() != 1 || (regions != 0 && (here != regions || times != stages))) {
            return {};
        }
        regions = here;
        stages = times;
    }
    if (regions == 1) {
        return stages == 1 ? fmt::format("one {} a stage", word)
                           : fmt::format("one {} for {} stages each", word, in_words(stages));
    }
    return fmt::format("{} of {}s, {} stage{} each",
                       regions == 2 ? std::string("pairs") : fmt::format("groups of {}", regions),
                       word,
                       in_words(stages),
                       stages == 1 ? "" : "s");
}

/// Counts without names: blocks of equal stages, the largest first.
std::string compact(const std::map<Row, std::size_t>& blocks) {
    std::map<Row, std::size_t, std::greater<>> kinds;
    for (const auto& [row, times] : blocks) {
        Row counts;
        std::ranges::copy_if(row, std::back_inserter(counts), [](int count) { return count > 0; });
        std::ranges::sort(counts, std::greater<>());
        kinds[counts] += times;
    }
    std::string text = "mixed:";
    for (const auto& [counts, times] : kinds) {
        const bool equal = counts.size() > 2 && counts.front() == counts.back();
        text += fmt::format("{} {}x({})",
                            text.ends_with(':') ? "" : ",",
                            times,
                            equal ? fmt::format("{} of each of {}", counts.front(), counts.size())
                                  : fmt::format("{}", fmt::join(counts, "+")));
    }
    return text;
}

std::string name_of(const std::vector<Row>& rows, const std::string& word) {
    std::map<Row, std::size_t> blocks;
    for (const Row& row : rows) {
        ++blocks[row];
    }
    const bool pure = std::ranges::all_of(rows, [](const Row& row) {
        return std::ranges::count_if(row, [](int count) { return count > 0; }) == 1;
    });
    if (rows.front().size() == 1 || (pure && blocks.size() == 1)) {
        return fmt::format("all in one {}", word);
    }
    if (blocks.size() == 1 && rows.size() > 1) {
        return fmt::format("pipelines inside {}s", word);
    }
    const std::string even = even_blocks(blocks, word);
    return !even.empty() ? even : pure ? fmt::format("one {} a stage", word) : compact(blocks);
}

}  // namespace

Structure structure_of(const Stages& stages,
                       std::span<const int> label_of_device,
                       const std::vector<std::string>& label_names,
                       const std::string& word) {
    Structure structure;
    structure.counts = rows_of(stages, label_of_device, label_names.size());
    structure.name = name_of(structure.counts, word);
    structure.signature = signature_of(structure.counts, label_names);
    std::ranges::sort(structure.counts, std::greater<>());
    return structure;
}

std::vector<std::string> distinct_labels(const std::vector<std::string>& labels) {
    std::vector<std::string> names;
    std::set<std::string_view> seen;
    for (const std::string& label : labels) {
        if (seen.insert(label).second) {
            names.push_back(label);
        }
    }
    return names;
}

}  // namespace longhaul::placement
