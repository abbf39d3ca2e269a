#include "longhaul/measure/gates.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "longhaul/measure/largest_message.hpp"

namespace longhaul::measure {
namespace {

constexpr double kWorstError = 0.10;
constexpr double kWarnError = 0.05;
constexpr double kWidestBeta = 0.10;  // half of the interval
constexpr double kWidestSpread = 1.5;
constexpr double kMostRetransmits = 0.01;
constexpr int kFewestSamples = 3;
constexpr double kPercent = 100;
constexpr double kFarMs = 2;             // round trips below it are mostly of the hosts
constexpr double kStartsTooSoon = 0.95;  // alpha over the round trip that it cannot be below
constexpr double kFewPipes = 2;  // bandwidth-delay products that are few even without losses
constexpr double kFasterBeyond =
    1.25;                            // rate of a size beyond the round trip over that of the line
constexpr double kTellsRate = 0.25;  // of the round trip: shorter transfers tell no rate
constexpr double kMega = 1e6;

void fail(LinkFit& fit, std::string gate, std::string reason, std::string advice) {
    fit.verdict = Verdict::kSuspect;
    fit.findings.push_back({std::move(gate), std::move(reason), std::move(advice), false});
}

void note(LinkFit& fit, std::string gate, std::string reason, std::string advice) {
    fit.findings.push_back({std::move(gate), std::move(reason), std::move(advice), true});
}

void check_sizes(LinkFit& fit) {
    if (fit.sizes.size() < 2) {
        fail(fit,
             "sizes",
             "one message size: start-up and rate cannot be told apart",
             "measure sizes from 64 KiB to a few times rate x round trip");
        return;
    }
    const int fewest = std::ranges::min(fit.sizes, {}, &SizeStatistics::n).n;
    if (fewest < kFewestSamples) {
        note(fit,
             "sizes",
             fmt::format(
                 "{} sample{} at some sizes: intervals say little", fewest, fewest == 1 ? "" : "s"),
             "measure five repetitions or more");
    }
}

void check_error(LinkFit& fit) {
    if (fit.max_rel_error <= kWarnError) {
        return;
    }
    const std::string reason =
        fmt::format("a size is {:.0f} % off its line", fit.max_rel_error * kPercent);
    if (fit.max_rel_error > kWorstError) {
        fail(fit,
             "max_rel_error",
             reason,
             fit.segments.size() > 1
                 ? "measure again; when it stays, say the size of your messages (--message-size), "
                   "so that the segment of that size is used"
                 : "measure again; when it stays, measure more sizes around that of your messages "
                   "and fit with --message-size");
    } else {
        note(fit, "max_rel_error", reason, "more repetitions would tell");
    }
}

void check_interval(LinkFit& fit) {
    const double half = (fit.beta_interval.upper - fit.beta_interval.lower) / 2 / fit.beta_gbps;
    if (half > kWidestBeta) {
        fail(fit,
             "interval",
             half > 1 ? std::string("the samples hardly tell the rate")
                      : fmt::format("the rate is known to +-{:.0f} % only", half * kPercent),
             "measure more repetitions, or larger messages");
    }
}

void check_segments(LinkFit& fit) {
    if (fit.state != State::kWarm || fit.segments.size() < 2) {
        return;
    }
    fail(fit,
         "segments",
         fmt::format(
             "{} lines, the last from {:.0f} bytes on: a token bucket, a change of protocol, "
             "or a connection that was not warm",
             fit.segments.size(),
             fit.segments.back().from_bytes),
         "say the size of your messages (--message-size), so that its line is used");
}

void check_noise(LinkFit& fit) {
    if (fit.spread > kWidestSpread) {
        fail(
            fit,
            "spread",
            fmt::format("p90 is {:.1f} x the median at half of the sizes: other traffic, or losses",
                        fit.spread),
            "measure at another time; plan with the slow end of the interval");
    }
    if (fit.retransmit_share.value_or(0) > kMostRetransmits) {
        fail(fit,
             "retransmits",
             fmt::format("{:.1f} % of the bytes were sent again", *fit.retransmit_share * kPercent),
             "look for a lossy or overloaded path, or a queue that is too short");
    }
    if (fit.nonstationary) {
        fail(fit,
             "nonstationary",
             "blocks of the campaign differ by more than 10 %",
             "measure blocks over a day and plan with the slow ones");
    }
}

void check_limiter(LinkFit& fit) {
    const auto limited = [&](std::string reason, std::string advice) {
        fail(fit, "limiter", std::move(reason), std::move(advice));
    };
    if (fit.limiter == Limiter::kSndbuf) {
        limited("the send buffer is the limit, not the link",
                "raise the last number of net.ipv4.tcp_wmem on the sender, or use more streams");
    } else if (fit.limiter == Limiter::kRwnd) {
        limited("the receiver's window is the limit, not the link",
                "raise the last number of net.ipv4.tcp_rmem on the receiver, or use more streams");
    } else if (fit.limiter == Limiter::kCpu) {
        limited("a core is busy all the time, not the link",
                "use more streams, larger packets (MTU), or a machine that is not shared");
    }
}

/// The highest rate beyond the round trip, Gbit/s, and the size that had it.
std::pair<double, double> quickest(const LinkFit& fit) {
    std::pair<double, double> best{0, 0};
    for (const SizeStatistics& size : fit.sizes) {
        const double beyond_s = size.seconds.median - fit.rtt_ms / 1000;
        const double gbps = 8 * size.bytes / std::max(beyond_s, 1e-9) / 1e9;
        if (beyond_s >= kTellsRate * fit.rtt_ms / 1000 && gbps > best.first) {
            best = {gbps, size.bytes};
        }
    }
    return best;
}

std::string sent_again(const LinkFit& fit) {
    const double share = fit.retransmit_share.value_or(0);
    return share > 0 ? fmt::format("; {:.2g} % of the bytes were sent again", share * kPercent)
                     : std::string();
}

/// Whether large messages run slower than small ones: a line that starts before the round trip
/// rises too steeply, and so does one that a smaller size beats beyond the round trip.
bool waits_for_window(const LinkFit& fit, double quickest_gbps) {
    const Segment& first = fit.segments.front();
    const bool early =
        first.alpha_ms < kStartsTooSoon * fit.rtt_ms && first.alpha_interval.upper < fit.rtt_ms;
    return early || quickest_gbps > kFasterBeyond * fit.beta_gbps;
}

/// A message takes a round trip and what its bytes take. Else large messages pay for windows that
/// losses and slow start keep small, and the rate is theirs, not that of the link.
void check_window(LinkFit& fit) {
    const bool told = fit.timing == Timing::kEcho && fit.state == State::kWarm &&
                      fit.rtt_ms >= kFarMs && fit.sizes.size() > 1;
    if (!told) {
        return;
    }
    const double rtt_s = fit.rtt_ms / 1000;
    const double largest = fit.sizes.back().bytes;
    const auto [gbps, bytes] = quickest(fit);
    const double pipes = largest / pipe_bytes(fit.beta_gbps * 1e9 / 8, rtt_s);
    const double enough = enough_bytes(std::max(gbps, fit.beta_gbps) * 1e9 / 8, rtt_s);
    const std::string larger = fmt::format("measure messages up to {:.0f} MB or more (--largest)",
                                           std::ceil(enough / kMega));
    if (waits_for_window(fit, gbps)) {
        const std::string rates =
            gbps > fit.beta_gbps
                ? fmt::format("{:.3g} MB at {:.3g} Gbit/s beyond it; ", bytes / kMega, gbps)
                : std::string();
        fail(fit,
             "window",
             fmt::format("the rate is not that of the link: large messages wait for the window, "
                         "and run slower than small ones (round trip {:.3g} ms; {}the line starts "
                         "at {:.3g} ms); the largest has {:.2g} bandwidth-delay products{}",
                         fit.rtt_ms,
                         rates,
                         fit.segments.front().alpha_ms,
                         pipes,
                         sent_again(fit)),
             largest < enough ? larger
                              : "use more streams or another congestion control, such as bbr");
    } else if (pipes < kFewPipes ||
               (pipes < kEnoughPipes && fit.retransmit_share.value_or(0) > 0)) {
        note(fit,
             "window",
             fmt::format("the largest message has {:.2g} bandwidth-delay products only{}",
                         pipes,
                         sent_again(fit)),
             larger);
    }
}

/// Whether a gate fails when the pairs of a class differ, however good each of them is.
bool of_pairs(const Finding& finding) {
    return finding.gate == "max_rel_error" || finding.gate == "interval" ||
           finding.gate == "segments" || finding.gate == "spread" ||
           finding.gate == "nonstationary";
}

/// Of a class of pairs, noise is mostly that its pairs differ: one note instead of all that.
void blame_the_class(LinkFit& fit) {
    if (std::erase_if(fit.findings, of_pairs) == 0) {
        return;
    }
    fit.verdict =
        std::ranges::all_of(fit.findings, &Finding::warning) ? Verdict::kOk : Verdict::kSuspect;
    note(fit, "class", "its pairs differ", "use their own fits");
}

}  // namespace

void apply_gates(LinkFit& fit, const FitScope& scope) {
    fit.verdict = Verdict::kOk;
    fit.findings.clear();
    check_sizes(fit);
    check_error(fit);
    check_interval(fit);
    check_segments(fit);
    check_noise(fit);
    check_limiter(fit);
    if (scope.alone) {
        check_window(fit);
    }
    if (scope.several_pairs) {
        blame_the_class(fit);
    }
}

}  // namespace longhaul::measure
