#include <algorithm>
#include <bit>
#include <map>
#include <tuple>

#include "longhaul/schedule/detail/common.hpp"
#include "longhaul/schedule/detail/inbox.hpp"
#include "longhaul/schedule/detail/resend_queue.hpp"
#include "longhaul/schedule/detail/simulation.hpp"

namespace longhaul::schedule::detail {

namespace {

class Carrier {
public:
    Carrier(const Plan& plan,
            const World& world,
            const TimedSchedule& schedule,
            const Islands& islands,
            const SimulationOptions& options,
            Simulation& result)
        : plan_(plan),
          world_(world),
          options_(options),
          result_(result),
          inboxes_(slot(plan.islands)),
          failed_(slot(plan.islands), 0),
          delivered_(slot(plan.islands), -kNever),
          again_(slot(plan.islands)),
          resends_(
              plan,
              world,
              islands,
              options,
              [this](int r, const Arrival& arrival) { return offer(r, arrival, again_[slot(r)]); },
              result.resends) {
        carried_.cells.resize(Carried::at(plan, plan.rounds, 0, 0));
        result_.round_ms.assign(slot(plan.rounds), 0);
        for (int r = 0; r < plan.islands; ++r) {
            tables_.emplace_back(slots_of(schedule.memory_gb[slot(r)]),
                                 options.index,
                                 schedule.timeout_ms,
                                 options.seed + static_cast<std::uint64_t>(r));
            block_ms_.push_back(8000 * plan.block_gb / islands.islands[slot(r)].ingress_gbps);
        }
    }

    Carried run() {
        // Nothing of later rounds arrives before they first send.
        std::vector<double> quiet_until(slot(plan_.rounds), kNever);
        for (int k = plan_.rounds - 2; k >= 0; --k) {
            quiet_until[slot(k)] = std::min(quiet_until[slot(k + 1)],
                                            plan_.start_ms(k + 1) + plan_.round(k + 1).first_ms);
        }
        for (int k = 0; k < plan_.rounds; ++k) {
            send_round(k);
            resends_.advance(quiet_until[slot(k)]);
            for (int r = 0; r < plan_.islands; ++r) {
                Inbox& inbox = inboxes_[slot(r)];
                inbox.begin_run();
                inbox.arrivals.insert(
                    inbox.arrivals.end(), again_[slot(r)].begin(), again_[slot(r)].end());
                inbox.end_run();
                again_[slot(r)].clear();
                take_until(r, quiet_until[slot(k)]);
            }
        }
        for (int r = 0; r < plan_.islands; ++r) {
            tables_[slot(r)].flush(kNever, out_);
            deliver_all(r);
        }
        finish();
        return std::move(carried_);
    }

private:
    /// As many blocks as fit into the memory, and the one that is on the wire. More slots than ids
    /// change nothing, nor do more than a million under a hash.
    [[nodiscard]] std::size_t slots_of(double memory_gb) const {
        const double fit = memory_gb / plan_.block_gb + 1e-9;
        const double ids = static_cast<double>(plan_.rounds) * plan_.blocks;
        const double most = options_.index == SlotIndex::kRing ? ids : 1048576.0;
        return 1 + static_cast<std::size_t>(std::min(fit, most));
    }

    void send_round(int k) {
        for (const CliquePlan& clique : plan_.round(k).cliques) {
            for (const StreamPlan& stream : clique.streams) {
                if ((plan_.presence(k).senders >> stream.sender & 1U) != 0) {
                    send_stream(k, stream);
                }
            }
        }
    }

    void send_stream(int k, const StreamPlan& stream) {
        for (const Destination& to : stream.destinations) {
            inboxes_[slot(to.island)].begin_run();
        }
        Normal random(core::Random(
            options_.seed,
            static_cast<std::uint64_t>(k) * 64 + static_cast<std::uint64_t>(stream.sender)));
        std::vector<double> reached(stream.hops.size() + 1);
        const double start = plan_.start_ms(k) + stream.offset_ms;
        for (int x = 0; x < plan_.blocks; ++x) {
            reached[0] = start + stream.sending_ms * (x + 1) / plan_.blocks;
            const bool absent = world_.island_down(stream.sender, reached[0]);
            if (!absent) {
                spread(stream, random, reached);
            }
            for (const Destination& to : stream.destinations) {
                if ((plan_.presence(k).members >> to.island & 1U) == 0) {
                    continue;
                }
                ++result_.contributions.planned;
                if (absent) {
                    ++result_.contributions.absent;
                } else {
                    reach(k, x, stream, to, reached, random);
                }
            }
        }
        for (const Destination& to : stream.destinations) {
            inboxes_[slot(to.island)].end_run();
        }
        log_stream(k, stream);
    }

    /// When a block reaches each node of the tree; never when it is lost on the way.
    void spread(const StreamPlan& stream, Normal& random, std::vector<double>& reached) const {
        for (std::size_t h = 0; h < stream.hops.size(); ++h) {
            const Hop& hop = stream.hops[h];
            reached[h + 1] = cross(hop, reached[hop.from], options_, world_, random);
        }
    }

