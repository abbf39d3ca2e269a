#include "longhaul/flowsim/batch.hpp"

#include <algorithm>

#include "longhaul/core/assert.hpp"

namespace longhaul::flowsim {
namespace {

/// Who waits for each flow: for its being sent, or delivered.
struct Waiting {
    std::vector<std::vector<FlowId>> for_sent;
    std::vector<std::vector<FlowId>> for_delivered;
    std::vector<std::uint32_t> open;  ///< dependencies of a flow that have not ended

    explicit Waiting(std::span<const PlannedFlow> flows)
        : for_sent(flows.size()), for_delivered(flows.size()), open(flows.size()) {
        for (FlowId f = 0; f < flows.size(); ++f) {
            for (const FlowId before : flows[f].after) {
                for_delivered[before].push_back(f);
            }
            for (const FlowId before : flows[f].after_sent) {
                for_sent[before].push_back(f);
            }
            open[f] =
                static_cast<std::uint32_t>(flows[f].after.size() + flows[f].after_sent.size());
        }
    }
};

/// Starts what is due, and hands events to those who wait.
class Batch {
public:
    Batch(std::span<const Link> links, std::span<const PlannedFlow> flows, const ColdStart& cold)
        : flows_(flows), waiting_(flows), simulator_(links, cold) {
        result_.flows.resize(flows.size());
        place_.reserve(flows.size());
        for (FlowId f = 0; f < flows.size(); ++f) {
            if (waiting_.open[f] == 0) {
                start(f, flows[f].start);
            }
        }
    }

    BatchResult run(std::size_t links) {
        while (const auto event = simulator_.next()) {
            const FlowId flow = place_[event->flow];
            result_.end = event->time;
            if (event->kind == EventKind::kSent) {
                result_.flows[flow].sent = event->time;
                release(waiting_.for_sent[flow]);
            } else {
                result_.flows[flow].delivered = event->time;
                release(waiting_.for_delivered[flow]);
            }
        }
        result_.unfinished = static_cast<std::size_t>(std::ranges::count_if(
            result_.flows, [](const FlowTimes& times) { return times.delivered == kNever; }));
        for (LinkId l = 0; l < links; ++l) {
            result_.links.push_back(
                {simulator_.carried(l), simulator_.used(l), simulator_.limiting(l)});
        }
        return std::move(result_);
    }

private:
    void start(FlowId f, Time at) {
        const PlannedFlow& flow = flows_[f];
        if (at > kHorizon) {
            return;
        }
        result_.flows[f].started = at;
        place_.push_back(f);
        simulator_.start(
            {simulator_.path(flow.path), flow.payload, flow.weight, flow.cap, flow.cold}, at);
    }

    void release(const std::vector<FlowId>& followers) {
        for (const FlowId f : followers) {
            if (--waiting_.open[f] == 0) {
                const Time now = simulator_.now();
                const Time due = flows_[f].wait <= kHorizon - now ? now + flows_[f].wait : kNever;
                start(f, std::max(flows_[f].start, due));
            }
        }
    }

    std::span<const PlannedFlow> flows_;
    Waiting waiting_;
    Simulator simulator_;
    std::vector<FlowId> place_;  // in the list, of each flow of the simulator
    BatchResult result_;
};

}  // namespace

std::vector<FlowId> find_circle(std::span<const PlannedFlow> flows) {
    Waiting waiting(flows);
    std::vector<FlowId> free;
    for (FlowId f = 0; f < flows.size(); ++f) {
        if (waiting.open[f] == 0) {
            free.push_back(f);
        }
    }
    for (std::size_t i = 0; i < free.size(); ++i) {
        for (const auto* followers :
             {&waiting.for_sent[free[i]], &waiting.for_delivered[free[i]]}) {
            for (const FlowId f : *followers) {
                if (--waiting.open[f] == 0) {
                    free.push_back(f);
                }
            }
        }
    }
    const auto stuck = std::ranges::find_if(waiting.open, [](std::uint32_t n) { return n > 0; });
    if (stuck == waiting.open.end()) {
        return {};
    }
    // Everyone who is stuck waits for somebody who is: going on leads round a circle.
    std::vector<FlowId> trail;
    std::vector<bool> seen(flows.size());
    auto at = static_cast<FlowId>(stuck - waiting.open.begin());
    while (!seen[at]) {
        seen[at] = true;
        trail.push_back(at);
        const auto is_stuck = [&](FlowId f) { return waiting.open[f] > 0; };
        auto next = std::ranges::find_if(flows[at].after, is_stuck);
        at = next != flows[at].after.end() ? *next
                                           : *std::ranges::find_if(flows[at].after_sent, is_stuck);
    }
    trail.erase(trail.begin(), std::ranges::find(trail, at));
    return trail;
}

BatchResult run_batch(std::span<const Link> links,
                      std::span<const PlannedFlow> flows,
                      const ColdStart& cold) {
    LONGHAUL_ASSERT(find_circle(flows).empty());
    return Batch(links, flows, cold).run(links.size());
}

}  // namespace longhaul::flowsim
