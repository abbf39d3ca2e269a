// Asks another clock a few times, a little apart, and waits for the answers. Pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "longhaul/runtime/clock.hpp"

namespace longhaul::runtime {

class ClockProbing {
public:
    /// What the ways there and back take at least, ms.
    ClockProbing(double there_ms, double back_ms) : there_ms_(there_ms), back_ms_(back_ms) {}

    void begin(double now_ms) {
        begun_ = now_ms;
        asked_.clear();
        probes_.clear();
        next_ = 0;
    }

    /// The number of a probe to send now, nothing when none is due.
    [[nodiscard]] std::optional<std::uint32_t> ask(double now_ms) {
        if (!begun_ || next_ == kProbes || now_ms < *begun_ + kPauseMs * next_) {
            return std::nullopt;
        }
        asked_[next_] = now_ms;
        return next_++;
    }

    /// An answer came; all times on the clocks that Probe names.
    void answer(std::uint32_t number, double heard, double answered, double received) {
        const auto asked = asked_.find(number);
        if (begun_ && asked != asked_.end()) {
            probes_.push_back({asked->second, heard, answered, received});
            asked_.erase(asked);
        }
    }

    /// The difference, once: when all have answered, or some and no more can be expected. Asks anew
    /// when nobody has.
    [[nodiscard]] std::optional<ClockDifference> result(double now_ms) {
        if (!begun_ || next_ < kProbes || (!asked_.empty() && now_ms < end_ms())) {
            return std::nullopt;
        }
        if (probes_.empty()) {
            begin(now_ms);
            return std::nullopt;
        }
        begun_.reset();
        return clock_difference(probes_, there_ms_, back_ms_);
    }

    /// When there is something to do.
    [[nodiscard]] double next_ms() const {
        return !begun_           ? std::numeric_limits<double>::infinity()
               : next_ < kProbes ? *begun_ + kPauseMs * next_
                                 : end_ms();
    }

    static constexpr std::uint32_t kProbes = 16;
    static constexpr double kPauseMs = 11;  ///< apart, so that one hiccup does not hit them all

private:
    [[nodiscard]] double end_ms() const {
        return *begun_ + kPauseMs * kProbes + 2 * (there_ms_ + back_ms_) + kGraceMs;
    }
    static constexpr double kGraceMs = 50;

    double there_ms_;
    double back_ms_;
    std::optional<double> begun_;
    std::uint32_t next_ = 0;
    std::map<std::uint32_t, double> asked_;
    std::vector<Probe> probes_;
};

}  // namespace longhaul::runtime
