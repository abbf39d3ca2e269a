#include "longhaul/schedule/detail/stream_trees.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>

#include "longhaul/schedule/detail/common.hpp"
#include "longhaul/schedule/detail/stream_fit.hpp"

namespace longhaul::schedule::detail {

namespace {

constexpr std::size_t kProposals = 4;
/// Programs that are solved to choose who leaves full links, a round.
constexpr int kPrograms = 300;

/// A stream that may take its shortest tree again.
struct Detour {
    std::size_t clique = 0;
    std::size_t sender = 0;
    topology::StreamTree shortest;
    double excess_ms = 0;  ///< latencies to all receivers, summed, over those of the shortest tree
};

double total(const std::vector<double>& latencies) {
    return std::accumulate(latencies.begin(), latencies.end(), 0.0);
}

std::vector<Detour> detours_of(const TimedRound& round, const topology::StreamNetwork& network) {
    std::vector<Detour> found;
    for (std::size_t c = 0; c < round.cliques.size(); ++c) {
        const std::vector<int> members = members_of(round.cliques[c].members);
        for (std::size_t i = 0; i < members.size() && members.size() > 1; ++i) {
            topology::Stream stream{members[i], members, 1};
            std::erase(stream.receivers, members[i]);
            topology::StreamTree tree = topology::shortest_trees(network, {stream}).front();
            const topology::StreamTree& now = round.cliques[c].trees[i];
            if (tree != now) {
                const double excess = total(topology::stream_latencies(network, stream, now)) -
                                      total(topology::stream_latencies(network, stream, tree));
                found.push_back({c, i, std::move(tree), excess});
            }
        }
    }
    std::ranges::stable_sort(
        found, [](const Detour& a, const Detour& b) { return a.excess_ms > b.excess_ms + 1e-9; });
    return found;
}

/// Streams that each link bears in the time of sending of the round.
std::vector<double> bear_of(const TimedRound& round, const RoundTimes& times) {
    const Capabilities& can = times.capabilities();
    const std::vector<double> streams = times.streams_on_links(round);
    const auto& links = times.islands().network.links;
    double sending = 0;
    for (const TimedClique& clique : round.cliques) {
        for (const int member : members_of(clique.members)) {
            const Island& island = times.islands().islands[slot(member)];
            const double access = std::min(island.egress_gbps, island.ingress_gbps);
            sending = std::max(sending, 8000 * can.payload_gb / access);
        }
    }
    for (std::size_t l = 0; l < links.size(); ++l) {
        sending = std::max(sending, streams[l] * 8000 * can.payload_gb / links[l].gbps);
    }
    std::vector<double> bear;
    for (const topology::Link& link : links) {
        bear.push_back(std::floor(sending * link.gbps / (8000 * can.payload_gb) + 1e-9));
    }
    return bear;
}

/// Takes back what fits, in order from `first`.
TimedRound take_back(const TimedRound& detours,
                     const std::vector<Detour>& list,
                     std::size_t first,
                     std::vector<double> room) {
    TimedRound round = detours;
    for (std::size_t step = 0; step < list.size(); ++step) {
        const Detour& detour = list[(first + step) % list.size()];
        topology::StreamTree& tree = round.cliques[detour.clique].trees[detour.sender];
        for (const std::uint32_t link : tree.links) {
            room[link] += 1;
        }
        const bool fits = std::ranges::all_of(detour.shortest.links,
                                              [&](std::uint32_t link) { return room[link] >= 1; });
        if (fits) {
            tree = detour.shortest;
        }
        for (const std::uint32_t link : tree.links) {
            room[link] -= 1;
        }
    }
    return round;
}

/// The round with trees of shortest paths.
TimedRound shortest_round(const Round& round, const topology::StreamNetwork& network) {
    TimedRound found;
    for (const Clique members : round.cliques) {
        TimedClique& clique = found.cliques.emplace_back();
        clique.members = members;
        const std::vector<int> list = members_of(members);
        for (std::size_t i = 0; i < list.size() && list.size() > 1; ++i) {
            topology::Stream stream{list[i], list, 1};
            std::erase(stream.receivers, list[i]);
            clique.trees.push_back(topology::shortest_trees(network, {stream}).front());
        }
    }
    return found;
}

/// All ways to take one stream off a link, by its shortest tree without the link, that make no
/// other link too full.
std::vector<TimedRound> without(const TimedRound& round,
                                std::uint32_t link,
                                const std::vector<double>& room,
                                const topology::StreamNetwork& network) {
    topology::StreamNetwork cut = network;
    cut.links[link].down = true;
    std::vector<TimedRound> found;
    for (std::size_t c = 0; c < round.cliques.size(); ++c) {
        const std::vector<int> members = members_of(round.cliques[c].members);
        for (std::size_t i = 0; i < round.cliques[c].trees.size(); ++i) {
            const auto& old = round.cliques[c].trees[i].links;
            if (std::ranges::find(old, link) == old.end()) {
                continue;
            }
            topology::Stream stream{members[i], members, 1};
            std::erase(stream.receivers, members[i]);
            topology::StreamTree tree = topology::shortest_trees(cut, {stream}).front();
            const auto far = topology::stream_latencies(network, stream, tree);
            const bool fits = std::ranges::all_of(tree.links, [&](std::uint32_t l) {
                return room[l] >= 1 || std::ranges::find(old, l) != old.end();
            });
            if (fits && *std::ranges::max_element(far) < kNever) {
                found.push_back(round);
                found.back().cliques[c].trees[i] = std::move(tree);
            }
        }
    }
    return found;
}

bool same_trees(const TimedRound& a, const TimedRound& b) {
    return std::ranges::equal(a.cliques, b.cliques, [](const TimedClique& x, const TimedClique& y) {
        return x.trees == y.trees;
    });
}

/// Takes streams off full links, one by one, until each link bears what is left on it.
class Relief {
public:
    Relief(const RoundTimes& times,
           std::vector<double> bear,
           const std::function<double(const TimedRound&)>& score)
        : times_(times), bear_(std::move(bear)), score_(score) {}

