// What the processes of a trial share.
#pragma once

namespace longhaul::runtime {

inline constexpr double kJoinPatienceS = 20;  ///< for the coordinator to listen
inline constexpr double kIdleMs = 200;        ///< longest wait of a process
inline constexpr int kFailed = 1;             ///< exit code

}  // namespace longhaul::runtime
