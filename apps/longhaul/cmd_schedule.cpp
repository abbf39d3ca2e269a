// schedule: who averages with whom, and when. One file a subcommand: schedule_<name>.cpp.
#include "longhaul/command.hpp"
#include "longhaul/options.hpp"
#include "longhaul/schedule_commands.hpp"

namespace longhaul::app {

void add_schedule(CLI::App& parent, Session& session) {
    CLI::App* command = parent.add_subcommand(
        "schedule", "Rounds of cliques that average over a network that multicasts and aggregates");
    command->require_subcommand(1);
    example(*command, "longhaul schedule optimise --network islands/nine-city.json --memory-gb 0");
    add_schedule_score(*command, session);
    add_schedule_optimise(*command, session);
    add_schedule_simulate(*command, session);
    add_schedule_run(*command, session);
    for (CLI::App* each : command->get_subcommands({})) {
        each->group("Commands");
    }
}

}  // namespace longhaul::app
