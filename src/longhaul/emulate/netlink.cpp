#include "longhaul/emulate/netlink.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <arpa/inet.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <net/if.h>
#include <sys/socket.h>

namespace longhaul::emulate {
namespace {

/// One netlink message under construction: a header, a body, then attributes that may nest.
class Message {
public:
    template <class Body>
    Message(std::uint16_t type, std::uint16_t flags, const Body& body) {
        nlmsghdr header{};
        header.nlmsg_type = type;
        header.nlmsg_flags = static_cast<std::uint16_t>(NLM_F_REQUEST | NLM_F_ACK | flags);
        append(&header, sizeof header);
        append(&body, sizeof body);
    }

    void attribute(std::uint16_t type, const void* data, std::size_t size) {
        const std::size_t at = begin(type);
        append(data, size);
        end(at);
    }
    void attribute(std::uint16_t type, std::uint32_t value) {
        attribute(type, &value, sizeof value);
    }
    void attribute(std::uint16_t type, const std::string& text) {
        attribute(type, text.c_str(), text.size() + 1);
    }

    /// Attributes until end() are inside this one.
    [[nodiscard]] std::size_t begin(std::uint16_t type) {
        const rtattr head{0, type};
        const std::size_t at = bytes_.size();
        append(&head, sizeof head);
        return at;
    }
    void end(std::size_t at) {
        const auto size = static_cast<std::uint16_t>(bytes_.size() - at);
        std::memcpy(&bytes_[at], &size, sizeof size);
        bytes_.resize(NLMSG_ALIGN(bytes_.size()));
    }
    template <class Body>
    void body(const Body& value) {
        append(&value, sizeof value);
    }

    [[nodiscard]] std::vector<std::uint8_t> finish() {
        const auto size = static_cast<std::uint32_t>(bytes_.size());
        std::memcpy(bytes_.data(), &size, sizeof size);
        return std::move(bytes_);
    }

private:
    void append(const void* data, std::size_t size) {
        const std::size_t at = bytes_.size();
        bytes_.resize(at + size);
        std::memcpy(&bytes_[at], data, size);
    }
    std::vector<std::uint8_t> bytes_;
};

}  // namespace

core::Result<Netlink> Netlink::open() {
    Fd socket(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE));
    if (!socket) {
        return system_failure("network namespace", "netlink socket", "a kernel with rtnetlink");
    }
    return Netlink(std::move(socket));
}

int Netlink::index_of(const std::string& interface) {
    return static_cast<int>(if_nametoindex(interface.c_str()));
}

bool Netlink::exchange(std::vector<std::uint8_t>& message) {
    constexpr std::size_t kAnswer = 16384;
    ++sequence_;
    std::memcpy(&message[offsetof(nlmsghdr, nlmsg_seq)], &sequence_, sizeof sequence_);
    if (send(socket_.get(), message.data(), message.size(), 0) < 0) {
        return false;
    }
    message.resize(kAnswer);
    const ssize_t size = recv(socket_.get(), message.data(), message.size(), 0);
    message.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
    nlmsghdr header{};
    if (message.size() < sizeof header + sizeof(int)) {
        errno = size < 0 ? errno : EPROTO;
        return false;
    }
    std::memcpy(&header, message.data(), sizeof header);
    int error = 0;
    if (header.nlmsg_type == NLMSG_ERROR) {
        std::memcpy(&error, &message[sizeof header], sizeof error);
    }
    errno = -error;
    return error == 0;
}

core::Result<void> Netlink::ask(std::vector<std::uint8_t> message, const std::string& what) {
    if (!exchange(message)) {
        return system_failure("network namespace",
                              what,
                              "a kernel with tun and veth interfaces, and the right to use them");
    }
    return {};
}

