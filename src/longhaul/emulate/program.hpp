// One program in one namespace of an emulated WAN.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "longhaul/emulate/fd.hpp"
#include "longhaul/emulate/namespaces.hpp"
#include "longhaul/emulate/wan.hpp"

namespace longhaul::emulate {

/// Where programs can run: a host, or the control namespace.
struct Site {
    std::string name;
    int network = -1;  ///< descriptors of its namespaces, in the process that holds them
    int names = -1;
    std::string address;  ///< on the WAN; of control, on the management network
    std::string control;  ///< on the management network
};

/// All hosts in the order of the WAN, and the control namespace behind them.
[[nodiscard]] std::vector<Site> sites_of(const Wan& wan, const Namespaces& namespaces);

struct Program {
    Site site;
    std::vector<std::string> words;  ///< the program and its arguments
    std::function<int()> body;       ///< instead of a program: what the process does; its exit code
    std::vector<std::pair<std::string, std::string>> environment;
    std::uint64_t open_files = 0;  ///< limit of open files; 0 leaves it as it is
};

/// The program `words` at one of the sites. Its environment tells it about the network:
/// docs/commands/emulate.md.
[[nodiscard]] Program make_program(const std::vector<Site>& sites,
                                   std::size_t site,
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

/// How programs find the namespaces: a descriptor of the first process that holds one line a site,
/// its fields in their order.
inline constexpr int kIndexFd = 99;
[[nodiscard]] std::string index_text(const std::vector<Site>& sites);

/// The exit code of a shell for a wait status: 128 + signal for a program that was killed.
[[nodiscard]] int exit_code_of(int wait_status);

}  // namespace longhaul::emulate
