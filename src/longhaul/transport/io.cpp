#include "longhaul/transport/io.hpp"

#include <cerrno>
#include <system_error>

#include <fmt/format.h>

namespace longhaul::transport {
namespace {

IoError::Kind kind_of(int error) {
    switch (error) {
        case ETIMEDOUT:
            return IoError::Kind::kTimeout;
        case ECONNRESET:
        case EPIPE:
        case ECONNABORTED:
        case ENOTCONN:
            return IoError::Kind::kBroken;
        case ECONNREFUSED:
        case EACCES:
        case EPERM:
            return IoError::Kind::kRefused;
        default:
            return IoError::Kind::kSystem;
    }
}

}  // namespace

tl::unexpected<IoError> io_error(IoError::Kind kind, std::string what) {
    return tl::unexpected(IoError{kind, std::move(what)});
}

tl::unexpected<IoError> system_error(std::string_view call) {
    const int error = errno;
    return io_error(kind_of(error),
                    fmt::format("{}: {}", call, std::system_category().message(error)));
}

}  // namespace longhaul::transport
