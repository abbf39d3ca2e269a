// A file descriptor that closes itself.
#pragma once

#include <string>
#include <utility>

#include "longhaul/core/diagnostic.hpp"

namespace longhaul::emulate {

class Fd {
public:
    Fd() = default;
    explicit Fd(int fd) : fd_(fd) {}
    Fd(const Fd&) = delete;
    Fd& operator=(const Fd&) = delete;
    Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Fd& operator=(Fd&& other) noexcept {
        std::swap(fd_, other.fd_);
        return *this;
    }
    ~Fd();

    [[nodiscard]] int get() const { return fd_; }
    [[nodiscard]] explicit operator bool() const { return fd_ >= 0; }
    void reset() { *this = Fd(); }

private:
    int fd_ = -1;
};

/// A failed system call as a problem: `what` failed, and why (errno).
[[nodiscard]] tl::unexpected<core::Diagnostics> system_failure(const std::string& where,
                                                               const std::string& what,
                                                               const std::string& fix);

/// Writes a whole text to a file that exists, such as one of /proc. False and errno on failure.
[[nodiscard]] bool write_text(const std::string& path, const std::string& text);

}  // namespace longhaul::emulate
