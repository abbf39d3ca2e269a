// What can happen to an operation on the network, and the bytes that it moves.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

namespace longhaul::transport {

/// Why an operation did not finish.
struct IoError {
    enum class Kind {
        kTimeout,   ///< the deadline passed
        kClosed,    ///< the other end closed the connection in order
        kBroken,    ///< the connection was reset, or shut down by us
        kRefused,   ///< the other end (or the system) does not want it
        kProtocol,  ///< the other end sent what it may not
        kSystem,    ///< the system call failed
    };
    Kind kind = Kind::kSystem;
    std::string what;
};

template <class T>
using Io = tl::expected<T, IoError>;

[[nodiscard]] tl::unexpected<IoError> io_error(IoError::Kind kind, std::string what);

/// The error of the last system call of this thread.
[[nodiscard]] tl::unexpected<IoError> system_error(std::string_view call);

using Bytes = std::span<const std::byte>;
using MutableBytes = std::span<std::byte>;

[[nodiscard]] inline Bytes bytes_of(std::string_view text) {
    return std::as_bytes(std::span(text));
}
[[nodiscard]] inline MutableBytes bytes_of(std::string& text) {
    return std::as_writable_bytes(std::span(text));
}

}  // namespace longhaul::transport
