// The hosts file: which machines run a job, how to reach them, and which devices of the fabric
// they hold. Format: docs/formats/hosts.md.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "longhaul/core/diagnostic.hpp"

namespace longhaul::launch {

inline constexpr int kDefaultMasterPort = 29500;
inline constexpr int kDefaultSshPort = 22;

/// One machine. Empty text = not given.
struct Host {
    std::string name;         ///< unique; the node name of Slurm and Kubernetes
    std::string address;      ///< unique; what other hosts reach it by
    std::string ssh_address;  ///< what ssh connects to, where it differs; else equal to address
    std::string user;         ///< login of ssh
    std::string interface;    ///< network interface of the training data
    std::string fabric_host;  ///< what the fabric calls it, where that differs; only for matching
    std::string workdir;      ///< folder that the training command runs in
    int ssh_port = kDefaultSshPort;
    int cores = 0;                    ///< processor cores; 0 = not given
    bool gpus_listed = false;         ///< the file lists gpus; else they are 0, 1, ...
    std::vector<int> gpus;            ///< local device ids, one a device
    std::vector<int> fabric_devices;  ///< row of the fabric of each of them, same size
};

struct Hosts {
    std::vector<Host> hosts;
    std::string launch_dir;  ///< folder for the launch files on every host; empty = choose one
    int master_port = kDefaultMasterPort;
    /// The file lists fabric_devices, or they were matched with those of a plan; then they need not
    /// be all devices of the fabric. Else they follow the order of the file.
    bool numbered = false;

    /// Number of devices of all hosts together.
    [[nodiscard]] std::size_t devices() const;
};

/// Reads a hosts file; every problem is reported with its place. The fabric devices of the result
/// are all different; a permutation of 0 .. devices() - 1 where the file does not list them. O(size
/// log size).
[[nodiscard]] core::Result<Hosts> read_hosts(std::string_view text, std::string_view name);

}  // namespace longhaul::launch