    /// The copies of a block that a receiver is sent: the first, a duplicate, and resends when it
    /// waits in vain.
    void reach(int k,
               int x,
               const StreamPlan& stream,
               const Destination& to,
               const std::vector<double>& reached,
               Normal& random) {
        const Arrival first{reached[to.node], k, x, stream.sender, false};
        std::vector<Arrival>& inbox = inboxes_[slot(to.island)].arrivals;
        double here = offer(to.island, first, inbox) ? first.time_ms : kNever;
        if (options_.duplication > 0 && random.uniform() < options_.duplication &&
            first.time_ms != kNever) {
            Arrival again = first;
            again.time_ms += options_.patience_ms * random.uniform();
            here = offer(to.island, again, inbox) ? std::min(here, again.time_ms) : here;
        }
        const double due = reached[0] + to.latency_ms + options_.patience_ms;
        resends_.expect(k, x, stream, to, due, here);
    }

    /// A copy on its way to an aggregator; false when it does not get there.
    bool offer(int r, const Arrival& arrival, std::vector<Arrival>& inbox) {
        ++result_.copies.created;
        if (arrival.time_ms == kNever) {
            ++result_.copies.lost_on_links;
            return false;
        }
        if (world_.island_down(r, arrival.time_ms) || world_.closed(r, arrival.time_ms)) {
            ++result_.copies.lost_at_island;
            return false;
        }
        inbox.push_back(arrival);
        return true;
    }

    void take_until(int r, double time_ms) {
        Inbox& inbox = inboxes_[slot(r)];
        inbox.sort(scratch_);
        std::size_t taken = 0;
        while (taken < inbox.arrivals.size() && inbox.arrivals[taken].time_ms < time_ms) {
            take(r, inbox.arrivals[taken++]);
        }
        inbox.arrivals.erase(inbox.arrivals.begin(),
                             inbox.arrivals.begin() + static_cast<std::ptrdiff_t>(taken));
        inbox.runs.assign(inbox.arrivals.empty() ? 0 : 1, 0);
    }

    void take(int r, const Arrival& arrival) {
        SlotTable& table = tables_[slot(r)];
        const std::vector<double>& failures = world_.failures(r);
        while (failed_[slot(r)] < failures.size() &&
               failures[failed_[slot(r)]] <= arrival.time_ms) {
            table.expire(failures[failed_[slot(r)]++], out_);
            deliver_all(r);
            table.wipe(out_);
            for (const Partial& lost : out_) {
                result_.copies.lost_at_island += count_of(lost.contributors);
            }
            out_.clear();
        }
        const std::uint64_t id =
            static_cast<std::uint64_t>(arrival.round) * static_cast<std::uint64_t>(plan_.blocks) +
            static_cast<std::uint64_t>(arrival.block);
        const Clique expected = plan_.expected(arrival.round, r);
        const Contribution contribution{
            id,
            Clique{1} << arrival.sender,
            expected,
            value_of(options_.seed, arrival.round, arrival.sender, arrival.block),
            arrival.time_ms};
        if (arrival.resent || clique_size(expected) == 1 || world_.open(r, arrival.time_ms)) {
            deliver(r,
                    {id,
                     contribution.contributor,
                     contribution.value,
                     arrival.time_ms,
                     Eviction::kComplete});
            return;
        }
        if (!table.arrive(contribution, out_)) {
            ++result_.copies.duplicate;
        }
        deliver_all(r);
    }

    static std::uint64_t count_of(Clique who) {
        return static_cast<std::uint64_t>(clique_size(who));
    }

    void deliver_all(int r) {
        for (const Partial& partial : out_) {
            ++result_.evictions[static_cast<std::size_t>(partial.why)];
            log_eviction(r, partial);
            deliver(r, partial);
        }
        out_.clear();
    }

    /// Outputs queue for the access link: a block follows the one before by at least the time that
    /// the link takes for it, and is passed on while it comes in.
    double through_access(int r, double time_ms) {
        double& last = delivered_[slot(r)];
        last = std::max(time_ms, last + block_ms_[slot(r)]);
        return last;
    }

    /// The receiver adds a partial sum to those with the same id.
    void deliver(int r, const Partial& partial) {
        const double time = through_access(r, partial.time_ms);
        const auto blocks = static_cast<std::uint64_t>(plan_.blocks);
        const int k = static_cast<int>(partial.id / blocks);
        const int x = static_cast<int>(partial.id % blocks);
        Cell& cell = carried_.cells[Carried::at(plan_, k, r, x)];
        const std::uint64_t count = count_of(partial.contributors);
        ++cell.outputs;
        if (world_.island_down(r, time)) {
            result_.copies.lost_at_island += count;
        } else if (time > plan_.closed_ms(k, r, x) + kSameMs) {
            result_.copies.stale += count;
        } else if ((partial.contributors & ~cell.merged) == 0) {
            result_.copies.duplicate += count;
        } else if ((partial.contributors & cell.merged) != 0) {
            result_.copies.overlapping += count;
        } else {
            cell.merged |= partial.contributors;
            cell.sum += partial.sum;
            cell.time_ms = std::max(cell.time_ms, time);
            result_.copies.merged += count;
            result_.round_ms[slot(k)] =
                std::max(result_.round_ms[slot(k)], time - plan_.start_ms(k));
        }
    }

