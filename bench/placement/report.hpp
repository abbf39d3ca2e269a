// The table as Markdown, and what it was measured on.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "judge.hpp"

namespace longhaul::bench {

struct Machine {
    std::string name;  ///< for file names: letters, digits, dashes
    std::string processor;
    long cores = 0;  ///< online
    double memory_gb = 0;
    std::string compiler;
    std::string commit;  ///< short hash, "+changes" behind it where the tree differs
    std::string date;    ///< UTC, YYYY-MM-DD
    double load = 0;     ///< mean number of running processes over the last minute
};

/// Reads /proc, the clock and git. What cannot be told stays "unknown".
[[nodiscard]] Machine describe_machine(const std::string& source_folder);
[[nodiscard]] core::Value to_value(const Machine& machine);

/// One line a row, headings by group. Rows that pass only with less than what is asked say so.
[[nodiscard]] std::string table_text(std::span<const RowResult> rows);

/// A page: machine, how it was run, the table, how many rows pass.
[[nodiscard]] std::string page_text(const Machine& machine,
                                    const std::string& command,
                                    int rounds,
                                    std::span<const RowResult> rows);

}  // namespace longhaul::bench
