#include "longhaul/emulate/namespaces.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>

#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <fmt/format.h>

#include "longhaul/emulate/netlink.hpp"

namespace longhaul::emulate {
namespace {

constexpr const char* kNames = "/run/netns";
constexpr int kDeviceQueue = 4096;  // packets that a device holds for the emulator
constexpr int kHighFd = 100;        // descriptors of namespaces stay clear of those of programs
constexpr double kBytesPerMb = 1e6;

/// Whether this process may make namespaces as it is: staying where it is needs the same right.
bool may_administer() {
    const Fd probe(open("/proc/self/ns/uts", O_RDONLY | O_CLOEXEC));
    return probe && setns(probe.get(), CLONE_NEWUTS) == 0;
}

core::Result<Fd> high(Fd fd, const std::string& where) {
    const int moved = fcntl(fd.get(), F_DUPFD_CLOEXEC, kHighFd);
    if (moved < 0) {
        return system_failure(
            where, "file descriptor", "raise the limit of open files (ulimit -n)");
    }
    return Fd(moved);
}

core::Result<Fd> own_namespace(const char* kind, const std::string& where) {
    Fd fd(open(fmt::format("/proc/self/ns/{}", kind).c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd) {
        return system_failure(where, "namespace", "mount /proc, and raise the limit of open files");
    }
    return high(std::move(fd), where);
}

/// A TUN device in the present network namespace that takes whole super-packets.
core::Result<Fd> open_tun(const std::string& where) {
    Fd device(open("/dev/net/tun", O_RDWR | O_CLOEXEC | O_NONBLOCK));
    if (!device) {
        return system_failure(where,
                              "/dev/net/tun",
                              "the kernel needs tun, and this user the right to open the device");
    }
    ifreq request{};
    std::copy_n(kWanInterface, 4, static_cast<char*>(request.ifr_name));
    request.ifr_flags = IFF_TUN | IFF_NO_PI | IFF_VNET_HDR;
    if (ioctl(device.get(), TUNSETIFF, &request) < 0) {
        return system_failure(where, "TUN device", "a kernel with tun and virtio headers");
    }
    // Without the offloads it still works, one packet at a time.
    ioctl(device.get(), TUNSETOFFLOAD, TUN_F_CSUM | TUN_F_TSO4);
    return high(std::move(device), where);
}

std::string sysctl_path(std::string key) {
    std::ranges::replace(key, '.', '/');
    return "/proc/sys/" + key;
}

/// Settings of the present network namespace; those that the kernel refuses become warnings, once.
void set_sysctls(const Wan& wan, std::vector<std::string>& warnings) {
    std::map<std::string, std::string> settings{
        {"net.ipv4.ip_forward", "0"},
        {"net.ipv6.conf.all.disable_ipv6", "1"},
        {"net.ipv4.tcp_no_metrics_save", "1"},
        {"net.ipv4.ping_group_range", "0 2147483647"},
    };
    const auto bytes = static_cast<std::int64_t>(wan.tcp.buffer_mb * kBytesPerMb);
    if (bytes > 0) {
        settings["net.ipv4.tcp_wmem"] =
            fmt::format("4096 16384 {}", std::max<std::int64_t>(bytes, 16384));
        settings["net.ipv4.tcp_rmem"] =
            fmt::format("4096 131072 {}", std::max<std::int64_t>(bytes, 131072));
    }
    for (const auto& [key, value] : wan.sysctl) {
        settings[key] = value;
    }
    // Often refused, since a namespace may not choose what is not allowed to all: the routes do it.
    static_cast<void>(
        write_text(sysctl_path("net.ipv4.tcp_congestion_control"), wan.tcp.congestion));
    for (const auto& [key, value] : settings) {
        const bool optional = key == "net.ipv4.ping_group_range" || key.starts_with("net.ipv6.");
        if (!write_text(sysctl_path(key), value) && (!optional || wan.sysctl.contains(key))) {
            const std::string text =
                fmt::format("{} = {} was refused: {}", key, value, strerror(errno));
            if (std::ranges::find(warnings, text) == warnings.end()) {
                warnings.push_back(text);
            }
        }
    }
}

/// Puts a name for `ip netns` in place, where there is a folder for it.
void name_namespace(const std::string& name, bool named) {
    if (named) {
        const std::string path = fmt::format("{}/{}", kNames, name);
        const Fd file(open(path.c_str(), O_RDONLY | O_CREAT | O_CLOEXEC, 0444));
        mount("/proc/self/ns/net", path.c_str(), nullptr, MS_BIND, nullptr);
    }
}

/// Gives the present process new network and UTS namespaces.
core::Result<HostNamespaces> enter_new(const std::string& name, bool named) {
    const std::string where = "host " + name;
    if (unshare(CLONE_NEWNET | CLONE_NEWUTS) != 0) {
        return system_failure(where, "new network namespace", "a kernel with network namespaces");
    }
    static_cast<void>(sethostname(name.data(), name.size()));
    name_namespace(name, named);
    HostNamespaces made;
    auto network = own_namespace("net", where);
    auto names = own_namespace("uts", where);
    if (!network || !names) {
        return tl::unexpected(network ? names.error() : network.error());
    }
    made.network = std::move(*network);
    made.names = std::move(*names);
    return made;
}

/// The route to the other hosts. When it is there without the congestion control and not with it,
/// the kernel does not have that one.
core::Result<void> add_wan_route(const Wan& wan, const Host& host, Netlink& netlink) {
    const std::string& control = wan.tcp.congestion;
    const auto add = [&](const std::string& with) {
        return netlink.add_route(kWanInterface, wan.network, wan.prefix, host.address, with);
    };
    core::Result<void> added = add(control);
    if (!added && !control.empty() && add("")) {
        std::ifstream file(sysctl_path("net.ipv4.tcp_available_congestion_control"));
        std::string known;
        std::getline(file, known);
        return core::fail({"TCP congestion control",
                           "",
                           "the kernel of this machine has no " + core::shown(control),
                           "it has " + known + "; choose one, or load the module of another"});
    }
    return added;
}

/// The host in whose namespace the process is: its devices, addresses and routes.
core::Result<void> connect_host(const Wan& wan,
                                const Host& host,
                                HostNamespaces& made,
                                int control) {
    auto tun = open_tun("host " + host.name);
    if (!tun) {
        return tl::unexpected(tun.error());
    }
    made.tun = std::move(*tun);
    auto netlink = Netlink::open();
    if (!netlink) {
        return tl::unexpected(netlink.error());
    }
    const std::string peer = address_text(host.control);
    const std::string other = "c" + peer.substr(peer.find('.', peer.find('.') + 1) + 1);
    core::Result<void> done = netlink->set_up("lo", 0, 0);
    const auto then = [&](auto step) {
        if (done) {
            done = step();
        }
    };
    then([&] { return netlink->set_up(kWanInterface, wan.mtu, kDeviceQueue); });
    then([&] { return netlink->add_address(kWanInterface, host.address, 32); });
    then([&] { return add_wan_route(wan, host, *netlink); });
    then([&] { return netlink->add_veth(kControlInterface, other, control); });
    then([&] { return netlink->set_up(kControlInterface, 0, 0); });
    then([&] { return netlink->add_address(kControlInterface, host.control, 32); });
    then([&] {
        return netlink->add_route(kControlInterface, wan.control_host, 32, host.control, "");
    });
    made.device = Netlink::index_of(kWanInterface);
    made.netlink = std::move(*netlink);
    return done;
}

/// The control side of a host's management link: both addresses of the host lie behind it.
core::Result<void> connect_control(const Wan& wan, Netlink& netlink) {
    core::Result<void> done = netlink.set_up("lo", 0, 0);
    if (done) {
        done = netlink.add_address("lo", wan.control_host, 32);
    }
    for (const Host& host : wan.hosts) {
        const std::string peer = address_text(host.control);
        const std::string name = "c" + peer.substr(peer.find('.', peer.find('.') + 1) + 1);
        const auto route = [&](std::uint32_t address) {
            return netlink.add_route(name, address, 32, wan.control_host, "");
        };
        done = done ? netlink.set_up(name, 0, 0) : done;
        done = done ? route(host.control) : done;
        done = done ? route(host.address) : done;
    }
    return done;
}

/// A private /run/netns for `ip netns`, where the folder exists or can be made.
bool private_names() {
    mkdir("/run", 0755);
    mkdir(kNames, 0755);
    return mount("longhaul", kNames, "tmpfs", 0, "mode=755") == 0;
}

/// /etc/hosts with every host by name, seen by this process and its children only.
void private_hosts_file(const Wan& wan) {
    std::string text = "127.0.0.1 localhost\n";
    for (const Host& host : wan.hosts) {
        text += fmt::format("{} {}\n", address_text(host.address), host.name);
        text += fmt::format("{} {}.{}\n", address_text(host.control), host.name, kControl);
    }
    text += fmt::format("{} {}\n", address_text(wan.control_host), kControl);
    // A file system for the one file, on a folder that is covered for a moment.
    if (mount("longhaul", "/tmp", "tmpfs", 0, "mode=755") != 0) {
        return;
    }
    const Fd file(open("/tmp/hosts", O_RDWR | O_CREAT | O_CLOEXEC, 0644));
    if (file && write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size())) {
        mount("/tmp/hosts", "/etc/hosts", nullptr, MS_BIND, nullptr);
    }
    umount2("/tmp", MNT_DETACH);
}

}  // namespace

core::Result<void> become_able() {
    if (may_administer()) {
        return {};
    }
    const uid_t user = geteuid();
    const gid_t group = getegid();
    if (unshare(CLONE_NEWUSER) != 0) {
        return system_failure(
            "",
            "needs root, or unprivileged user namespaces, which this kernel refuses",
            "run it with sudo, or allow them (sysctl user.max_user_namespaces, and on some systems "
            "kernel.unprivileged_userns_clone or kernel.apparmor_restrict_unprivileged_userns)");
    }
    static_cast<void>(write_text("/proc/self/setgroups", "deny"));
    if (!write_text("/proc/self/uid_map", fmt::format("0 {} 1\n", user)) ||
        !write_text("/proc/self/gid_map", fmt::format("0 {} 1\n", group))) {
        return system_failure("", "user namespace: cannot map user ids", "run it with sudo");
    }
    return {};
}

core::Result<Namespaces> make_namespaces(const Wan& wan) {
    if (unshare(CLONE_NEWNS) != 0 ||
        mount(nullptr, "/", nullptr, MS_REC | MS_SLAVE, nullptr) != 0) {
        return system_failure(
            "", "new mount namespace", "run it with sudo; some systems restrict user namespaces");
    }
    Namespaces made;
    made.named = private_names();
    private_hosts_file(wan);
    auto control = enter_new(kControl, made.named);
    if (!control) {
        return tl::unexpected(control.error());
    }
    made.control = std::move(*control);
    set_sysctls(wan, made.warnings);
    auto netlink = Netlink::open();
    if (!netlink) {
        return tl::unexpected(netlink.error());
    }
    for (const Host& host : wan.hosts) {
        auto entered = enter_new(host.name, made.named);
        if (!entered) {
            return tl::unexpected(entered.error());
        }
        set_sysctls(wan, made.warnings);
        const auto connected = connect_host(wan, host, *entered, made.control.network.get());
        if (!connected) {
            return tl::unexpected(connected.error());
        }
        made.hosts.push_back(std::move(*entered));
    }
    if (setns(made.control.network.get(), CLONE_NEWNET) != 0 ||
        setns(made.control.names.get(), CLONE_NEWUTS) != 0) {
        return system_failure("", "back to the control namespace", "run it as root");
    }
    const auto connected = connect_control(wan, *netlink);
    if (!connected) {
        return tl::unexpected(connected.error());
    }
    return made;
}

}  // namespace longhaul::emulate
