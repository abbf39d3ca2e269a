// Stages by kinds of devices, listed and counted by the checker of certificates.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "longhaul/placement/costs.hpp"

namespace longhaul::placement {

/// Devices of each kind.
using KindCounts = std::vector<int>;

/// Placements that the checker tries, at most.
inline constexpr std::uint64_t kMostReplayPlacements = 2'000'000;
inline constexpr int kMostStagesOfReplay = 16;  ///< every order of a set is looked at
inline constexpr std::size_t kMostReplayKinds = 64;

/// What tells placements of a problem apart: sets of stages; sequences of them where compute
/// depends on their order; rank maps with shared capacity, the first stage in the order of kinds.
enum class Apart { kSets, kSequences, kMaps };
[[nodiscard]] Apart apart_of(const Problem& problem);

/// How many placements there are, at most kMostReplayPlacements + 1; that also beyond the other two
/// limits. Devices of one kind stand for each other. `kinds`: of each device.
[[nodiscard]] std::uint64_t replay_placements(const Problem& problem, std::span<const int> kinds);

/// f(row) for every stage of `size` that can be made of what is left, most devices of the first
/// kinds first, while it answers true. With `highest`, only rows up to that one; what kinds before
/// the first of a row have left is then out for good, and may be no more than `spare`.
template <class F>
class Rows {
public:
    Rows(const KindCounts& left, int size, const KindCounts* highest, int spare, F f)
        : left_(left), highest_(highest), spare_(spare), f_(f), row_(left.size(), 0) {
        (void)fill(0, size, highest != nullptr, false, 0);
    }

private:
    bool fill(std::size_t kind, int missing, bool tight, bool begun, int out) {
        if (missing == 0) {
            return f_(row_);
        }
        if (kind == left_.size()) {
            return true;
        }
        const int most = tight ? std::min(missing, (*highest_)[kind]) : missing;
        bool more = true;
        for (int count = std::min(left_[kind], most); more && count >= 0; --count) {
            const bool in = begun || count > 0;
            const int left_out = in ? out : out + left_[kind];
            if (highest_ != nullptr && left_out > spare_) {
                break;
            }
            row_[kind] = count;
            more =
                fill(kind + 1, missing - count, tight && count == (*highest_)[kind], in, left_out);
        }
        row_[kind] = 0;
        return more;
    }

    const KindCounts& left_;
    const KindCounts* highest_;
    int spare_;
    F f_;
    KindCounts row_;
};

/// What is left without a stage.
inline KindCounts without(const KindCounts& left, const KindCounts& row) {
    KindCounts rest = left;
    for (std::size_t kind = 0; kind < row.size(); ++kind) {
        rest[kind] -= row[kind];
    }
    return rest;
}

}  // namespace longhaul::placement
