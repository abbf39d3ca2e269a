// A connection that carries frames, after the handshake.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "longhaul/transport/frame.hpp"
#include "longhaul/transport/handshake.hpp"
#include "longhaul/transport/socket.hpp"

namespace longhaul::transport {

inline constexpr std::size_t kLongestFrame = 1U << 22U;

/// Which end of the handshake this is.
enum class Side { kClient, kServer };

class Channel {
public:
    Channel(Socket socket, const SessionKeys& keys, Side side);

    [[nodiscard]] const Socket& socket() const { return socket_; }
    [[nodiscard]] Io<void> send(const Frame& frame, core::Seconds deadline);
    /// Waits for one frame.
    [[nodiscard]] Io<Frame> receive(core::Seconds deadline);
    /// Reads what is there without waiting, and gives the frames that are whole. Frames that
    /// arrived before the end of the stream are given before the error is.
    [[nodiscard]] Io<std::vector<Frame>> drain();

private:
    Socket socket_;
    FrameWriter writer_;
    FrameReader reader_;
    std::optional<IoError> ended_;
};

/// Connects, shakes hands: a channel for control messages.
[[nodiscard]] Io<Channel> open_channel(const Address& address,
                                       const Token& token,
                                       const Hello& hello,
                                       core::Seconds deadline,
                                       const ConnectOptions& options = {});

}  // namespace longhaul::transport
