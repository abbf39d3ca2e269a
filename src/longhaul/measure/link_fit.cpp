#include "longhaul/measure/link_fit.hpp"

#include <algorithm>

#include "longhaul/core/assert.hpp"

namespace longhaul::measure {

std::string_view name_of(Limiter limiter) {
    switch (limiter) {
        case Limiter::kLink:
            return "link";
        case Limiter::kSndbuf:
            return "sndbuf";
        case Limiter::kRwnd:
            return "rwnd";
        case Limiter::kCpu:
            return "cpu";
        case Limiter::kUnknown:
            break;
    }
    return "unknown";
}

std::string_view name_of(Timing timing) {
    return timing == Timing::kEcho ? "echo" : "one_way";
}

std::string_view name_of(Verdict verdict) {
    return verdict == Verdict::kOk ? "ok" : "suspect";
}

std::string key_of(const LinkFit& fit) {
    if (!fit.from.empty() || !fit.to.empty()) {
        return fit.from + ">" + fit.to;
    }
    return fit.send_path.empty() ? fit.path : fit.path + "|" + fit.send_path;
}

std::string fan_key(bool inward, const std::string& root, std::vector<std::string> peers) {
    std::ranges::sort(peers);
    std::string key = (inward ? "in:" : "out:") + root + (inward ? "<-" : "->");
    for (std::size_t i = 0; i < peers.size(); ++i) {
        key += (i == 0 ? "" : ",") + peers[i];
    }
    return key;
}

const Segment& segment_at(const LinkFit& fit, double bytes) {
    LONGHAUL_ASSERT(!fit.segments.empty());
    const auto above = std::ranges::upper_bound(fit.segments, bytes, {}, &Segment::from_bytes);
    return above == fit.segments.begin() ? fit.segments.front() : *(above - 1);
}

core::Seconds cost_of(const LinkFit& fit, double bytes) {
    const Segment& segment = segment_at(fit, bytes);
    const core::Seconds cost =
        core::milliseconds(segment.alpha_ms) +
        core::Gigabytes(bytes / 1e9) / core::GbitPerSecond(segment.beta_gbps);
    return std::max(cost, core::Seconds(0));
}

}  // namespace longhaul::measure
