#include "longhaul/command.hpp"
#include "longhaul/options.hpp"

namespace longhaul::app {

void add_size(CLI::App& parent, Session& session) {
    CLI::App* command = parent.add_subcommand("size", "Payloads, messages and memory of a job");
    example(*command, "longhaul size --job jobs/gpt3-1.3b-dtfm.toml");
    command->callback([&session] { session.run = [] { return kDone; }; });
}

}  // namespace longhaul::app
