// measure run: runs a plan on the agents and appends what they measure to a raw file.
#include <cstdio>
#include <memory>
#include <span>

#include <unistd.h>

#include "longhaul/command.hpp"
#include "longhaul/core/hash.hpp"
#include "longhaul/measure/coordinator.hpp"
#include "longhaul/measure/plan.hpp"
#include "longhaul/measure_commands.hpp"
#include "longhaul/measure_common.hpp"
#include "longhaul/options.hpp"
#include "longhaul/raw_log.hpp"
#include "longhaul/transport/clock.hpp"

namespace longhaul::app {
namespace {

constexpr std::size_t kRunIdSize = 8;
constexpr std::size_t kMostShown = 20;

struct RunCommand {
    std::string plan;
    std::string output;
    std::string token_file;
    std::string max_age;
    int attempts = 3;
    double reconnect_s = 5;
    bool resume = false;
    bool no_audit = false;
    bool json = false;
    bool quiet = false;
};

/// How far the campaign is: on a terminal one line that changes, elsewhere a line now and then.
class ProgressLines {
public:
    explicit ProgressLines(bool quiet)
        : terminal_(!quiet && ::isatty(STDERR_FILENO) == 1), quiet_(quiet) {}

    void show(const measure::RunProgress& progress) {
        const core::Seconds now = transport::now();
        const bool due = !quiet_ && (now - last_).value() >= kBetweenLines;
        if (!terminal_ && !due) {
            return;
        }
        last_ = now;
        fmt::print(stderr,
                   "{}longhaul: {} of {} tasks{}, {:.0f} s left: {}{}",
                   terminal_ ? "\r\033[K" : "",
                   progress.done,
                   progress.total,
                   progress.again_total > 0
                       ? fmt::format(", {} of {} again", progress.again_done, progress.again_total)
                       : std::string(),
                   progress.left_s,
                   progress.doing,
                   terminal_ ? "" : "\n");
    }

    /// A line that stays, at once.
    void say(const std::string& text) const {
        if (!quiet_) {
            fmt::print(stderr,
                       "{}longhaul: {}\n",
                       terminal_ ? "\r\033[K" : "",
                       core::printable_lines(text));
        }
    }

