#include "longhaul/emulate/wan.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "longhaul/emulate/detail/addresses.hpp"

namespace longhaul::emulate {
namespace {

constexpr double kQueueSeconds = 0.1;
constexpr double kLeastQueue = 128e3;  // bytes; two super-packets
constexpr double kBytesPerMegabit = 125e3;
constexpr int kTcpHeaders = 52;  // IPv4 20, TCP 20, time stamps 12

}  // namespace

double default_queue(const Shape& shape) {
    return std::max(kLeastQueue, shape.rate_mbps * kBytesPerMegabit * kQueueSeconds);
}

double payload_share(int mtu, int ethernet) {
    return static_cast<double>(mtu - kTcpHeaders) / (mtu + ethernet);
}

void number_hosts(Wan& wan) {
    wan.network = kDefaultNetwork;
    wan.prefix = kDefaultPrefix;
    number_hosts(wan, kDefaultControlNetwork, kDefaultPrefix);
}

void limit_rates(Wan& wan, double scale, double cap_mbps) {
    for (Resource& resource : wan.resources) {
        Shape& shape = resource.shape;
        if (shape.rate_mbps == 0) {
            shape.rate_mbps = cap_mbps;
            continue;
        }
        const double rate = shape.rate_mbps * scale;
        const double limited = cap_mbps > 0 ? std::min(rate, cap_mbps) : rate;
        const double ratio = limited / shape.rate_mbps;
        shape.rate_mbps = limited;
        shape.queue_bytes *= ratio;
        shape.burst_bytes *= ratio;
        if (shape.queue_bytes > 0) {  // two packets at least
            shape.queue_bytes = std::max(shape.queue_bytes, 2.0 * (wan.mtu + wan.ethernet));
        }
    }
}

std::string address_text(std::uint32_t address) {
    return fmt::format("{}.{}.{}.{}",
                       address >> 24U,
                       (address >> 16U) & 255U,
                       (address >> 8U) & 255U,
                       address & 255U);
}

double delay_ms(const Wan& wan, const Path& path) {
    double sum = 0;
    for (const int index : path) {
        sum += wan.resources[index].shape.delay_ms;
    }
    return sum;
}

double rate_mbps(const Wan& wan, const Path& path) {
    double lowest = 0;
    for (const int index : path) {
        const double rate = wan.resources[index].shape.rate_mbps;
        lowest = lowest == 0 ? rate : rate == 0 ? lowest : std::min(lowest, rate);
    }
    return lowest;
}

}  // namespace longhaul::emulate
