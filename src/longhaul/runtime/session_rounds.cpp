#include "longhaul/runtime/detail/session_rounds.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include <fmt/format.h>

#include "longhaul/runtime/detail/session_network.hpp"
#include "longhaul/runtime/payload.hpp"

namespace longhaul::runtime {
namespace {

constexpr std::uint32_t kGroups = 0xef4d0000;  // 239.77.phase.island
constexpr double kDeviations = 3;
constexpr double kStreamedSpare = 1.25;  // resends find the link free in parts only
constexpr double kAlike = 1e-9;

/// What lies between a sender and the members of its clique.
struct Ways {
    std::vector<int> hops;  ///< the access link and those of the tree; 0 to itself
    double jitter_ms = 0;   ///< most that jitter adds to a latency, or takes from it
};

Ways ways_of(const schedule::Islands& islands,
             int source,
             const std::vector<int>& members,
             const topology::StreamTree& tree) {
    std::vector<int> hops(static_cast<std::size_t>(islands.network.nodes), 0);
    std::vector<double> jitter(hops.size(), 0);
    hops[static_cast<std::size_t>(source)] = 1;
    for (const std::uint32_t id : tree.links) {
        const topology::Link& link = islands.network.links[id];
        hops[link.to] = hops[link.from] + 1;
        jitter[link.to] = jitter[link.from] + link_jitter_ms(islands, id);
    }
    Ways ways;
    for (const int member : members) {
        const auto node = static_cast<std::size_t>(member);
        ways.hops.push_back(member == source ? 0 : hops[node]);
        ways.jitter_ms = std::max(ways.jitter_ms, jitter[node]);
    }
    return ways;
}

/// One clique, its trees laid into the network.
core::Result<Exchange> make_exchange(const schedule::Islands& islands,
                                     const schedule::TimedClique& clique,
                                     std::size_t phase,
                                     bool first_time,
                                     Session& session) {
    const double scale = session.options.time_scale;
    Exchange exchange{clique.members, clique.time_ms * scale, {}, {}};
    const std::vector<int> members = schedule::members_of(clique.members);
    for (std::size_t i = 0; i < members.size() && members.size() > 1; ++i) {
        topology::Stream stream{members[i], members, 1};
        std::erase(stream.receivers, members[i]);
        std::vector<double> latency =
            topology::stream_latencies(islands.network, stream, clique.trees[i]);
        if (!std::ranges::all_of(latency, [](double ms) { return ms < 1e300; })) {
            return core::fail(
                {"",
                 fmt::format("round {}, tree of {}",
                             phase + 1,
                             islands.islands[static_cast<std::size_t>(members[i])].name),
                 "misses a receiver",
                 "a tree to all members of " + clique_text(islands, clique.members)});
        }
        std::ranges::for_each(latency, [&](double& ms) { ms *= scale; });
        latency.insert(latency.begin() + static_cast<std::ptrdiff_t>(i), 0);
        const auto group = kGroups + (static_cast<std::uint32_t>(phase) << 8U) +
                           static_cast<std::uint32_t>(members[i]);
        const double sending = clique.sender_ms.empty() ? clique.sending_ms : clique.sender_ms[i];
        const Ways ways = ways_of(islands, members[i], members, clique.trees[i]);
        session.jitter_ms = std::max(session.jitter_ms, 2 * ways.jitter_ms * scale);
        exchange.senders.push_back({members[i],
                                    clique.offset_ms[i] * scale,
                                    sending * scale,
                                    group,
                                    std::move(latency),
                                    ways.hops});
        session.lead_ms = std::max(session.lead_ms, -clique.offset_ms[i] * scale);
        if (first_time) {
            session.wan.trees.push_back(
                lay_tree(islands, members[i], group, clique.trees[i], clique.members));
        }
    }
    if (weights_differ(clique)) {
        exchange.weights = core::Grid<std::int32_t>(members.size(), members.size());
    }
    for (std::size_t r = 0; r < exchange.weights.rows(); ++r) {
        std::vector<double> row;
        for (std::size_t c = 0; c < members.size(); ++c) {
            row.push_back(clique.weights(r, c));
        }
        const std::vector<std::int32_t> fixed = fixed_point_row(row);
        for (std::size_t c = 0; c < members.size(); ++c) {
            exchange.weights(r, c) = fixed[c];
        }
    }
    return exchange;
}

/// Islands that are in no clique train alone.
void add_alone(const schedule::Islands& islands, SessionRound& round) {
    schedule::Clique covered = 0;
    for (const Exchange& exchange : round.exchanges) {
        covered |= exchange.members;
    }
    for (std::size_t i = 0; i < islands.size(); ++i) {
        if ((covered >> i & 1U) == 0) {
            round.exchange_of[i] = round.exchanges.size();
            round.exchanges.push_back({schedule::Clique{1} << i, 0, {}, {}});
        }
    }
}

/// Blocks that a member of an exchange is likely to lack, and to owe, in a round.
struct Losses {
    double lacks = 0;
    double owes = 0;
};

double lost_on(double loss, int hops) {
    return 1 - std::pow(1 - loss, hops);
}

std::vector<Losses> losses_of(const Session& session, const Exchange& exchange) {
    std::vector<Losses> losses(exchange.senders.size());
    for (std::size_t from = 0; from < losses.size(); ++from) {
        for (std::size_t to = 0; to < losses.size(); ++to) {
            if (from != to) {  // the sum of an aggregator can be lost as well
                const double share =
                    lost_on(session.options.loss, exchange.senders[from].hops[to] + 1);
                const double blocks = share / (1 - share) * session.blocks;  // again and again
                losses[from].owes += blocks;
                losses[to].lacks += blocks;
            }
        }
    }
    return losses;
}

double with_deviations(double blocks, std::size_t members) {
    // A loss in front of an aggregator or a fork is one of several members at once.
    return blocks + kDeviations * std::sqrt(blocks * static_cast<double>(members - 1));
}

double resends_ms(const Session& session, const Exchange& exchange) {
    const std::vector<Losses> losses = losses_of(session, exchange);
    double longest = 0;
    for (std::size_t i = 0; i < losses.size(); ++i) {
        const int island = exchange.senders[i].island;
        longest = std::max({longest,
                            with_deviations(losses[i].lacks, losses.size()) *
                                session.ingress_ms(island) / session.blocks,
                            with_deviations(losses[i].owes, losses.size()) *
                                session.access_ms(island) / session.blocks});
    }
    return longest;
}

double round_trip_ms(const Session& session, const Exchange& exchange) {
    double longest = 0;
    for (const Sender& a : exchange.senders) {
        for (const Sender& b : exchange.senders) {
            const auto from = static_cast<std::size_t>(a.island);
            const auto to = static_cast<std::size_t>(b.island);
            longest =
                std::max(longest, session.latency_ms(from, to) + session.latency_ms(to, from));
        }
    }
    return longest;
}

/// The end of every round at one receiver, from the start of the session: sums are ready when the
/// last copy of a block is there, and then queue for the access link, whatever round they are of.
void queue_at(const Session& session, int receiver, std::vector<double>& ends) {
    std::vector<std::tuple<double, std::uint32_t, std::uint32_t>> ready;  // when, round, block
    for (std::uint32_t k = 0; k < session.rounds.size(); ++k) {
        const Exchange& exchange = session.exchange(k, receiver);
        const std::vector<int> members = schedule::members_of(exchange.members);
        const auto self =
            static_cast<std::size_t>(std::ranges::find(members, receiver) - members.begin());
        for (std::uint32_t x = 0; x < session.blocks && !exchange.senders.empty(); ++x) {
            double last = -1e300;
            for (const Sender& sender : exchange.senders) {
                if (sender.island != receiver) {
                    last = std::max(last,
                                    sender.offset_ms + sender.latency_ms[self] +
                                        sender.sending_ms * (x + 1) / session.blocks);
                }
            }
            ready.emplace_back(session.rounds[k].start_ms + last, k, x);
        }
    }
    std::ranges::sort(ready);
    const double each = session.ingress_ms(receiver) / session.blocks;
    double passed = -1e300;
    for (const auto& [when, round, block] : ready) {
        passed = std::max(when, passed + each);
        ends[round] = std::max(ends[round], passed);
    }
}

}  // namespace

std::string clique_text(const schedule::Islands& islands, schedule::Clique clique) {
    std::string text;
    for (const int member : schedule::members_of(clique)) {
        text += (text.empty() ? "" : ", ") + islands.islands[static_cast<std::size_t>(member)].name;
    }
    return "{" + text + "}";
}

bool weights_differ(const schedule::TimedClique& clique) {
    const auto size = static_cast<double>(schedule::clique_size(clique.members));
    for (std::size_t r = 0; r < clique.weights.rows(); ++r) {
        for (std::size_t c = 0; c < clique.weights.columns(); ++c) {
            if (std::abs(clique.weights(r, c) * size - 1) > kAlike) {
                return true;
            }
        }
    }
    return false;
}

core::Result<void> lay_rounds(const schedule::Islands& islands,
                              const schedule::TimedSchedule& schedule,
                              Session& session) {
    for (int repetition = 0; repetition < session.options.repetitions; ++repetition) {
        for (std::size_t phase = 0; phase < schedule.rounds.size(); ++phase) {
            SessionRound round{phase, 0, 0, {}, std::vector<std::size_t>(islands.size(), 0)};
            for (const schedule::TimedClique& clique : schedule.rounds[phase].cliques) {
                auto exchange = make_exchange(islands, clique, phase, repetition == 0, session);
                if (!exchange) {
                    return tl::unexpected(exchange.error());
                }
                round.predicted_ms = std::max(round.predicted_ms, exchange->predicted_ms);
                for (const int member : schedule::members_of(clique.members)) {
                    round.exchange_of[static_cast<std::size_t>(member)] = round.exchanges.size();
                }
                round.exchanges.push_back(std::move(*exchange));
            }
            add_alone(islands, round);
            session.rounds.push_back(std::move(round));
        }
    }
    return {};
}

double recovery_for(const Session& session) {
    if (session.options.loss <= 0) {
        return 0;
    }
    const bool streamed = session.pace == schedule::Pace::kStreamed;
    double longest = 0;
    for (const SessionRound& round : session.rounds) {
        for (const Exchange& exchange : round.exchanges) {
            if (!exchange.senders.empty()) {
                const double resends = resends_ms(session, exchange);
                longest = std::max(longest,
                                   streamed ? kStreamedSpare * resends
                                            : resends + round_trip_ms(session, exchange));
            }
        }
    }
    return std::ceil(streamed ? longest : longest + session.timeout_ms);
}

void start_rounds(const schedule::TimedSchedule& schedule, Session& session) {
    const bool streamed = session.pace == schedule::Pace::kStreamed;
    double start = 0;
    for (SessionRound& round : session.rounds) {
        round.start_ms = start;
        const double length = schedule.rounds[round.phase].length_ms * session.options.time_scale;
        start += streamed ? length : std::max(length, round.predicted_ms) + session.options.gap_ms;
        start += session.recovery_ms;
    }
    if (!streamed) {
        return;
    }
    std::vector<double> ends(session.rounds.size(), 0);
    for (std::size_t i = 0; i < session.islands(); ++i) {
        queue_at(session, static_cast<int>(i), ends);
    }
    for (std::size_t k = 0; k < session.rounds.size(); ++k) {
        session.rounds[k].predicted_ms = ends[k] > 0 ? ends[k] - session.rounds[k].start_ms : 0;
    }
}

}  // namespace longhaul::runtime