    void log_stream(int k, const StreamPlan& stream) {
        if (k >= options_.log_rounds) {
            return;
        }
        using Kind = SimulationEvent::Kind;
        const double start = plan_.start_ms(k) + stream.offset_ms;
        const auto blocks = static_cast<std::uint64_t>(plan_.blocks);
        result_.log.push_back({Kind::kSend,
                               k,
                               stream.sender,
                               -1,
                               start,
                               start + stream.sending_ms,
                               blocks,
                               Eviction::kComplete});
        for (const Destination& to : stream.destinations) {
            const Inbox& inbox = inboxes_[slot(to.island)];
            const std::size_t first = inbox.runs.back();
            if (first < inbox.arrivals.size()) {
                result_.log.push_back({Kind::kArrive,
                                       k,
                                       stream.sender,
                                       to.island,
                                       inbox.arrivals[first].time_ms,
                                       inbox.arrivals.back().time_ms,
                                       inbox.arrivals.size() - first,
                                       Eviction::kComplete});
            }
        }
    }

    void log_eviction(int r, const Partial& partial) {
        const int k = static_cast<int>(partial.id / static_cast<std::uint64_t>(plan_.blocks));
        if (k >= options_.log_rounds || partial.why == Eviction::kComplete ||
            partial.why == Eviction::kFlush) {
            return;
        }
        const std::tuple key{k, r, partial.why};
        const auto [found, fresh] = evicted_.try_emplace(key, result_.log.size());
        if (fresh) {
            result_.log.push_back({SimulationEvent::Kind::kEvict,
                                   k,
                                   -1,
                                   r,
                                   partial.time_ms,
                                   partial.time_ms,
                                   0,
                                   partial.why});
        }
        SimulationEvent& event = result_.log[found->second];
        event.end_ms = partial.time_ms;
        ++event.count;
    }

    void finish() {
        for (int r = 0; r < plan_.islands; ++r) {
            const SlotTable& table = tables_[slot(r)];
            result_.aggregators.push_back(
                {table.slots(), table.peak(), static_cast<double>(table.peak()) * plan_.block_gb});
        }
        for (int k = 0; k < plan_.rounds; ++k) {
            for (int r = 0; r < plan_.islands; ++r) {
                for (int x = 0; x < plan_.blocks; ++x) {
                    finish_cell(k, r, x, carried_.cells[Carried::at(plan_, k, r, x)]);
                }
            }
        }
        result_.contributions.missing = result_.contributions.planned -
                                        result_.contributions.absent - result_.contributions.merged;
    }

    void finish_cell(int k, int r, int x, const Cell& cell) {
        if (clique_size(plan_.expected(k, r)) >= 2) {
            ++result_.weights;
            result_.outputs += cell.outputs;
            result_.split += cell.outputs >= 2 ? 1 : 0;
        }
        result_.contributions.merged += count_of(cell.merged);
        std::int64_t sum = 0;
        for (Clique left = cell.merged; left != 0; left &= left - 1) {
            sum += value_of(options_.seed, k, std::countr_zero(left), x);
        }
        result_.wrong_sums += sum == cell.sum ? 0 : 1;
    }

    const Plan& plan_;
    const World& world_;
    const SimulationOptions& options_;
    Simulation& result_;
    Carried carried_;
    std::vector<SlotTable> tables_;
    std::vector<Inbox> inboxes_;
    std::vector<double> block_ms_;             // of an access link for a block
    std::vector<std::size_t> failed_;          // failures of each aggregator that were dealt with
    std::vector<double> delivered_;            // end of the last output of each aggregator
    std::vector<std::vector<Arrival>> again_;  // resends, for each aggregator
    ResendQueue resends_;
    std::vector<Partial> out_;
    std::vector<Arrival> scratch_;
    std::map<std::tuple<int, int, Eviction>, std::size_t> evicted_;
};

}  // namespace

std::int64_t value_of(std::uint64_t seed, int round, int sender, int block) {
    const std::uint64_t key = (static_cast<std::uint64_t>(round) << 38U) ^
                              (static_cast<std::uint64_t>(sender) << 32U) ^
                              static_cast<std::uint64_t>(block);
    return static_cast<std::int64_t>(mix_bits(key ^ mix_bits(seed)) >> 16U) -
           (std::int64_t{1} << 47U);
}

Carried carry(const Plan& plan,
              const World& world,
              const TimedSchedule& schedule,
              const Islands& islands,
              const SimulationOptions& options,
              Simulation& result) {
    return Carrier(plan, world, schedule, islands, options, result).run();
}

}  // namespace longhaul::schedule::detail
