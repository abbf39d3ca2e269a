#include "longhaul/transport/frame.hpp"

#include <fmt/format.h>

#include "longhaul/transport/auth.hpp"
#include "longhaul/transport/wire.hpp"

namespace longhaul::transport {
namespace {

std::string mac_of(const std::string& key, std::uint64_t number, std::string_view bytes) {
    std::string text;
    put_number(text, number);
    text += bytes;
    return hmac_sha256(key, text).substr(0, kFrameMac);
}

}  // namespace

std::string FrameWriter::write(const Frame& frame) {
    std::string bytes;
    put_number(bytes, static_cast<std::uint32_t>(frame.body.size()));
    put_number(bytes, frame.type);
    bytes += frame.body;
    return bytes + mac_of(key_, number_++, bytes);
}

Io<std::optional<Frame>> FrameReader::next() {
    if (buffer_.size() < kFrameHead) {
        return std::optional<Frame>();
    }
    const std::string_view all = buffer_;
    const std::size_t size = get_number<std::uint32_t>(all);
    if (size > longest_) {
        return io_error(IoError::Kind::kProtocol,
                        fmt::format("a message of {} bytes is longer than {}", size, longest_));
    }
    if (all.size() < kFrameHead + size + kFrameMac) {
        return std::optional<Frame>();
    }
    const std::string_view signed_part = all.substr(0, kFrameHead + size);
    const std::string_view mac = all.substr(signed_part.size(), kFrameMac);
    if (!equal_in_constant_time(mac_of(key_, number_, signed_part), mac)) {
        return io_error(IoError::Kind::kProtocol, "a message was changed on its way");
    }
    Frame frame{get_number<std::uint32_t>(all.substr(4)),
                std::string(signed_part.substr(kFrameHead))};
    ++number_;
    buffer_.erase(0, kFrameHead + size + kFrameMac);
    return std::optional(std::move(frame));
}

}  // namespace longhaul::transport
