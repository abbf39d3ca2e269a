// What kept a connection from being faster, from what the kernel and the hosts say.
#pragma once

#include <optional>
#include <span>

#include "longhaul/measure/link_fit.hpp"

namespace longhaul::measure {

/// Buffers at both ends, bytes, where known.
struct Buffers {
    std::optional<double> send;     ///< most that the sender's kernel grows a send buffer to
    std::optional<double> receive;  ///< the same of the receiver
};

/// Buffers of a pair from the facts of its hosts: "tcp_wmem_max" of the sender, "tcp_rmem_max" of
/// the receiver; else the last number of "tcp_wmem" and "tcp_rmem". Null hosts are unknown.
[[nodiscard]] Buffers buffers_of(const HostRecord* sender, const HostRecord* receiver);

/// Decided by the large messages (a quarter of the largest size or more). In this order: a share of
/// 10 % or more of the time with a full send buffer, or with a full window of the receiver (the
/// larger share wins), unless rate x round trip is less than 0.6 of the least window that Linux has
/// (64 KiB: then a full window stands in the queue of the link); nine tenths of a core; rate x
/// round trip of 0.6 buffers or more (with shares that do not contradict it: 2 % or more); with
/// kernel facts the link; else unknown.
[[nodiscard]] Limiter limiter_of(std::span<const Sample* const> samples,
                                 double beta_gbps,
                                 double rtt_s,
                                 const Buffers& buffers);

/// Retransmitted over payload bytes; absent when no sample has kernel facts.
[[nodiscard]] std::optional<double> retransmit_share(std::span<const Sample* const> samples);

}  // namespace longhaul::measure
