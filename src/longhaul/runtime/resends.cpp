#include "longhaul/runtime/resends.hpp"

#include <algorithm>
#include <limits>

#include "longhaul/core/assert.hpp"

namespace longhaul::runtime {
namespace {

constexpr double kWhole = 1e-9;  // rounding of a count of blocks

}  // namespace

Resends::Resends(std::vector<Busy> busy, double block_ms, int burst)
    : block_ms_(block_ms), burst_(burst) {
    LONGHAUL_ASSERT(block_ms > 0);
    std::ranges::sort(busy, {}, &Busy::begin_ms);
    for (const Busy& each : busy) {
        if (!spans_.empty() && each.begin_ms < spans_.back().end_ms) {
            // As if both took their shares all the time: no more is given away than there is.
            spans_.back().end_ms = std::max(spans_.back().end_ms, each.end_ms);
            spans_.back().share = std::min(1.0, spans_.back().share + each.share);
        } else {
            spans_.push_back({each.begin_ms, each.end_ms, each.share, 0});
        }
    }
}

bool Resends::heard(int from, std::uint32_t number) {
    const auto [known, fresh] = heard_.try_emplace(from, number);
    if (!fresh && number <= known->second) {
        return false;
    }
    known->second = number;
    return true;
}

bool Resends::owe(const Owed& owed) {
    if (!queued_.insert({owed.to, owed.round, owed.block}).second) {
        return false;
    }
    (owed.attempt > 1 ? again_ : first_).push_back(owed);
    return true;
}

/// The first span that has not ended.
std::size_t Resends::span_at(double now_ms) const {
    const auto at = std::ranges::upper_bound(spans_, now_ms, {}, &Span::end_ms);
    return static_cast<std::size_t>(at - spans_.begin());
}

/// Whether a block that leaves now would meet the stream of a span.
bool Resends::inside(std::size_t span, double now_ms) const {
    return span < spans_.size() && spans_[span].begin_ms - block_ms_ < now_ms;
}

double Resends::earned(const Span& span, double now_ms) const {
    return std::max(0.0, now_ms - span.begin_ms) * (1 - span.share) / block_ms_ - span.spent;
}

Owed Resends::pop(std::deque<Owed>& queue, double now_ms) {
    const Owed owed = queue.front();
    queue.pop_front();
    queued_.erase({owed.to, owed.round, owed.block});
    free_ms_ = std::max(free_ms_, now_ms) + block_ms_;
    return owed;
}

std::optional<Owed> Resends::take(double now_ms) {
    if (queued_.empty() || free_ms_ > now_ms) {
        return std::nullopt;
    }
    std::deque<Owed>& next = again_.empty() ? first_ : again_;
    const std::size_t at = span_at(now_ms);
    if (inside(at, now_ms)) {
        Span& span = spans_[at];
        const double burst = again_.empty() ? 0 : burst_;
        if (earned(span, now_ms) + burst < 1 - kWhole) {
            return std::nullopt;
        }
        span.spent += 1;
    }
    return pop(next, now_ms);
}

double Resends::next_ms(double now_ms) const {
    if (queued_.empty()) {
        return std::numeric_limits<double>::infinity();
    }
    const double at_ms = std::max(now_ms, free_ms_);
    const std::size_t at = span_at(at_ms);
    if (!inside(at, at_ms)) {
        return at_ms;
    }
    const Span& span = spans_[at];
    const double lacking = 1 - (again_.empty() ? 0 : burst_) - earned(span, at_ms);
    if (lacking <= kWhole) {
        return at_ms;
    }
    const double free_share = 1 - span.share;
    const double earned_ms =
        free_share > 0 ? at_ms + lacking * block_ms_ / free_share : span.end_ms;
    return std::min(earned_ms, span.end_ms);
}

}  // namespace longhaul::runtime
