// TCP sockets: owned, never blocking without a deadline, every outcome a value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "longhaul/core/units.hpp"
#include "longhaul/transport/address.hpp"
#include "longhaul/transport/io.hpp"

namespace longhaul::transport {

/// Owns a file descriptor.
class Descriptor {
public:
    Descriptor() = default;
    explicit Descriptor(int fd) : fd_(fd) {}
    ~Descriptor() { reset(); }
    Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
    Descriptor& operator=(Descriptor&& other) noexcept;
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

    [[nodiscard]] int get() const { return fd_; }
    [[nodiscard]] bool valid() const { return fd_ >= 0; }
    [[nodiscard]] int release() noexcept;
    void reset() noexcept;

private:
    int fd_ = -1;
};

/// One TCP connection.
class Socket {
public:
    Socket() = default;
    explicit Socket(Descriptor descriptor) : descriptor_(std::move(descriptor)) {}

    [[nodiscard]] bool valid() const { return descriptor_.valid(); }
    [[nodiscard]] int fd() const { return descriptor_.get(); }

    /// What fits now; 0 bytes when nothing does.
    [[nodiscard]] Io<std::size_t> send_some(Bytes bytes) const;
    /// What is there now; 0 bytes when nothing is. The end of the stream is kClosed.
    [[nodiscard]] Io<std::size_t> receive_some(MutableBytes bytes) const;
    /// All of it, or an error; the deadline is a value of now().
    [[nodiscard]] Io<void> send_all(Bytes bytes, core::Seconds deadline) const;
    [[nodiscard]] Io<void> receive_all(MutableBytes bytes, core::Seconds deadline) const;

    /// Ends every operation on this connection, now and later, in all threads. The descriptor
    /// stays owned, so that another thread may call this at any time before the destructor.
    void shut_down() const noexcept;
    /// Closes it so that the other end sees a reset, not an orderly end.
    void reset_connection();

    [[nodiscard]] Address remote() const;
    [[nodiscard]] Address local() const;
    /// Name of the congestion control in use, such as "cubic".
    [[nodiscard]] std::string congestion_control() const;

private:
    Descriptor descriptor_;
};

/// How a connection is made.
struct ConnectOptions {
    std::string congestion_control;  ///< empty: what the system has as default
    core::Seconds give_up_unacknowledged{
        10};  ///< data without acknowledgement for that long breaks it
    /// Address to come from, port 0: where a host has several, others know it by one. Passed over
    /// when the machine does not have it (behind a NAT).
    std::optional<Address> source = std::nullopt;
};

/// Connects; TCP_NODELAY is set. `deadline` is a value of now().
[[nodiscard]] Io<Socket> connect_to(const Address& address,
                                    const ConnectOptions& options,
                                    core::Seconds deadline);

/// A socket that accepts connections on one address.
class Listener {
public:
    /// Port 0 takes a free one: see address().
    [[nodiscard]] static core::Result<Listener> open(const Address& address);

    [[nodiscard]] int fd() const { return descriptor_.get(); }
    [[nodiscard]] const Address& address() const { return address_; }
    /// A connection that waits, or an invalid socket when there is none.
    [[nodiscard]] Io<Socket> accept_one();

private:
    Descriptor descriptor_;
    Address address_;
};

/// A descriptor to wait for.
struct Watch {
    int fd = -1;
    bool read = true;
    bool write = false;
    bool ready = false;  ///< set by wait(): something can be done, or the connection has ended
};

/// Waits until one of them is ready, or that long.
void wait(std::vector<Watch>& watches, core::Seconds timeout);

/// Wakes a thread in wait(), from any thread.
class Waker {
public:
    Waker();
    [[nodiscard]] int fd() const { return descriptor_.get(); }
    void notify() const;
    void drain() const;

private:
    Descriptor descriptor_;
};

}  // namespace longhaul::transport
