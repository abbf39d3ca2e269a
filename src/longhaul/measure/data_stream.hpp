// Messages on the data connections of a task. A message is a header of 16 bytes and a payload; its
// receiver answers 16 bytes when it has all of it. The sender takes the time from the first byte
// handed to the kernel to the answer.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "longhaul/transport/socket.hpp"
#include "longhaul/transport/tcp_state.hpp"

namespace longhaul::measure {

/// All connections of a task, so that another thread can end them.
class SocketSet {
public:
    /// Takes the socket; it is shut down at once when the set has ended.
    [[nodiscard]] std::shared_ptr<transport::Socket> add(transport::Socket socket);
    /// For a socket that somebody else owns and that lives at least until remove().
    void watch(const transport::Socket& socket);
    void remove(const transport::Socket& socket);
    void end();
    [[nodiscard]] bool ended() const;

private:
    mutable std::mutex mutex_;
    bool ended_ = false;
    std::vector<std::weak_ptr<transport::Socket>> owned_;
    std::vector<const transport::Socket*> watched_;
};

/// How many bytes an agent will move in an hour, whatever anybody asks.
class ByteBudget {
public:
    explicit ByteBudget(double bytes_per_hour) : limit_(bytes_per_hour) {}
    /// False when they would exceed the limit; then nothing is taken.
    [[nodiscard]] bool take(double bytes, core::Seconds now);

private:
    std::mutex mutex_;
    double limit_;
    double used_ = 0;
    core::Seconds since_{-1e9};
};

/// When messages had arrived whole, by number: for roots of fans and for relays.
class RoundBook {
public:
    void arrived(std::uint32_t number, core::Seconds at);
    /// When the last of `count` messages of that number was there; nullopt at the deadline.
    [[nodiscard]] std::optional<core::Seconds> wait_for(std::uint32_t number,
                                                        int count,
                                                        core::Seconds deadline);
    void end();

private:
    struct Entry {
        int count = 0;
        core::Seconds last;
    };
    std::mutex mutex_;
    std::condition_variable changed_;
    bool ended_ = false;
    std::map<std::uint32_t, Entry> entries_;
};

struct SendTimes {
    core::Seconds begin;
    core::Seconds end;
    double receive_s = 0;
    double cpu_s = 0;
    double receiver_cpu_s = 0;
    double buffer_full_s = 0;  ///< waited although nearly all in the send buffer was under way
    transport::TcpState before;
    transport::TcpState after;
};

/// Bytes that no compressor makes smaller, with room for a header before them. The same for the
/// same seed.
[[nodiscard]] std::string payload_pool(std::uint64_t seed);

/// Sends one message at `start` and waits for its answer. `pool` is from payload_pool.
[[nodiscard]] transport::Io<SendTimes> send_message(transport::Socket& socket,
                                                    std::string& pool,
                                                    std::uint32_t number,
                                                    std::uint64_t bytes,
                                                    core::Seconds start,
                                                    core::Seconds deadline);

/// What a receiver lets through.
struct Allowance {
    double bytes = 0;  ///< of one connection
    ByteBudget* budget = nullptr;
    core::Seconds until;  ///< value of now()
};

/// Receives and answers messages until the sender closes (no error), or something is not allowed.
[[nodiscard]] transport::Io<void> receive_messages(transport::Socket& socket,
                                                   const Allowance& allowance,
                                                   RoundBook& book);

}  // namespace longhaul::measure
