#include "longhaul/runtime/session.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "longhaul/core/random.hpp"
#include "longhaul/runtime/detail/session_network.hpp"
#include "longhaul/runtime/detail/session_rounds.hpp"
#include "longhaul/runtime/payload.hpp"
#include "longhaul/runtime/wire.hpp"

namespace longhaul::runtime {
namespace {

constexpr std::size_t kMostRounds = 256;
constexpr double kMbOfGb = 1000;
constexpr double kMsOfByte = 8e-3;  // at 1 Mbit/s
constexpr double kBytesOfMb = 1e6;
constexpr std::uint64_t kClockStream = 1ULL << 40U;
constexpr double kLeastTimeoutMs = 50;
constexpr std::size_t kSpareSlots = 2;
constexpr double kRowTolerance = 1e-6;
constexpr double kPatienceMs = 1000;
constexpr double kRoundsOfPatience = 3;  // in each of them a block can be sent again

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
        double sum = 0;
        bool sound = clique.weights.rows() == size && clique.weights.columns() == size;
        for (std::size_t c = 0; c < clique.weights.columns(); ++c) {
            sum += clique.weights(r, c);
            sound = sound && clique.weights(r, c) >= 0;
        }
        if (!sound || std::abs(sum - 1) > kRowTolerance) {
            return core::fail({"",
                               where,
                               fmt::format("row {} of the weights sums to {}", r + 1, sum),
                               "one row a member, of weights of at least 0 that sum to 1"});
        }
    }
    return {};
}

/// Slots for what the memory holds of the payload, and for the guard.
void make_slots(const schedule::Islands& islands,
                const schedule::TimedSchedule& schedule,
                Session& session) {
    session.sending_ms = 1e300;
    for (const SessionRound& round : session.rounds) {
        for (const Exchange& exchange : round.exchanges) {
            for (const Sender& sender : exchange.senders) {
                session.sending_ms = std::min(session.sending_ms, sender.sending_ms);
            }
        }
    }
    session.guard_ms =
        std::max(session.options.spare_ms, schedule.guard_ms * session.options.time_scale) +
        session.jitter_ms;
    for (std::size_t i = 0; i < islands.size(); ++i) {
        const double memory = i < schedule.memory_gb.size() ? schedule.memory_gb[i] : 0;
        const double share = std::min(1.0, memory / schedule.payload_gb);
        session.held.push_back(static_cast<std::size_t>(std::floor(share * session.blocks)));
        session.slots.push_back(session.slots_for(i, 0));
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

/// From the start of a round to that of the next one, at most; of a single round, its time.
double longest_round(const Session& session) {
    double longest = session.rounds.front().predicted_ms;
    for (std::size_t k = 1; k < session.rounds.size(); ++k) {
        longest = std::max(longest, session.rounds[k].start_ms - session.rounds[k - 1].start_ms);
    }
    return longest;
}

}  // namespace

double Session::access_ms(int island) const {
    return blocks * block_on_wire(*this) / wan.resources[egress(island)].shape.rate_mbps *
           kMsOfByte;
}

double Session::ingress_ms(int island) const {
    return blocks * block_on_wire(*this) / wan.resources[egress(island) + 1].shape.rate_mbps *
           kMsOfByte;
}

std::size_t Session::slots_for(std::size_t island, double residual_ms) const {
    const double guard = std::ceil((guard_ms + 2 * residual_ms) / sending_ms * blocks);
    return held[island] + static_cast<std::size_t>(guard) + kSpareSlots;
}

std::int32_t Session::weight(std::uint32_t round, int receiver, int sender) const {
    const Exchange& with = exchange(round, receiver);
    if (with.weights.empty()) {
        return 1;
    }
    const std::vector<int> members = schedule::members_of(with.members);
    const auto place = [&](int island) {
        return static_cast<std::size_t>(std::ranges::find(members, island) - members.begin());
    };
    const std::size_t column = place(sender);
    return column < members.size() ? with.weights(place(receiver), column) : 0;
}

std::vector<std::int32_t> Session::weights_of(std::uint32_t round, int receiver) const {
    std::vector<std::int32_t> row;
    for (std::size_t i = 0; i < islands() && !exchange(round, receiver).weights.empty(); ++i) {
        row.push_back(weight(round, receiver, static_cast<int>(i)));
    }
    return row;
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
    bool differ = false;
    for (std::size_t k = 0; k < schedule.rounds.size(); ++k) {
        for (const schedule::TimedClique& clique : schedule.rounds[k].cliques) {
            if (const auto sound = check_clique(islands, clique, k); !sound) {
                return tl::unexpected(sound.error());
            }
            any = any || schedule::clique_size(clique.members) > 1;
            differ = differ || weights_differ(clique);
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
    if (differ) {
        session.payload_bits = kWeightedBits;
    }
    if (const auto made = lay_rounds(islands, schedule, session); !made) {
        return tl::unexpected(made.error());
    }
    make_slots(islands, schedule, session);
    session.timeout_ms =
        std::max(schedule.timeout_ms * options.time_scale,
                 widest_spread(session) + session.jitter_ms + options.spare_ms + kLeastTimeoutMs);
    session.recovery_ms = options.recovery_ms.value_or(recovery_for(session));
    start_rounds(schedule, session);
    session.patience_ms = options.patience_ms.value_or(
        kPatienceMs + (options.loss > 0 ? kRoundsOfPatience * longest_round(session) : 0));
    core::Random random(options.seed, kClockStream);
    for (std::size_t i = 0; i < session.wan.hosts.size(); ++i) {
        session.clock_error_ms.push_back(options.clock_error_ms * (2 * random.uniform() - 1));
    }
    return session;
}

}  // namespace longhaul::runtime
