// When an island sends blocks again that others lack. Pure: the caller says what time it is.
//
// A resend takes room on the access link that the island's own stream needs. So blocks wait until
// that stream is out, and then leave at the rate of the link. Only what was asked for a second time
// may go in between, a few blocks a stream: aggregators have slots for streams that are late by so
// much. A stream that is slower than the link leaves the rest of it to resends.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

namespace longhaul::runtime {

/// A block that another island lacks.
struct Owed {
    std::uint32_t round = 0;
    std::uint32_t block = 0;
    int to = 0;
    int attempt = 1;  ///< how often it was asked for

    friend bool operator==(const Owed&, const Owed&) = default;
};

/// From `begin_ms` to `end_ms` an own stream takes `share` of the access link, at most 1.
struct Busy {
    double begin_ms = 0;
    double end_ms = 0;
    double share = 1;
};

class Resends {
public:
    /// `busy`: own streams, in any order; those that overlap add up. `block_ms`: what a block takes
    /// on the access link. `burst`: blocks that may go beside a stream that fills the link.
    Resends(std::vector<Busy> busy, double block_ms, int burst);

    /// A request: `number` counts those of an island. False, and nothing done, when that request
    /// was here before.
    bool heard(int from, std::uint32_t number);
    /// Puts a block into the queue; false when it waits there already.
    bool owe(const Owed& owed);
    /// What may be sent now; nothing when nothing may. O(log).
    [[nodiscard]] std::optional<Owed> take(double now_ms);
    /// When take() may have something; infinity when nothing waits.
    [[nodiscard]] double next_ms(double now_ms) const;
    [[nodiscard]] std::size_t waiting() const { return queued_.size(); }

private:
    using Key = std::tuple<int, std::uint32_t, std::uint32_t>;
    struct Span {
        double begin_ms = 0;
        double end_ms = 0;
        double share = 0;
        double spent = 0;  ///< blocks sent again beside the stream
    };

    [[nodiscard]] std::size_t span_at(double now_ms) const;
    [[nodiscard]] bool inside(std::size_t span, double now_ms) const;
    /// Blocks that may have gone beside the stream of a span by now: with or without the burst.
    [[nodiscard]] double earned(const Span& span, double now_ms) const;
    Owed pop(std::deque<Owed>& queue, double now_ms);

    std::vector<Span> spans_;  ///< ascending, apart
    double block_ms_;
    double burst_;
    double free_ms_ = -1e300;  ///< when the next block may leave
    std::deque<Owed> first_;   ///< asked for once
    std::deque<Owed> again_;   ///< more often
    std::set<Key> queued_;
    std::map<int, std::uint32_t> heard_;  ///< number of the last request of an island
};

}  // namespace longhaul::runtime
