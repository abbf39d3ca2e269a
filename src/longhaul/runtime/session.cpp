#include "longhaul/runtime/session.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "longhaul/core/random.hpp"
#include "longhaul/runtime/detail/session_network.hpp"
#include "longhaul/runtime/wire.hpp"

namespace longhaul::runtime {
namespace {

constexpr std::uint32_t kGroups = 0xef4d0000;  // 239.77.phase.island
constexpr std::size_t kMostRounds = 256;
constexpr double kMbOfGb = 1000;
constexpr double kMsOfByte = 8e-3;  // at 1 Mbit/s
constexpr double kBytesOfMb = 1e6;
constexpr std::uint64_t kClockStream = 1ULL << 40U;
constexpr double kLeastTimeoutMs = 50;
constexpr std::size_t kSpareSlots = 2;

std::string clique_text(const schedule::Islands& islands, schedule::Clique clique) {
    std::string text;
    for (const int member : schedule::members_of(clique)) {
        text += (text.empty() ? "" : ", ") + islands.islands[static_cast<std::size_t>(member)].name;
    }
    return "{" + text + "}";
}

core::Result<void> check_clique(const schedule::Islands& islands,
                                const schedule::TimedClique& clique,
                                std::size_t round) {
    const auto size = static_cast<std::size_t>(schedule::clique_size(clique.members));
    const std::string where =
        fmt::format("round {}, clique {}", round + 1, clique_text(islands, clique.members));
    if (clique.members >> islands.size() != 0 && islands.size() < schedule::kMaxIslands) {
        return core::fail({"", where, "an island that the network does not have", "its islands"});
    }
    if (size > 1 && (clique.offset_ms.size() != size || clique.trees.size() != size ||
                     !(clique.sending_ms > 0))) {
        return core::fail(
            {"", where, "offsets, trees or the time of sending are missing", "one a member"});
    }
    for (std::size_t r = 0; r < clique.weights.rows(); ++r) {
        for (std::size_t c = 0; c < clique.weights.columns(); ++c) {
            if (std::abs(clique.weights(r, c) * static_cast<double>(size) - 1) > 1e-9) {
                return core::fail({"",
                                   where,
                                   "weights of its own: aggregators here add up, all alike",
                                   "a schedule with equal weights"});
            }
        }
    }
    return {};
}

/// One clique, its trees laid into the network.
core::Result<Exchange> make_exchange(const schedule::Islands& islands,
                                     const schedule::TimedClique& clique,
                                     std::size_t phase,
                                     bool first_time,
                                     Session& session) {
    const double scale = session.options.time_scale;
    Exchange exchange{clique.members, clique.time_ms * scale, {}};
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
        exchange.senders.push_back(
            {members[i], clique.offset_ms[i] * scale, sending * scale, group, std::move(latency)});
        session.lead_ms = std::max(session.lead_ms, -clique.offset_ms[i] * scale);
        if (first_time) {
            session.wan.trees.push_back(
                lay_tree(islands, members[i], group, clique.trees[i], clique.members));
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
            round.exchanges.push_back({schedule::Clique{1} << i, 0, {}});
        }
    }
}

core::Result<void> make_rounds(const schedule::Islands& islands,
                               const schedule::TimedSchedule& schedule,
                               Session& session) {
    double start = 0;
    for (int repetition = 0; repetition < session.options.repetitions; ++repetition) {
        for (std::size_t phase = 0; phase < schedule.rounds.size(); ++phase) {
            const schedule::TimedRound& timed = schedule.rounds[phase];
            SessionRound round{phase, start, 0, {}, std::vector<std::size_t>(islands.size(), 0)};
            for (const schedule::TimedClique& clique : timed.cliques) {
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
            const bool streamed = session.pace == schedule::Pace::kStreamed;
            const double length = timed.length_ms * session.options.time_scale;
            start +=
                streamed ? length : std::max(length, round.predicted_ms) + session.options.gap_ms;
            session.rounds.push_back(std::move(round));
        }
    }
    return {};
}

/// Slots for what the memory holds of the payload, and for the guard.
void make_slots(const schedule::Islands& islands,
                const schedule::TimedSchedule& schedule,
                Session& session) {
    double least_sending = 1e300;
    for (const SessionRound& round : session.rounds) {
        for (const Exchange& exchange : round.exchanges) {
            for (const Sender& sender : exchange.senders) {
                least_sending = std::min(least_sending, sender.sending_ms);
            }
        }
    }
    const double guard_ms =
        std::max(session.options.spare_ms, schedule.guard_ms * session.options.time_scale);
    const double guard = std::ceil(guard_ms / least_sending * session.blocks);
    for (std::size_t i = 0; i < islands.size(); ++i) {
        const double memory = i < schedule.memory_gb.size() ? schedule.memory_gb[i] : 0;
        const double share = std::min(1.0, memory / schedule.payload_gb);
        const double held = std::floor(share * session.blocks);
        session.slots.push_back(static_cast<std::size_t>(held + guard) + kSpareSlots);
    }
}

/// The longest time between the first and the last copy of a block at any aggregator, as planned.
double widest_spread(const Session& session) {
    double widest = 0;
    for (const SessionRound& round : session.rounds) {
        for (const Exchange& exchange : round.exchanges) {
            for (std::size_t to = 0; to < exchange.senders.size(); ++to) {
                for (const bool last : {false, true}) {  // block
                    double lo = 1e300;
                    double hi = -1e300;
                    for (std::size_t from = 0; from < exchange.senders.size(); ++from) {
                        const Sender& sender = exchange.senders[from];
                        const double at = sender.offset_ms + sender.latency_ms[to] +
                                          (last ? sender.sending_ms : 0);
                        lo = from == to ? lo : std::min(lo, at);
                        hi = from == to ? hi : std::max(hi, at);
                    }
                    widest = std::max(widest, hi - lo);
                }
            }
        }
    }
    return widest;
}

}  // namespace

double Session::access_ms(int island) const {
    return blocks * block_on_wire(*this) / wan.resources[egress(island)].shape.rate_mbps *
           kMsOfByte;
}

schedule::Clique Session::expected(std::uint32_t round, int island) const {
    return round < rounds.size() ? exchange(round, island).members &
                                       ~(schedule::Clique{1} << static_cast<unsigned>(island))
                                 : 0;
}

core::Result<Session> make_session(const schedule::Islands& islands,
                                   const schedule::TimedSchedule& schedule,
                                   const SessionOptions& options) {
    if (schedule.rounds.empty() || schedule.rounds.size() > kMostRounds) {
        return core::fail({"",
                           "",
                           fmt::format("{} rounds", schedule.rounds.size()),
                           fmt::format("1 to {}", kMostRounds)});
    }
    bool any = false;
    for (std::size_t k = 0; k < schedule.rounds.size(); ++k) {
        for (const schedule::TimedClique& clique : schedule.rounds[k].cliques) {
            if (const auto sound = check_clique(islands, clique, k); !sound) {
                return tl::unexpected(sound.error());
            }
            any = any || schedule::clique_size(clique.members) > 1;
        }
    }
    if (!any) {
        return core::fail({"", "", "no clique of the schedule has two islands", "one at least"});
    }
    Session session;
    session.options = options;
    session.pace = schedule.pace;
    for (const schedule::Island& island : islands.islands) {
        session.names.push_back(island.name);
    }
    const double block_bytes = static_cast<double>(kElementBytes) * options.block_elements;
    session.blocks = static_cast<std::uint32_t>(
        std::max(1.0, std::round(options.payload_mb * kBytesOfMb / block_bytes)));
    session.payload_bytes = session.blocks * block_bytes;
    session.rate_scale =
        session.payload_bytes / (schedule.payload_gb * kMbOfGb * kBytesOfMb) / options.time_scale;
    lay_network(islands, session);
    if (const auto made = make_rounds(islands, schedule, session); !made) {
        return tl::unexpected(made.error());
    }
    make_slots(islands, schedule, session);
    session.timeout_ms = std::max(schedule.timeout_ms * options.time_scale,
                                  widest_spread(session) + options.spare_ms + kLeastTimeoutMs);
    core::Random random(options.seed, kClockStream);
    for (std::size_t i = 0; i < session.wan.hosts.size(); ++i) {
        session.clock_error_ms.push_back(options.clock_error_ms * (2 * random.uniform() - 1));
    }
    return session;
}

}  // namespace longhaul::runtime
