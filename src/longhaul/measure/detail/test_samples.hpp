// Samples of links that are known exactly, for tests.
#pragma once

#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include "longhaul/core/random.hpp"
#include "longhaul/measure/raw.hpp"

namespace longhaul::measure::detail {

inline constexpr double kKiB = 1024;
inline constexpr double kMiB = 1024 * 1024;

/// from, from x step, ... while at most to.
inline std::vector<double> sizes_between(double from, double to, double step) {
    std::vector<double> sizes;
    for (double bytes = from; bytes <= to; bytes *= step) {
        sizes.push_back(bytes);
    }
    return sizes;
}

/// Standard normal (Box and Muller).
inline double normal(core::Random& random) {
    const double radius = std::sqrt(-2 * std::log(1 - random.uniform()));
    return radius * std::cos(2 * std::numbers::pi * random.uniform());
}

/// Seconds of a message of n bytes over alpha ms and beta Gbit/s: Hockney's model.
inline double affine_seconds(double bytes, double alpha_ms, double beta_gbps) {
    return alpha_ms / 1e3 + 8 * bytes / (beta_gbps * 1e9);
}

inline Sample sample_of(const std::string& from, const std::string& to, double bytes, double s) {
    Sample sample;
    sample.task = "peer:" + from + ">" + to;
    sample.transport = "tcp";
    sample.from = from;
    sample.to = to;
    sample.bytes = bytes;
    sample.elapsed_s = s;
    return sample;
}

/// Appends `repetitions` samples of every size; `seconds` is asked once a sample.
inline void add_pair(Raw& raw,
                     const std::string& from,
                     const std::string& to,
                     const std::vector<double>& sizes,
                     int repetitions,
                     const std::function<double(double)>& seconds) {
    for (const double bytes : sizes) {
        for (int rep = 0; rep < repetitions; ++rep) {
            raw.samples.push_back(sample_of(from, to, bytes, seconds(bytes)));
            raw.samples.back().rep = rep;
        }
    }
}

inline void add_pings(Raw& raw, const std::string& from, const std::string& to, double rtt_ms) {
    for (int rep = 0; rep < 20; ++rep) {
        Sample ping = sample_of(from, to, 1, rtt_ms / 1e3);
        ping.task = "ping:" + from + ">" + to;
        ping.pattern = Pattern::kPing;
        ping.rep = rep;
        raw.samples.push_back(ping);
    }
}

}  // namespace longhaul::measure::detail
