// Who may talk: a challenge and response with the shared token, fresh nonces from both ends.
//
//     client -> server   HELLO   magic, version, purpose, size, nonce, payload, HMAC of all that
//     server -> client   ACCEPT  nonce, HMAC over the HELLO and that nonce
//     client -> server   PROVE   HMAC over both
//
// A server sends nothing before it has seen a HELLO with a right HMAC. Nothing that the client asks
// for happens before PROVE: a recorded HELLO is worth nothing. Frames after it carry a HMAC under a
// key that both derive from the nonces. The version is part of everything that is signed.
#pragma once

#include <array>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "longhaul/transport/auth.hpp"
#include "longhaul/transport/io.hpp"
#include "longhaul/transport/socket.hpp"

namespace longhaul::transport {

inline constexpr std::uint8_t kProtocolVersion = 1;
inline constexpr std::size_t kHelloHead = 40;         ///< bytes before the payload
inline constexpr std::size_t kLongestPayload = 8192;  ///< of a HELLO

/// What a connection is for; a server handles each kind in its own way.
enum class Purpose : std::uint8_t { kControl = 1, kData = 2 };

/// What a client says of itself.
struct Hello {
    Purpose purpose = Purpose::kControl;
    std::string payload;
};

/// Keys of the frames of one connection, one a direction.
struct SessionKeys {
    std::string from_client;
    std::string from_server;
};

/// Nonces seen lately: a HELLO that comes twice is a recording.
class NonceMemory {
public:
    explicit NonceMemory(std::size_t limit = 16384) : limit_(limit) {}
    /// False when it was there already.
    [[nodiscard]] bool remember(const std::string& nonce);

private:
    std::size_t limit_;
    std::set<std::string, std::less<>> known_;
    std::deque<std::string> order_;
};

/// The server's part, without any socket: bytes in, bytes out.
class ServerHandshake {
public:
    enum class Step {
        kMore,     ///< needs more bytes
        kReply,    ///< send reply(), then go on feeding
        kDone,     ///< hello() and keys() hold
        kRefused,  ///< close, say nothing
    };

    explicit ServerHandshake(const Token& token) : token_(&token) {}

    /// How many bytes it wants next: never reads more, so that nothing behind is lost.
    [[nodiscard]] std::size_t wants() const;
    [[nodiscard]] Step feed(std::string_view bytes, NonceMemory& memory);
    [[nodiscard]] const std::string& reply() const { return reply_; }
    [[nodiscard]] const Hello& hello() const { return hello_; }
    [[nodiscard]] const SessionKeys& keys() const { return keys_; }

private:
    [[nodiscard]] Step check_head();
    [[nodiscard]] Step check_hello(NonceMemory& memory);
    [[nodiscard]] Step check_proof();

    const Token* token_;
    std::string buffer_;
    std::size_t hello_size_ = 0;  // known once the head is there
    bool replied_ = false;
    std::string proof_;
    std::string reply_;
    Hello hello_;
    SessionKeys keys_;
};

/// The client's part: its messages, and what it accepts.
class ClientHandshake {
public:
    ClientHandshake(const Token& token, const Hello& hello, const std::string& nonce);

    static constexpr std::size_t kAcceptSize = kNonceSize + kDigestSize;
    [[nodiscard]] const std::string& hello_bytes() const { return hello_bytes_; }
    /// PROVE, or nullopt when the server does not know the token.
    [[nodiscard]] std::optional<std::string> answer(std::string_view accept);
    [[nodiscard]] const SessionKeys& keys() const { return keys_; }

private:
    const Token* token_;
    std::string hello_bytes_;
    SessionKeys keys_;
};

/// Both steps over a socket that has just been connected.
[[nodiscard]] Io<SessionKeys> shake_hands(Socket& socket,
                                          const Token& token,
                                          const Hello& hello,
                                          core::Seconds deadline);

}  // namespace longhaul::transport