    void end() const {
        if (terminal_) {
            fmt::print(stderr, "\r\033[K");
        }
    }

private:
    static constexpr double kBetweenLines = 30;  // seconds
    bool terminal_;
    bool quiet_;
    core::Seconds last_ = transport::now();
};

/// What ran, and what to do about the rest.
std::string result_text(const measure::CoordinatorResult& result) {
    constexpr std::size_t kNamed = 3;
    std::string text = fmt::format("{} of {} tasks complete\n", result.complete, result.total);
    if (result.missing.empty()) {
        return text;
    }
    const std::span<const std::string> missing = result.missing;
    const std::size_t named = std::min(kNamed, missing.size());
    text += fmt::format("missing   {}", fmt::join(missing.first(named), ", "));
    if (missing.size() > named) {
        text += fmt::format(", and {} more", missing.size() - named);
    }
    return text +
           fmt::format("\nnext      {}run the same with --resume\n",
                       result.lost.empty() ? "" : "start the agents of the lost hosts, then ");
}

std::string result_json(const measure::CoordinatorResult& result) {
    const auto list = [](const std::vector<std::string>& texts) {
        core::Value array = core::Value::array();
        for (const std::string& text : texts) {
            array.append(text);
        }
        return array;
    };
    return core::write_json(core::Value::object()
                                .set("complete", result.complete)
                                .set("tasks", result.total)
                                .set("missing", list(result.missing))
                                .set("lost", list(result.lost)));
}

void warn_of(const measure::CoordinatorResult& result) {
    for (std::size_t i = 0; i < std::min(result.warnings.size(), kMostShown); ++i) {
        warn(result.warnings[i]);
    }
    for (const std::string& host : result.lost) {
        warn("lost host " + host);
    }
}

/// What the file knows already, and which samples are too old.
struct Before {
    measure::Raw raw;
    std::string oldest;
};

core::Result<Before> load_before(const RunCommand& command, const RawLog& log) {
    Before before;
    if (!log.text().empty()) {
        auto raw = measure::read_raw(log.text(), command.output);
        if (!raw) {
            return tl::unexpected(raw.error());
        }
        before.raw = std::move(*raw);
    } else if (!log.cut_line().empty() && !log.cut_line().starts_with(R"({"record")")) {
        return core::fail({command.output,
                           "",
                           "holds no raw measurements",
                           "name the file of the campaign, or a new one"});
    }
    if (!log.cut_line().empty()) {
        if (const auto dropped = log.drop_cut_line(); !dropped) {
            return tl::unexpected(dropped.error());
        }
        if (!command.quiet) {
            warn(command.output + ": the last line was not finished and is dropped");
        }
    }
    if (!command.max_age.empty()) {
        const auto age = parse_seconds("--max-age", command.max_age);
        if (!age) {
            return tl::unexpected(age.error());
        }
        before.oldest = transport::utc_text(transport::utc_seconds() - core::Seconds(*age));
    }
    return before;
}

int run_run(const RunCommand& command) {
    const auto token = load_token(command.token_file);
    if (!token) {
        return report(token.error());
    }
    const auto text = read_file(command.plan);
    if (!text) {
        return report(text.error());
    }
    auto campaign = measure::read_plan(*text, input_name(command.plan));
    if (!campaign) {
        return report(campaign.error());
    }
    if (const auto apart = check_apart({command.output}, {command.plan, command.token_file});
        !apart) {
        return report(apart.error());
    }
    if (!command.max_age.empty() && !command.resume) {
        return report({{"--max-age", "", "it is given without --resume", "add --resume"}});
    }
    if (command.output == "-") {
        return report({{"--output",
                        "",
                        "standard output cannot be continued",
                        "name a file: a campaign that was broken off goes on there"}});
    }
    const auto log = RawLog::open(command.output, command.resume);
    if (!log) {
        return report(log.error());
    }
    const auto before = load_before(command, *log);
    if (!before) {
        return report(before.error());
    }
    catch_interrupts();
    ProgressLines shown(command.quiet);
    measure::CoordinatorOptions options;
    options.run = before->raw.runs.empty() ? transport::to_hex(transport::random_bytes(kRunIdSize))
                                           : before->raw.runs.front().run;
    options.tool = "longhaul " LONGHAUL_VERSION;
    options.plan_sha256 = core::sha256_hex(*text);
    options.most_attempts = command.attempts;
    options.audit_share = command.no_audit ? 0 : options.audit_share;
    options.fleet.retry_after = core::Seconds(command.reconnect_s);
    options.append = [&](std::string_view lines) { return log->append(lines); };
    options.progress = [&](const measure::RunProgress& progress) { shown.show(progress); };
    options.notice = [&](const std::string& line) { shown.say(line); };
    options.stop = interrupted;
    const auto result =
        measure::run_campaign(std::move(*campaign), before->raw, before->oldest, *token, options);
    shown.end();
    if (!result) {
        return report(result.error());
    }
    if (!command.quiet) {
        warn_of(*result);
    }
    print(command.json ? result_json(*result) : result_text(*result));
    return result->missing.empty() ? kDone : kPartial;
}

}  // namespace

void add_measure_run(CLI::App& parent, Session& session) {
    CLI::App* command = parent.add_subcommand(
        "run", "Runs a plan on the agents and keeps every sample in a raw file");
    const auto options = std::make_shared<RunCommand>();
    command
        ->add_option("PLAN", options->plan, "plan (longhaul.measure-plan/1); - for standard input")
        ->required()
        ->type_name("FILE");
    command->add_option("-o,--output", options->output, "raw file (JSON lines) to append to")
        ->required()
        ->type_name("FILE");
    command
        ->add_option("--token-file",
                     options->token_file,
                     "secret of the campaign: a file of mode 0600 with 32 bytes or more")
        ->required()
        ->type_name("FILE");
    command->add_flag("--resume",
                      options->resume,
                      "continue the campaign of the raw file: complete tasks are kept");
    command
        ->add_option("--max-age",
                     options->max_age,
                     "with --resume: measure again what is older, such as 24h or 30d")
        ->type_name("TIME");
    command->add_option("--attempts", options->attempts, "how often a task is tried")
        ->check(CLI::Range(1, 100))
        ->capture_default_str()
        ->type_name("N");
    command
        ->add_option("--reconnect-seconds",
                     options->reconnect_s,
                     "pause before a host that was lost is tried again, seconds; it is given "
                     "up the third time")
        ->check(finite_number(0, 3600))
        ->capture_default_str()
        ->type_name("S");
    command->add_flag("--no-audit",
                      options->no_audit,
                      "do not check whether transfers that ran at once slowed each other");
    command->add_flag("--json", options->json, "print one JSON object instead of a line");
    command->add_flag("--quiet", options->quiet, "no progress and no warnings");
    example(*command, "longhaul measure run plan.jsonl -o raw.jsonl --token-file token");
    command->callback(
        [&session, options] { session.run = [options] { return run_run(*options); }; });
}

}  // namespace longhaul::app
