// route check: compiled routes against searches over the whole network.
#include <thread>

#include "longhaul/options.hpp"
#include "longhaul/route_commands.hpp"
#include "longhaul/topology/check.hpp"

namespace longhaul::app {
namespace {

struct CheckCommand {
    std::string file;
    std::uint64_t pairs = 100'000;
    bool all = false;
    int flows = 4;
    std::uint64_t seed = 7;
    int threads = 0;
    bool json = false;
};

core::Value texts(const std::vector<std::string>& list) {
    core::Value value = core::Value::array();
    for (const std::string& each : list) {
        value.append(core::Value(each));
    }
    return value;
}

std::string text_of(const topology::CheckReport& report) {
    std::string text = fmt::format(
        "pairs          {}\npaths          {}\nnext-hop sets  {} compared with the search\n"
        "unreachable    {}\nwrong          {}\n",
        report.pairs,
        report.paths,
        report.sets,
        report.unreachable,
        report.wrong);
    for (const std::string& pair : report.lost) {
        text += "  unreachable: " + pair + "\n";
    }
    if (report.lost.size() < report.unreachable) {
        text += fmt::format("  and {} more\n", report.unreachable - report.lost.size());
    }
    for (const std::string& problem : report.problems) {
        text += "  wrong: " + problem + "\n";
    }
    return text;
}

core::Result<int> check(const CheckCommand& command) {
    const auto routes = load_routes(command.file);
    if (!routes) {
        return tl::unexpected(routes.error());
    }
    const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    const topology::CheckReport report =
        topology::check(*routes,
                        {command.all ? 0 : command.pairs,
                         command.flows,
                         command.seed,
                         command.threads > 0 ? command.threads : cores});
    if (command.json) {
        print(core::write_json(core::Value::object()
                                   .set("pairs", static_cast<double>(report.pairs))
                                   .set("paths", static_cast<double>(report.paths))
                                   .set("sets", static_cast<double>(report.sets))
                                   .set("unreachable", static_cast<double>(report.unreachable))
                                   .set("unreachable_pairs", texts(report.lost))
                                   .set("wrong", static_cast<double>(report.wrong))
                                   .set("problems", texts(report.problems))));
    } else {
        print(text_of(report));
    }
    return report.wrong > 0 ? kNo : report.unreachable > 0 ? kPartial : kDone;
}

}  // namespace

void add_route_check(CLI::App& parent, Session& session) {
    CLI::App* command = parent.add_subcommand(
        "check", "Checks routes against searches: reachable, loop-free, shortest, as policies ask");
    example(*command, "longhaul route check topologies/fat-tree-4.toml --all");
    auto options = std::make_shared<CheckCommand>();
    command->add_option("file", options->file, "a topology or a file of routes; - for stdin")
        ->type_name("FILE")
        ->required();
    auto* pairs = command->add_option("--pairs", options->pairs, "pairs of endpoints to draw")
                      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 40U))
                      ->capture_default_str();
    command->add_flag("--all", options->all, "all pairs, and the next hops of all switches")
        ->excludes(pairs);
    command->add_option("--flows", options->flows, "flows a pair whose paths are followed")
        ->check(CLI::Range(1, 10'000))
        ->capture_default_str();
    command->add_option("--seed", options->seed, "seed of the drawn pairs")
        ->check(whole_number())
        ->capture_default_str();
    command
        ->add_option(
            "--threads", options->threads, "threads; never changes the result (0: all cores)")
        ->check(CLI::Range(0, 1024));
    command->add_flag("--json", options->json, "print one JSON object");
    command->callback([options, &session] {
        session.run = [options] {
            const core::Result<int> done = check(*options);
            return done ? *done : report(done.error());
        };
    });
}

}  // namespace longhaul::app
