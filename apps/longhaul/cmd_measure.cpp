// measure: from timed messages to a fabric. One file a subcommand: measure_<name>.cpp.
#include "longhaul/command.hpp"
#include "longhaul/measure_commands.hpp"
#include "longhaul/options.hpp"

namespace longhaul::app {

void add_measure(CLI::App& parent, Session& session) {
    CLI::App* command =
        parent.add_subcommand("measure", "Times messages between hosts and fits what they cost");
    command->require_subcommand(1);
    example(*command, "longhaul measure fit raw.jsonl --fabric fabric.json");
    add_measure_plan(*command, session);
    add_measure_agent(*command, session);
    add_measure_run(*command, session);
    add_measure_show(*command, session);
    add_measure_fit(*command, session);
    add_measure_check(*command, session);
    add_measure_next(*command, session);
    add_measure_import(*command, session);
    add_measure_export(*command, session);
    add_measure_template(*command, session);
    for (CLI::App* each : command->get_subcommands({})) {
        each->group("Commands");
    }
}

}  // namespace longhaul::app
