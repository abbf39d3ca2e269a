#include "longhaul/schedule/timed_fit.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "longhaul/schedule/detail/common.hpp"

namespace longhaul::schedule {

namespace {

constexpr double kRoundingOfFiles = 1e-4;  ///< relative; files hold rounded times
constexpr double kRoundingMs = 1e-3;
constexpr double kGbitPerGb = 8;
constexpr double kMsPerSecond = 1000;

class Fit {
public:
    Fit(const TimedSchedule& schedule, const Islands& islands)
        : schedule_(schedule), islands_(islands) {}

    /// Of one round.
    [[nodiscard]] std::string why_not(const TimedRound& round) const {
        std::vector<double> loads(islands_.network.links.size(), 0);
        for (const TimedClique& clique : round.cliques) {
            if (clique_size(clique.members) < 2) {
                continue;
            }
            if (std::string why = access(clique, loads); !why.empty()) {
                return why;
            }
            if (std::string why = memory(clique); !why.empty()) {
                return why;
            }
        }
        for (std::size_t link = 0; link < loads.size(); ++link) {
            const topology::Link& of = islands_.network.links[link];
            if (above(loads[link], of.gbps)) {
                return fmt::format("{}>{} would carry {:.3f} Gbit/s, it has {:g}",
                                   node(of.from),
                                   node(of.to),
                                   loads[link],
                                   of.gbps);
            }
        }
        return {};
    }

private:
    static bool above(double gbps, double limit) { return gbps > limit * (1 + kRoundingOfFiles); }

    [[nodiscard]] const std::string& node(topology::NodeId id) const {
        return islands_.node_name(static_cast<std::size_t>(id));
    }

    [[nodiscard]] double gbps(double sending_ms) const {
        return sending_ms > 0 ? kGbitPerGb * schedule_.payload_gb / (sending_ms / kMsPerSecond)
                              : std::numeric_limits<double>::infinity();
    }

    std::string access(const TimedClique& clique, std::vector<double>& loads) const {
        const std::vector<int> members = members_of(clique.members);
        for (std::size_t m = 0; m < members.size(); ++m) {
            const Island& island = islands_.islands[detail::slot(members[m])];
            const double rate =
                gbps(clique.sender_ms.empty() ? clique.sending_ms : clique.sender_ms[m]);
            if (above(rate, island.egress_gbps)) {
                return fmt::format("{} would send {:.3f} Gbit/s, its access takes {:g}",
                                   island.name,
                                   rate,
                                   island.egress_gbps);
            }
            if (above(gbps(clique.sending_ms), island.ingress_gbps)) {
                return fmt::format("{} would receive {:.3f} Gbit/s, its access takes {:g}",
                                   island.name,
                                   gbps(clique.sending_ms),
                                   island.ingress_gbps);
            }
            for (const std::uint32_t link : clique.trees[m].links) {
                loads[link] += rate;
            }
        }
        return {};
    }

    /// When the first byte of a member is at every node, its tree being followed.
    [[nodiscard]] std::vector<double> arrivals(const TimedClique& clique,
                                               std::size_t member,
                                               int source) const {
        std::vector<double> at(static_cast<std::size_t>(islands_.network.nodes), 0);
        at[detail::slot(source)] = clique.offset_ms[member];
        for (const std::uint32_t link : clique.trees[member].links) {
            const topology::Link& of = islands_.network.links[link];
            at[static_cast<std::size_t>(of.to)] =
                at[static_cast<std::size_t>(of.from)] + of.latency_ms;
        }
        return at;
    }

    [[nodiscard]] std::string memory(const TimedClique& clique) const {
        const std::vector<int> members = members_of(clique.members);
        if (members.size() < 3 || !clique.sender_ms.empty() || schedule_.pace == Pace::kStreamed) {
            return {};  // one stream at a time needs no memory
        }
        std::vector<std::vector<double>> at;
        for (std::size_t m = 0; m < members.size(); ++m) {
            at.push_back(arrivals(clique, m, members[m]));
        }
        for (std::size_t r = 0; r < members.size(); ++r) {
            double first = std::numeric_limits<double>::infinity();
            double last = -first;
            for (std::size_t m = 0; m < members.size(); ++m) {
                if (m != r) {
                    first = std::min(first, at[m][detail::slot(members[r])]);
                    last = std::max(last, at[m][detail::slot(members[r])]);
                }
            }
            const double held_gb =
                schedule_.payload_gb * (last - first - kRoundingMs) / clique.sending_ms;
            const double memory_gb = schedule_.memory_gb[detail::slot(members[r])];
            if (held_gb > memory_gb * (1 + kRoundingOfFiles)) {
                return fmt::format(
                    "contributions reach {} {:.3f} ms apart, its aggregator would hold "
                    "{:.4f} GB and has {:g}",
                    islands_.islands[detail::slot(members[r])].name,
                    last - first,
                    held_gb,
                    memory_gb);
            }
        }
        return {};
    }

    const TimedSchedule& schedule_;
    const Islands& islands_;
};

}  // namespace

std::string why_not_carried(const TimedSchedule& schedule, const Islands& islands) {
    const Fit fit(schedule, islands);
    for (std::size_t k = 0; k < schedule.rounds.size(); ++k) {
        if (const std::string why = fit.why_not(schedule.rounds[k]); !why.empty()) {
            return fmt::format("round {}: {}", k + 1, why);
        }
    }
    return {};
}

}  // namespace longhaul::schedule
