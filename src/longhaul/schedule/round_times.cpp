#include "longhaul/schedule/round_times.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "longhaul/core/assert.hpp"
#include "longhaul/schedule/detail/clique_on_trees.hpp"
#include "longhaul/schedule/detail/common.hpp"
#include "longhaul/schedule/detail/round_exchanges.hpp"

namespace longhaul::schedule {

using detail::CliqueOnTrees;
using detail::kNever;
using detail::least_alone;
using detail::least_of;
using detail::on_paths;
using detail::on_trees;
using detail::slot;
using detail::streams_of;

namespace {

std::optional<Miss> miss_of(const CliqueOnTrees& clique, double payload_gb) {
    const auto misaligned = why_not(clique.problem);
    if (!misaligned) {
        return std::nullopt;
    }
    Miss miss;
    for (const int position : misaligned->members) {
        miss.islands.push_back(clique.members[slot(position)]);
    }
    miss.apart_ms = misaligned->spread_ms;
    miss.needed_gb = misaligned->spread_ms / clique.problem.least_ms * payload_gb;
    return miss;
}

}  // namespace

struct RoundTimes::State {
    State(const Islands& network, const Capabilities& means)
        : islands(network), can(means), paths(network) {
        LONGHAUL_ASSERT(can.memory_gb.size() == islands.size());
        for (const topology::Link& link : islands.network.links) {
            stream_ms.push_back(8000 * can.payload_gb / link.gbps);
        }
        on_link.assign(islands.network.links.size(), 0);
    }

    struct Known {
        CliqueOnTrees clique;
        std::vector<std::pair<double, double>> times;  ///< least time of sending, time
    };

    Known& known(Clique clique) {
        auto& entry = cliques[clique];
        if (!entry) {
            entry = std::make_unique<Known>(Known{on_paths(islands, can, paths, clique), {}});
        }
        return *entry;
    }

    static double time_of(Known& entry, double least) {
        if (entry.clique.members.size() == 1) {
            return 0;
        }
        for (const auto& [at, time] : entry.times) {
            if (at == least) {
                return time;
            }
        }
        CliqueProblem problem = entry.clique.problem;
        problem.least_ms = least;
        const auto found = clique_time(problem);
        entry.times.emplace_back(least, found ? found->time_ms : kNever);
        return entry.times.back().second;
    }

    /// Everything about a round on the trees that are asked for.
    std::optional<TimedRound> solve(const Round& round) {
        std::optional<TimedRound> best = solve_on(round, 0);
        // Longer ways may be worth it where links are slow.
        for (const double detour : {1.0, 1.5, 2.5, 4.0}) {
            if (can.trees == Trees::kShortest) {
                break;
            }
            std::optional<TimedRound> flexible = solve_on(round, detour);
            if (flexible && (!best || flexible->length_ms < best->length_ms * (1 - 1e-12))) {
                best = std::move(flexible);
            }
        }
        return best;
    }

    /// `detour`: latencies at most so many times the longest of the shortest paths; 0: those.
    std::optional<TimedRound> solve_on(const Round& round, double detour) {
        const bool flexible = detour > 0;
        std::vector<CliqueOnTrees> own;
        std::vector<const CliqueOnTrees*> loaded;
        std::vector<topology::StreamTree> trees;
        if (flexible) {
            std::vector<topology::Stream> streams;
            for (const Clique clique : round.cliques) {
                const auto more = streams_of(members_of(clique));
                if (more.size() > 1) {
                    streams.insert(streams.end(), more.begin(), more.end());
                }
            }
            topology::TreeOptions options;
            options.rounds = can.tree_rounds;
            options.seed = can.seed;
            if (detour > 1) {
                options.rounds = std::max(1, can.tree_rounds / 4);
                for (const topology::Stream& stream : streams) {
                    for (const int receiver : stream.receivers) {
                        options.latency_cap_ms = std::max(
                            options.latency_cap_ms,
                            detour * paths.latency_ms()(slot(stream.source), slot(receiver)));
                    }
                }
            }
            trees = topology::congestion_aware_trees(islands.network, streams, options);
        }
        auto next = trees.begin();
        own.reserve(round.cliques.size());
        for (const Clique clique : round.cliques) {
            const int size = clique_size(clique);
            if (flexible && size > 1) {
                own.push_back(on_trees(islands, can, clique, {next, next + size}));
                next += size;
            } else if (flexible) {
                own.push_back(on_paths(islands, can, paths, clique));
            }
            loaded.push_back(flexible ? &own.back() : &known(clique).clique);
        }
        const auto found = detail::exchanges_of(loaded, stream_ms, can.sharing);
        if (!found) {
            return std::nullopt;
        }
        return detail::timed_round(islands, loaded, *found);
    }

    /// Islands that have to do with each other, without those that are alone.
    [[nodiscard]] std::vector<CliqueOnTrees> parts_of(const core::Grid<char>& sends) const {
        const std::size_t n = islands.size();
        std::vector<CliqueOnTrees> parts;
        Clique seen = 0;
        for (std::size_t first = 0; first < n; ++first) {
            if ((seen >> first & 1U) != 0) {
                continue;
            }
            Clique part = 0;
            Clique open = Clique{1} << first;
            while (open != 0) {
                const auto i = static_cast<std::size_t>(std::countr_zero(open));
                part |= Clique{1} << i;
                for (std::size_t j = 0; j < n; ++j) {
                    if (sends(i, j) != 0 || sends(j, i) != 0) {
                        open |= Clique{1} << j;
                    }
                }
                open &= ~part;
            }
            seen |= part;
            if (clique_size(part) > 1) {
                parts.push_back(detail::part_on_paths(islands, can, paths, part, sends));
            }
        }
        return parts;
    }

