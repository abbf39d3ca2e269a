// measure check: whether numbers of links are fit to place on, and what changed between two files.
#include <map>

#include "longhaul/command.hpp"
#include "longhaul/fabric/read.hpp"
#include "longhaul/inputs.hpp"
#include "longhaul/measure/check.hpp"
#include "longhaul/measure/compare.hpp"
#include "longhaul/measure/links_file.hpp"
#include "longhaul/measure/utc.hpp"
#include "longhaul/measure_commands.hpp"
#include "longhaul/measure_common.hpp"
#include "longhaul/measure_text.hpp"
#include "longhaul/options.hpp"

namespace longhaul::app {
namespace {

/// Pairs that a text lists before it says how many more there are.
constexpr std::size_t kListed = 20;

struct CheckInputs {
    std::vector<std::string> files;
    std::vector<std::string> raw;
    std::string transport;
    std::string state = "warm";
    measure::CheckOptions options;
    measure::CompareOptions compare;
    bool json = false;
};

/// A file of fits or a fabric.
struct Loaded {
    measure::PairFacts facts;
    std::optional<measure::SharedSummary> shared;
};

measure::FabricOptions pair_options(const CheckInputs& inputs) {
    measure::FabricOptions options;
    options.transport = inputs.transport;
    options.state = inputs.state == "cold"   ? measure::State::kCold
                    : inputs.state == "idle" ? measure::State::kIdle
                                             : measure::State::kWarm;
    return options;
}

/// Whether a text says that it is a file of fits.
bool is_links(const std::string& text, const std::string& name) {
    const auto document = core::parse_document(text, name);
    const core::Value* format = document ? document->root.find("format") : nullptr;
    return format != nullptr && format->string.starts_with("longhaul.links/");
}

core::Result<Loaded> load(const std::string& path, const CheckInputs& inputs) {
    const core::Result<std::string> text = read_file(path);
    if (!text) {
        return tl::unexpected(text.error());
    }
    const std::string name = input_name(path);
    if (is_links(*text, name)) {
        const core::Result<measure::LinkFits> fits = measure::read_links(*text, name);
        if (!fits) {
            return tl::unexpected(fits.error());
        }
        return Loaded{measure::facts_of(*fits, pair_options(inputs)),
                      measure::shared_summary(*fits)};
    }
    const core::Result<fabric::Fabric> fabric = fabric::read_fabric(*text, name);
    if (!fabric) {
        return tl::unexpected(fabric.error());
    }
    return Loaded{measure::facts_of(*fabric), std::nullopt};
}

core::Result<measure::CheckContext> context_of(const Loaded& loaded, const CheckInputs& inputs) {
    measure::CheckContext context;
    context.shared = loaded.shared;
    const core::Result<std::string> now = utc_now();
    if (!now) {
        return tl::unexpected(now.error());
    }
    context.age_days = measure::days_between(loaded.facts.started, *now);
    constexpr double kClocksApart = 1;  // days that the clocks of two machines may differ
    if (!context.age_days || *context.age_days < -kClocksApart) {
        context.age_days.reset();
        context.unknown_time = loaded.facts.started;
    }
    if (!inputs.raw.empty()) {
        core::Result<measure::Raw> raw = load_raw(inputs.raw);
        if (!raw) {
            return tl::unexpected(raw.error());
        }
        context.events = std::move(raw->events);
    }
    return context;
}

/// Remarks of one gate, in the order of the report; of anything else each by itself.
std::vector<std::vector<const measure::Remark*>> by_gate(const measure::CheckReport& report) {
    std::vector<std::vector<const measure::Remark*>> groups;
    std::map<std::string, std::size_t> gates;
    for (const measure::Remark& remark : report.remarks) {
        if (remark.kind != "gate") {
            groups.push_back({&remark});
            continue;
        }
        const std::string gate = remark.what.substr(0, remark.what.find(':'));
        const auto [known, fresh] = gates.try_emplace(gate, groups.size());
        if (fresh) {
            groups.emplace_back();
        }
        groups[known->second].push_back(&remark);
    }
    return groups;
}

std::string remarks_text(const measure::CheckReport& report) {
    std::string text;
    for (const auto& group : by_gate(report)) {
        std::vector<std::string> places;
        for (const measure::Remark* remark : group) {
            places.push_back(remark->where);
        }
        const measure::Remark& first = *group.front();
        text += fmt::format("{:<10} {}{}{}\n{:<10} {}\n",
                            name_of(first.severity),
                            some_of(places),
                            first.where.empty() ? ""
                            : group.size() > 1  ? "; the first: "
                                                : ": ",
                            first.what,
                            "",
                            first.advice);
    }
    return text;
}

std::string report_text(const measure::CheckReport& report, const measure::CheckContext& context) {
    std::string text =
        fmt::format("hosts      {}, {} directed pairs: {} missing, {} estimated\nsuspect    {}\n",
                    report.hosts,
                    report.pairs,
                    report.missing,
                    report.estimated,
                    report.suspect ? fmt::format("{} pairs", *report.suspect)
                                   : "unknown: the fabric does not say; check the links file");
    text += fmt::format("pair cost  of {}: min {:.4g} s, median {:.4g} s, max {:.4g} s ({:.3g}x)\n",
                        shown_bytes(report.payload_gb * 1e9),
                        report.least_s,
                        report.median_s,
                        report.most_s,
                        report.least_s > 0 ? report.most_s / report.least_s : 1);
    text += fmt::format("directions median ratio {:.3g}x, largest {:.3g}x\n",
                        report.asymmetry_median,
                        report.asymmetry_most);
    text += report.age_days ? fmt::format("age        {:.1f} days\n", *report.age_days)
                            : std::string("age        unknown\n");
    if (context.shared) {
        for (const std::string& resource : context.shared->resources) {
            text += fmt::format("shared     {}\n", resource);
        }
    }
    text += remarks_text(report);
    return text +
           fmt::format("answer     {}\n",
                       report.worth ? "yes, it is worth placing on" : "no, see the reasons above");
}

std::string change_text(const measure::PairChange& change) {
    std::string text = fmt::format("pair       {}>{}:", change.from, change.to);
    if (change.beta_changed) {
        text += fmt::format(" rate {:.3g}x", change.beta_ratio);
    }
    if (change.alpha_changed && change.old_alpha_ms > 0 && change.new_alpha_ms > 0) {
        text += fmt::format(" latency {:.3g}x", change.alpha_ratio);
    } else if (change.alpha_changed) {
        text += fmt::format(
            " latency {:.3g} ms, was {:.3g} ms", change.new_alpha_ms, change.old_alpha_ms);
    }
    return text + "\n";
}

std::string comparison_text(const measure::Comparison& comparison) {
    std::string text = fmt::format(
        "pairs      {} in both; new / old rate: p10 {:.3g}, median {:.3g}, p90 {:.3g}\n",
        comparison.pairs,
        comparison.p10_ratio,
        comparison.median_ratio,
        comparison.p90_ratio);
    for (const std::string& host : comparison.gone) {
        text += fmt::format("gone       {}\n", host);
    }
    for (const std::string& host : comparison.added) {
        text += fmt::format("added      {}\n", host);
    }
    for (const measure::HostChange& host : comparison.hosts) {
        text += fmt::format("host       {}: sends at {:.3g}x, receives at {:.3g}x\n",
                            host.host,
                            host.send_ratio,
                            host.receive_ratio);
    }
    for (std::size_t i = 0; i < std::min(kListed, comparison.changes.size()); ++i) {
        text += change_text(comparison.changes[i]);
    }
    if (comparison.changes.size() > kListed) {
        text += fmt::format("           and {} more pairs; --json lists all\n",
                            comparison.changes.size() - kListed);
    }
    return text + (comparison.same ? "answer     yes, it is as before\n"
                                   : fmt::format("answer     no, {} of {} pairs changed\n",
                                                 comparison.changes.size(),
                                                 comparison.pairs));
}

core::Result<int> check_one(const CheckInputs& inputs) {
    const core::Result<Loaded> loaded = load(inputs.files.front(), inputs);
    if (!loaded) {
        return tl::unexpected(loaded.error());
    }
    const core::Result<measure::CheckContext> context = context_of(*loaded, inputs);
    if (!context) {
        return tl::unexpected(context.error());
    }
    const measure::CheckReport report = measure::check(loaded->facts, inputs.options, *context);
    print(inputs.json ? core::write_json(measure::to_value(report))
                      : report_text(report, *context));
    return report.worth ? kDone : kNo;
}

core::Result<int> compare_two(const CheckInputs& inputs) {
    if (const auto once = read_once({inputs.files[0], inputs.files[1]}); !once) {
        return tl::unexpected(once.error());
    }
    const core::Result<Loaded> before = load(inputs.files[0], inputs);
    const core::Result<Loaded> after = load(inputs.files[1], inputs);
    if (!before || !after) {
        return tl::unexpected(before ? after.error() : before.error());
    }
    const measure::Comparison comparison =
        measure::compare(before->facts, after->facts, inputs.compare);
    if (comparison.pairs == 0) {
        return core::fail({input_name(inputs.files[1]),
                           "hosts",
                           "no pair of hosts is measured in both files",
                           "hosts are matched by name; both files must name the same ones"});
    }
    print(inputs.json ? core::write_json(measure::to_value(comparison))
                      : comparison_text(comparison));
    return comparison.same ? kDone : kNo;
}

void add_check_options(CLI::App& command, CheckInputs& inputs) {
    command.add_option("--raw", inputs.raw, "raw measurements whose audit is looked at, too")
        ->type_name("FILE...");
    command.add_option("--transport", inputs.transport, "of fits over several")->type_name("NAME");
    command.add_option("--state", inputs.state, "of the connections")
        ->check(CLI::IsMember({"warm", "idle", "cold"}))
        ->capture_default_str();
    command
        .add_option("--payload",
                    inputs.options.payload_gb,
                    "decimal GB of the message that costs are compared for")
        ->check(finite_number(0, 1e6))
        ->capture_default_str();
    command
        .add_option("--uniform",
                    inputs.options.uniform,
                    "largest / least pair cost up to which placing gains too little")
        ->check(finite_number(1, 1e6))
        ->capture_default_str();
    command
        .add_option(
            "--outlier", inputs.options.outlier, "factor that makes a host or pair stand out")
        ->check(finite_number(1, 1e6))
        ->capture_default_str();
    command.add_option("--max-age", inputs.options.max_age_days, "days that measurements hold")
        ->check(finite_number(0, 1e6))
        ->capture_default_str();
    command
        .add_option(
            "--max-estimated", inputs.options.max_estimated, "share of pairs that may be estimates")
        ->check(finite_number(0, 1))
        ->capture_default_str();
    command
        .add_option(
            "--max-suspect", inputs.options.max_suspect, "share of pairs whose fit may be suspect")
        ->check(finite_number(0, 1))
        ->capture_default_str();
    command
        .add_option("--tolerance",
                    inputs.compare.tolerance,
                    "of two files: relative change that does not matter")
        ->check(finite_number(0, 1e6))
        ->capture_default_str();
}

}  // namespace

void add_measure_check(CLI::App& parent, Session& session) {
    CLI::App* command = parent.add_subcommand(
        "check", "Says whether links are fit to place on, or what changed between two campaigns");
    example(*command, "longhaul measure check fabrics/dtfm-regional.json");
    auto inputs = std::make_shared<CheckInputs>();
    command
        ->add_option("files",
                     inputs->files,
                     "fits (longhaul.links/1) or a fabric; with two: the old and the new")
        ->type_name("FILE...")
        ->expected(1, 2)
        ->required();
    add_check_options(*command, *inputs);
    command->add_flag("--json", inputs->json, "print one JSON object");
    command->callback([inputs, &session] {
        session.run = [inputs] {
            const core::Result<int> code =
                inputs->files.size() == 2 ? compare_two(*inputs) : check_one(*inputs);
            return code ? *code : report(code.error());
        };
    });
}

}  // namespace longhaul::app
