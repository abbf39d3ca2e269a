#include "longhaul/schedule/schedule_file.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "longhaul/core/cursor.hpp"
#include "longhaul/schedule/detail/read_timed_clique.hpp"

namespace longhaul::schedule {

using core::Cursor;
using core::Diagnostics;
using core::shown;
using core::Value;
using detail::about_equal;
using detail::kLongestTimeMs;
using detail::positive_or_report;

namespace {

constexpr double kLargestPayload = 1e6;  ///< GB
constexpr double kLeastForgetting = 1e-6;
constexpr int kMostElements = 1 << 30;  ///< of a slot
constexpr std::size_t kMostRounds = 10000;
constexpr std::array kPaces = {Pace::kUniform, Pace::kOwn, Pace::kStreamed};

class ScheduleReader {
public:
    ScheduleReader(const core::Document& document,
                   const Islands& islands,
                   const ScheduleFileOptions& options,
                   Diagnostics& problems)
        : document_(document),
          islands_(islands),
          options_(options),
          problems_(problems),
          frame_{.islands = islands, .links = {}} {
        const std::vector<std::string> names = link_names(islands);
        for (std::uint32_t id = 0; id < names.size(); ++id) {
            frame_.links.emplace(names[id], id);
        }
    }

    TimedSchedule read() {
        const Cursor root(document_, problems_);
        core::check_format(root, "longhaul.schedule", 1, true);
        read_network(root);
        read_pace(root);
        if (const auto at = root.require("payload_gb", "the size of the parameters")) {
            schedule_.payload_gb = positive_or_report(*at, kLargestPayload);
        }
        if (const auto at = root.find("forgetting")) {
            schedule_.forgetting = at->number_in(kLeastForgetting, 1).value_or(1);
        }
        schedule_.guard_ms = optional_time(root, "guard_ms");
        schedule_.timeout_ms = optional_time(root, "timeout_ms");
        if (const auto at = root.require("slot_elements", "the elements that one slot holds")) {
            schedule_.slot_elements =
                static_cast<std::uint32_t>(at->integer(1, kMostElements).value_or(1));
        }
        read_memory(root);
        read_rounds_of(root);
        return std::move(schedule_);
    }

private:
    static double optional_time(const Cursor& parent, std::string_view key) {
        const auto at = parent.find(key);
        return at ? at->number_in(0, kLongestTimeMs).value_or(0) : 0;
    }

    void read_network(const Cursor& root) {
        const auto network = root.require("network", "the network that the schedule is for");
        if (!network || !network->is_object()) {
            return;
        }
        if (const auto name = network->find("name")) {
            schedule_.network_name = name->name().value_or("");
        }
        const auto at = network->require("sha256", "the hash of the network's file");
        const auto hash = at ? at->string() : std::nullopt;
        if (!hash) {
            return;
        }
        schedule_.network_sha256 = *hash;
        const bool hex = hash->find_first_not_of("0123456789abcdef") == std::string::npos;
        if (hash->size() != 64 || !hex) {
            at->report(shown(*hash, 70), "64 lower-case hexadecimal digits");
        } else if (!options_.network_sha256.empty() && *hash != options_.network_sha256) {
            frame_.same_network = false;
            if (!options_.other_network) {
                at->report(fmt::format("made for another network than {}", shown(islands_.file)),
                           "the network that it was made for, or a schedule made anew");
            }
        }
    }

    void read_pace(const Cursor& root) {
        const auto at = root.require("pace", "how rounds follow each other");
        const auto name = at ? at->string() : std::nullopt;
        if (!name) {
            return;
        }
        const auto* const pace = std::ranges::find(kPaces, std::string_view(*name), name_of);
        if (pace == kPaces.end()) {
            at->report(shown(*name), R"("uniform", "own" or "streamed")");
        } else {
            schedule_.pace = *pace;
        }
    }

    /// One number for all islands, or one an island.
    void read_memory(const Cursor& root) {
        schedule_.memory_gb.assign(islands_.size(), 0);
        const auto at = root.require("memory_gb", "the memory of the aggregators");
        if (!at) {
            return;
        }
        if (at->value().kind != Value::Kind::kObject) {
            const double all = at->number_in(0, kLargestPayload).value_or(0);
            schedule_.memory_gb.assign(islands_.size(), all);
            return;
        }
        for (const core::Member& member : at->value().members) {
            const auto entry = at->find(member.key);
            if (const auto island = islands_.find(member.key)) {
                schedule_.memory_gb[static_cast<std::size_t>(*island)] =
                    entry->number_in(0, kLargestPayload).value_or(0);
            } else {
                entry->report(fmt::format("{} is no island", shown(member.key)),
                              "a name of the network");
            }
        }
        for (const Island& island : islands_.islands) {
            if (!at->find(island.name)) {
                at->report(fmt::format("nothing of {}", shown(island.name)),
                           "one number an island");
            }
        }
    }

