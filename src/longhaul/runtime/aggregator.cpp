#include "longhaul/runtime/aggregator.hpp"

#include <algorithm>

#include "longhaul/core/assert.hpp"

namespace longhaul::runtime {
namespace {

constexpr std::size_t kRoundsKept = 4;  // what comes later than that is a stranger

}  // namespace

Aggregator::Aggregator(Setup setup, Sink sink)
    : setup_(std::move(setup)), sink_(std::move(sink)), slots_(setup_.slots) {
    LONGHAUL_ASSERT(setup_.slots >= 1 && setup_.blocks >= 1);
}

void Aggregator::widen(std::size_t slots) {
    if (rounds_.empty() && slots > slots_.size()) {
        slots_.resize(slots);
    }
}

/// What is known of a round; nullptr when it is none, or too old.
Aggregator::RoundState* Aggregator::round_state(std::uint32_t round) {
    const auto known = rounds_.find(round);
    if (known != rounds_.end()) {
        return &known->second;
    }
    const schedule::Clique expected = setup_.expected(round);
    const bool old = rounds_.size() == kRoundsKept && round < rounds_.begin()->first;
    if (expected == 0 || old) {
        return nullptr;
    }
    if (rounds_.size() == kRoundsKept) {
        rounds_.erase(rounds_.begin());
    }
    RoundState& state = rounds_[round];
    state = {expected, std::vector<schedule::Clique>(setup_.blocks, 0)};
    return &state;
}

void Aggregator::open(std::size_t at, double now_ms, PartialSum sum) {
    Slot& slot = slots_[at];
    slot.used = true;
    slot.sum = std::move(sum);
    slot.waiting = waiting_.emplace(now_ms, at);
    counts_.peak_slots = std::max<std::uint64_t>(counts_.peak_slots, waiting_.size());
}

void Aggregator::send_on(std::size_t at) {
    Slot& slot = slots_[at];
    sink_(slot.sum);
    waiting_.erase(slot.waiting);
    slot.used = false;
}

void Aggregator::take(double now_ms,
                      std::uint32_t round,
                      std::uint32_t block,
                      int source,
                      std::span<const std::int32_t> elements) {
    expire(now_ms);
    RoundState* const state = block < setup_.blocks ? round_state(round) : nullptr;
    const schedule::Clique bit = schedule::Clique{1} << static_cast<unsigned>(source);
    if (state == nullptr || (state->expected & bit) == 0) {
        ++counts_.strangers;
        return;
    }
    if ((state->seen[block] & bit) != 0) {
        ++counts_.duplicates;
        return;
    }
    state->seen[block] |= bit;
    ++counts_.contributions;
    PartialSum alone{round, block, bit, {elements.begin(), elements.end()}};
    const std::int32_t weight = setup_.weight ? setup_.weight(round, source) : 1;
    for (std::int32_t& element : alone.sums) {
        element *= weight;
    }
    if (state->expected == bit) {
        ++counts_.completed;
        sink_(alone);
        return;
    }
    const std::size_t at = number(round, block) % slots_.size();
    Slot& slot = slots_[at];
    const bool same = slot.used && slot.sum.round == round && slot.sum.block == block;
    if (slot.used && !same) {
        if (number(slot.sum.round, slot.sum.block) > number(round, block)) {
            ++counts_.late;
            sink_(alone);
            return;
        }
        ++counts_.conflicts;
        send_on(at);
    }
    if (!same) {
        open(at, now_ms, std::move(alone));
        return;
    }
    for (std::size_t i = 0; i < std::min(alone.sums.size(), slot.sum.sums.size()); ++i) {
        slot.sum.sums[i] += alone.sums[i];
    }
    slot.sum.mask |= bit;
    if (state->seen[block] == state->expected) {
        ++counts_.completed;
        send_on(at);
    }
}

void Aggregator::expire(double now_ms) {
    while (!waiting_.empty() && waiting_.begin()->first + setup_.timeout_ms <= now_ms) {
        ++counts_.timeouts;
        send_on(waiting_.begin()->second);
    }
}

}  // namespace longhaul::runtime
