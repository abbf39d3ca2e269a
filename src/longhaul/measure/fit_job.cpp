#include "longhaul/measure/fit_job.hpp"

#include <algorithm>
#include <optional>

#include "longhaul/measure/blocks.hpp"
#include "longhaul/measure/gates.hpp"

namespace longhaul::measure {
namespace {

constexpr double kBitsPerGbit = 1e9;

/// Streams of one message: an equal part of the bytes each.
StreamRates rates_of(const Sample& sample) {
    const double streams = static_cast<double>(sample.per_stream_s.size());
    const double gbit = sample.bytes / streams * 8 / kBitsPerGbit;
    StreamRates rates;
    for (const double seconds : sample.per_stream_s) {
        rates.sum_gbps += gbit / seconds;
    }
    rates.least_gbps = streams * gbit / std::ranges::max(sample.per_stream_s);
    return rates;
}

bool tells_streams(const Sample& sample, double bytes) {
    return sample.bytes == bytes && !sample.per_stream_s.empty() &&
           std::ranges::min(sample.per_stream_s) > 0;
}

/// Medians over the messages of the largest size.
std::optional<StreamRates> stream_rates(const FitJob& job) {
    std::vector<double> sums;
    std::vector<double> leasts;
    for (const Sample* sample : job.samples) {
        if (tells_streams(*sample, job.sizes.back().bytes)) {
            const StreamRates rates = rates_of(*sample);
            sums.push_back(rates.sum_gbps);
            leasts.push_back(rates.least_gbps);
        }
    }
    if (sums.empty()) {
        return std::nullopt;
    }
    return StreamRates{core::median(std::move(sums)), core::median(std::move(leasts))};
}

/// Least of the round trips by pings and by the kernel, whose least may be that of a connection
/// under load; 0 when neither says.
double told_rtt_s(const FitJob& job) {
    double least = job.rtt_s;
    for (const Sample* sample : job.samples) {
        if (sample->tcp && sample->tcp->min_rtt_s > 0) {
            least = least > 0 ? std::min(least, sample->tcp->min_rtt_s) : sample->tcp->min_rtt_s;
        }
    }
    return least;
}

/// The same, else the start-up of warm echoes.
double likely_rtt_s(const LinkFit& fit) {
    const bool echo = fit.timing == Timing::kEcho && fit.state == State::kWarm;
    return fit.rtt_ms > 0 || !echo ? fit.rtt_ms / 1000
                                   : std::max(fit.segments.front().alpha_ms, 0.0) / 1000;
}

/// Whether a class of paths has samples of more than one pair of hosts.
bool of_several_pairs(const FitJob& job) {
    const LinkFit& fit = job.fit;
    return fit.from.empty() && fit.to.empty() && fit.send_path.empty() &&
           std::ranges::any_of(job.samples, [&](const Sample* sample) {
               return sample->from != job.samples.front()->from ||
                      sample->to != job.samples.front()->to;
           });
}

}  // namespace

void prepare(FitJob& job, MedianTables& tables) {
    job.sizes = group_by_size(job.points);
    for (const SizeGroup& size : job.sizes) {
        prepare(tables, size.seconds.size());
    }
}

void run(FitJob& job, const Bootstrap& bootstrap) {
    LinkFit& fit = job.fit;
    fit_model(fit, job.sizes, bootstrap);
    fit.rtt_ms = fit.from.empty() || fit.to.empty() ? 0 : told_rtt_s(job) * 1000;
    fit.limiter = limiter_of(job.samples, fit.beta_gbps, likely_rtt_s(fit), job.buffers);
    fit.retransmit_share = retransmit_share(job.samples);
    fit.blocks = block_medians(job.samples);
    fit.nonstationary = differ(job.samples);
    fit.stream_rates = stream_rates(job);
    FitScope scope;
    scope.several_pairs = of_several_pairs(job);
    scope.alone = job.samples.empty() || job.samples.front()->pattern == Pattern::kPeer;
    apply_gates(fit, scope);
}

}  // namespace longhaul::measure
