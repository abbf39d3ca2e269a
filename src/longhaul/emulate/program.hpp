// One program in one namespace of an emulated WAN.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "longhaul/emulate/fd.hpp"
#include "longhaul/emulate/namespaces.hpp"
#include "longhaul/emulate/wan.hpp"

namespace longhaul::emulate {

struct Program {
    std::string host;  ///< or "control"
    int network = -1;  ///< descriptors of its namespaces
    int names = -1;
    std::vector<std::string> words;  ///< the program and its arguments
    std::vector<std::pair<std::string, std::string>> environment;
};

/// The program `words` on a host of the WAN, or in the control namespace (`host` = hosts.size()).
/// Its environment tells it about the network: docs/commands/emulate.md.
[[nodiscard]] Program make_program(const Wan& wan,
                                   const Namespaces& namespaces,
                                   std::size_t host,
                                   std::vector<std::string> words);

/// Becomes the program. Returns only by ending the process: 127 when there is no such program, 126
/// when it cannot be run, with one line on standard error.
[[noreturn]] void become(const Program& program);

/// Becomes a program on a host of an emulated WAN that runs already. `pid` = 0: the WAN in which
/// this process runs; otherwise the process that `longhaul emulate` prints. Returns on failure, or
/// the exit code where the program had to be a child.
[[nodiscard]] core::Result<int> enter(int pid,
                                      const std::string& host,
                                      const std::vector<std::string>& words);

/// How programs find the namespaces: a descriptor of the first process, with lines "host network
/// names" that say which of its descriptors are the namespaces of a host.
inline constexpr int kIndexFd = 99;

/// The exit code of a shell for a wait status: 128 + signal for a program that was killed.
[[nodiscard]] int exit_code_of(int wait_status);

}  // namespace longhaul::emulate
