// Builds the namespaces of a WAN: one for the network of each host and one to control them, with
// interfaces, addresses and settings. They have no names that outlive the process: when the last
// process that uses them ends, however it ends, the kernel removes them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "longhaul/core/diagnostic.hpp"
#include "longhaul/emulate/fd.hpp"
#include "longhaul/emulate/netlink.hpp"
#include "longhaul/emulate/wan.hpp"

namespace longhaul::emulate {

inline constexpr const char* kWanInterface = "wan0";
inline constexpr const char* kControlInterface = "ctl0";
inline constexpr const char* kControl = "control";

/// One host: where its processes go, and the device through which its packets come.
struct HostNamespaces {
    Fd network;
    Fd names;                        ///< UTS: the host name
    Fd tun;                          ///< non-blocking
    std::optional<Netlink> netlink;  ///< of its network
    int device = 0;                  ///< number of the device in it

    /// Packets that the device has thrown away: the emulator was too slow.
    [[nodiscard]] std::uint64_t overruns() { return netlink ? netlink->dropped(device) : 0; }
};

struct Namespaces {
    std::vector<HostNamespaces> hosts;
    HostNamespaces control;             ///< without a device
    std::vector<std::string> warnings;  ///< settings that the kernel refused
    bool named = false;                 ///< `ip netns` knows the hosts, inside
};

/// Gives the calling process, which must have one thread, the right to make namespaces: root has
/// it, others get a user namespace in which they are root. Says clearly when neither works.
[[nodiscard]] core::Result<void> become_able();

/// Moves the calling process, which must have one thread, into a private mount namespace and the
/// control namespace, and makes all others. Needs become_able().
[[nodiscard]] core::Result<Namespaces> make_namespaces(const Wan& wan);

}  // namespace longhaul::emulate
