// The subcommands of schedule, one function each, as in command.hpp.
#pragma once

#include "longhaul/command.hpp"

namespace longhaul::app {

void add_schedule_score(CLI::App& parent, Session& session);
void add_schedule_optimise(CLI::App& parent, Session& session);
void add_schedule_simulate(CLI::App& parent, Session& session);
void add_schedule_run(CLI::App& parent, Session& session);

}  // namespace longhaul::app