    void read_rounds_of(const Cursor& root) {
        const auto rounds = root.require("rounds", "the rounds, in order");
        if (!rounds || !rounds->is_array()) {
            return;
        }
        const std::size_t count = rounds->value().size();
        if (count == 0 || count > kMostRounds) {
            rounds->report(fmt::format("{} rounds", count),
                           fmt::format("1 to {} rounds", kMostRounds));
            return;
        }
        frame_.pace = schedule_.pace;
        frame_.payload_gb = schedule_.payload_gb;
        for (std::size_t k = 0; k < count; ++k) {
            schedule_.rounds.push_back(read_round(rounds->item(k)));
        }
        if (schedule_.pace == Pace::kOwn) {
            return;
        }
        for (std::size_t k = 1; k < count; ++k) {
            const double first = schedule_.rounds[0].length_ms;
            if (!about_equal(first, schedule_.rounds[k].length_ms)) {
                rounds->item(k).report(
                    fmt::format(
                        "{} ms long after a round of {}", schedule_.rounds[k].length_ms, first),
                    fmt::format("equal lengths: the pace is {}", name_of(schedule_.pace)));
            }
        }
    }

    TimedRound read_round(const Cursor& at) {
        TimedRound round;
        if (!at.is_object()) {
            return round;
        }
        at.only_keys({"length_ms", "cliques", "note"});
        if (const auto length = at.require("length_ms", "from its start to that of the next")) {
            round.length_ms = positive_or_report(*length, kLongestTimeMs);
        }
        const auto cliques = at.require("cliques", "who averages with whom");
        if (!cliques || !cliques->is_array()) {
            return round;
        }
        Clique taken = 0;
        for (std::size_t c = 0; c < cliques->value().size(); ++c) {
            const Cursor clique_at = cliques->item(c);
            if (!clique_at.is_object()) {
                continue;
            }
            TimedClique clique = detail::read_timed_clique(clique_at, frame_, taken);
            if (schedule_.pace != Pace::kStreamed && clique.time_ms > round.length_ms &&
                !about_equal(clique.time_ms, round.length_ms)) {
                clique_at.report(
                    fmt::format("takes {} ms in a round of {}", clique.time_ms, round.length_ms),
                    "cliques that end with their round");
            }
            round.cliques.push_back(std::move(clique));
        }
        for (std::size_t i = 0; i < islands_.size(); ++i) {
            if ((taken >> i & 1U) == 0) {
                cliques->report(fmt::format("{} is in no clique", shown(islands_.islands[i].name)),
                                "every island in one clique, if only its own");
            }
        }
        return round;
    }

    const core::Document& document_;
    const Islands& islands_;
    const ScheduleFileOptions& options_;
    Diagnostics& problems_;
    TimedSchedule schedule_;
    detail::CliqueFrame frame_;
};

}  // namespace

std::string_view name_of(Pace pace) {
    switch (pace) {
        case Pace::kUniform:
            return "uniform";
        case Pace::kOwn:
            return "own";
        case Pace::kStreamed:
            return "streamed";
    }
    return "";
}

std::vector<std::string> link_names(const Islands& islands) {
    std::vector<std::string> names;
    std::set<std::string> taken;
    for (const topology::Link& link : islands.network.links) {
        const std::string plain =
            fmt::format("{}>{}", islands.node_name(link.from), islands.node_name(link.to));
        std::string name = plain;
        for (int count = 2; !taken.insert(name).second; ++count) {
            name = fmt::format("{}#{}", plain, count);
        }
        names.push_back(std::move(name));
    }
    return names;
}

core::Result<TimedSchedule> read_schedule(const core::Document& document,
                                          const Islands& islands,
                                          const ScheduleFileOptions& options) {
    Diagnostics problems;
    TimedSchedule schedule = ScheduleReader(document, islands, options, problems).read();
    if (!problems.empty()) {
        return tl::unexpected(std::move(problems));
    }
    return schedule;
}

}  // namespace longhaul::schedule
