// Which blocks an island asks for again, and when: the schedule says when each must have come.
// Pure.
//
// A block is asked for once, in time for the sender to have room for it, and again only when the
// answer is overdue: the request takes its way, the sender answers when its own stream leaves it
// the room, and the answer takes its way. Each time that wait doubles, and after a few tries nobody
// asks any more: what is asked for is bounded by what was lost, whatever the network does.
#pragma once

#include <cstdint>
#include <vector>

#include "longhaul/runtime/merger.hpp"

namespace longhaul::runtime {

/// A stretch of time.
struct Full {
    double from_ms = 0;
    double to_ms = 0;
};

/// The blocks of one sender; all ms, on one clock.
struct DueStream {
    int island = 0;
    double first_ms = 0;  ///< block b must have come, if nothing is lost, at `first_ms`
    double block_ms = 0;  ///< + b x `block_ms`
    double there_ms = 0;  ///< way of a request
    double back_ms = 0;   ///< way of an answer
    double each_ms = 0;   ///< that an answer takes at the sender, with those for others
    /// When own streams leave the sender no room for answers; ascending.
    std::vector<Full> full;
};

/// How long what may still come is waited for.
struct Patience {
    double partial_ms = 0;  ///< after a block was due, of which a part has come
    double nothing_ms = 0;  ///< of which nothing has: its sum may wait in a slot
    double answer_ms = 0;   ///< after an answer was due; doubles with every try
    int tries = 1;          ///< most requests for the same block of the same island
};

/// Blocks first .. first + count - 1.
struct BlockRange {
    std::uint32_t first = 0;
    std::uint32_t count = 0;

    friend bool operator==(const BlockRange&, const BlockRange&) = default;
};

struct Request {
    int island = 0;
    int attempt = 1;  ///< the largest of its blocks
    std::vector<BlockRange> ranges;

    friend bool operator==(const Request&, const Request&) = default;
};

class Requests {
public:
    Requests(std::vector<DueStream> streams, std::uint32_t blocks, Patience patience);

    /// What is overdue and not there, one or more requests an island of at most `most` ranges.
    /// `progress_ms`: up to when what was due has passed the access link; behind `now_ms` while
    /// blocks queue in front of it. O(blocks that are overdue).
    [[nodiscard]] std::vector<Request> due(double now_ms,
                                           double progress_ms,
                                           const Merger& merger,
                                           std::size_t most);
    /// An answer of an island came: those behind it are on their way.
    void answered(double now_ms, int island);
    /// When due() may have something, no sooner than kTick after it was asked last; infinity when
    /// nothing more will be asked for.
    [[nodiscard]] double next_ms() const;

    /// When the last copy of a block was due; blocks ascend in time.
    [[nodiscard]] double planned_ms(std::uint32_t block) const;

    /// Blocks, one a sender, that were asked for at least once.
    [[nodiscard]] std::uint64_t lacking() const { return lacking_; }
    /// Blocks asked for, each time.
    [[nodiscard]] std::uint64_t asked() const { return asked_; }

    static constexpr double kTickMs = 25;   ///< between requests
    static constexpr double kQuietMs = 20;  ///< without an answer, until the next is not awaited

private:
    struct Overdue {
        std::uint32_t block = 0;
        int tries = 0;
        double again_ms = 0;  ///< after the first try
    };
    struct State {
        DueStream stream;
        std::uint32_t next = 0;
        double answered_ms = -1e300;
        std::vector<Overdue> overdue;  ///< ascending
    };

    [[nodiscard]] static double answers_from_ms(const DueStream& stream, double at_ms);
    [[nodiscard]] static double asks_from_ms(const DueStream& stream, double due_ms);
    [[nodiscard]] bool is_due(const State& state,
                              const Overdue& at,
                              double now_ms,
                              double progress_ms,
                              const Merger& merger) const;
    [[nodiscard]] double answer_due_ms(const DueStream& stream,
                                       double now_ms,
                                       std::size_t asked,
                                       int tries) const;

    std::vector<State> states_;
    std::uint32_t blocks_;
    Patience patience_;
    double looked_ms_ = -1e300;
    std::uint64_t lacking_ = 0;
    std::uint64_t asked_ = 0;
};

}  // namespace longhaul::runtime
