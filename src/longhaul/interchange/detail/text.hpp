// Reading text that other programs print: lines, columns, numbers, units.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "longhaul/core/diagnostic.hpp"
#include "longhaul/interchange/import.hpp"

namespace longhaul::interchange::detail {

struct Line {
    int number = 0;  ///< from 1
    std::string_view text;
};

/// Lines without their ends (\n or \r\n); the last one may lack its end.
[[nodiscard]] std::vector<Line> lines_of(std::string_view text);

/// Parts between blanks and tabs; empty parts do not count.
[[nodiscard]] std::vector<std::string_view> words_of(std::string_view line);

/// Parts between `separator`; empty parts count. Double quotes around a part are removed.
[[nodiscard]] std::vector<std::string> cells_of(std::string_view line, char separator);

[[nodiscard]] std::string_view trimmed(std::string_view text);
[[nodiscard]] std::string lower(std::string_view text);

/// A finite decimal number that is all of `word`.
[[nodiscard]] std::optional<double> number_of(std::string_view word);

/// "12.5Gbps" -> 12.5 and "Gbps"; nullopt when it does not start with a finite number.
struct Measure {
    double value = 0;
    std::string_view unit;
};
[[nodiscard]] std::optional<Measure> measure_of(std::string_view word);

/// Gbit/s of one unit of a rate such as "Gbps", "MBps", "MiBps", "kbps"; a letter b is a bit, B a
/// byte. nullopt for anything else.
[[nodiscard]] std::optional<double> gbps_of_rate_unit(std::string_view unit);

/// Seconds of one unit of time: ps, ns, us, ms, s, m, h, d, w.
[[nodiscard]] std::optional<double> seconds_of_unit(std::string_view unit);

/// Collects the problems of one file.
class Report {
public:
    Report(const std::string& file, core::Diagnostics& problems)
        : file_(&file), problems_(&problems) {}
    void at(int line, std::string what, std::string fix) const;
    void whole(std::string what, std::string fix) const;
    [[nodiscard]] const std::string& file() const { return *file_; }
    [[nodiscard]] core::Diagnostics& problems() const { return *problems_; }

private:
    const std::string* file_;
    core::Diagnostics* problems_;
};

}  // namespace longhaul::interchange::detail
