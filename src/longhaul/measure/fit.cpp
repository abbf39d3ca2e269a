#include "longhaul/measure/fit.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "longhaul/core/pool.hpp"
#include "longhaul/measure/cold.hpp"
#include "longhaul/measure/fit_groups.hpp"

namespace longhaul::measure {
namespace {

constexpr double kCloseToBest = 0.95;  // of the best rate: fewer streams that get it are enough

std::vector<LinkFit> fits_of(std::vector<FitJob>& jobs) {
    std::vector<LinkFit> fits;
    fits.reserve(jobs.size());
    for (FitJob& job : jobs) {
        fits.push_back(std::move(job.fit));
    }
    return fits;
}

std::vector<FanFit> fans_of(std::vector<FitPlan::Fan>& planned) {
    std::vector<FanFit> fans;
    for (FitPlan::Fan& fan : planned) {
        fan.fan.per_peer = fits_of(fan.per_peer);
        if (!fan.root.empty()) {
            fan.fan.root_fit = std::move(fan.root.front().fit);
        }
        fans.push_back(std::move(fan.fan));
    }
    return fans;
}

void run_all(FitPlan& plan, const FitOptions& options) {
    const std::vector<FitJob*> jobs = plan.jobs();
    MedianTables tables;
    for (FitJob* job : jobs) {
        prepare(*job, tables);
    }
    core::parallel_for(jobs.size(), options.threads, [&](std::size_t i) {
        run(*jobs[i], {options.seed, stream_of(jobs[i]->stream), options.resamples, &tables});
    });
}

/// The fewest streams whose rate is close to the best.
int enough_of(const StreamChoice& choice) {
    const double best = std::ranges::max(choice.beta_gbps);
    for (std::size_t i = 0; i < choice.streams.size(); ++i) {
        if (choice.beta_gbps[i] >= kCloseToBest * best) {
            return choice.streams[i];
        }
    }
    return choice.streams.back();
}

/// Pairs that were measured with several numbers of streams; fits of a pair come with ascending
/// streams.
std::vector<StreamChoice> stream_choices(const std::vector<LinkFit>& pairs) {
    std::map<std::tuple<std::string, std::string, std::string, State, double>, StreamChoice> all;
    for (const LinkFit& fit : pairs) {
        StreamChoice& choice = all[{fit.from, fit.to, fit.transport, fit.state, fit.idle_s}];
        choice.from = fit.from;
        choice.to = fit.to;
        choice.transport = fit.transport;
        choice.state = fit.state;
        choice.streams.push_back(fit.streams);
        choice.beta_gbps.push_back(fit.beta_gbps);
    }
    std::vector<StreamChoice> choices;
    for (auto& [key, choice] : all) {
        if (choice.streams.size() > 1) {
            choice.enough = enough_of(choice);
            choices.push_back(std::move(choice));
        }
    }
    return choices;
}

/// The warm fit of the same pair, transport and streams.
const LinkFit* warm_of(const std::vector<LinkFit>& pairs, const LinkFit& cold) {
    const auto found = std::ranges::find_if(pairs, [&](const LinkFit& fit) {
        return fit.state == State::kWarm && fit.from == cold.from && fit.to == cold.to &&
               fit.transport == cold.transport && fit.streams == cold.streams;
    });
    return found == pairs.end() ? nullptr : &*found;
}

/// Round trip of a warm echo: as told, else its start-up.
core::Seconds round_trip(const LinkFit& warm) {
    return core::milliseconds(warm.rtt_ms > 0 ? warm.rtt_ms
                                              : std::max(warm.segments.front().alpha_ms, 0.0));
}

/// Single-stream echoes on fresh connections, beside slow start in closed form.
std::vector<ColdCheck> cold_checks(const std::vector<LinkFit>& pairs) {
    std::vector<ColdCheck> checks;
    for (const LinkFit& cold : pairs) {
        const bool comparable =
            cold.state == State::kCold && cold.streams == 1 && cold.timing == Timing::kEcho;
        const LinkFit* warm = comparable ? warm_of(pairs, cold) : nullptr;
        if (warm == nullptr) {
            continue;
        }
        const core::Seconds rtt = round_trip(*warm);
        const core::GbitPerSecond beta(warm->beta_gbps);
        for (const SizeStatistics& size : cold.sizes) {
            checks.push_back({cold.from,
                              cold.to,
                              cold.transport,
                              size.bytes,
                              size.seconds.median,
                              cold_seconds(size.bytes, rtt, beta).value()});
        }
    }
    return checks;
}

std::vector<HostPair> missing_pairs(const LinkFits& fits) {
    std::set<std::pair<std::string, std::string>> fitted;
    for (const LinkFit& fit : fits.pairs) {
        fitted.emplace(fit.from, fit.to);
    }
    std::vector<HostPair> missing;
    for (const HostRecord& from : fits.hosts) {
        for (const HostRecord& to : fits.hosts) {
            if (!fitted.empty() && from.id != to.id && !fitted.contains({from.id, to.id})) {
                missing.push_back({from.id, to.id});
            }
        }
    }
    return missing;
}

}  // namespace

LinkFits fit_links(const Raw& raw, const FitOptions& options) {
    const std::vector<Sample> samples = usable_samples(raw);
    FitPlan plan = plan_fits(raw.hosts, samples);
    run_all(plan, options);
    LinkFits fits;
    for (const RunRecord& record : raw.runs) {
        if (std::ranges::find(fits.runs, record.run) == fits.runs.end()) {
            fits.runs.push_back(record.run);
        }
    }
    fits.started = raw.runs.empty() ? "" : raw.runs.front().started;
    fits.seed = options.seed;
    fits.resamples = options.resamples;
    fits.hosts = std::move(plan.hosts);
    fits.round_trips = std::move(plan.round_trips);
    fits.pairs = fits_of(plan.pairs);
    fits.paths = fits_of(plan.paths);
    fits.both_ways = fits_of(plan.both_ways);
    fits.both_ways_paths = fits_of(plan.both_ways_paths);
    fits.relays = fits_of(plan.relays);
    fits.locals = fits_of(plan.locals);
    fits.fans = fans_of(plan.fans);
    fits.stream_choices = stream_choices(fits.pairs);
    fits.cold_checks = cold_checks(fits.pairs);
    fits.missing = missing_pairs(fits);
    fits.warnings = raw.warnings;
    fits.warnings.insert(fits.warnings.end(), plan.warnings.begin(), plan.warnings.end());
    return fits;
}

}  // namespace longhaul::measure
