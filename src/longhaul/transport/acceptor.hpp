// The door of a process that listens: lets in who knows the token and comes from an address that
// may, and spends next to nothing on everybody else.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <vector>

#include "longhaul/transport/handshake.hpp"
#include "longhaul/transport/socket.hpp"

namespace longhaul::transport {

/// A connection whose client has proved that it knows the token.
struct Admission {
    Socket socket;
    Address remote;
    Hello hello;
    SessionKeys keys;
};

struct DoorRules {
    /// Addresses that are listened to at all; others are closed without a byte.
    std::function<bool(const Address&)> may_connect;
    /// Whether this HELLO (its HMAC is right) is wanted; asked before anything is answered.
    std::function<bool(const Hello&, const Address&)> may_enter;
    core::Seconds patience{3};      ///< from connecting to the end of the handshake
    std::size_t most_waiting = 64;  ///< handshakes under way; the oldest makes room
};

/// Connections turned away, by reason.
struct DoorCounts {
    std::uint64_t admitted = 0;
    std::uint64_t address = 0;    ///< not a peer
    std::uint64_t handshake = 0;  ///< wrong token, wrong version, replay, not wanted
    std::uint64_t slow = 0;       ///< out of patience, or pushed out by newer ones
};

/// Not for use from more than one thread. Nothing here waits.
class Acceptor {
public:
    Acceptor(Listener listener, Token token, DoorRules rules);
    Acceptor(const Acceptor&) = delete;  // handshakes point to the token
    Acceptor& operator=(const Acceptor&) = delete;
    ~Acceptor() = default;

    [[nodiscard]] const Address& address() const { return listener_.address(); }
    /// Adds the descriptors to wait for.
    void watch(std::vector<Watch>& watches) const;
    /// Takes what is there; gives the connections whose handshake ended well.
    [[nodiscard]] std::vector<Admission> step();
    [[nodiscard]] const DoorCounts& counts() const { return counts_; }

private:
    struct Guest {
        Socket socket;
        Address remote;
        ServerHandshake handshake;
        core::Seconds since;
        bool done = false;
    };
    void accept_all();
    [[nodiscard]] bool serve(Guest& guest);

    Listener listener_;
    Token token_;
    DoorRules rules_;
    NonceMemory nonces_;
    std::list<Guest> guests_;
    DoorCounts counts_;
};

}  // namespace longhaul::transport
