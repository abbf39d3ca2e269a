// The first process of an emulated WAN's process namespace. It starts the programs, collects what
// ends, and when it ends, the kernel ends every process that came from them. It ends with the
// emulator, whatever ends that.
#pragma once

#include <vector>

#include "longhaul/emulate/fd.hpp"
#include "longhaul/emulate/program.hpp"

namespace longhaul::emulate {

/// What the first process needs.
struct Supervised {
    std::vector<Program> programs;  ///< none: it holds the network until it is killed
    bool prefixed = false;          ///< lines of output start with the name of the host
    Fd life;  ///< end of a socket pair: gets a byte when the network can be entered, and hangs up
              ///< when the emulator is gone
    int emulator_end = -1;  ///< its other end, which the first process must close
    std::string index;      ///< what kIndexFd holds
};

/// Forks the first process into a new process namespace; returns its number. The calling process
/// must have one thread and stay alive in that thread. The first process ends with the exit code of
/// the program, or of the first of several that failed.
[[nodiscard]] core::Result<int> start_supervisor(Supervised supervised);

}  // namespace longhaul::emulate