std::uint64_t Netlink::dropped(int index) {
    ifinfomsg body{};
    body.ifi_index = index;
    std::vector<std::uint8_t> answer = Message(RTM_GETLINK, 0, body).finish();
    const std::uint16_t flags = NLM_F_REQUEST;  // without an acknowledgement behind the answer
    std::memcpy(&answer[offsetof(nlmsghdr, nlmsg_flags)], &flags, sizeof flags);
    if (!exchange(answer)) {
        return 0;
    }
    rtattr attribute{};
    for (std::size_t at = NLMSG_LENGTH(sizeof body); at + sizeof attribute <= answer.size();) {
        std::memcpy(&attribute, &answer[at], sizeof attribute);
        if (attribute.rta_len < sizeof attribute) {
            return 0;
        }
        rtnl_link_stats64 seen{};
        if (attribute.rta_type == IFLA_STATS64 && at + attribute.rta_len <= answer.size()) {
            std::memcpy(&seen,
                        &answer[at + sizeof attribute],
                        std::min(sizeof seen, attribute.rta_len - sizeof attribute));
            return seen.tx_dropped;
        }
        at += RTA_ALIGN(attribute.rta_len);
    }
    return 0;
}

core::Result<void> Netlink::set_up(const std::string& interface, int mtu, int queue) {
    ifinfomsg body{};
    body.ifi_index = index_of(interface);
    body.ifi_flags = IFF_UP;
    body.ifi_change = IFF_UP;
    Message message(RTM_NEWLINK, 0, body);
    if (mtu != 0) {
        message.attribute(IFLA_MTU, static_cast<std::uint32_t>(mtu));
    }
    if (queue != 0) {
        message.attribute(IFLA_TXQLEN, static_cast<std::uint32_t>(queue));
    }
    return ask(message.finish(), "setting up interface " + interface);
}

core::Result<void> Netlink::add_address(const std::string& interface,
                                        std::uint32_t address,
                                        int prefix) {
    ifaddrmsg body{};
    body.ifa_family = AF_INET;
    body.ifa_prefixlen = static_cast<std::uint8_t>(prefix);
    body.ifa_index = static_cast<std::uint32_t>(index_of(interface));
    Message message(RTM_NEWADDR, NLM_F_CREATE | NLM_F_EXCL, body);
    message.attribute(IFA_LOCAL, htonl(address));
    message.attribute(IFA_ADDRESS, htonl(address));
    return ask(message.finish(), "address of interface " + interface);
}

core::Result<void> Netlink::add_route(const std::string& interface,
                                      std::uint32_t network,
                                      int prefix,
                                      std::uint32_t source,
                                      const std::string& congestion) {
    rtmsg body{};
    body.rtm_family = AF_INET;
    body.rtm_dst_len = static_cast<std::uint8_t>(prefix);
    body.rtm_table = RT_TABLE_MAIN;
    body.rtm_protocol = RTPROT_STATIC;
    body.rtm_scope = RT_SCOPE_LINK;
    body.rtm_type = RTN_UNICAST;
    Message message(RTM_NEWROUTE, NLM_F_CREATE | NLM_F_EXCL, body);
    message.attribute(RTA_DST, htonl(network));
    message.attribute(RTA_OIF, static_cast<std::uint32_t>(index_of(interface)));
    message.attribute(RTA_PREFSRC, htonl(source));
    if (!congestion.empty()) {
        const std::size_t metrics = message.begin(RTA_METRICS);
        message.attribute(RTAX_CC_ALGO, congestion);
        message.end(metrics);
    }
    return ask(message.finish(),
               "route through " + interface +
                   (congestion.empty() ? "" : " with congestion control " + congestion));
}

core::Result<void> Netlink::add_veth(const std::string& interface,
                                     const std::string& peer,
                                     int peer_namespace) {
    Message message(RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, ifinfomsg{});
    message.attribute(IFLA_IFNAME, interface);
    const std::size_t info = message.begin(IFLA_LINKINFO);
    message.attribute(IFLA_INFO_KIND, std::string("veth"));
    const std::size_t data = message.begin(IFLA_INFO_DATA);
    const std::size_t other = message.begin(VETH_INFO_PEER);
    message.body(ifinfomsg{});
    message.attribute(IFLA_IFNAME, peer);
    message.attribute(IFLA_NET_NS_FD, static_cast<std::uint32_t>(peer_namespace));
    message.end(other);
    message.end(data);
    message.end(info);
    return ask(message.finish(), "interface pair " + interface);
}

}  // namespace longhaul::emulate
