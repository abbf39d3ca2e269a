#include "longhaul/runtime/requests.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace longhaul::runtime {
namespace {

constexpr double kNoMore = std::numeric_limits<double>::infinity();

/// Appends a block to ranges; blocks ascend.
void append(std::vector<BlockRange>& ranges, std::uint32_t block) {
    if (!ranges.empty() && ranges.back().first + ranges.back().count == block) {
        ++ranges.back().count;
    } else {
        ranges.push_back({block, 1});
    }
}

}  // namespace

Requests::Requests(std::vector<DueStream> streams, std::uint32_t blocks, Patience patience)
    : blocks_(blocks), patience_(patience) {
    for (DueStream& stream : streams) {
        states_.push_back({std::move(stream), 0, -1e300, {}});
    }
}

/// When the sender has room for an answer, from a time on.
double Requests::answers_from_ms(const DueStream& stream, double at_ms) {
    for (const Full& full : stream.full) {
        at_ms = full.from_ms <= at_ms && at_ms < full.to_ms ? full.to_ms : at_ms;
    }
    return at_ms;
}

/// What is asked for sooner only waits at the sender, and fits into one request later.
double Requests::asks_from_ms(const DueStream& stream, double due_ms) {
    return answers_from_ms(stream, due_ms + stream.there_ms) - stream.there_ms;
}

bool Requests::is_due(const State& state,
                      const Overdue& at,
                      double now_ms,
                      double progress_ms,
                      const Merger& merger) const {
    if (at.tries > 0) {
        return at.tries < patience_.tries && at.again_ms <= now_ms &&
               state.answered_ms + kQuietMs <= now_ms;
    }
    const double wait = merger.begun(at.block) ? patience_.partial_ms : patience_.nothing_ms;
    return patience_.tries > 0 && asks_from_ms(state.stream, now_ms) <= now_ms &&
           state.stream.first_ms + at.block * state.stream.block_ms + wait <= progress_ms;
}

/// When the answers to blocks that are asked for now should be here.
double Requests::answer_due_ms(const DueStream& stream,
                               double now_ms,
                               std::size_t asked,
                               int tries) const {
    double wait = patience_.answer_ms;
    for (int i = 1; i < tries; ++i) {
        wait *= 2;
    }
    return answers_from_ms(stream, now_ms + stream.there_ms) +
           static_cast<double>(asked) * stream.each_ms + stream.back_ms + wait;
}

std::vector<Request> Requests::due(double now_ms,
                                   double progress_ms,
                                   const Merger& merger,
                                   std::size_t most) {
    looked_ms_ = now_ms;
    std::vector<Request> requests;
    for (State& state : states_) {
        const DueStream& stream = state.stream;
        const double least = std::min(patience_.partial_ms, patience_.nothing_ms);
        while (state.next < blocks_ &&
               stream.first_ms + state.next * stream.block_ms + least <= progress_ms) {
            state.overdue.push_back({state.next++, 0, 0});
        }
        std::erase_if(state.overdue,
                      [&](const Overdue& at) { return merger.has(at.block, stream.island); });
        std::vector<Overdue*> asked;
        for (Overdue& at : state.overdue) {
            if (is_due(state, at, now_ms, progress_ms, merger)) {
                lacking_ += at.tries == 0 ? 1 : 0;
                ++at.tries;
                asked.push_back(&at);
            }
        }
        asked_ += asked.size();
        const std::size_t before = requests.size();
        for (Overdue* at : asked) {
            at->again_ms = at->tries < patience_.tries
                               ? answer_due_ms(stream, now_ms, asked.size(), at->tries)
                               : kNoMore;
            const bool full = requests.size() == before || requests.back().ranges.size() == most;
            if (full) {
                requests.push_back({stream.island, 1, {}});
            }
            append(requests.back().ranges, at->block);
            requests.back().attempt = std::max(requests.back().attempt, at->tries);
        }
    }
    return requests;
}

void Requests::answered(double now_ms, int island) {
    for (State& state : states_) {
        if (state.stream.island == island) {
            state.answered_ms = now_ms;
        }
    }
}

double Requests::planned_ms(std::uint32_t block) const {
    double planned = -1e300;
    for (const State& state : states_) {
        planned = std::max(planned, state.stream.first_ms + block * state.stream.block_ms);
    }
    return planned;
}

double Requests::next_ms() const {
    double next = kNoMore;
    if (patience_.tries == 0) {
        return next;
    }
    const double least = std::min(patience_.partial_ms, patience_.nothing_ms);
    for (const State& state : states_) {
        if (state.next < blocks_) {
            const double due = state.stream.first_ms + state.next * state.stream.block_ms + least;
            next = std::min(next, asks_from_ms(state.stream, due));
        }
        for (const Overdue& at : state.overdue) {
            next = std::min(
                next,
                at.tries == 0 ? asks_from_ms(state.stream, looked_ms_ + kTickMs) : at.again_ms);
        }
    }
    return std::max(next, looked_ms_ + kTickMs);  // infinite when there is nothing
}

}  // namespace longhaul::runtime
