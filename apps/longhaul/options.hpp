// Command-line pieces that several commands share. Includes CLI11: for cmd_*.cpp and main.cpp only.
#pragma once

#include <cmath>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace longhaul::app {

/// Accepts finite numbers >= minimum (> minimum when `open`).
inline CLI::Validator finite_number(double minimum, bool open = false) {
    return {[minimum, open](std::string& text) -> std::string {
                char* end = nullptr;
                const double value = std::strtod(text.c_str(), &end);
                const bool good = end != text.c_str() && *end == '\0' && std::isfinite(value) &&
                                  (open ? value > minimum : value >= minimum);
                return good ? ""
                            : fmt::format("found {}; it must be a number {} {}",
                                          text,
                                          open ? "greater than" : "of at least",
                                          minimum);
            },
            ""};
}

/// Adds the closing "Example:" of a command's help.
inline void example(CLI::App& command, const std::string& line) {
    command.footer("Example:\n  " + line);
}

}  // namespace longhaul::app
