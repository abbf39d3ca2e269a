// Command-line pieces that every command can use. Includes CLI11: for cmd_*.cpp and main.cpp only.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace longhaul::app {

/// Accepts finite numbers from minimum to maximum.
inline CLI::Validator finite_number(double minimum, double maximum) {
    return {
        [minimum, maximum](std::string& text) -> std::string {
            char* end = nullptr;
            const double value = std::strtod(text.c_str(), &end);
            const bool good = end != text.c_str() && *end == '\0' && std::isfinite(value) &&
                              value >= minimum && value <= maximum;
            return good
                       ? ""
                       : fmt::format(
                             "found {}; it must be a number from {} to {}", text, minimum, maximum);
        },
        ""};
}

/// Accepts whole numbers from 0 to 2^64 - 1, which CLI11 would wrap around.
inline CLI::Validator whole_number() {
    return {[](std::string& text) -> std::string {
                std::uint64_t value = 0;
                const char* end = text.data() + text.size();
                const auto [rest, error] = std::from_chars(text.data(), end, value);
                return error == std::errc() && rest == end
                           ? ""
                           : fmt::format(
                                 "found \"{}\"; it must be a whole number from 0 to 2^64 - 1",
                                 text);
            },
            ""};
}

/// Formats --help: range and default of an option stand behind its description.
[[nodiscard]] std::shared_ptr<CLI::FormatterBase> help_formatter();

/// Adds the closing "Example:" of a command's help.
inline void example(CLI::App& command, const std::string& line) {
    command.footer("Example:\n  " + line + "\n");
}

}  // namespace longhaul::app
