// The model of a WAN: hosts, directed resources, and the resources that each ordered pair of hosts
// crosses.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "longhaul/core/diagnostic.hpp"

namespace longhaul::emulate {

/// What one resource does to the packets that cross it. Zero = it does not do that.
struct Shape {
    double rate_mbps = 0;    ///< bytes on the wire, decimal Mbit/s; 0 = unlimited
    double delay_ms = 0;     ///< one way, added after the queue
    double jitter_ms = 0;    ///< delay varies uniformly by +- this; at most delay_ms
    double loss = 0;         ///< share of wire packets lost at random, 0 to 1
    double queue_bytes = 0;  ///< waiting bytes before the tail is dropped; 0 = default_queue()
    double burst_bytes = 0;  ///< token bucket: what may pass at once after a pause
    bool reorder = false;    ///< jitter may let packets overtake each other

    friend bool operator==(const Shape&, const Shape&) = default;
};

/// A queue with a rate, or a wire with a delay. Shared by all paths that cross it.
struct Resource {
    std::string name;
    Shape shape;
};

/// One machine.
struct Host {
    std::string name;
    std::string region;
    std::uint32_t address = 0;  ///< IPv4 on the WAN, host byte order
    std::uint32_t control = 0;  ///< IPv4 on the management network
};

/// TCP of every host.
struct Tcp {
    std::string congestion = "cubic";
    double buffer_mb = 64;  ///< largest socket buffer, each way; 0 = what the kernel has
};

/// Resources of one ordered pair, in the order in which packets cross them.
using Path = std::vector<int>;

/// A stretch of a multicast tree: resources, and what is at their end.
struct Branch {
    Path path;              ///< not empty
    int host = -1;          ///< gets what comes to the end; -1: nobody
    std::vector<int> next;  ///< branches that go on from there, each with a copy
};

/// Where packets of one sender to one multicast address go: a tree without circles, whose root is
/// branch 0. Branches cross a resource once, whatever number of hosts lies behind.
struct Tree {
    std::size_t source = 0;     ///< host
    std::uint32_t address = 0;  ///< IPv4 multicast, host byte order
    std::vector<Branch> branches;
};

struct Wan {
    std::vector<Host> hosts;
    std::vector<Resource> resources;
    std::vector<Path> paths;  ///< hosts x hosts, row = sender; the diagonal is not used
    std::vector<Tree> trees;  ///< other multicast is dropped
    std::uint32_t network = 0;
    int prefix = 16;                 ///< of the WAN network
    std::uint32_t control_host = 0;  ///< address of the control namespace
    /// Packets are handed over at multiples of this, up to that much late: where waking up is dear,
    /// few wake-ups carry many packets. 0: each at its time.
    double grain_ms = 0;
    int mtu = 1500;
    int ethernet = 14;  ///< bytes a wire packet has besides IP
    std::uint64_t seed = 7;
    Tcp tcp;
    std::map<std::string, std::string> sysctl;  ///< set in every host

    [[nodiscard]] const Path& path(std::size_t from, std::size_t to) const {
        return paths[from * hosts.size() + to];
    }
};

inline constexpr std::size_t kMaxHosts = 256;
inline constexpr int kDefaultMtu = 1500;

/// Queue of a resource that does not say: 100 ms at its rate, at least 128 kB.
[[nodiscard]] double default_queue(const Shape& shape);

/// Payload share of a full TCP segment on the wire: (mtu - 52) / (mtu + ethernet); IPv4 and TCP
/// headers with time stamps are 52 bytes.
[[nodiscard]] double payload_share(int mtu, int ethernet);

/// Gives hosts without an address the addresses that follow each other in 10.77.0.0/16, and all
/// hosts and the control namespace theirs in 10.78.0.0/16.
void number_hosts(Wan& wan);

/// Fits a network into the machine that emulates it: every rate times `scale`, and at most
/// `cap_mbps` (0 = no cap). Queues that were given shrink with their rates. scale > 0.
void limit_rates(Wan& wan, double scale, double cap_mbps);

/// "10.77.0.1".
[[nodiscard]] std::string address_text(std::uint32_t address);

/// Sum over the path of the delays, ms.
[[nodiscard]] double delay_ms(const Wan& wan, const Path& path);

/// Lowest rate on the path, Mbit/s; 0 = unlimited.
[[nodiscard]] double rate_mbps(const Wan& wan, const Path& path);

}  // namespace longhaul::emulate
