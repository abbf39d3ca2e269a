#include "longhaul/transport/auth.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include "longhaul/core/assert.hpp"
#include "longhaul/core/document.hpp"

namespace longhaul::transport {
namespace {

constexpr std::string_view kTicketLabel = "longhaul ticket 1|";
constexpr std::size_t kLongestTicket = 4096;

const unsigned char* unsigned_of(std::string_view bytes) {
    return reinterpret_cast<const unsigned char*>(bytes.data());
}

std::string ticket_text(const Ticket& ticket) {
    core::Value value = core::Value::object();
    value.set("session", ticket.session)
        .set("task", ticket.task)
        .set("attempt", ticket.attempt)
        .set("from", ticket.from)
        .set("to", ticket.to)
        .set("max_bytes", static_cast<double>(ticket.max_bytes))
        .set("max_seconds", ticket.max_seconds.value())
        .set("expires", ticket.expires.value());
    return core::write_json(value);
}

std::string text_at(const core::Value& object, std::string_view key) {
    const core::Value* value = object.find(key);
    return value != nullptr ? value->string : "";
}

double number_at(const core::Value& object, std::string_view key) {
    const core::Value* value = object.find(key);
    return value != nullptr ? value->number : 0;
}

}  // namespace

core::Result<Token> Token::from_text(std::string_view text, std::string name) {
    constexpr std::string_view kBlanks = " \t\r\n";
    const std::size_t first = text.find_first_not_of(kBlanks);
    if (first != std::string_view::npos) {
        text = text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
    } else {
        text = {};
    }
    if (text.size() < kShortestToken) {
        return core::fail(
            {std::move(name),
             "",
             fmt::format("the token has {} bytes", text.size()),
             fmt::format("at least {}; make one with: openssl rand -hex 32", kShortestToken)});
    }
    return Token(std::string(text));
}

std::string hmac_sha256(std::string_view key, std::string_view message) {
    std::array<unsigned char, kDigestSize> digest{};
    unsigned length = 0;
    const unsigned char* done = HMAC(EVP_sha256(),
                                     key.data(),
                                     static_cast<int>(key.size()),
                                     unsigned_of(message),
                                     message.size(),
                                     digest.data(),
                                     &length);
    LONGHAUL_ASSERT(done != nullptr && length == kDigestSize);
    return {digest.begin(), digest.end()};
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
    return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::string random_bytes(std::size_t count) {
    std::string bytes(count, '\0');
    const int good =
        RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(count));
    LONGHAUL_ASSERT(good == 1);
    return bytes;
}

std::string to_hex(std::string_view bytes) {
    std::string text;
    for (const char byte : bytes) {
        text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
    }
    return text;
}

std::optional<std::string> from_hex(std::string_view text) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string bytes;
    for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
        const std::size_t high = kDigits.find(text[i]);
        const std::size_t low = kDigits.find(text[i + 1]);
        if (high == std::string_view::npos || low == std::string_view::npos) {
            return std::nullopt;
        }
        bytes += static_cast<char>(16 * high + low);
    }
    return text.size() % 2 == 0 ? std::optional(bytes) : std::nullopt;
}

std::string seal(const Ticket& ticket, const Token& token) {
    const std::string text = ticket_text(ticket);
    return to_hex(hmac_sha256(token.bytes(), std::string(kTicketLabel) + text)) + text;
}

std::optional<Ticket> open_ticket(std::string_view text, const Token& token, core::Seconds now) {
    constexpr std::size_t kMacSize = 2 * kDigestSize;
    if (text.size() <= kMacSize || text.size() > kLongestTicket) {
        return std::nullopt;
    }
    const std::string_view body = text.substr(kMacSize);
    const std::string right =
        to_hex(hmac_sha256(token.bytes(), std::string(kTicketLabel) + std::string(body)));
    if (!equal_in_constant_time(right, text.substr(0, kMacSize))) {
        return std::nullopt;
    }
    const core::Result<core::Document> document = core::parse_json(body, "ticket");
    if (!document) {
        return std::nullopt;
    }
    const core::Value& value = document->root;
    const Ticket ticket{text_at(value, "session"),
                        text_at(value, "task"),
                        static_cast<int>(number_at(value, "attempt")),
                        text_at(value, "from"),
                        text_at(value, "to"),
                        static_cast<std::uint64_t>(number_at(value, "max_bytes")),
                        core::Seconds(number_at(value, "max_seconds")),
                        core::Seconds(number_at(value, "expires"))};
    return ticket.expires > now ? std::optional(ticket) : std::nullopt;
}

}  // namespace longhaul::transport
