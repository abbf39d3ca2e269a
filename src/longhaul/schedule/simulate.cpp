#include "longhaul/schedule/simulate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "longhaul/core/assert.hpp"
#include "longhaul/schedule/detail/common.hpp"
#include "longhaul/schedule/detail/simulation.hpp"

namespace longhaul::schedule {

using detail::slot;

namespace {

class OptionsCheck {
public:
    OptionsCheck(const Islands& islands, const SimulationOptions& options)
        : islands_(islands), options_(options) {}

    core::Diagnostics problems() {
        check_counts();
        check_number("jitter_ms", options_.jitter_ms.value_or(0), 0, 1e6);
        check_number("loss", options_.loss, 0, 0.999);
        check_number("duplication", options_.duplication, 0, 0.999);
        check_number("tries", options_.tries, 0, 1000);
        check_number("patience_ms", options_.patience_ms, 0, 1e9);
        check_number("grace_ms", options_.grace_ms, 0, 1e9);
        for (std::size_t i = 0; i < options_.outages.size(); ++i) {
            check_outage(fmt::format("outages[{}]", i), options_.outages[i]);
        }
        check_changes();
        return std::move(problems_);
    }

private:
    void report(std::string where, std::string what, std::string fix) {
        problems_.push_back({"", std::move(where), std::move(what), std::move(fix)});
    }

    void check_number(const char* name, double value, double least, double most) {
        if (!(value >= least && value <= most)) {
            report(name, fmt::format("{}", value), fmt::format("{} to {}", least, most));
        }
    }

    void check_counts() {
        check_number("rounds", options_.rounds, 1, 1e6);
        check_number("blocks", options_.blocks, 1, 1e8);
        check_number("births", options_.births, 0, 1e8);
        const double cells = static_cast<double>(options_.rounds) * options_.blocks *
                             static_cast<double>(islands_.size());
        if (cells > static_cast<double>(kMostCells)) {
            report("rounds",
                   fmt::format("{} rounds of {} blocks for {} islands",
                               options_.rounds,
                               options_.blocks,
                               islands_.size()),
                   fmt::format("a product of at most {}: fewer blocks or rounds", kMostCells));
        }
    }

    void check_outage(const std::string& where, const Outage& outage) {
        const bool link = outage.what == Outage::What::kLink;
        const std::size_t count = link ? islands_.network.links.size() : islands_.size();
        if (outage.index >= count) {
            report(where,
                   fmt::format("{} {}", link ? "link" : "island", outage.index),
                   fmt::format("0 to {}", count - 1));
        }
        if (!(outage.from_ms <= outage.to_ms) || !std::isfinite(outage.from_ms)) {
            report(where,
                   fmt::format("from {} to {} ms", outage.from_ms, outage.to_ms),
                   "a time and a later one");
        }
    }

    void check_changes() {
        // What the first change says, and then what the last did: 1 there, 0 not, -1 unknown.
        std::vector<int> there(islands_.size(), -1);
        std::vector<std::pair<int, std::size_t>> order;
        for (std::size_t i = 0; i < options_.changes.size(); ++i) {
            order.emplace_back(options_.changes[i].round, i);
        }
        std::ranges::stable_sort(order, {}, &std::pair<int, std::size_t>::first);
        for (const auto& [round, i] : order) {
            const Change& change = options_.changes[i];
            const std::string where = fmt::format("changes[{}]", i);
            if (change.island < 0 || slot(change.island) >= islands_.size()) {
                report(where,
                       fmt::format("island {}", change.island),
                       fmt::format("0 to {}", islands_.size() - 1));
                continue;
            }
            if (round < 0 || round >= options_.rounds) {
                report(where,
                       fmt::format("round {}", round),
                       fmt::format("0 to {}", options_.rounds - 1));
            }
            int& state = there[slot(change.island)];
            if (state == (change.joins ? 1 : 0)) {
                report(where,
                       fmt::format("{} {} twice",
                                   islands_.islands[slot(change.island)].name,
                                   change.joins ? "joins" : "leaves"),
                       "joining and leaving in turn");
            }
            state = change.joins ? 1 : 0;
        }
    }

    const Islands& islands_;
    const SimulationOptions& options_;
    core::Diagnostics problems_;
};

void log_mixing(const detail::Plan& plan,
                const detail::Carried& carried,
                int rounds,
                std::vector<SimulationEvent>& log) {
    for (int k = 0; k < std::min(rounds, plan.rounds); ++k) {
        for (int r = 0; r < plan.islands; ++r) {
            const Clique expected = plan.expected(k, r);
            if (expected == 0) {
                continue;
            }
            SimulationEvent event{SimulationEvent::Kind::kMix,
                                  k,
                                  -1,
                                  r,
                                  std::numeric_limits<double>::infinity(),
                                  0,
                                  0,
                                  Eviction::kComplete};
            for (int x = 0; x < plan.blocks; ++x) {
                const detail::Cell& cell = carried.cells[detail::Carried::at(plan, k, r, x)];
                const double complete =
                    cell.merged == expected ? cell.time_ms : plan.closed_ms(k, r, x);
                const double mixed = plan.mixed_ms(k, r, x, complete);
                event.start_ms = std::min(event.start_ms, mixed);
                event.end_ms = std::max(event.end_ms, mixed);
                event.count += cell.merged == expected ? 1 : 0;
            }
            log.push_back(event);
        }
    }
}

void log_outages(const std::vector<Outage>& outages, std::vector<SimulationEvent>& log) {
    using Kind = SimulationEvent::Kind;
    for (const Outage& outage : outages) {
        const int index = static_cast<int>(outage.index);
        const bool link = outage.what == Outage::What::kLink;
        const Kind kind = link                                   ? Kind::kLinkDown
                          : outage.what == Outage::What::kIsland ? Kind::kIslandDown
                                                                 : Kind::kAggregatorDown;
        log.push_back({kind,
                       -1,
                       link ? index : -1,
                       link ? -1 : index,
                       outage.from_ms,
                       outage.to_ms,
                       0,
                       Eviction::kComplete});
    }
}

}  // namespace

double Simulation::outputs_per_weight() const {
    return weights == 0 ? 1 : static_cast<double>(outputs) / static_cast<double>(weights);
}

double Simulation::split_rate() const {
    return weights == 0 ? 0 : static_cast<double>(split) / static_cast<double>(weights);
}

core::Result<Simulation> simulate(const TimedSchedule& schedule,
                                  const Islands& islands,
                                  const SimulationOptions& options) {
    LONGHAUL_ASSERT(!schedule.rounds.empty() && schedule.memory_gb.size() == islands.size());
    core::Diagnostics problems = OptionsCheck(islands, options).problems();
    if (!problems.empty()) {
        return tl::unexpected(std::move(problems));
    }
    Simulation result;
    const detail::Plan plan(schedule, islands, options);
    const detail::World world(options.outages, islands.network.links.size(), islands.size());
    const detail::Carried carried = detail::carry(plan, world, schedule, islands, options, result);
    detail::follow_births(plan, world, carried, islands, options, result);
    detail::measure_loads(plan, islands, schedule.payload_gb, result);
    if (options.log_rounds > 0) {
        log_mixing(plan, carried, options.log_rounds, result.log);
        log_outages(options.outages, result.log);
        std::ranges::stable_sort(result.log, {}, &SimulationEvent::start_ms);
    }
    return result;
}

}  // namespace longhaul::schedule
