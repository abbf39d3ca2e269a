#include "longhaul/emulate/report.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace longhaul::emulate {
namespace {

constexpr double kNsOfMs = 1e6;
constexpr double kMb = 1e6;
constexpr double kKb = 1e3;

double mean_late_ms(const Traffic& traffic) {
    return traffic.deliveries == 0
               ? 0
               : traffic.late_sum_ns / static_cast<double>(traffic.deliveries) / kNsOfMs;
}

core::Value count(std::uint64_t number) {
    return {static_cast<double>(number)};
}

core::Value host_value(const Host& host, const Traffic::Ends& ends) {
    core::Value value = core::Value::object();
    value.set("name", host.name)
        .set("sent_packets", count(ends.sent_packets))
        .set("sent_bytes", ends.sent_bytes)
        .set("received_packets", count(ends.received_packets))
        .set("received_bytes", ends.received_bytes)
        .set("overruns", count(ends.overruns));
    return value;
}

core::Value resource_value(const Resource& resource, const Counters& counters) {
    core::Value value = core::Value::object();
    value.set("name", resource.name)
        .set("rate_mbps", resource.shape.rate_mbps)
        .set("delay_ms", resource.shape.delay_ms)
        .set("packets", count(counters.packets))
        .set("bytes", counters.bytes)
        .set("dropped", count(counters.dropped))
        .set("lost", count(counters.lost))
        .set("queue_max_bytes", counters.queue_max);
    return value;
}

/// Hosts that sent or received; the others are counted.
std::string hosts_text(const Wan& wan, const Traffic& traffic) {
    std::string text =
        fmt::format("{:<28} {:>10} {:>12} {:>10} {:>12}\n", "host", "sent", "MB", "received", "MB");
    std::size_t idle = 0;
    for (std::size_t i = 0; i < wan.hosts.size(); ++i) {
        const Traffic::Ends& ends = traffic.hosts[i];
        if (ends.sent_packets + ends.received_packets + ends.overruns == 0) {
            ++idle;
            continue;
        }
        text += fmt::format("{:<28} {:>10} {:>12.3f} {:>10} {:>12.3f}\n",
                            wan.hosts[i].name,
                            ends.sent_packets,
                            ends.sent_bytes / kMb,
                            ends.received_packets,
                            ends.received_bytes / kMb);
    }
    if (idle > 0) {
        text += fmt::format(
            "{} of {} hosts sent and received nothing on the WAN\n", idle, wan.hosts.size());
    }
    return text;
}

std::string resources_text(const Wan& wan, const std::vector<Counters>& counters) {
    std::string text = fmt::format("{:<28} {:>10} {:>12} {:>10} {:>10} {:>12}\n",
                                   "resource",
                                   "packets",
                                   "MB",
                                   "dropped",
                                   "lost",
                                   "queue max kB");
    for (std::size_t i = 0; i < wan.resources.size(); ++i) {
        const Counters& seen = counters[i];
        if (seen.packets + seen.dropped > 0) {
            text += fmt::format("{:<28} {:>10} {:>12.3f} {:>10} {:>10} {:>12.1f}\n",
                                wan.resources[i].name,
                                seen.packets,
                                seen.bytes / kMb,
                                seen.dropped,
                                seen.lost,
                                seen.queue_max / kKb);
        }
    }
    return text;
}

}  // namespace

std::string report_text(const Wan& wan,
                        const Traffic& traffic,
                        const std::vector<Counters>& counters) {
    std::string text = fmt::format(
        "emulated {:.1f} s: {} deliveries, late by {:.3f} ms on average, {:.3f} ms at most{}\n",
        traffic.seconds,
        traffic.deliveries,
        mean_late_ms(traffic),
        traffic.late_max_ns / kNsOfMs,
        traffic.real_time ? "" : " (no real-time priority)");
    for (std::size_t i = 0; i < wan.hosts.size(); ++i) {
        if (traffic.hosts[i].overruns > 0) {
            text += fmt::format(
                "{} sent faster than the emulator could take: {} packets or "
                "super-packets were lost\n",
                wan.hosts[i].name,
                traffic.hosts[i].overruns);
        }
    }
    if (traffic.unroutable > 0) {
        text += fmt::format("{} packets to no host of the WAN\n", traffic.unroutable);
    }
    return text + hosts_text(wan, traffic) + resources_text(wan, counters);
}

core::Value report_value(const Wan& wan,
                         const Traffic& traffic,
                         const std::vector<Counters>& counters) {
    core::Value hosts = core::Value::array();
    for (std::size_t i = 0; i < wan.hosts.size(); ++i) {
        hosts.append(host_value(wan.hosts[i], traffic.hosts[i]));
    }
    core::Value resources = core::Value::array();
    for (std::size_t i = 0; i < wan.resources.size(); ++i) {
        resources.append(resource_value(wan.resources[i], counters[i]));
    }
    core::Value value = core::Value::object();
    value.set("format", "longhaul.emulation/1")
        .set("seconds", traffic.seconds)
        .set("real_time", traffic.real_time)
        .set("deliveries", count(traffic.deliveries))
        .set("late_mean_ms", mean_late_ms(traffic))
        .set("late_max_ms", traffic.late_max_ns / kNsOfMs)
        .set("unroutable", count(traffic.unroutable))
        .set("hosts", std::move(hosts))
        .set("resources", std::move(resources));
    return value;
}

}  // namespace longhaul::emulate
