// Entry point: chooses the command, and turns whatever happens into an exit code and one message.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string_view>

#include "longhaul/command.hpp"
#include "longhaul/options.hpp"

namespace longhaul::app {
namespace {

/// The first argument, when it is neither a command nor an option: the parser underneath would say
/// only that a command is missing.
std::optional<core::Diagnostic> unknown_command(const CLI::App& parser,
                                                const std::vector<std::string>& arguments) {
    if (arguments.size() < 2 || arguments[1].empty()) {
        return std::nullopt;
    }
    const auto takes = [&](const CLI::App* command) { return command->check_name(arguments[1]); };
    if (!parser.get_subcommands(takes).empty()) {
        return std::nullopt;
    }
    const bool option = arguments[1].front() == '-';
    if (option && parser.get_option_no_throw(arguments[1]) != nullptr) {
        return std::nullopt;
    }
    return core::Diagnostic{
        "",
        "",
        fmt::format("unknown {} {}", option ? "option" : "command", core::shown(arguments[1])),
        "see longhaul --help"};
}

/// The command, or subcommand, that the arguments chose; nullptr when there is none.
const CLI::App* chosen_command(const CLI::App& parser) {
    const std::vector<CLI::App*> chosen = parser.get_subcommands();
    return chosen.empty() ? nullptr : chosen.front();
}

/// What was wrong with the command line. An argument that no option takes is named before an option
/// that is missing: mostly the one is the other misspelt.
core::Diagnostic usage_problem(const CLI::App& parser, const CLI::ParseError& error) {
    const bool extras = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
    const bool missing = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
    std::string place;
    std::string what = missing ? "no command is given" : error.what();
    for (const CLI::App* chosen = chosen_command(parser); chosen != nullptr;
         chosen = chosen_command(*chosen)) {
        place += (place.empty() ? "" : " ") + chosen->get_name();
        what = error.what();
        const std::vector<std::string> rest = chosen->remaining();
        const auto stray = std::ranges::find_if(rest, [&](const std::string& argument) {
            return argument != "--" && (argument.starts_with('-') || extras);
        });
        const bool subcommand_missing = missing && chosen->get_require_subcommand_min() > 0 &&
                                        chosen_command(*chosen) == nullptr;
        if (subcommand_missing && !rest.empty() && !rest.front().starts_with('-')) {
            what = "unknown command " + core::shown(rest.front());
        } else if (subcommand_missing) {
            what = "no command is given";
        } else if (stray != rest.end() && (extras || missing)) {
            what = "unexpected argument " + core::shown(*stray);
        }
    }
    constexpr std::string_view kMore = "At Most 1 required but received ";
    if (const std::size_t at = what.find(kMore); at != std::string::npos) {
        what.replace(at, kMore.size(), "given more than once: ");
        what += " times";
    }
    return {place,
            "",
            what,
            place.empty() ? "see longhaul --help" : "see longhaul " + place + " --help"};
}

/// Takes the program that emulate shall run off the end of the arguments, so that the parser, which
/// reads brackets and commas in them, does not see it. Returns how many arguments are left.
int split_program(Session& session) {
    const std::vector<std::string>& all = session.arguments;
    const auto mark = std::ranges::find(all, "--");
    if (all.size() > 1 && all[1] == "emulate" && mark != all.end()) {
        session.program.assign(mark + 1, all.end());
        return static_cast<int>(mark - all.begin());
    }
    return static_cast<int>(all.size());
}

/// An option that names a file, a host or the like and was given an empty text: mostly a variable
/// of a script that is not set. Left alone, it would read as an option that was not given.
std::optional<core::Diagnostic> empty_name(const CLI::App& parser) {
    for (const CLI::App* chosen = &parser; chosen != nullptr; chosen = chosen_command(*chosen)) {
        for (const CLI::Option* option : chosen->get_options()) {
            const std::string& type = option->get_type_name();
            const bool file = type.find("FILE") != std::string::npos ||
                              type.find("DIR") != std::string::npos || type == "PLAN";
            const bool name = type == "NAME" || type == "HOST" || type == "FORMAT";
            if ((file || name) && std::ranges::count(option->results(), std::string()) > 0) {
                return core::Diagnostic{
                    option->get_name(),
                    "",
                    file ? "the name of the file is empty" : "the name is empty",
                    "name one, or leave the option out"};
            }
        }
    }
    return std::nullopt;
}

/// Whether a list has nothing between two commas, or before or behind one.
bool has_empty_entry(std::string_view list) {
    if (list.starts_with('[') && list.ends_with(']')) {
        list = list.substr(1, list.size() - 2);
    }
    return list.starts_with(',') || list.ends_with(',') ||
           list.find(",,") != std::string_view::npos;
}

/// A list on the command line with an empty entry, which the parser underneath leaves out: the
/// entries after it would move up by one place.
std::optional<core::Diagnostic> empty_entry(const CLI::App& parser,
                                            const std::vector<std::string>& arguments) {
    const CLI::App* command = &parser;
    while (const CLI::App* chosen = chosen_command(*command)) {
        command = chosen;
    }
    const CLI::Option* option = nullptr;  // whose values come
    for (const std::string& argument : arguments) {
        std::string_view value = argument;
        if (argument.starts_with("--")) {
            const std::size_t end = argument.find('=');
            option = command->get_option_no_throw(argument.substr(0, end));
            value = end == std::string::npos ? "" : value.substr(end + 1);
        } else if (argument.starts_with('-')) {
            option = nullptr;
        }
        if (option != nullptr && option->get_delimiter() == ',' && has_empty_entry(value)) {
            return core::Diagnostic{option->get_name(),
                                    "",
                                    fmt::format("{} has an empty entry", core::shown(value)),
                                    "one comma stands between two entries"};
        }
    }
    return std::nullopt;
}

int run(int argc, char** argv) {
    CLI::App parser("Plans, launches and checks training on machines that are far apart.",
                    "longhaul");
    Session session{{argv, argv + argc}, {}, {}};
    const int parsed = split_program(session);
    parser.set_version_flag("--version", "longhaul " LONGHAUL_VERSION, "print the version");
    parser.require_subcommand(1);
    parser.formatter(help_formatter());
    parser.set_help_flag("-h,--help", "print this text");
    add_demo(parser, session);
    add_measure(parser, session);
    add_fabric(parser, session);
    add_route(parser, session);
    add_size(parser, session);
    add_place(parser, session);
    add_evaluate(parser, session);
    add_explain(parser, session);
    add_launch(parser, session);
    add_simulate(parser, session);
    add_validate(parser, session);
    add_advise(parser, session);
    add_flows(parser, session);
    add_schedule(parser, session);
    add_emulate(parser, session);
    add_selftest(parser, session);
    for (CLI::App* command : parser.get_subcommands({})) {
        command->group("Commands");
    }
    if (const auto unknown = unknown_command(parser, session.arguments)) {
        return report({*unknown});
    }
    const std::vector<std::string> arguments(session.arguments.begin(),
                                             session.arguments.begin() + parsed);
    try {
        parser.parse(parsed, argv);
    } catch (const CLI::Success& success) {
        return parser.exit(success);
    } catch (const CLI::ParseError& error) {
        const auto empty = empty_entry(parser, arguments);  // a comma alone
        return report({empty ? *empty : usage_problem(parser, error)});
    }
    if (const auto empty = empty_name(parser)) {
        return report({*empty});
    }
    if (const auto empty = empty_entry(parser, arguments)) {
        return report({*empty});
    }
    return session.run();
}

}  // namespace
}  // namespace longhaul::app

