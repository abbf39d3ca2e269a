// Entry point: chooses the command, and turns whatever happens into an exit code and one message.
#include <cstdio>
#include <exception>

#include "longhaul/command.hpp"
#include "longhaul/options.hpp"

namespace longhaul::app {
namespace {

int run(int argc, char** argv) {
    CLI::App parser("Plans, launches and checks training on machines that are far apart.",
                    "longhaul");
    Session session{{argv, argv + argc}, {}};
    parser.set_version_flag("--version", "longhaul " LONGHAUL_VERSION);
    parser.require_subcommand(1);
    add_demo(parser, session);
    add_fabric(parser, session);
    add_size(parser, session);
    add_place(parser, session);
    add_evaluate(parser, session);
    add_explain(parser, session);
    add_launch(parser, session);
    add_selftest(parser, session);
    try {
        parser.parse(argc, argv);
    } catch (const CLI::Success& success) {
        return parser.exit(success);
    } catch (const CLI::ParseError& error) {
        std::string place;
        for (const CLI::App* chosen : parser.get_subcommands()) {
            place = chosen->get_name();
        }
        return report(
            {{place,
              "",
              error.what(),
              place.empty() ? "see longhaul --help" : "see longhaul " + place + " --help"}});
    }
    return session.run();
}

}  // namespace
}  // namespace longhaul::app

int main(int argc, char** argv) {
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
