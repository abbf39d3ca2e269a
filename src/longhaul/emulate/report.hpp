// What an emulated WAN has carried, as text and as JSON.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "longhaul/core/value.hpp"
#include "longhaul/emulate/scheduler.hpp"
#include "longhaul/emulate/wan.hpp"

namespace longhaul::emulate {

/// What the emulator itself has done.
struct Traffic {
    struct Ends {
        std::uint64_t sent_packets = 0;      ///< wire packets that the host sent
        double sent_bytes = 0;               ///< on the wire
        std::uint64_t received_packets = 0;  ///< that reached it
        double received_bytes = 0;
        std::uint64_t overruns = 0;  ///< packets of the host that the emulator was too slow to take
    };
    std::vector<Ends> hosts;
    std::uint64_t unroutable = 0;  ///< to no host of the WAN, or no IPv4
    std::uint64_t deliveries = 0;  ///< packets and super-packets handed to receivers
    double late_sum_ns = 0;        ///< how much later than it should have been
    double late_max_ns = 0;
    bool real_time = false;  ///< the emulator runs before all ordinary processes
    double seconds = 0;      ///< since the start
};

/// A few lines and two tables: hosts, and resources that carried something.
[[nodiscard]] std::string report_text(const Wan& wan,
                                      const Traffic& traffic,
                                      const std::vector<Counters>& counters);

/// The same with all resources; keys in docs/commands/emulate.md.
[[nodiscard]] core::Value report_value(const Wan& wan,
                                       const Traffic& traffic,
                                       const std::vector<Counters>& counters);

}  // namespace longhaul::emulate
