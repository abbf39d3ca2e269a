#include "longhaul/transport/handshake.hpp"

#include "longhaul/core/assert.hpp"
#include "longhaul/transport/wire.hpp"

namespace longhaul::transport {
namespace {

constexpr std::string_view kMagic = "LHTP";
constexpr std::size_t kPayloadSizeAt = 6;
constexpr std::size_t kNonceAt = 8;

/// HMAC of a message under the token, for one use only.
std::string sign(const Token& token, std::string_view use, std::string_view message) {
    std::string text = "longhaul ";
    text += use;
    text += static_cast<char>('0' + kProtocolVersion);
    text += '|';
    text += message;
    return hmac_sha256(token.bytes(), text);
}

SessionKeys derive(const Token& token, const std::string& transcript) {
    return {sign(token, "client key ", transcript), sign(token, "server key ", transcript)};
}

}  // namespace

bool NonceMemory::remember(const std::string& nonce) {
    if (!known_.insert(nonce).second) {
        return false;
    }
    order_.push_back(nonce);
    if (order_.size() > limit_) {
        known_.erase(order_.front());
        order_.pop_front();
    }
    return true;
}

std::size_t ServerHandshake::wants() const {
    const std::size_t whole = replied_ ? kDigestSize : hello_size_ > 0 ? hello_size_ : kHelloHead;
    return whole - buffer_.size();
}

ServerHandshake::Step ServerHandshake::feed(std::string_view bytes, NonceMemory& memory) {
    LONGHAUL_ASSERT(bytes.size() <= wants());
    buffer_ += bytes;
    if (wants() > 0) {
        return hello_size_ == 0 && buffer_.size() >= kMagic.size() && !buffer_.starts_with(kMagic)
                   ? Step::kRefused
                   : Step::kMore;
    }
    if (hello_size_ == 0) {
        return check_head();
    }
    return replied_ ? check_proof() : check_hello(memory);
}

ServerHandshake::Step ServerHandshake::check_head() {
    const std::string_view head = buffer_;
    const auto version = get_number<std::uint8_t>(head.substr(kMagic.size()));
    const auto purpose = get_number<std::uint8_t>(head.substr(kMagic.size() + 1));
    const auto size = get_number<std::uint16_t>(head.substr(kPayloadSizeAt));
    const bool known = purpose == static_cast<std::uint8_t>(Purpose::kControl) ||
                       purpose == static_cast<std::uint8_t>(Purpose::kData);
    if (!head.starts_with(kMagic) || version != kProtocolVersion || !known ||
        size > kLongestPayload) {
        return Step::kRefused;
    }
    hello_.purpose = static_cast<Purpose>(purpose);
    hello_size_ = kHelloHead + size + kDigestSize;
    return Step::kMore;
}

ServerHandshake::Step ServerHandshake::check_hello(NonceMemory& memory) {
    const std::string_view all = buffer_;
    const std::string_view said = all.substr(0, hello_size_ - kDigestSize);
    if (!equal_in_constant_time(sign(*token_, "client ", said), all.substr(said.size())) ||
        !memory.remember(std::string(said.substr(kNonceAt, kNonceSize)))) {
        return Step::kRefused;
    }
    hello_.payload = said.substr(kHelloHead);
    const std::string nonce = random_bytes(kNonceSize);
    const std::string transcript = buffer_ + nonce;
    reply_ = nonce + sign(*token_, "server ", transcript);
    proof_ = sign(*token_, "prove ", transcript);
    keys_ = derive(*token_, transcript);
    replied_ = true;
    buffer_.clear();
    return Step::kReply;
}

ServerHandshake::Step ServerHandshake::check_proof() {
    return equal_in_constant_time(buffer_, proof_) ? Step::kDone : Step::kRefused;
}

ClientHandshake::ClientHandshake(const Token& token, const Hello& hello, const std::string& nonce)
    : token_(&token) {
    LONGHAUL_ASSERT(nonce.size() == kNonceSize && hello.payload.size() <= kLongestPayload);
    hello_bytes_ = kMagic;
    put_number(hello_bytes_, kProtocolVersion);
    put_number(hello_bytes_, static_cast<std::uint8_t>(hello.purpose));
    put_number(hello_bytes_, static_cast<std::uint16_t>(hello.payload.size()));
    hello_bytes_ += nonce + hello.payload;
    hello_bytes_ += sign(token, "client ", hello_bytes_);
}

std::optional<std::string> ClientHandshake::answer(std::string_view accept) {
    const std::string transcript = hello_bytes_ + std::string(accept.substr(0, kNonceSize));
    if (!equal_in_constant_time(sign(*token_, "server ", transcript), accept.substr(kNonceSize))) {
        return std::nullopt;
    }
    keys_ = derive(*token_, transcript);
    return sign(*token_, "prove ", transcript);
}

Io<SessionKeys> shake_hands(Socket& socket,
                            const Token& token,
                            const Hello& hello,
                            core::Seconds deadline) {
    ClientHandshake client(token, hello, random_bytes(kNonceSize));
    std::string accept(ClientHandshake::kAcceptSize, '\0');
    if (const Io<void> sent = socket.send_all(bytes_of(client.hello_bytes()), deadline); !sent) {
        return tl::unexpected(sent.error());
    }
    if (const Io<void> got = socket.receive_all(bytes_of(accept), deadline); !got) {
        return tl::unexpected(got.error());
    }
    const std::optional<std::string> proof = client.answer(accept);
    if (!proof) {
        return io_error(IoError::Kind::kProtocol, "the other end does not know the token");
    }
    if (const Io<void> sent = socket.send_all(bytes_of(*proof), deadline); !sent) {
        return tl::unexpected(sent.error());
    }
    return client.keys();
}

}  // namespace longhaul::transport
