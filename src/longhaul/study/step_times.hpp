// When everything in a step happened: what a replay finds and what is read off it.
#pragma once

#include <vector>

#include "longhaul/flowsim/time.hpp"

namespace longhaul::study {

using flowsim::Time;

struct TaskTimes {
    Time ready{};         ///< all that it waits for has ended
    Time start{};         ///< computing begins, or the first byte leaves
    Time sent{};          ///< the last byte has left; of a computation: its end
    Time end{};           ///< computed, or all arrived
    int waited_for = -1;  ///< the last that it waited for; -1: ready from the beginning
    int behind = -1;      ///< what held the device or the connection until its start; -1: nothing
};

struct StepTimes {
    std::vector<TaskTimes> tasks;
    Time end{};  ///< of the step
};

}  // namespace longhaul::study
