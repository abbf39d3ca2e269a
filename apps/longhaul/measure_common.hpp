// What the agent, the plan and the run of a campaign share on the command line.
#pragma once

#include <string>

#include "longhaul/core/diagnostic.hpp"
#include "longhaul/core/value.hpp"
#include "longhaul/transport/auth.hpp"

namespace longhaul::app {

/// The token in a file that only its owner can read.
[[nodiscard]] core::Result<transport::Token> load_token(const std::string& path);

/// Bytes from "65536", "64KiB", "16MiB", "1.5GB", "1TB". Messages name the option.
[[nodiscard]] core::Result<double> parse_bytes(const std::string& option, const std::string& text);

/// Seconds from "90", "90s", "15m", "24h", "7d".
[[nodiscard]] core::Result<double> parse_seconds(const std::string& option,
                                                 const std::string& text);

/// "201 MB": three digits and a decimal unit.
[[nodiscard]] std::string shown_bytes(double bytes);

/// What a raw file should know of this machine: kernel, MTU, TCP settings, processors.
[[nodiscard]] core::Value host_facts(const std::string& address);

/// After this, interrupted() tells whether the user or the system asked the program to end.
void catch_interrupts();
[[nodiscard]] bool interrupted();

}  // namespace longhaul::app
