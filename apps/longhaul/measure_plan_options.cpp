#include "longhaul/measure_plan_options.hpp"

#include "longhaul/options.hpp"

namespace longhaul::app {
namespace {

constexpr int kMostPlannedRepeats = 100;

void add_what_to_measure(CLI::App& command, PlanCommand& options) {
    command
        .add_option("--patterns",
                    options.patterns,
                    "ping, peer, both, fan-out, fan-in, relay, crossing; separated by commas")
        ->delimiter(',')
        ->capture_default_str()
        ->type_name("LIST");
    command.add_option("--pairs", options.pairs, "only these pairs: \"FROM TO\" a line")
        ->type_name("FILE");
    command
        .add_option("--widths",
                    options.widths,
                    "peers of fans, transfers of crossings (default: 2, 4, ... and all)")
        ->delimiter(',')
        ->check(CLI::Range(1, 4096))
        ->type_name("LIST");
    command
        .add_option("--states",
                    options.states,
                    "warm, idle (a pause before each message), cold (a new connection for each)")
        ->delimiter(',')
        ->capture_default_str()
        ->type_name("LIST");
    command.add_option("--idle", options.idle_s, "pause of the state idle, seconds")
        ->check(finite_number(0.001, 3600))
        ->capture_default_str()
        ->type_name("S");
    command.add_option("--streams", options.streams, "connections that share a message")
        ->delimiter(',')
        ->check(CLI::Range(1, 64))
        ->capture_default_str()
        ->type_name("LIST");
    command
        .add_option("--congestion-control",
                    options.congestion,
                    "pin this one on every host (default: what each host has)")
        ->type_name("NAME");
}

void add_how_much(CLI::App& command, PlanCommand& options) {
    command
        .add_option("--smallest",
                    options.smallest,
                    "smallest message (0: 4 KiB where the round trip is below 2 ms, else 64 KiB)")
        ->capture_default_str()
        ->type_name("BYTES");
    command
        .add_option("--largest",
                    options.largest,
                    "largest message (0: 16 MiB, or four times rate x round trip)")
        ->capture_default_str()
        ->type_name("BYTES");
    command
        .add_option("--blocks",
                    options.blocks,
                    "every experiment runs once in each; they are spread over the campaign")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str()
        ->type_name("N");
    command.add_option("--repeats", options.repeats, "messages of each size in a block, at least")
        ->check(CLI::Range(1, kMostPlannedRepeats))
        ->capture_default_str()
        ->type_name("N");
    command
        .add_option("--most-repeats",
                    options.most_repeats,
                    fmt::format("messages of each size in a block, until the 95 % interval is "
                                "within 5 %; default {}, or --repeats where that is more",
                                kUsualMostRepeats))
        ->check(CLI::Range(1, kMostPlannedRepeats))
        ->type_name("N");
    command
        .add_option("--pair-bytes",
                    options.pair_bytes,
                    "most bytes from one host to another in a task (0: no limit)")
        ->capture_default_str()
        ->type_name("BYTES");
    command
        .add_option("--skew-factor",
                    options.skew_factor,
                    "transfers of several hosts last that many times the difference of their "
                    "starts, or do not count")
        ->check(finite_number(0, 1000))
        ->capture_default_str()
        ->type_name("X");
    command.add_option("--task-seconds", options.task_seconds, "longest task, seconds")
        ->check(finite_number(1, 86400))
        ->capture_default_str()
        ->type_name("S");
}

void add_limits(CLI::App& command, PlanCommand& options) {
    command
        .add_option("--assume-rtt-ms", options.rtt_ms, "round trip that the estimate assumes, ms")
        ->check(finite_number(0.001, 10000))
        ->capture_default_str()
        ->type_name("MS");
    command.add_option("--assume-gbps", options.gbps, "rate that the estimate assumes, Gbit/s")
        ->check(finite_number(1e-6, 1e6))
        ->capture_default_str()
        ->type_name("GBPS");
    command
        .add_option("--max-total-bytes", options.total_bytes, "refuse a plan that may move more")
        ->capture_default_str()
        ->type_name("BYTES");
    command.add_option("--max-seconds", options.seconds, "refuse a plan that takes longer")
        ->capture_default_str()
        ->type_name("TIME");
    command.add_option("--price-per-gb", options.price, "print the price of the traffic as well")
        ->check(finite_number(0, 1e6))
        ->type_name("PRICE");
}

}  // namespace

void add_plan_options(CLI::App& command, PlanCommand& options) {
    add_what_to_measure(command, options);
    add_how_much(command, options);
    add_limits(command, options);
}

}  // namespace longhaul::app
