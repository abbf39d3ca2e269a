// measure plan: which transfers a campaign makes, how long it takes and what it moves.
#include <cmath>
#include <map>
#include <memory>

#include "longhaul/command.hpp"
#include "longhaul/measure/campaign_hosts.hpp"
#include "longhaul/measure/largest_message.hpp"
#include "longhaul/measure/plan.hpp"
#include "longhaul/measure/schedule.hpp"
#include "longhaul/measure_commands.hpp"
#include "longhaul/measure_common.hpp"
#include "longhaul/measure_plan_options.hpp"
#include "longhaul/options.hpp"

namespace longhaul::app {
namespace {

constexpr double kLeastSmallest = 4096;  // what the smallest message is, unless it is ordered

/// Kinds by name; empty for a name that is none of them.
template <class Kind>
core::Result<std::vector<Kind>> kinds_of(const std::string& option,
                                         const std::vector<std::string>& texts,
                                         std::initializer_list<Kind> known) {
    std::vector<Kind> kinds;
    for (std::string text : texts) {
        std::ranges::replace(text, '-', '_');
        text = text == "both" ? "both_ways" : text;
        const auto found =
            std::ranges::find_if(known, [&](Kind kind) { return measure::name_of(kind) == text; });
        if (found == known.end()) {
            std::string names;
            for (const Kind kind : known) {
                names += (names.empty() ? "" : ", ") + std::string(measure::name_of(kind));
            }
            return core::fail({option, "", "found " + core::shown(text), "one of " + names});
        }
        if (std::ranges::count(kinds, *found) == 0) {
            kinds.push_back(*found);
        }
    }
    return kinds;
}

/// Whether the limits leave something to measure.
core::Result<void> fit_together(const PlanCommand& command,
                                double smallest,
                                double largest,
                                double pair_bytes) {
    if (smallest > 0 && smallest < 1) {
        return core::fail({"--smallest",
                           "",
                           "found " + core::shown(command.smallest),
                           "1 byte or more, or 0 to have it chosen"});
    }
    if (largest > 0 && largest < std::max(1.0, smallest)) {
        return core::fail(
            {"--largest",
             "",
             fmt::format("{} is below --smallest {}", command.largest, command.smallest),
             "give an ascending range"});
    }
    if (command.most_repeats && *command.most_repeats < command.repeats) {
        return core::fail(
            {"--most-repeats",
             "",
             fmt::format("{} is below --repeats {}", *command.most_repeats, command.repeats),
             "give at least as many"});
    }
    const double least =
        (measure::kWarmMessages + command.repeats) * (smallest > 0 ? smallest : kLeastSmallest);
    if (pair_bytes > 0 && pair_bytes < least) {
        return core::fail(
            {"--pair-bytes",
             "",
             fmt::format("{} leaves no room for a message of the smallest size, "
                         "warmed up and repeated",
                         command.pair_bytes),
             fmt::format("give {} or more, or lower --smallest", shown_bytes(least))});
    }
    return {};
}

core::Result<measure::CampaignRules> rules_of(const PlanCommand& command) {
    measure::CampaignRules rules;
    const auto smallest = parse_bytes("--smallest", command.smallest);
    const auto largest = parse_bytes("--largest", command.largest);
    const auto pair_bytes = parse_bytes("--pair-bytes", command.pair_bytes);
    for (const auto* number : {&smallest, &largest, &pair_bytes}) {
        if (!*number) {
            return tl::unexpected(number->error());
        }
    }
    if (auto fit = fit_together(command, *smallest, *largest, *pair_bytes); !fit) {
        return tl::unexpected(fit.error());
    }
    rules.smallest_bytes = *smallest;
    rules.largest_bytes = *largest;
    rules.pair_bytes = *pair_bytes;
    rules.repeats = command.repeats;
    rules.most_repeats =
        command.most_repeats.value_or(std::max(command.repeats, kUsualMostRepeats));
    rules.congestion_control = command.congestion;
    rules.task_seconds = command.task_seconds;
    rules.skew_factor = command.skew_factor;
    return rules;
}

core::Result<measure::ScheduleOptions> schedule_options(
    const PlanCommand& command, const std::vector<measure::CampaignHost>& hosts) {
    using measure::Pattern;
    using measure::State;
    measure::ScheduleOptions options;
    auto patterns = kinds_of("--patterns",
                             command.patterns,
                             {Pattern::kPing,
                              Pattern::kPeer,
                              Pattern::kBothWays,
                              Pattern::kFanOut,
                              Pattern::kFanIn,
                              Pattern::kRelay,
                              Pattern::kCrossing});
    auto states = kinds_of("--states", command.states, {State::kWarm, State::kIdle, State::kCold});
    auto rules = rules_of(command);
    if (!patterns || !states || !rules) {
        return tl::unexpected(!patterns ? patterns.error()
                              : !states ? states.error()
                                        : rules.error());
    }
    options.patterns = *patterns;
    options.states = *states;
    options.rules = *rules;
    options.idle_s = command.idle_s;
    options.streams = command.streams;
    options.fan_widths = command.widths;
    options.blocks = command.blocks;
    options.assumed_rtt_s = command.rtt_ms / 1000;
    options.assumed_gbps = command.gbps;
    if (!command.pairs.empty()) {
        const auto text = read_file(command.pairs);
        if (!text) {
            return tl::unexpected(text.error());
        }
        const auto pairs = measure::read_pairs(*text, input_name(command.pairs), hosts);
        if (!pairs) {
            return tl::unexpected(pairs.error());
        }
        options.pairs = *pairs;
    }
    return options;
}

std::string shown_seconds(double seconds) {
    return seconds < 120    ? fmt::format("{:.1f} s", seconds)
           : seconds < 7200 ? fmt::format("{:.1f} min", seconds / 60)
                            : fmt::format("{:.1f} h", seconds / 3600);
}

std::string summary_text(const measure::Campaign& campaign, const PlanCommand& command) {
    const measure::CampaignTotals totals = measure::totals_of(campaign);
    std::map<measure::Pattern, int> counts;
    for (const measure::CampaignTask& task : campaign.tasks) {
        ++counts[task.pattern];
    }
    std::string text = fmt::format("{:<9} {}\n", "hosts", campaign.hosts.size());
    for (const auto& [pattern, count] : counts) {
        text += fmt::format("{:<9} {} tasks\n", measure::name_of(pattern), count);
    }
    text += fmt::format("{:<9} {} in {} blocks\n", "slots", totals.slots, command.blocks);
    text += fmt::format("{:<9} {} at {} ms round trip and {} Gbit/s a link\n",
                        "time",
                        shown_seconds(totals.seconds),
                        command.rtt_ms,
                        command.gbps);
    text += fmt::format("{:<9} {} expected, {} at most\n",
                        "traffic",
                        shown_bytes(totals.bytes),
                        shown_bytes(totals.most_bytes));
    if (command.price) {
        text += fmt::format("{:<9} {:.2f} expected, {:.2f} at most\n",
                            "price",
                            *command.price * totals.bytes / 1e9,
                            *command.price * totals.most_bytes / 1e9);
    }
    return text;
}

std::string summary_json(const measure::Campaign& campaign, const PlanCommand& command) {
    const measure::CampaignTotals totals = measure::totals_of(campaign);
    core::Value value = core::Value::object();
    value.set("hosts", static_cast<double>(campaign.hosts.size())).set("tasks", totals.tasks);
    value.set("slots", totals.slots).set("blocks", command.blocks);
    value.set("seconds", totals.seconds).set("bytes", totals.bytes);
    value.set("most_bytes", totals.most_bytes);
    if (command.price) {
        value.set("price", *command.price * totals.bytes / 1e9);
        value.set("most_price", *command.price * totals.most_bytes / 1e9);
    }
    return core::write_json(value);
}

/// The answer is no when the plan costs more than it may.
core::Result<bool> within_limits(const measure::Campaign& campaign, const PlanCommand& command) {
    const measure::CampaignTotals totals = measure::totals_of(campaign);
    const auto bytes = parse_bytes("--max-total-bytes", command.total_bytes);
    const auto seconds = parse_seconds("--max-seconds", command.seconds);
    if (!bytes || !seconds) {
        return tl::unexpected(bytes ? seconds.error() : bytes.error());
    }
    if (totals.most_bytes > *bytes) {
        warn(
            fmt::format("the campaign may move {}, more than --max-total-bytes {}; lower "
                        "--largest, --pair-bytes, --blocks or --most-repeats, or name --pairs",
                        shown_bytes(totals.most_bytes),
                        command.total_bytes));
    }
    if (totals.seconds > *seconds) {
        warn(
            fmt::format("the campaign takes {}, more than --max-seconds {}; lower --largest, "
                        "--blocks or --repeats, or name --pairs",
                        shown_seconds(totals.seconds),
                        command.seconds));
    }
    return totals.most_bytes <= *bytes && totals.seconds <= *seconds;
}

/// Messages that end before the window is open say too little of the rate.
void warn_small(const measure::ScheduleOptions& options, const PlanCommand& command) {
    const double largest = options.rules.largest_bytes;
    const double bytes_per_s = options.assumed_gbps * 1e9 / 8;
    const double pipe = measure::pipe_bytes(bytes_per_s, options.assumed_rtt_s);
    if (largest <= 0 || largest >= measure::kEnoughPipes * pipe) {
        return;
    }
    constexpr double kMega = 1e6;
    const double enough = measure::enough_bytes(bytes_per_s, options.assumed_rtt_s);
    warn(
        fmt::format("--largest {} is {:.2g} bandwidth-delay products at {} ms and {} Gbit/s "
                    "(--assume-rtt-ms, --assume-gbps): on such paths it ends before the window is "
                    "open, and rates come out too low; give {:.0f}MB or more, or 0 to have it "
                    "chosen",
                    command.largest,
                    largest / pipe,
                    command.rtt_ms,
                    command.gbps,
                    std::ceil(enough / kMega)));
}

int run_plan(const PlanCommand& command) {
    if (const auto apart = check_apart({command.output}, {command.hosts, command.pairs}); !apart) {
        return report(apart.error());
    }
    if (const auto alone = check_json_alone(command.json, {command.output}); !alone) {
        return report(alone.error());
    }
    const auto text = read_file(command.hosts);
    if (!text) {
        return report(text.error());
    }
    const auto hosts = measure::read_campaign_hosts(*text, input_name(command.hosts));
    if (!hosts) {
        return report(hosts.error());
    }
    const auto options = schedule_options(command, hosts->hosts);
    if (!options) {
        return report(options.error());
    }
    warn_small(*options, command);
    const measure::Campaign campaign =
        measure::make_campaign(hosts->hosts, hosts->groups, *options);
    if (campaign.tasks.empty()) {
        return report(
            {{"", "", "no task is left", "name --patterns and widths that the hosts have"}});
    }
    const auto allowed = within_limits(campaign, command);
    if (!allowed) {
        return report(allowed.error());
    }
    if (*allowed && !command.output.empty()) {
        const std::string plan = measure::plan_text(campaign, "longhaul " LONGHAUL_VERSION);
        if (const auto written = write_file(command.output, plan); !written) {
            return report(written.error());
        }
    }
    if (command.output != "-") {
        print(command.json ? summary_json(campaign, command) : summary_text(campaign, command));
    }
    return *allowed ? kDone : kNo;
}

}  // namespace

void add_measure_plan(CLI::App& parent, Session& session) {
    CLI::App* command = parent.add_subcommand(
        "plan", "Plans a campaign: tasks, slots, seconds and bytes, before anything is sent");
    const auto options = std::make_shared<PlanCommand>();
    command->add_option("HOSTS", options->hosts, "hosts file (TOML); - for standard input")
        ->required()
        ->type_name("FILE");
    command->add_option("-o,--output", options->output, "write the plan to a file")
        ->type_name("FILE");
    add_plan_options(*command, *options);
    command->add_flag("--json", options->json, "print one JSON object instead of the table");
    example(*command, "longhaul measure plan examples/measure/hosts.toml");
    command->callback(
        [&session, options] { session.run = [options] { return run_plan(*options); }; });
}

}  // namespace longhaul::app
