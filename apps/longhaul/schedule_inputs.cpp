#include "longhaul/schedule_inputs.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/ranges.h>

#include "longhaul/command.hpp"
#include "longhaul/core/document.hpp"
#include "longhaul/core/hash.hpp"
#include "longhaul/core/own_formats.hpp"
#include "longhaul/schedule/score.hpp"
#include "longhaul/topology/read.hpp"

namespace longhaul::app {
namespace {

constexpr double kDefaultAccess = 20;

/// A declared network has sites and links but says nothing of islands.
core::Result<schedule::Islands> islands_of_topology(const core::Document& document,
                                                    const ScheduleInputs& inputs) {
    const auto topology = topology::read_topology(document);
    if (!topology) {
        return tl::unexpected(topology.error());
    }
    return schedule::islands_of(*topology,
                                {.payload_gb = inputs.payload_gb.value_or(1),
                                 .access_gbps = inputs.access_gbps.value_or(kDefaultAccess),
                                 .memory_gb = inputs.memory_gb.value_or(0)});
}

bool is_topology(const core::Document& document) {
    const core::Value* format = document.root.find("format");
    return (format != nullptr && format->string.starts_with("longhaul.topology/")) ||
           document.root.find("site") != nullptr;
}

}  // namespace

void add_network_inputs(CLI::App& command, ScheduleInputs& inputs) {
    command.add_option("--network", inputs.network, "islands and links, or a topology with sites")
        ->type_name("FILE")
        ->required();
    command
        .add_option("--payload-gb",
                    inputs.payload_gb,
                    "parameters that islands exchange; default: that of the file, 1 for topologies")
        ->check(finite_number(1e-9, 1e6));
    command
        .add_option("--access-gbps",
                    inputs.access_gbps,
                    "rate into and out of every island; default: that of the file, 20 for "
                    "topologies")
        ->check(finite_number(1e-6, 1e6));
    command
        .add_option("--memory-gb",
                    inputs.memory_gb,
                    "memory of the aggregator before every island; default: that of the file, 0 "
                    "for topologies")
        ->check(finite_number(0, 1e6));
}

void add_timing_inputs(CLI::App& command, ScheduleInputs& inputs) {
    command
        .add_option("--guard-ms",
                    inputs.guard_ms,
                    "spread of arrivals, by jitter, that memory must bear besides")
        ->check(finite_number(0, 1e6))
        ->capture_default_str();
    command
        .add_option("--trees",
                    inputs.trees,
                    "shortest: what multicast builds; flexible: trees that keep links free")
        ->check(CLI::IsMember({"shortest", "flexible"}))
        ->capture_default_str();
    command
        .add_option("--sharing",
                    inputs.sharing,
                    "equal: streams get equal parts of a link; best: parts that end a round first")
        ->check(CLI::IsMember({"equal", "best"}))
        ->capture_default_str();
    command
        .add_option("--rounds",
                    inputs.rounds,
                    "uniform: all as long as the longest; own: each its own; streamed: overlapping")
        ->check(CLI::IsMember({"uniform", "own", "streamed"}))
        ->capture_default_str();
}

void add_model_inputs(CLI::App& command, ScheduleInputs& inputs) {
    add_timing_inputs(command, inputs);
    command
        .add_option("--forgetting",
                    inputs.forgetting,
                    "what an update is still worth after a round, as a part of what it was")
        ->check(finite_number(1e-6, 1))
        ->capture_default_str();
    command.add_flag("--own-rates",
                     inputs.own_rates,
                     "senders of a clique take rates of their own where that ends it earlier");
    command.add_flag("--best-weights",
                     inputs.best_weights,
                     "contributions take unequal weights where that spreads updates faster");
}

schedule::Pace pace_of(const std::string& rounds) {
    return rounds == "own"        ? schedule::Pace::kOwn
           : rounds == "streamed" ? schedule::Pace::kStreamed
                                  : schedule::Pace::kUniform;
}

void add_schedule_choice(CLI::App& command, std::string& schedule) {
    command
        .add_option(
            "--schedule", schedule, "name of a schedule in the network file, or a file with rounds")
        ->type_name("NAME|FILE")
        ->required();
}

core::Result<LoadedIslands> load_islands(const ScheduleInputs& inputs, std::size_t least) {
    const auto text = read_file(inputs.network);
    if (!text) {
        return tl::unexpected(text.error());
    }
    if (auto other = core::refuse_other_format(
            *text, input_name(inputs.network), {"longhaul.islands", "longhaul.topology"});
        !other) {
        return tl::unexpected(std::move(other.error()));
    }
    const auto document = core::parse_document(*text, input_name(inputs.network));
    if (!document) {
        return tl::unexpected(document.error());
    }
    auto islands = is_topology(*document) ? islands_of_topology(*document, inputs)
                                          : schedule::read_islands(*document);
    if (!islands) {
        return tl::unexpected(islands.error());
    }
    if (islands->size() < least) {
        return core::fail({islands->file,
                           "",
                           "one island, which has nobody to average with",
                           fmt::format("{} islands at least", least)});
    }
    LoadedIslands loaded;
    loaded.islands = std::move(*islands);
    loaded.sha256 = core::sha256_hex(*text);
    loaded.islands.payload_gb = inputs.payload_gb.value_or(loaded.islands.payload_gb);
    for (schedule::Island& island : loaded.islands.islands) {
        island.memory_gb = inputs.memory_gb.value_or(island.memory_gb);
        island.ingress_gbps = inputs.access_gbps.value_or(island.ingress_gbps);
        island.egress_gbps = inputs.access_gbps.value_or(island.egress_gbps);
    }
    loaded.can = schedule::capabilities_of(loaded.islands);
    loaded.can.guard_ms = inputs.guard_ms;
    loaded.can.trees =
        inputs.trees == "flexible" ? schedule::Trees::kFlexible : schedule::Trees::kShortest;
    loaded.can.sharing =
        inputs.sharing == "best" ? schedule::Sharing::kBest : schedule::Sharing::kEqual;
    loaded.pace = pace_of(inputs.rounds);
    loaded.mixing.forgetting = inputs.forgetting;
    loaded.own_rates = inputs.own_rates;
    loaded.best_weights = inputs.best_weights;
    if (auto good = check_polish(loaded); !good) {
        return tl::unexpected(std::move(good.error()));
    }
    return loaded;
}

core::Result<void> check_polish(const LoadedIslands& loaded) {
    if ((loaded.own_rates || loaded.best_weights) && loaded.pace == schedule::Pace::kStreamed) {
        return core::fail({"",
                           loaded.own_rates ? "--own-rates" : "--best-weights",
                           "streamed rounds have one rate a clique and equal weights",
                           "leave it out, or --rounds uniform or own"});
    }
    if (loaded.best_weights &&
        !schedule::with_targets(loaded.mixing, loaded.islands).target.empty()) {
        return core::fail({loaded.islands.file,
                           "--best-weights",
                           "the islands have unequal targets, which state the weights",
                           "leave it out, or targets that are all equal"});
    }
    return {};
}

core::Result<NamedRounds> load_rounds(const std::string& name_or_file,
                                      const LoadedIslands& loaded,
                                      const schedule::ScheduleFileOptions& check) {
    if (const auto* named = loaded.islands.schedule(name_or_file)) {
        return NamedRounds{named->name, named->schedule, std::nullopt};
    }
    const bool looks_like_file = name_or_file == "-" ||
                                 name_or_file.find('.') != std::string::npos ||
                                 name_or_file.find('/') != std::string::npos;
    if (!looks_like_file) {
        std::vector<std::string> names;
        for (const auto& named : loaded.islands.schedules) {
            names.push_back(named.name);
        }
        return core::fail({loaded.islands.file,
                           "schedules",
                           "no schedule is called " + core::shown(name_or_file),
                           names.empty()
                               ? "the network names none: give a file"
                               : fmt::format("one of {}, or a file", fmt::join(names, ", "))});
    }
    const auto text = read_file(name_or_file);
    if (!text) {
        return tl::unexpected(text.error());
    }
    if (auto other =
            core::refuse_other_format(*text, input_name(name_or_file), {"longhaul.schedule"});
        !other) {
        return tl::unexpected(std::move(other.error()));
    }
    const auto document = core::parse_document(*text, input_name(name_or_file));
    if (!document) {
        return tl::unexpected(document.error());
    }
    // A schedule file that lost its format is told so; a list of rounds has none of these keys.
    const bool whole = std::ranges::any_of(std::array{"format", "network", "pace"}, [&](auto key) {
        return document->root.find(key) != nullptr;
    });
    if (whole) {
        auto timed = schedule::read_schedule(*document, loaded.islands, check);
        if (!timed) {
            return tl::unexpected(timed.error());
        }
        schedule::Schedule plain = timed->schedule();
        return NamedRounds{input_name(name_or_file), std::move(plain), std::move(*timed)};
    }
    core::Diagnostics problems;
    const core::Cursor root(*document, problems);
    const auto rounds = root.require("rounds", "a list of rounds, each a list of cliques of names");
    const auto read = rounds ? schedule::read_rounds(*rounds, loaded.islands) : std::nullopt;
    if (!read) {
        return tl::unexpected(std::move(problems));
    }
    return NamedRounds{input_name(name_or_file), *read, std::nullopt};
}

}  // namespace longhaul::app