    const Islands& islands;
    Capabilities can;
    detail::ShortestPaths paths;
    std::vector<double> stream_ms;  ///< payload over the capacity of each link, ms
    std::vector<double> on_link;    ///< scratch, zero between calls
    std::unordered_map<Clique, std::unique_ptr<Known>> cliques;
    std::map<Round, double> solved;  ///< rounds that took more than look-ups
};

RoundTimes::RoundTimes(const Islands& islands, const Capabilities& capabilities)
    : state_(std::make_unique<State>(islands, capabilities)) {}
RoundTimes::~RoundTimes() = default;

double RoundTimes::time_ms(const Round& round) {
    State& state = *state_;
    if (state.can.trees == Trees::kFlexible || state.can.sharing == Sharing::kBest) {
        const auto [entry, fresh] = state.solved.try_emplace(round, 0);
        if (fresh) {
            const auto found = state.solve(round);
            entry->second = found ? found->length_ms : kNever;
        }
        return entry->second;
    }
    std::vector<State::Known*> entries;
    entries.reserve(round.cliques.size());
    for (const Clique clique : round.cliques) {
        State::Known& entry = state.known(clique);
        if (entry.clique.members.size() > 1) {
            entries.push_back(&entry);
        }
    }
    for (const State::Known* entry : entries) {
        for (const auto& [link, own] : entry->clique.streams) {
            state.on_link[link] += own;
        }
    }
    double longest = 0;
    for (State::Known* entry : entries) {
        if (longest != kNever) {
            const double least = least_of(entry->clique, state.on_link, state.stream_ms);
            longest = std::max(longest, State::time_of(*entry, least));
        }
    }
    for (const State::Known* entry : entries) {
        for (const auto& [link, own] : entry->clique.streams) {
            state.on_link[link] = 0;
        }
    }
    return longest;
}

double RoundTimes::graph_ms(const core::Grid<char>& sends) {
    State& state = *state_;
    const std::vector<CliqueOnTrees> parts = state.parts_of(sends);
    for (const CliqueOnTrees& part : parts) {
        for (const auto& [link, own] : part.streams) {
            state.on_link[link] += own;
        }
    }
    double longest = 0;
    for (const CliqueOnTrees& part : parts) {
        CliqueProblem problem = part.problem;
        problem.least_ms = least_of(part, state.on_link, state.stream_ms);
        const auto found = clique_time(problem);
        longest = std::max(longest, found ? found->time_ms : kNever);
    }
    std::ranges::fill(state.on_link, 0.0);
    return longest;
}

std::optional<TimedRound> RoundTimes::timed(const Round& round) {
    return state_->solve(round);
}

std::optional<Miss> RoundTimes::miss(const Schedule& schedule) {
    for (const Round& round : schedule.rounds) {
        for (const Clique clique : round.cliques) {
            if (auto found = miss_of(state_->known(clique).clique, state_->can.payload_gb)) {
                return found;
            }
        }
    }
    return std::nullopt;
}

std::optional<Miss> RoundTimes::graph_miss(const core::Grid<char>& sends) {
    for (const CliqueOnTrees& part : state_->parts_of(sends)) {
        if (auto found = miss_of(part, state_->can.payload_gb)) {
            return found;
        }
    }
    return std::nullopt;
}

std::string RoundTimes::reason(const Round& round) {
    const auto found = miss(Schedule{{round}});
    if (!found) {
        return "its cliques can be aligned";
    }
    std::vector<std::string> names;
    for (const int island : found->islands) {
        names.push_back(state_->islands.islands[slot(island)].name);
    }
    return fmt::format(
        "no offsets make the contributions of {} arrive together: at some island they are at "
        "least {:.3f} ms apart, and aggregators without memory bear 0 ms; {:.4f} GB would do "
        "for these {} at the highest rate",
        fmt::join(names, ", "),
        found->apart_ms,
        found->needed_gb,
        names.size());
}

const core::Grid<double>& RoundTimes::latency_ms() const {
    return state_->paths.latency_ms();
}

const std::vector<std::uint32_t>& RoundTimes::path(int from, int to) const {
    return state_->paths.links(from, to);
}

double RoundTimes::alone_ms(Clique clique) {
    State::Known& entry = state_->known(clique);
    return State::time_of(entry, least_alone(entry.clique, state_->stream_ms));
}

std::vector<double> RoundTimes::streams_on_links(const TimedRound& round) const {
    std::vector<double> streams(state_->islands.network.links.size(), 0);
    for (const TimedClique& clique : round.cliques) {
        for (const topology::StreamTree& tree : clique.trees) {
            for (const std::uint32_t link : tree.links) {
                streams[link] += 1;
            }
        }
    }
    return streams;
}

const Islands& RoundTimes::islands() const {
    return state_->islands;
}

const Capabilities& RoundTimes::capabilities() const {
    return state_->can;
}

Capabilities capabilities_of(const Islands& islands) {
    Capabilities can;
    can.payload_gb = islands.payload_gb;
    for (const Island& island : islands.islands) {
        can.memory_gb.push_back(island.memory_gb);
    }
    return can;
}

}  // namespace longhaul::schedule
