// Shell scripts and texts that several launchers share.
#pragma once

#include <string>
#include <string_view>

#include "longhaul/launch/launcher.hpp"

namespace longhaul::launch::detail {

/// Table of all processes, by device: device, host, gpu, local_rank, rank, stage, replica.
[[nodiscard]] OutputFile rank_map_file(const Job& job);

/// verify_rank.sh HOST LOCAL_RANK RANK WORLD_SIZE: stops a process whose rank is not the planned.
[[nodiscard]] OutputFile verifier_file();

/// Where a process reads who it is.
struct Identity {
    std::string_view host = "$(cat \"$here/host\")";
    std::string_view rank = "${RANK-}";
    std::string_view local_rank = "${LOCAL_RANK-}";
    std::string_view world_size = "${WORLD_SIZE-}";
    bool set_master = true;      ///< exports MASTER_ADDR and MASTER_PORT
    std::string master_address;  ///< "" = address of the host of rank 0
};

/// rank_exec.sh COMMAND...: verifies, sets the environment of the process, becomes the command.
[[nodiscard]] OutputFile rank_exec_file(const Job& job, const Identity& identity);

/// start_host.sh HOST: starts the processes of one host. `children` are shell lines that call
/// `child COMMAND...` once a process, and may use $host and $here. With `pushed`, the folder holds
/// a file `host` that must agree.
[[nodiscard]] OutputFile start_host_file(std::string_view children, bool pushed);

/// stop_host.sh: ends what start_host.sh runs.
[[nodiscard]] OutputFile stop_host_file();

/// Children of start_host.sh that are the training processes themselves, each with its RANK.
[[nodiscard]] std::string env_children(const Job& job);

/// launch.sh [push|run|stop]: copies the folder to all hosts by ssh and starts the job there.
[[nodiscard]] OutputFile ssh_launch_file(const Job& job);
/// The same, where `run` is one command on this machine instead of start_host.sh on every host.
[[nodiscard]] OutputFile ssh_push_file(const Job& job, std::string_view run);

/// verifier, rank_exec.sh, start_host.sh, stop_host.sh and launch.sh.
[[nodiscard]] std::vector<OutputFile> ssh_files(const Job& job,
                                                const Identity& identity,
                                                std::string_view children);

/// Words for ssh that name a host: options, "--" and the address, shell-quoted.
[[nodiscard]] std::string ssh_destination(const Host& host);

/// Folder of the launch files on the hosts, from the hosts file or a name of its own.
[[nodiscard]] std::string launch_dir(const Job& job);

/// Words of the training command, shell-quoted.
[[nodiscard]] std::string command_words(const Job& job);

/// README.txt of a launch folder.
[[nodiscard]] OutputFile readme_file(const Launcher& launcher,
                                     const Job& job,
                                     const Launch& launch);

}  // namespace longhaul::launch::detail
