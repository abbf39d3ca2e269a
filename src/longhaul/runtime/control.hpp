// The control connection between a host of a trial and the coordinator: JSON objects, a line each,
// over TCP on the management network.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "longhaul/core/diagnostic.hpp"
#include "longhaul/core/value.hpp"
#include "longhaul/transport/socket.hpp"

namespace longhaul::runtime {

inline constexpr std::uint16_t kControlPort = 7001;

class Control {
public:
    explicit Control(transport::Socket socket) : socket_(std::move(socket)) {}

    /// Connects to the coordinator, trying until it listens or `patience_s` are over.
    [[nodiscard]] static std::optional<Control> join(std::uint32_t address, double patience_s);

    [[nodiscard]] int fd() const { return socket_.fd(); }
    /// Sends all of it; false, and closed, when the other end is gone.
    bool send(const core::Value& message);
    /// What has come, without waiting.
    [[nodiscard]] std::vector<core::Value> receive();
    /// The other end is gone.
    [[nodiscard]] bool closed() const { return closed_; }

private:
    transport::Socket socket_;
    std::string buffer_;
    bool closed_ = false;
};

}  // namespace longhaul::runtime
