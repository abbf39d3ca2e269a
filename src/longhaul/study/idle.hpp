// Where the time of every device went: computing, or waiting, and for what.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "longhaul/study/step_graph.hpp"
#include "longhaul/study/step_times.hpp"

namespace longhaul::study {

/// Waiting is charged to its root: a device that waits for a message which is still to be computed
/// waits for computing; when the computing device itself waits for the network, so do both. From a
/// device's last pass on, waiting for what others of its stage group have not yet computed, and for
/// the end of the step, is charged to stragglers.
enum class Doing : std::uint8_t {
    kComputing,
    kWaitingCompute,
    kWaitingNetwork,
    kWaitingStragglers
};

/// "computing", "waiting for compute", "waiting for the network", "waiting for stragglers".
[[nodiscard]] std::string_view name_of(Doing doing);

/// A span of time of one device.
struct Span {
    Time begin{};
    Time end{};
    Doing doing = Doing::kComputing;
};

/// From 0 to the end of the step without gaps; neighbours differ.
using Timeline = std::vector<Span>;

/// One a device of the graph; of devices that take no part, one span of waiting for stragglers.
/// O(tasks log tasks + spans).
[[nodiscard]] std::vector<Timeline> timelines(const StepGraph& graph, const StepTimes& times);

/// Sum of a timeline by what the device did.
struct Shares {
    Time computing{};
    Time compute{};     ///< waiting for it
    Time network{};     ///< the same
    Time stragglers{};  ///< the same
};
[[nodiscard]] Shares shares_of(const Timeline& timeline);

}  // namespace longhaul::study
