#include "longhaul/measure/largest_message.hpp"

#include <algorithm>

namespace longhaul::measure {
namespace {

constexpr double kLeastEnough = 16.0 * 1024 * 1024;

}  // namespace

double pipe_bytes(double bytes_per_s, double rtt_s) {
    return bytes_per_s * rtt_s;
}

double enough_bytes(double bytes_per_s, double rtt_s) {
    return std::max(kLeastEnough, kEnoughPipes * pipe_bytes(bytes_per_s, rtt_s));
}

}  // namespace longhaul::measure
