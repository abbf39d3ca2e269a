// Secrets: the shared token, keyed digests of messages, and tickets that allow one transfer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "longhaul/core/diagnostic.hpp"
#include "longhaul/core/units.hpp"

namespace longhaul::transport {

inline constexpr std::size_t kDigestSize = 32;
inline constexpr std::size_t kNonceSize = 32;
inline constexpr std::size_t kShortestToken = 32;

/// What all machines of one campaign or training share. Never on a command line.
class Token {
public:
    /// From the text of a file; blanks at its ends do not count. At least kShortestToken bytes.
    [[nodiscard]] static core::Result<Token> from_text(std::string_view text, std::string name);

    [[nodiscard]] const std::string& bytes() const { return bytes_; }

private:
    explicit Token(std::string bytes) : bytes_(std::move(bytes)) {}
    std::string bytes_;
};

/// HMAC-SHA256 (RFC 2104, FIPS 180-4), kDigestSize bytes.
[[nodiscard]] std::string hmac_sha256(std::string_view key, std::string_view message);

/// Whether two texts are equal, in a time that does not tell where they differ.
[[nodiscard]] bool equal_in_constant_time(std::string_view a, std::string_view b);

/// Bytes that nobody can guess, from the kernel.
[[nodiscard]] std::string random_bytes(std::size_t count);

[[nodiscard]] std::string to_hex(std::string_view bytes);
[[nodiscard]] std::optional<std::string> from_hex(std::string_view text);

/// Leave to send to one host, for one task, up to a time on the clock of the receiver.
struct Ticket {
    std::string session;  ///< of the receiver with the coordinator: an old ticket has another one
    std::string task;
    int attempt = 1;
    std::string from;
    std::string to;
    std::uint64_t max_bytes = 0;
    core::Seconds max_seconds;
    core::Seconds expires;  ///< value of now() at the receiver
};

/// The ticket as text with its HMAC; `token` as in Token::bytes().
[[nodiscard]] std::string seal(const Ticket& ticket, const Token& token);

/// The ticket of a text that seal() made with this token; nullopt for anything else, and for a
/// ticket that has expired at `now`.
[[nodiscard]] std::optional<Ticket> open_ticket(std::string_view text,
                                                const Token& token,
                                                core::Seconds now);

}  // namespace longhaul::transport
