// Messages on a connection: bounded, each with a HMAC over its place in the stream.
//
//     size of the body (4 bytes) · type (4) · body · first 16 bytes of the HMAC of number and all
//     that
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "longhaul/transport/io.hpp"

namespace longhaul::transport {

inline constexpr std::size_t kFrameHead = 8;
inline constexpr std::size_t kFrameMac = 16;

struct Frame {
    std::uint32_t type = 0;
    std::string body;
};

/// Turns frames into bytes, counting them.
class FrameWriter {
public:
    explicit FrameWriter(std::string key) : key_(std::move(key)) {}
    [[nodiscard]] std::string write(const Frame& frame);

private:
    std::string key_;
    std::uint64_t number_ = 0;
};

/// Takes bytes as they come, gives frames. After an error it stays at that error.
class FrameReader {
public:
    /// A body longer than `longest` is an error as soon as its head is there.
    FrameReader(std::string key, std::size_t longest) : key_(std::move(key)), longest_(longest) {}

    void feed(std::string_view bytes) { buffer_ += bytes; }
    /// The next frame, nullopt when more bytes are needed.
    [[nodiscard]] Io<std::optional<Frame>> next();

private:
    std::string key_;
    std::size_t longest_;
    std::string buffer_;
    std::uint64_t number_ = 0;
};

}  // namespace longhaul::transport
