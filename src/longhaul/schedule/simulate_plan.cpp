#include <algorithm>
#include <cmath>
#include <numbers>

#include "longhaul/schedule/detail/common.hpp"
#include "longhaul/schedule/detail/simulation.hpp"

namespace longhaul::schedule::detail {

namespace {

StreamPlan stream_plan(const Islands& islands,
                       const SimulationOptions& options,
                       const TimedClique& clique,
                       const std::vector<int>& list,
                       std::size_t place) {
    StreamPlan stream;
    stream.sender = list[place];
    stream.offset_ms = clique.offset_ms[place];
    stream.sending_ms = clique.sender_ms.empty() ? clique.sending_ms : clique.sender_ms[place];
    std::vector<std::uint32_t> node_of(slot(islands.network.nodes), 0);
    for (const std::uint32_t id : clique.trees[place].links) {
        const topology::Link& link = islands.network.links[id];
        const double jitter = options.jitter_ms.value_or(islands.jitter_ms[id]);
        stream.hops.push_back({id, node_of[link.from], link.latency_ms, jitter});
        node_of[link.to] = static_cast<std::uint32_t>(stream.hops.size());
    }
    for (const int island : list) {
        if (island == stream.sender) {
            continue;
        }
        Destination& to = stream.destinations.emplace_back();
        to.island = island;
        to.node = node_of[slot(island)];
        for (std::uint32_t node = to.node; node != 0; node = to.path.front().from) {
            to.path.insert(to.path.begin(), stream.hops[node - 1]);
        }
        for (const Hop& hop : to.path) {
            to.latency_ms += hop.latency_ms;
        }
    }
    return stream;
}

RoundPlan round_plan(const Islands& islands,
                     const SimulationOptions& options,
                     const TimedRound& timed) {
    RoundPlan round;
    round.length_ms = timed.length_ms;
    round.clique_of.assign(islands.size(), -1);
    round.place_of.assign(islands.size(), 0);
    for (const TimedClique& clique : timed.cliques) {
        const std::vector<int> list = members_of(clique.members);
        const std::size_t k = list.size();
        if (k < 2) {
            continue;
        }
        CliquePlan plan{clique.members, list, clique.weights, {}};
        if (plan.weights.empty()) {
            plan.weights = core::Grid<double>(k, k, 1.0 / static_cast<double>(k));
        }
        for (std::size_t place = 0; place < k; ++place) {
            round.clique_of[slot(list[place])] = static_cast<int>(round.cliques.size());
            round.place_of[slot(list[place])] = static_cast<int>(place);
            plan.streams.push_back(stream_plan(islands, options, clique, list, place));
            round.first_ms = std::min(round.first_ms, plan.streams.back().offset_ms);
        }
        round.cliques.push_back(std::move(plan));
    }
    return round;
}

/// Members and senders of every round, and of those after the last.
std::vector<Presence> presence_of(const Islands& islands,
                                  const SimulationOptions& options,
                                  Clique down_in_the_end) {
    std::vector<Change> changes = options.changes;
    std::ranges::stable_sort(changes, {}, &Change::round);
    Clique now = islands.size() == 64 ? ~Clique{0} : (Clique{1} << islands.size()) - 1;
    Clique seen = 0;
    for (const Change& change : changes) {
        const Clique bit = Clique{1} << change.island;
        if ((seen & bit) == 0 && change.joins) {
            now &= ~bit;
        }
        seen |= bit;
    }
    std::vector<Presence> presence;
    std::size_t next = 0;
    for (int k = 0; k < options.rounds; ++k) {
        Clique joined = 0;
        for (; next < changes.size() && changes[next].round == k; ++next) {
            const Clique bit = Clique{1} << changes[next].island;
            now = changes[next].joins ? now | bit : now & ~bit;
            joined = changes[next].joins ? joined | bit : joined & ~bit;
        }
        presence.push_back({now, now & ~joined});
    }
    now &= ~down_in_the_end;
    presence.push_back({now, now});
    return presence;
}

}  // namespace

Plan::Plan(const TimedSchedule& schedule, const Islands& network, const SimulationOptions& options)
    : islands(static_cast<int>(network.size())),
      rounds(options.rounds),
      blocks(options.blocks),
      pace(schedule.pace),
      grace_ms(options.grace_ms),
      block_gb(schedule.payload_gb / options.blocks) {
    prefix_ = {0};
    double least = schedule.rounds.front().length_ms;
    double latest = 0;
    for (const TimedRound& timed : schedule.rounds) {
        rounds_.push_back(round_plan(network, options, timed));
        prefix_.push_back(prefix_.back() + timed.length_ms);
        least = std::min(least, timed.length_ms);
        for (const TimedClique& clique : timed.cliques) {
            latest = std::max(latest, clique.time_ms);
        }
    }
    lag_ = 2 + static_cast<int>(std::ceil(latest / least));
    const double end = start_ms(rounds);
    Clique down = 0;
    for (const Outage& outage : options.outages) {
        if (outage.what == Outage::What::kIsland && outage.from_ms <= end && outage.to_ms > end) {
            down |= Clique{1} << outage.index;
        }
    }
    presence_ = presence_of(network, options, down);
}

double Plan::start_ms(int k) const {
    const std::size_t index = slot(k);
    const std::size_t size = rounds_.size();
    return static_cast<double>(index / size) * prefix_.back() + prefix_[index % size];
}

int Plan::round_at(double time_ms) const {
    int k = static_cast<int>(time_ms / prefix_.back()) * static_cast<int>(rounds_.size());
    while (k > 0 && start_ms(k) > time_ms) {
        --k;
    }
    while (start_ms(k + 1) <= time_ms) {
        ++k;
    }
    return k;
}

const Presence& Plan::presence(int k) const {
    return presence_[slot(std::min(k, rounds))];
}

Clique Plan::expected(int k, int receiver) const {
    const Presence& who = presence(k);
    const Clique bit = Clique{1} << receiver;
    const int clique = round(k).clique_of[slot(receiver)];
    if (clique < 0 || (who.members & bit) == 0) {
        return 0;
    }
    return round(k).cliques[slot(clique)].members & who.senders & ~bit;
}

double Plan::taken_ms(int k, int island, int block) const {
    const RoundPlan& now = round(k);
    const double start = start_ms(k);
    const int clique = now.clique_of[slot(island)];
    if (pace != Pace::kStreamed || clique < 0) {
        return start;
    }
    const StreamPlan& stream = now.cliques[slot(clique)].streams[slot(now.place_of[slot(island)])];
    return start + stream.offset_ms + stream.sending_ms * (block + 1) / blocks;
}

double Plan::arrived_ms(int k, int receiver, int block) const {
    const RoundPlan& now = round(k);
    const int clique = now.clique_of[slot(receiver)];
    const Clique awaited = expected(k, receiver);
    double last = 0;
    bool any = false;
    for (const StreamPlan& stream : now.cliques[slot(clique)].streams) {
        if ((awaited >> stream.sender & 1U) == 0) {
            continue;
        }
        const auto to = std::ranges::find(stream.destinations, receiver, &Destination::island);
        const double at =
            stream.offset_ms + to->latency_ms + stream.sending_ms * (block + 1) / blocks;
        last = any ? std::max(last, at) : at;
        any = true;
    }
    return start_ms(k) + last;
}

double Plan::closed_ms(int k, int receiver, int block) const {
    const double planned =
        pace == Pace::kStreamed ? arrived_ms(k, receiver, block) : start_ms(k + 1);
    return planned + grace_ms;
}

double Plan::mixed_ms(int k, int receiver, int block, double complete_ms) const {
    const double least = pace == Pace::kStreamed ? taken_ms(k, receiver, block) : start_ms(k + 1);
    return std::max(complete_ms, least);
}

World::World(const std::vector<Outage>& outages, std::size_t links, std::size_t islands)
    : quiet_(outages.empty()),
      links_(links),
      islands_(islands),
      closed_(islands),
      open_(islands),
      failures_(islands) {
    for (const Outage& outage : outages) {
        const Span span{outage.from_ms, outage.to_ms};
        switch (outage.what) {
            case Outage::What::kLink:
                links_[outage.index].push_back(span);
                break;
            case Outage::What::kIsland:
                islands_[outage.index].push_back(span);
                break;
            case Outage::What::kAggregatorClosed:
                closed_[outage.index].push_back(span);
                failures_[outage.index].push_back(span.from_ms);
                break;
            case Outage::What::kAggregatorOpen:
                open_[outage.index].push_back(span);
                failures_[outage.index].push_back(span.from_ms);
                break;
        }
    }
    for (std::vector<double>& starts : failures_) {
        std::ranges::sort(starts);
    }
}

bool World::within(const std::vector<Span>& spans, double time_ms) {
    return std::ranges::any_of(
        spans, [&](const Span& span) { return span.from_ms <= time_ms && time_ms < span.to_ms; });
}

bool World::link_down(std::uint32_t link, double time_ms) const {
    return !quiet_ && within(links_[link], time_ms);
}
bool World::island_down(int island, double time_ms) const {
    return !quiet_ && within(islands_[slot(island)], time_ms);
}
bool World::closed(int island, double time_ms) const {
    return !quiet_ && within(closed_[slot(island)], time_ms);
}
bool World::open(int island, double time_ms) const {
    return !quiet_ && within(open_[slot(island)], time_ms);
}
const std::vector<double>& World::failures(int island) const {
    return failures_[slot(island)];
}

double Normal::operator()() {
    if (has_spare_) {
        has_spare_ = false;
        return spare_;
    }
    const double radius = std::sqrt(-2 * std::log(1 - random_.uniform()));
    const double angle = 2 * std::numbers::pi * random_.uniform();
    spare_ = radius * std::sin(angle);
    has_spare_ = true;
    return radius * std::cos(angle);
}

}  // namespace longhaul::schedule::detail
