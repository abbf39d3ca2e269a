// The subcommands of measure, one function each, as in command.hpp.
#pragma once

#include <string>
#include <vector>

#include "longhaul/command.hpp"
#include "longhaul/measure/raw.hpp"

namespace longhaul::app {

/// Raw measurements of all files as one; warnings go to standard error.
[[nodiscard]] core::Result<measure::Raw> load_raw(const std::vector<std::string>& files);

void add_measure_agent(CLI::App& parent, Session& session);
void add_measure_plan(CLI::App& parent, Session& session);
void add_measure_run(CLI::App& parent, Session& session);
void add_measure_show(CLI::App& parent, Session& session);

}  // namespace longhaul::app
