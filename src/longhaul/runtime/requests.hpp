// Which blocks an island asks for again, and when: the schedule says when each must have come.
// Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "longhaul/runtime/merger.hpp"

namespace longhaul::runtime {

/// When the blocks of one sender are due: block b at `first_ms` + b x `block_ms`.
struct DueStream {
    int island = 0;
    double first_ms = 0;
    double block_ms = 0;
    double again_ms = 0;  ///< after asking, before asking once more; doubles each time
};

struct Request {
    int island = 0;
    std::vector<std::uint32_t> blocks;

    friend bool operator==(const Request&, const Request&) = default;
};

class Requests {
public:
    Requests(std::vector<DueStream> streams, std::uint32_t blocks);

    /// What is overdue and not there, one or more requests an island of at most `most` blocks.
    /// O(blocks that fell due).
    [[nodiscard]] std::vector<Request> due(double now_ms, const Merger& merger, std::size_t most);
    /// When due() may have something, no sooner than kTick after it was asked last; infinity when
    /// all has been looked at.
    [[nodiscard]] double next_ms() const;

    static constexpr double kTickMs = 10;

private:
    struct Again {
        double ms = 0;
        std::uint32_t block = 0;
        double wait_ms = 0;  ///< after the next request
    };
    struct State {
        DueStream stream;
        std::uint32_t next = 0;
        std::vector<Again> again;
    };
    std::vector<State> states_;
    std::uint32_t blocks_;
    double looked_ms_ = -1e300;
};

}  // namespace longhaul::runtime
