#include "longhaul/measure/limiter.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "longhaul/core/statistics.hpp"

namespace longhaul::measure {
namespace {

constexpr double kLarge = 0.25;         // of the largest size: where limits show
constexpr double kLimitedShare = 0.10;  // of the time; 0.27 was seen at a full send buffer
constexpr double kHintedShare = 0.02;   // enough when the buffer is also near its end
constexpr double kBusyCore = 0.9;       // of one core
constexpr double kNearBuffer = 0.6;     // rate x round trip / buffer; 0.69 was seen at the end
/// Bytes that the windows of Linux hold from the start (RFC 7323 without scaling). What is under
/// way on a link that needs less stands in its queue.
constexpr double kLeastWindow = 65'535;

std::optional<double> buffer_of(const HostRecord* host,
                                std::string_view most,
                                std::string_view triple) {
    if (host == nullptr) {
        return std::nullopt;
    }
    if (const core::Value* value = host->facts.find(most);
        value != nullptr && value->kind == core::Value::Kind::kNumber) {
        return value->number;
    }
    if (const core::Value* value = host->facts.find(triple);
        value != nullptr && !value->numbers.empty()) {
        return value->numbers.back();
    }
    return std::nullopt;
}

/// Sums over the large messages.
struct Shares {
    bool facts = false;
    double time = 0;
    double sndbuf = 0;
    double rwnd = 0;
    std::vector<double> cpu;

    void add(const Sample& sample) {
        if (sample.cpu_share) {
            cpu.push_back(*sample.cpu_share);
        }
        if (!sample.tcp) {
            return;
        }
        facts = true;
        time += sample.tcp->busy_s > 0 ? sample.tcp->busy_s : sample.elapsed_s * sample.streams;
        sndbuf += sample.tcp->sndbuf_limited_s;
        rwnd += sample.tcp->rwnd_limited_s;
    }
};

Shares shares_of(std::span<const Sample* const> samples) {
    double largest = 0;
    for (const Sample* sample : samples) {
        largest = std::max(largest, sample->bytes);
    }
    Shares shares;
    for (const Sample* sample : samples) {
        if (sample->bytes >= kLarge * largest) {
            shares.add(*sample);
        }
    }
    return shares;
}

bool near(double under_way, const std::optional<double>& buffer) {
    return buffer && *buffer > 0 && under_way >= kNearBuffer * *buffer;
}

}  // namespace

Buffers buffers_of(const HostRecord* sender, const HostRecord* receiver) {
    return {buffer_of(sender, "tcp_wmem_max", "tcp_wmem"),
            buffer_of(receiver, "tcp_rmem_max", "tcp_rmem")};
}

Limiter limiter_of(std::span<const Sample* const> samples,
                   double beta_gbps,
                   double rtt_s,
                   const Buffers& buffers) {
    Shares shares = shares_of(samples);
    const auto above = [&](double limited, double share) {
        return !shares.facts || limited >= share * shares.time;
    };
    const int streams = samples.empty() ? 1 : std::max(samples.front()->streams, 1);
    const double under_way = beta_gbps * 1e9 / 8 * rtt_s / streams;
    const bool small = rtt_s > 0 && under_way < kNearBuffer * kLeastWindow;
    if (shares.facts && shares.time > 0 && !small &&
        std::max(shares.sndbuf, shares.rwnd) >= kLimitedShare * shares.time) {
        return shares.sndbuf >= shares.rwnd ? Limiter::kSndbuf : Limiter::kRwnd;
    }
    if (!shares.cpu.empty() && core::summarise(shares.cpu).median >= kBusyCore) {
        return Limiter::kCpu;
    }
    if (near(under_way, buffers.send) && above(shares.sndbuf, kHintedShare)) {
        return Limiter::kSndbuf;
    }
    if (near(under_way, buffers.receive) && above(shares.rwnd, kHintedShare)) {
        return Limiter::kRwnd;
    }
    return shares.facts ? Limiter::kLink : Limiter::kUnknown;
}

std::optional<double> retransmit_share(std::span<const Sample* const> samples) {
    double bytes = 0;
    double again = 0;
    bool facts = false;
    for (const Sample* sample : samples) {
        if (sample->tcp) {
            facts = true;
            bytes += sample->bytes;
            again += sample->tcp->retransmitted_bytes;
        }
    }
    if (!facts || bytes <= 0) {
        return std::nullopt;
    }
    return again / bytes;
}

}  // namespace longhaul::measure
