// launch: a plan and a hosts file become the files that start the job, ranks checked.
#include <algorithm>
#include <filesystem>
#include <memory>

#include "longhaul/command.hpp"
#include "longhaul/directory.hpp"
#include "longhaul/equal_placements.hpp"
#include "longhaul/inputs.hpp"
#include "longhaul/launch/arrange.hpp"
#include "longhaul/launch/launcher.hpp"
#include "longhaul/launch/match.hpp"
#include "longhaul/launch/quote.hpp"
#include "longhaul/options.hpp"
#include "longhaul/placement/plan.hpp"

namespace longhaul::app {
namespace {

struct LaunchOptions {
    std::string plan;
    std::string to;
    std::string hosts;
    std::string directory;
    std::string command;
    std::vector<std::string> words;
    launch::Options job;
    int master_port = 0;
    std::string rendezvous = "static";
    bool list_conventions = false;
    bool list_launchers = false;
    bool force = false;
    bool json = false;
};

core::Result<placement::Plan> load_plan(const std::string& path) {
    const auto text = read_file(path);
    if (!text) {
        return tl::unexpected(text.error());
    }
    return placement::read_plan(*text, input_name(path));
}

/// Names the file that a problem of the job comes from.
core::Diagnostics placed(core::Diagnostics problems, const LaunchOptions& options) {
    for (core::Diagnostic& problem : problems) {
        if (!problem.file.empty()) {
            continue;
        }
        if (problem.where.starts_with("rank_map") || problem.where == "shape") {
            problem.file = input_name(options.plan);
        } else if (problem.where == "host") {
            problem.file = input_name(options.hosts);
        } else {
            problem.file = "launch";
            problem.where = "--" + (problem.where.empty() ? "command" : problem.where);
        }
    }
    return problems;
}

constexpr std::string_view kRearranged =
    "the ranks are not those of the plan: pairs and replicas were exchanged at equal score, so "
    "that "
    "more hosts hold contiguous ranks (rank_map.tsv)";

/// What runs when no training command is given.
constexpr std::string_view kDefaultCommand = "python3 train.py";

std::vector<std::string> split_default() {
    return *launch::split_words(kDefaultCommand);
}

core::Result<std::vector<std::string>> training_command(const LaunchOptions& options) {
    if (!options.command.empty() && !options.words.empty()) {
        return core::fail({"launch",
                           "--command",
                           "the training command is given twice",
                           "use --command or --, not both"});
    }
    if (options.command.empty()) {
        return options.words.empty() ? split_default() : options.words;
    }
    auto words = launch::split_words(options.command);
    return words ? std::move(words) : tl::unexpected(placed(words.error(), options));
}

/// All that a job is made of.
struct JobParts {
    std::vector<placement::Placement> candidates;  ///< equally good
    launch::Hosts hosts;
    launch::Options options;
};

core::Result<JobParts> read_parts(const LaunchOptions& options) {
    core::Diagnostics problems;
    const auto keep = [&](const auto& result) {
        if (!result) {
            problems.insert(problems.end(), result.error().begin(), result.error().end());
        }
    };
    if (auto once = read_once({options.plan, options.hosts}); !once) {
        return tl::unexpected(once.error());
    }
    const auto plan = load_plan(options.plan);
    keep(plan);
    const auto text = read_file(options.hosts);
    keep(text);
    const auto hosts =
        text ? launch::read_hosts(*text, input_name(options.hosts)) : launch::Hosts();
    keep(hosts);
    const auto command = training_command(options);
    keep(command);
    if (!problems.empty()) {
        return tl::unexpected(std::move(problems));
    }
    const auto matched = launch::match_hosts(*hosts, plan->places, plan->placement.rank_map());
    if (!matched) {
        return tl::unexpected(placed(matched.error(), options));
    }
    launch::Options chosen = options.job;
    chosen.command = *command;
    chosen.plan = std::filesystem::path(options.plan).filename().string();
    if (options.master_port != 0) {
        chosen.master_port = options.master_port;
    }
    return JobParts{equal_placements(*plan, input_name(options.plan), *matched), *matched, chosen};
}

/// Says which other ways to number ranks the launcher could start.
core::Diagnostics with_conventions(core::Diagnostics problems,
                                   const launch::Launcher& launcher,
                                   const JobParts& parts,
                                   const launch::Job& refused) {
    std::string names;
    for (const launch::Convention& convention : launch::conventions()) {
        if (launch::equal_on(launch::axis_sizes(refused.shape), convention, *refused.convention)) {
            continue;
        }
        launch::Options other = parts.options;
        other.convention = convention.name;
        const auto arranged = launch::arrange(parts.candidates, parts.hosts, other);
        if (arranged && launch::check(launcher, arranged->job).reason.empty()) {
            names += names.empty() ? "" : ", ";
            names += convention.name;
        }
    }
    if (!names.empty()) {
        problems.front().fix +=
            fmt::format("; with ranks numbered otherwise it can: --convention {}", names);
    }
    return problems;
}

/// Whether an earlier launch wrote the folder.
bool is_launch_folder(const std::string& path) {
    const auto readme = read_file(path + "/README.txt");
    return readme && readme->starts_with("longhaul launch files") &&
           std::filesystem::exists(path + "/rank_map.tsv");
}

void print_text(const LaunchOptions& options,
                const launch::Job& job,
                const launch::Launch& result) {
    print(fmt::format("{}: {} ranks on {} host{}, numbered as {}: rank = {}\n",
                      options.to,
                      job.world_size(),
                      job.hosts.hosts.size(),
                      job.hosts.hosts.size() == 1 ? "" : "s",
                      job.convention->name,
                      launch::plan_formula(*job.convention, job.shape)));
    print(fmt::format("rank 0 on {}; processes meet at {} port {}\n",
                      job.master().name,
                      job.master().address,
                      job.master_port));
    if (options.command.empty() && options.words.empty()) {
        print(fmt::format("note: no training command is given, so the files run {}\n",
                          kDefaultCommand));
    }
    for (const std::string& note : result.notes) {
        print(fmt::format("note: {}\n", note));
    }
    // To cd, a word that starts with "-" is an option.
    const bool dash = options.directory.starts_with('-');
    print(fmt::format("wrote {} files; to start: cd {} && {}\n",
                      result.files.size(),
                      launch::shell_quoted((dash ? "./" : "") + options.directory),
                      result.start));
}

void print_json(const LaunchOptions& options,
                const launch::Job& job,
                const launch::Launch& result) {
    core::Value files = core::Value::array();
    for (const launch::OutputFile& file : result.files) {
        files.append(file.path);
    }
    core::Value notes = core::Value::array();
    for (const std::string& note : result.notes) {
        notes.append(note);
    }
    core::Value master = core::Value::object();
    master.set("host", job.master().name)
        .set("address", job.master().address)
        .set("port", job.master_port);
    core::Value root = core::Value::object();
    root.set("launcher", options.to)
        .set("convention", job.convention->name)
        .set("directory", options.directory)
        .set("world_size", job.world_size())
        .set("hosts", static_cast<int>(job.hosts.hosts.size()))
        .set("rank_zero", std::move(master))
        .set("start", result.start)
        .set("files", std::move(files))
        .set("notes", std::move(notes));
    print(core::write_json(root));
}

core::Diagnostics check_usage(const LaunchOptions& options) {
    core::Diagnostics problems;
    const auto need = [&](bool present, std::string_view what, std::string_view fix) {
        if (!present) {
            problems.push_back(
                {"launch", "", fmt::format("{} is missing", what), std::string(fix)});
        }
    };
    need(!options.plan.empty(), "the plan", "longhaul launch PLAN ...");
    need(!options.to.empty(), "--to", "name a launcher (--list-launchers)");
    need(!options.hosts.empty(), "--hosts", "name a hosts file");
    need(!options.directory.empty(), "-o", "name a folder to write");
    if (!options.to.empty() && launch::find_launcher(options.to) == nullptr) {
        problems.push_back({"launch",
                            "--to",
                            "unknown launcher " + core::shown(options.to),
                            "see longhaul launch --list-launchers"});
    }
    if (options.rendezvous != "static") {
        problems.push_back({"launch",
                            "--rdzv",
                            "found " + core::shown(options.rendezvous),
                            "only static keeps the map: dynamic rendezvous orders hosts by name"});
    }
    return problems;
}

int run_launch(const LaunchOptions& options) {
    if (const core::Diagnostics problems = check_usage(options); !problems.empty()) {
        return report(problems);
    }
    const auto parts = read_parts(options);
    if (!parts) {
        return report(parts.error());
    }
    const auto arranged = launch::arrange(parts->candidates, parts->hosts, parts->options);
    if (!arranged) {
        return report(placed(arranged.error(), options));
    }
    const launch::Job* job = &arranged->job;
    const launch::Launcher& launcher = *launch::find_launcher(options.to);
    const bool possible = launch::check(launcher, *job).reason.empty();
    auto result = launch::emit(launcher, *job);
    if (result && arranged->chosen > 0) {
        result->notes.insert(result->notes.begin(), std::string(kRearranged));
    }
    if (!result) {
        report(placed(
            possible ? result.error() : with_conventions(result.error(), launcher, *parts, *job),
            options));
        return possible ? kBadInput : kNo;
    }
    std::vector<FolderFile> files;
    for (const launch::OutputFile& file : result->files) {
        files.push_back({file.path, file.text, file.executable});
    }
    if (const auto written =
            write_folder(options.directory, files, options.force, is_launch_folder);
        !written) {
        return report(written.error());
    }
    options.json ? print_json(options, *job, *result) : print_text(options, *job, *result);
    return kDone;
}

int list_launchers() {
    for (const launch::Launcher& launcher : launch::launchers()) {
        print(fmt::format("{:<12}{}\n{:<12}expresses {}\n",
                          launcher.name,
                          launcher.help,
                          "",
                          launcher.expresses));
    }
    return kDone;
}

void add_launch_options(CLI::App& command, LaunchOptions& options) {
    command.add_option("plan", options.plan, "plan file of place; - for standard input")
        ->type_name("PLAN");
    command.add_option("words", options.words, "training command, after --, as the hosts run it")
        ->type_name("WORD")
        ->default_str(std::string(kDefaultCommand));
    command.add_option("--to", options.to, "launcher to write for (--list-launchers) [needed]")
        ->type_name("NAME");
    command.add_option("--hosts", options.hosts, "hosts file (TOML) [needed]")->type_name("FILE");
    command.add_option("-o,--output", options.directory, "folder to write, new or empty [needed]")
        ->type_name("DIR");
    command.add_option("--command", options.command, "training command as one text")
        ->type_name("TEXT");
    command
        .add_option("--convention",
                    options.job.convention,
                    "how the framework numbers ranks (--list-conventions)")
        ->type_name("NAME")
        ->capture_default_str();
    command.add_option("--master-port", options.master_port, "port that processes meet at")
        ->check(CLI::Range(1, 65535))
        ->default_str("that of the hosts file");
    command.add_option("--name", options.job.name, "name of the job (Slurm, Kubernetes)")
        ->capture_default_str();
    command.add_option("--image", options.job.image, "container image; Kubernetes needs it");
    command
        .add_option(
            "--rdzv", options.rendezvous, "rendezvous of torchrun; only static keeps the map")
        ->capture_default_str();
    command.add_flag("--force", options.force, "replace the folder of an earlier launch");
    command.add_flag("--json", options.json, "print one JSON object");
    command.add_flag("--list-launchers", options.list_launchers, "list launchers and stop");
    command.add_flag("--list-conventions", options.list_conventions, "list conventions and stop");
}

}  // namespace

void add_launch(CLI::App& parent, Session& session) {
    CLI::App* command = parent.add_subcommand(
        "launch", "Writes the files that start a plan, with a check of every rank");
    auto options = std::make_shared<LaunchOptions>();
    add_launch_options(*command, *options);
    example(*command,
            "longhaul launch plan.json --to torchrun --hosts examples/hosts/worldwide-8x8.toml "
            "-o launch -- python3 train.py");
    command->callback([&session, options] {
        session.run = [options] {
            if (options->list_conventions) {
                print(launch::conventions_table());
                return kDone;
            }
            return options->list_launchers ? list_launchers() : run_launch(*options);
        };
    });
}

}  // namespace longhaul::app
