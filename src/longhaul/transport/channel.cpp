#include "longhaul/transport/channel.hpp"

#include "longhaul/transport/clock.hpp"

namespace longhaul::transport {
namespace {

constexpr std::size_t kBlock = 65536;

}  // namespace

Channel::Channel(Socket socket, const SessionKeys& keys, Side side)
    : socket_(std::move(socket)),
      writer_(side == Side::kClient ? keys.from_client : keys.from_server),
      reader_(side == Side::kClient ? keys.from_server : keys.from_client, kLongestFrame) {}

Io<void> Channel::send(const Frame& frame, core::Seconds deadline) {
    return socket_.send_all(bytes_of(writer_.write(frame)), deadline);
}

Io<Frame> Channel::receive(core::Seconds deadline) {
    std::string block(kBlock, '\0');
    while (true) {
        Io<std::optional<Frame>> frame = reader_.next();
        if (!frame) {
            return tl::unexpected(frame.error());
        }
        if (*frame) {
            return std::move(**frame);
        }
        const Io<std::size_t> got = socket_.receive_some(bytes_of(block));
        if (!got) {
            return tl::unexpected(got.error());
        }
        reader_.feed(std::string_view(block).substr(0, *got));
        if (*got == 0) {
            std::vector<Watch> watches{{socket_.fd()}};
            wait(watches, deadline - now());
            if (!watches[0].ready && now() >= deadline) {
                return io_error(IoError::Kind::kTimeout, "no message in time");
            }
        }
    }
}

Io<std::vector<Frame>> Channel::drain() {
    std::vector<Frame> frames;
    std::string block(kBlock, '\0');
    while (!ended_) {
        const Io<std::size_t> got = socket_.receive_some(bytes_of(block));
        if (!got) {
            ended_ = got.error();
        } else if (*got == 0) {
            break;
        } else {
            reader_.feed(std::string_view(block).substr(0, *got));
        }
    }
    while (true) {
        Io<std::optional<Frame>> frame = reader_.next();
        if (!frame) {
            ended_ = frame.error();
            break;
        }
        if (!*frame) {
            break;
        }
        frames.push_back(std::move(**frame));
    }
    if (frames.empty() && ended_) {
        return tl::unexpected(*ended_);
    }
    return frames;
}

Io<Channel> open_channel(const Address& address,
                         const Token& token,
                         const Hello& hello,
                         core::Seconds deadline,
                         const ConnectOptions& options) {
    Io<Socket> socket = connect_to(address, options, deadline);
    if (!socket) {
        return tl::unexpected(socket.error());
    }
    const Io<SessionKeys> keys = shake_hands(*socket, token, hello, deadline);
    if (!keys) {
        return tl::unexpected(keys.error());
    }
    return Channel(std::move(*socket), *keys, Side::kClient);
}

}  // namespace longhaul::transport
