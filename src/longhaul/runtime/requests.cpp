#include "longhaul/runtime/requests.hpp"

#include <algorithm>
#include <limits>

namespace longhaul::runtime {

Requests::Requests(std::vector<DueStream> streams, std::uint32_t blocks) : blocks_(blocks) {
    for (const DueStream& stream : streams) {
        states_.push_back({stream, 0, {}});
    }
}

std::vector<Request> Requests::due(double now_ms, const Merger& merger, std::size_t most) {
    looked_ms_ = now_ms;
    std::vector<Request> requests;
    for (State& state : states_) {
        const DueStream& stream = state.stream;
        while (state.next < blocks_ && stream.first_ms + state.next * stream.block_ms <= now_ms) {
            state.again.push_back({now_ms, state.next++, stream.again_ms});
        }
        std::erase_if(state.again,
                      [&](const Again& at) { return merger.has(at.block, stream.island); });
        std::vector<std::uint32_t> lacking;
        for (Again& at : state.again) {
            if (at.ms <= now_ms) {
                lacking.push_back(at.block);
                at.ms = now_ms + at.wait_ms;
                at.wait_ms *= 2;
            }
        }
        for (std::size_t at = 0; at < lacking.size(); at += most) {
            const std::size_t end = std::min(lacking.size(), at + most);
            requests.push_back({stream.island,
                                {lacking.begin() + static_cast<std::ptrdiff_t>(at),
                                 lacking.begin() + static_cast<std::ptrdiff_t>(end)}});
        }
    }
    return requests;
}

double Requests::next_ms() const {
    double next = std::numeric_limits<double>::infinity();
    for (const State& state : states_) {
        if (state.next < blocks_) {
            next = std::min(next, state.stream.first_ms + state.next * state.stream.block_ms);
        }
        for (const Again& at : state.again) {
            next = std::min(next, at.ms);
        }
    }
    return std::max(next, looked_ms_ + kTickMs);  // infinite when there is nothing
}

}  // namespace longhaul::runtime