    [[nodiscard]] bool spent() const { return programs_ >= kPrograms; }

    std::optional<TimedRound> run(TimedRound now, bool last_first) {
        while (!spent()) {
            const std::vector<double> streams = times_.streams_on_links(now);
            std::vector<double> room;
            std::uint32_t link = 0;
            for (std::uint32_t l = 0; l < streams.size(); ++l) {
                room.push_back(bear_[l] - streams[l]);
                const double more = room[link] - room[l];
                link = more > 0 || (last_first && more == 0) ? l : link;
            }
            if (room.empty() || room[link] >= 0) {
                return now;
            }
            std::vector<TimedRound> ways = without(now, link, room, times_.islands().network);
            double least = kNever;
            std::size_t best = 0;
            for (std::size_t w = 0; w < ways.size(); ++w) {
                const double value = score_(ways[w]);
                ++programs_;
                if (value < least - kStreamTolerance) {
                    least = value;
                    best = w;
                }
            }
            if (least == kNever) {
                return std::nullopt;
            }
            now = std::move(ways[best]);
        }
        return std::nullopt;
    }

private:
    const RoundTimes& times_;
    std::vector<double> bear_;
    const std::function<double(const TimedRound&)>& score_;
    int programs_ = 0;
};

}  // namespace

std::vector<TimedRound> fewer_detours(const TimedRound& detours,
                                      const RoundTimes& times,
                                      std::size_t most) {
    const std::vector<Detour> list = detours_of(detours, times.islands().network);
    std::vector<double> room = bear_of(detours, times);
    const std::vector<double> streams = times.streams_on_links(detours);
    for (std::size_t l = 0; l < room.size(); ++l) {
        room[l] -= streams[l];
    }
    std::vector<TimedRound> found;
    for (std::size_t first = 0; first < std::min(most, list.size()); ++first) {
        TimedRound round = take_back(detours, list, first, room);
        const bool known = std::ranges::any_of(
            found, [&](const TimedRound& other) { return same_trees(round, other); });
        if (!known && !same_trees(round, detours)) {
            found.push_back(std::move(round));
        }
    }
    return found;
}

TimedRound relieved(const Round& round,
                    const TimedRound& detours,
                    const RoundTimes& times,
                    const std::function<double(const TimedRound&)>& score) {
    const topology::StreamNetwork& network = times.islands().network;
    const TimedRound shortest = shortest_round(round, network);
    Relief relief(times, bear_of(detours, times), score);
    TimedRound best = detours;
    double least = score(detours);
    const auto consider = [&](const TimedRound& start) {
        bool better = false;
        for (const bool last_first : {false, true}) {
            const auto found = relief.run(start, last_first);
            const double value = found ? score(*found) : kNever;
            if (value < least - kStreamTolerance) {
                least = value;
                best = *found;
                better = true;
            }
        }
        return better;
    };
    consider(shortest);
    // Two streams that go around full links may go around better ones of each other's.
    for (bool better = true; better && !relief.spent();) {
        better = false;
        const std::vector<Detour> list = detours_of(best, network);
        for (std::size_t b = 1; b < list.size() && !better; ++b) {
            for (std::size_t a = 0; a < b && !better && !relief.spent(); ++a) {
                TimedRound start = best;
                for (const Detour* detour : {&list[a], &list[b]}) {
                    start.cliques[detour->clique].trees[detour->sender] = detour->shortest;
                }
                better = consider(start);
            }
        }
    }
    return best;
}

std::vector<TimedRound> choose_trees(const Schedule& schedule,
                                     RoundTimes& times,
                                     const RowWeights& weights) {
    std::vector<TimedRound> chosen(schedule.period());
    if (times.capabilities().trees == Trees::kShortest) {
        return chosen;
    }
    double best = kNever;
    const auto consider = [&](std::vector<TimedRound> candidate) {
        const auto point = fit(stream_model(schedule, times, weights, candidate), false);
        if (point && point->score_ms < best * (1 - 1e-9)) {
            best = point->score_ms;
            chosen = std::move(candidate);
        }
    };
    std::vector<TimedRound> flexible;
    for (const Round& round : schedule.rounds) {
        auto timed = times.timed(round);
        flexible.push_back(timed ? std::move(*timed) : TimedRound{});
    }
    consider(chosen);
    consider(flexible);
    for (std::size_t k = 0; k < schedule.period(); ++k) {
        std::vector<TimedRound> options = {TimedRound{}, flexible[k]};
        if (!flexible[k].cliques.empty()) {
            for (TimedRound& round : fewer_detours(flexible[k], times, kProposals)) {
                options.push_back(std::move(round));
            }
        }
        const auto relaxed = [&](const TimedRound& round) {
            std::vector<TimedRound> candidate = chosen;
            candidate[k] = round;
            const auto point = relaxed_score(stream_model(schedule, times, weights, candidate));
            return point ? point->score_ms : kNever;
        };
        if (!flexible[k].cliques.empty()) {
            options.push_back(relieved(schedule.rounds[k], flexible[k], times, relaxed));
        }
        for (TimedRound& option : options) {
            std::vector<TimedRound> candidate = chosen;
            candidate[k] = std::move(option);
            consider(std::move(candidate));
        }
    }
    return chosen;
}

}  // namespace longhaul::schedule::detail