namespace longhaul::app {
namespace {

constexpr const char* kBlasThreads = "OPENBLAS_NUM_THREADS";
constexpr const char* kOwnStart = "LONGHAUL_BLAS_THREADS";  // what the user had there

/// Whether a command enters namespaces: `emulate` and `schedule run`.
bool enters_namespaces(int argc, char** argv) {
    const std::string_view first = argc > 1 ? argv[1] : "";
    const std::string_view second = argc > 2 ? argv[2] : "";
    return first == "emulate" || (first == "schedule" && second == "run");
}

/// Clp brings a BLAS, which may be OpenBLAS, and that starts a thread a core as it is loaded. A
/// process with threads cannot enter namespaces (setns(2)); so a command that does starts itself
/// anew with OpenBLAS told to stay single, and gives children what the user had.
void start_with_one_thread(char** argv) {
    if (const char* before = std::getenv(kOwnStart)) {
        if (*before == '\0') {
            unsetenv(kBlasThreads);
        } else {
            setenv(kBlasThreads, before, 1);
        }
        unsetenv(kOwnStart);
        return;
    }
    std::error_code failed;
    const std::filesystem::directory_iterator tasks("/proc/self/task", failed);
    if (failed || std::distance(begin(tasks), end(tasks)) < 2) {
        return;
    }
    const char* before = std::getenv(kBlasThreads);
    setenv(kOwnStart, before == nullptr ? "" : before, 1);
    setenv(kBlasThreads, "1", 1);
    execv("/proc/self/exe", argv);
    unsetenv(kOwnStart);  // it did not work: go on as it is
}

}  // namespace
}  // namespace longhaul::app

int main(int argc, char** argv) {
    if (longhaul::app::enters_namespaces(argc, argv)) {
        longhaul::app::start_with_one_thread(argv);
    }
    int code = longhaul::app::kBadInput;
    try {
        code = longhaul::app::run(argc, argv);
    } catch (const std::bad_alloc&) {
        std::fputs("longhaul: out of memory; use a machine with more, or fewer devices\n", stderr);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "longhaul: internal error: %s; please report it\n", error.what());
    }
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
        std::fputs("longhaul: standard output: cannot write; the result is incomplete\n", stderr);
        code = longhaul::app::kBadInput;
    }
    return code;
}
