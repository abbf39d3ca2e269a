// Windows of consecutive rounds: what the pair bound leaves out.
#include <algorithm>
#include <cmath>

#include "longhaul/core/grid.hpp"
#include "longhaul/schedule/detail/bounds.hpp"
#include "longhaul/schedule/detail/common.hpp"
#include "longhaul/schedule/detail/fast_mixing.hpp"

namespace longhaul::schedule::detail {

namespace {

/// Looks for a window whose value is below a target; gives up after so many nodes.
class WindowSearch {
public:
    WindowSearch(const std::vector<ListedRound>& rounds,
                 const SetErrors& errors,
                 int islands,
                 const MixingOptions& mixing,
                 int length)
        : rounds_(rounds),
          mixing_(islands, mixing),
          forgetting_(mixing.forgetting),
          length_(slot(length)),
          two_(rounds.size(), rounds.size()) {
        least_two_.assign(rounds.size(), static_cast<float>(kNever));
        for (std::size_t a = 0; a < rounds.size(); ++a) {
            least_one_ = std::min(least_one_, rounds[a].error);
            for (std::size_t b = a; b < rounds.size(); ++b) {
                const auto two = static_cast<float>(
                    std::max(0.0, errors.two(rounds[a].round, rounds[b].round) - 1e-6));
                two_(a, b) = two;
                two_(b, a) = two;
                least_two_[a] = std::min(least_two_[a], two);
                least_two_[b] = std::min(least_two_[b], two);
            }
        }
        for (const float two : least_two_) {
            least_pair_ = std::min(least_pair_, static_cast<double>(two));
        }
        for (std::size_t h = 1; h <= length_; ++h) {
            weight_.push_back(std::pow(forgetting_, static_cast<double>(h)) /
                              static_cast<double>(length_ - h + 1));
        }
        for (std::size_t filled = 0; filled <= length_; ++filled) {
            const auto singles = static_cast<double>(length_ - filled);
            // Pairs that hold no round known so far.
            const double pairs = std::max(0.0, singles - 1);
            rest_.push_back(weight_[0] * singles * least_one_ +
                            (length_ > 1 ? weight_[1] * pairs * least_pair_ : 0));
        }
    }

    /// Whether every window reaches the target; false also when the nodes are used up.
    bool all_reach(double target, std::uint64_t nodes) {
        target_ = target;
        nodes_ = nodes;
        window_.clear();
        return extend(0, 0);
    }

    [[nodiscard]] bool exhausted() const { return nodes_ == 0; }

private:
    bool extend(double sum, double time) {
        const std::size_t filled = window_.size();
        if (filled == length_) {
            return time * (1.5 + sum) >= target_;
        }
        for (std::size_t next = 0; next < rounds_.size(); ++next) {
            if (filled + 1 == length_ && next < window_.front()) {
                continue;  // the window read backwards has the same value
            }
            const ListedRound& round = rounds_[next];
            const double longest = std::max(time, round.time_ms);
            double known = sum + weight_[0] * round.error;
            if (filled > 0) {
                known += weight_[1] * static_cast<double>(two_(window_.back(), next));
            }
            double to_come = rest_[filled + 1];
            if (filled + 1 < length_) {
                to_come += weight_[1] * static_cast<double>(least_two_[next]);
            }
            if (longest * (1.5 + known + to_come) >= target_) {
                continue;
            }
            if (nodes_ == 0) {
                return false;
            }
            --nodes_;
            // Products of three and more rounds that end here.
            window_.push_back(next);
            for (std::size_t h = 3; h <= filled + 1; ++h) {
                mixing_.start();
                for (std::size_t i = filled + 1 - h; i <= filled; ++i) {
                    mixing_.apply(rounds_[window_[i]].round);
                }
                known += weight_[h - 1] * std::max(0.0, mixing_.error() - 1e-12);
            }
            const bool reached =
                longest * (1.5 + known + to_come) >= target_ || extend(known, longest);
            window_.pop_back();
            if (!reached) {
                return false;
            }
        }
        return true;
    }

    const std::vector<ListedRound>& rounds_;
    FastMixing mixing_;
    double forgetting_;
    std::size_t length_;
    core::Grid<float> two_;
    std::vector<float> least_two_;
    double least_one_ = kNever;
    double least_pair_ = kNever;
    std::vector<double> weight_;  ///< of one product of h + 1 rounds
    std::vector<double> rest_;    ///< least that rounds not yet chosen add
    std::vector<std::size_t> window_;
    double target_ = 0;
    std::uint64_t nodes_ = 0;
};

}  // namespace

double window_bound(const std::vector<ListedRound>& rounds,
                    const SetErrors& errors,
                    int islands,
                    const MixingOptions& mixing,
                    int length,
                    double below,
                    double above,
                    std::uint64_t nodes) {
    WindowSearch search(rounds, errors, islands, mixing, length);
    if (search.all_reach(above, nodes)) {
        return above;
    }
    double low = below;
    double high = above;
    for (int step = 0; step < 12 && high - low > 1e-4 * high; ++step) {
        const double middle = low + (high - low) / 2;
        (search.all_reach(middle, nodes) ? low : high) = middle;
    }
    return low;
}

}  // namespace longhaul::schedule::detail
