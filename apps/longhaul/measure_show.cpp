// measure show: what a file of raw measurements holds.
#include <algorithm>
#include <map>
#include <set>

#include "longhaul/command.hpp"
#include "longhaul/core/hash.hpp"
#include "longhaul/measure/raw.hpp"
#include "longhaul/measure_commands.hpp"
#include "longhaul/measure_common.hpp"
#include "longhaul/options.hpp"

namespace longhaul::app {
namespace {

struct ShowOptions {
    std::vector<std::string> files;
    bool json = false;
};

/// What the samples of one pattern amount to.
struct PatternFacts {
    std::size_t samples = 0;
    std::size_t usable = 0;
    std::set<std::pair<std::string, std::string>> pairs;
    double bytes = 0;
};

std::map<std::string, PatternFacts> facts_of(const measure::Raw& raw) {
    std::map<std::string, PatternFacts> facts;
    for (const measure::Sample& sample : raw.samples) {
        PatternFacts& pattern = facts[std::string(name_of(sample.pattern))];
        ++pattern.samples;
        pattern.bytes += sample.bytes;
    }
    for (const measure::Sample& sample : measure::usable_samples(raw)) {
        PatternFacts& pattern = facts[std::string(name_of(sample.pattern))];
        ++pattern.usable;
        pattern.pairs.emplace(sample.from, sample.to);
    }
    return facts;
}

std::string text_of(const measure::Raw& raw) {
    std::string text;
    for (const measure::RunRecord& run : raw.runs) {
        text += fmt::format("{:<12} {}{}{}\n",
                            "run",
                            run.run,
                            run.started.empty() ? "" : ", started " + run.started,
                            run.tool.empty() ? "" : ", by " + run.tool);
    }
    text += fmt::format("{:<12} {}\n", "hosts", raw.hosts.size());
    for (const auto& [name, pattern] : facts_of(raw)) {
        text += fmt::format("{:<12} {} {} of {} directed {}, {} usable, {}\n",
                            name,
                            pattern.samples,
                            pattern.samples == 1 ? "sample" : "samples",
                            pattern.pairs.size(),
                            pattern.pairs.size() == 1 ? "pair" : "pairs",
                            pattern.usable,
                            shown_bytes(pattern.bytes));
    }
    for (const measure::Event& event : raw.events) {
        text += fmt::format("{:<12} {}{}{}{}\n",
                            "event",
                            event.kind,
                            event.host.empty() ? "" : " of " + event.host,
                            event.task.empty() ? "" : " in task " + event.task,
                            event.detail.empty() ? "" : ": " + event.detail);
    }
    text += fmt::format("{:<12} {}\n", "complete", raw.ended ? "yes" : "no end record");
    return text;
}

core::Value value_of(const measure::Raw& raw) {
    core::Value patterns = core::Value::object();
    for (const auto& [name, pattern] : facts_of(raw)) {
        patterns.set(name,
                     core::Value::object()
                         .set("samples", static_cast<double>(pattern.samples))
                         .set("usable", static_cast<double>(pattern.usable))
                         .set("pairs", static_cast<double>(pattern.pairs.size()))
                         .set("bytes", pattern.bytes));
    }
    return core::Value::object()
        .set("runs", static_cast<double>(raw.runs.size()))
        .set("hosts", static_cast<double>(raw.hosts.size()))
        .set("patterns", patterns)
        .set("events", static_cast<double>(raw.events.size()))
        .set("complete", raw.ended);
}

core::Result<void> show(const ShowOptions& options) {
    const core::Result<measure::Raw> raw = load_raw(options.files);
    if (!raw) {
        return tl::unexpected(raw.error());
    }
    print(options.json ? core::write_json(value_of(*raw)) : text_of(*raw));
    return {};
}

}  // namespace

core::Result<LoadedRaw> load_raw_files(const std::vector<std::string>& files) {
    if (std::ranges::count(files, "-") > 1) {
        return tl::unexpected(read_once({"-", "-"}).error());
    }
    LoadedRaw all;
    all.raw.ended = true;
    core::Diagnostics problems;
    for (const std::string& file : files) {
        const core::Result<std::string> text = read_file(file);
        core::Result<measure::Raw> raw =
            text ? measure::read_raw(*text, input_name(file))
                 : core::Result<measure::Raw>(tl::unexpected(text.error()));
        if (!raw) {
            problems.insert(problems.end(), raw.error().begin(), raw.error().end());
            continue;
        }
        const std::string sha256 = core::sha256_hex(*text);
        const auto same = std::ranges::find(all.sources, sha256, &measure::FitSource::sha256);
        if (same != all.sources.end()) {
            problems.push_back({input_name(file),
                                "",
                                "holds the same as " + same->name,
                                "give each file once: its samples would count twice"});
            continue;
        }
        for (const std::string& warning : raw->warnings) {
            warn(fmt::format("{}: {}", input_name(file), warning));
        }
        all.sources.push_back({input_name(file), sha256});
        append(all.raw, *std::move(raw));
    }
    if (!problems.empty()) {
        return tl::unexpected(std::move(problems));
    }
    return all;
}

core::Result<measure::Raw> load_raw(const std::vector<std::string>& files) {
    core::Result<LoadedRaw> loaded = load_raw_files(files);
    if (!loaded) {
        return tl::unexpected(std::move(loaded.error()));
    }
    return std::move(loaded->raw);
}

void add_measure_show(CLI::App& parent, Session& session) {
    CLI::App* command = parent.add_subcommand("show", "Says what files of raw measurements hold");
    example(*command, "longhaul measure show raw.jsonl");
    auto options = std::make_shared<ShowOptions>();
    command->add_option("files", options->files, "raw measurements (longhaul.raw/1)")
        ->type_name("FILE")
        ->required();
    command->add_flag("--json", options->json, "print one JSON object");
    command->callback([options, &session] {
        session.run = [options] {
            const core::Result<void> done = show(*options);
            return done ? kDone : report(done.error());
        };
    });
}

}  // namespace longhaul::app
