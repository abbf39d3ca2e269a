#include "longhaul/core/json_lines.hpp"

#include <fmt/format.h>

#include "longhaul/core/cursor.hpp"

namespace longhaul::core {

Result<bool> each_json_line(std::string_view text,
                            std::string_view name,
                            const std::function<void(const Document&, Diagnostics&)>& line) {
    Diagnostics problems;
    bool whole = true;
    int number = 0;
    while (!text.empty() && problems.size() < kMaxProblems) {
        ++number;
        const std::size_t end = text.find('\n');
        const std::string_view record = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        if (record.find_first_not_of(" \t\r") == std::string_view::npos) {
            continue;
        }
        const Result<Document> document = parse_json_line(record, name, number);
        if (document) {
            line(*document, problems);
        } else if (end == std::string_view::npos) {
            whole = false;
        } else {
            for (Diagnostic problem : document.error()) {
                if (!problem.where.starts_with("line ")) {
                    problem.where = fmt::format(
                        "line {}{}{}", number, problem.where.empty() ? "" : ": ", problem.where);
                }
                problems.push_back(std::move(problem));
            }
        }
    }
    if (!problems.empty()) {
        return tl::unexpected(std::move(problems));
    }
    return whole;
}

}  // namespace longhaul::core
