#include "longhaul/measure/round_samples.hpp"

#include <algorithm>

namespace longhaul::measure {
namespace {

void add_fan(const TaskOrder& order, const RoundTimes& times, Sample& sample) {
    for (const FlowOrder& flow : order.flows) {
        sample.peers.push_back(order.pattern == Pattern::kFanIn ? flow.from : flow.to);
    }
    double done = 0;
    for (const FlowTimes& flow : times.flows) {
        done = std::max(done, flow.begin_s + flow.elapsed_s);
    }
    const auto received = times.received_s.find(order.leader);
    sample.root_s = received != times.received_s.end() ? received->second : done;
}

void add_crossing(const TaskOrder& order, Sample& sample) {
    for (const FlowOrder& flow : order.flows) {
        sample.peers.push_back(flow.from);
        sample.peers.push_back(flow.to);
    }
}

void add_relay(const TaskOrder& order,
               const RoundTimes& times,
               const FlowTimes& flow,
               Sample& sample) {
    const std::string self = sample.from;
    sample.unknown.set("send_s", flow.elapsed_s).set("send_to", sample.to);
    const auto before = std::ranges::find(order.flows, self, &FlowOrder::to);
    sample.from = before != order.flows.end() ? before->from : "";
    sample.to = self;
    const auto received = times.received_s.find(self);
    if (received != times.received_s.end()) {
        sample.elapsed_s = std::max(flow.elapsed_s, received->second - flow.begin_s);
    }
}

Sample flow_sample(const TaskOrder& order, const FlowTimes& flow) {
    const FlowOrder& ends = order.flows[static_cast<std::size_t>(flow.flow)];
    Sample sample;
    sample.task = order.task;
    sample.attempt = order.attempt;
    sample.pattern = order.pattern;
    sample.state = order.state;
    sample.idle_s = order.idle_s;
    sample.transport = "tcp";
    sample.streams = order.streams;
    sample.from = ends.from;
    sample.to = ends.to;
    sample.block = order.block;
    sample.elapsed_s = flow.elapsed_s;
    sample.receive_s = flow.receive_s;
    sample.connect_s = flow.connect_s;
    sample.per_stream_s = order.streams > 1 ? flow.per_stream_s : std::vector<double>();
    sample.cpu_share = flow.cpu_share;
    sample.tcp = flow.tcp;
    if (!flow.congestion_control.empty()) {
        sample.unknown.set("congestion_control", flow.congestion_control);
    }
    return sample;
}

}  // namespace

std::vector<Sample> round_samples(const TaskOrder& order,
                                  const RoundTimes& times,
                                  double bytes,
                                  int rep) {
    const bool fan = order.pattern == Pattern::kFanIn || order.pattern == Pattern::kFanOut;
    std::vector<Sample> samples;
    for (const FlowTimes& flow : times.flows) {
        Sample sample = flow_sample(order, flow);
        sample.bytes = bytes;
        sample.rep = rep;
        sample.t = times.t;
        if (fan) {
            add_fan(order, times, sample);
        }
        if (order.pattern == Pattern::kCrossing) {
            add_crossing(order, sample);
        }
        if (order.pattern == Pattern::kRelay) {
            add_relay(order, times, flow, sample);
        }
        samples.push_back(std::move(sample));
    }
    return samples;
}

}  // namespace longhaul::measure
