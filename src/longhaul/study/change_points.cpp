#include "longhaul/study/change_points.hpp"

#include <cmath>
#include <utility>

#include "longhaul/core/assert.hpp"

namespace longhaul::study {
namespace {

struct Seen {
    double at = 0;
    int answer = 0;
};

/// The first change after `left`, whose answer differs from that of `right`: its two sides.
std::pair<Seen, Seen> first_change(const std::function<int(double)>& answer,
                                   Seen left,
                                   Seen right,
                                   double relative) {
    while (right.at > left.at * (1 + relative)) {
        const double middle = std::sqrt(left.at) * std::sqrt(right.at);
        if (!(middle > left.at && middle < right.at)) {
            break;
        }
        const Seen seen{middle, answer(middle)};
        (seen.answer == left.answer ? left : right) = seen;
    }
    return {left, right};
}

}  // namespace

std::vector<ChangePoint> change_points(const std::function<int(double)>& answer,
                                       const ChangeOptions& options) {
    LONGHAUL_ASSERT(options.low > 0 && options.high > options.low && options.points >= 2);
    std::vector<ChangePoint> changes;
    const double low = std::log(options.low);
    const double high = std::log(options.high);
    Seen left{options.low, answer(options.low)};
    for (int i = 1; i < options.points; ++i) {
        const double at = i + 1 == options.points
                              ? options.high
                              : std::exp(low + (high - low) * i / (options.points - 1));
        const Seen right{at, answer(at)};
        while (left.answer != right.answer) {
            const auto [before, after] = first_change(answer, left, right, options.relative);
            changes.push_back({after.at, before.answer, after.answer});
            left = after;
        }
        left = right;
    }
    return changes;
}

}  // namespace longhaul::study
