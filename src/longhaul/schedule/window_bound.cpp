// Windows of consecutive rounds: what the pair bound leaves out.
#include <algorithm>
#include <cmath>
#include <map>

#include "longhaul/schedule/detail/bounds.hpp"
#include "longhaul/schedule/detail/common.hpp"
#include "longhaul/schedule/detail/fast_mixing.hpp"

namespace longhaul::schedule::detail {

namespace {

constexpr std::uint64_t kLooksBetweenStops = 1 << 16;

/// Rounds of one error and width, by time.
struct Group {
    double error = 0;
    int widest = 1;
    std::vector<std::size_t> rounds;
};

/// Looks for a window whose value is below a target; gives up after so many looks at a round.
class WindowSearch {
public:
    WindowSearch(const std::vector<ListedRound>& rounds,
                 const SetErrors& errors,
                 int islands,
                 const MixingOptions& mixing,
                 int length,
                 const std::function<bool()>& stop)
        : rounds_(rounds),
          errors_(errors),
          mixing_(islands, mixing),
          length_(slot(length)),
          least_two_(rounds.size(), kNever),
          stop_(stop) {
        std::map<std::pair<double, int>, std::vector<std::size_t>> groups;
        for (std::size_t r = 0; r < rounds.size(); ++r) {
            groups[{rounds[r].error, rounds[r].widest}].push_back(r);
            widest_ = std::max(widest_, rounds[r].widest);
        }
        for (auto& [key, members] : groups) {
            groups_.push_back({key.first, key.second, std::move(members)});
        }
        find_least_pairs();
        for (std::size_t h = 1; h <= length_; ++h) {
            weight_.push_back(std::pow(mixing.forgetting, static_cast<double>(h)) /
                              static_cast<double>(length_ - h + 1));
        }
        const double least_pair = *std::ranges::min_element(least_two_);
        for (std::size_t filled = 0; filled <= length_; ++filled) {
            const auto singles = static_cast<double>(length_ - filled);
            const double pairs = std::max(0.0, singles - 1);
            rest_.push_back(weight_[0] * singles * groups_.front().error +
                            weight_[1] * pairs * least_pair);
        }
    }

    /// Whether every window reaches the target; false also when the looks are used up.
    bool all_reach(double target, std::uint64_t looks) {
        target_ = target;
        looks_ = looks;
        window_.clear();
        return extend(0, 0);
    }

private:
    /// The least e(2) of every round with any other, rounded down a little.
    void find_least_pairs() {
        for (std::size_t a = 0; a < rounds_.size(); ++a) {
            const ListedRound& round = rounds_[a];
            const double floor = errors_.at_least(static_cast<double>(round.widest) * widest_);
            for (const Group& group : groups_) {
                if (least_two_[a] <= floor || errors_.at_least(static_cast<double>(round.widest) *
                                                               group.widest) >= least_two_[a]) {
                    continue;
                }
                for (const std::size_t b : group.rounds) {
                    least_two_[a] =
                        std::min(least_two_[a], errors_.two(round.round, rounds_[b].round));
                }
            }
            least_two_[a] = std::max(0.0, least_two_[a] - 1e-12);
        }
    }

    bool extend(double sum, double time) {
        const std::size_t filled = window_.size();
        if (filled == length_) {
            return time * (1.5 + sum) >= target_;
        }
        const bool last = filled + 1 == length_;
        for (const Group& group : groups_) {
            double known = sum + weight_[0] * group.error;
            double pair = 0;
            if (filled > 0) {
                const std::size_t before = window_.back();
                pair = weight_[1] * std::max(least_two_[before],
                                             errors_.at_least(static_cast<double>(group.widest) *
                                                              rounds_[before].widest));
            }
            for (const std::size_t next : group.rounds) {
                const ListedRound& round = rounds_[next];
                const double longest = std::max(time, round.time_ms);
                if (longest * (1.5 + known + pair + rest_[filled + 1]) >= target_) {
                    break;  // the others of the group take longer
                }
                if (last && next < window_.front()) {
                    continue;  // the window read backwards has the same value
                }
                if (looks_ == 0 || (looks_ % kLooksBetweenStops == 0 && stop_ && stop_())) {
                    looks_ = 0;
                    return false;
                }
                --looks_;
                double with = known + (last ? 0 : weight_[1] * least_two_[next]);
                if (filled > 0) {
                    with +=
                        weight_[1] *
                        std::max(0.0,
                                 errors_.two(rounds_[window_.back()].round, round.round) - 1e-12);
                }
                if (longest * (1.5 + with + rest_[filled + 1]) >= target_) {
                    continue;
                }
                if (!reaches(next, with, longest)) {
                    return false;
                }
            }
        }
        return true;
    }

    /// Adds a round with its products of three and more, and goes on.
    bool reaches(std::size_t next, double with, double longest) {
        const std::size_t filled = window_.size();
        const bool last = filled + 1 == length_;
        window_.push_back(next);
        for (std::size_t h = 3; h <= filled + 1; ++h) {
            mixing_.start();
            for (std::size_t i = filled + 1 - h; i <= filled; ++i) {
                mixing_.apply(rounds_[window_[i]].round);
            }
            with += weight_[h - 1] * std::max(0.0, mixing_.error() - 1e-12);
        }
        bool reached = longest * (1.5 + with + rest_[filled + 1]) >= target_;
        if (!reached) {
            // What the next pair adds at least was a forecast; it is known there.
            reached = extend(with - (last ? 0 : weight_[1] * least_two_[next]), longest);
        }
        window_.pop_back();
        return reached;
    }

    const std::vector<ListedRound>& rounds_;
    const SetErrors& errors_;
    FastMixing mixing_;
    std::size_t length_;
    std::vector<Group> groups_;  ///< by error
    int widest_ = 1;
    std::vector<double> least_two_;
    std::vector<double> weight_;  ///< of one product of h + 1 rounds
    std::vector<double> rest_;    ///< least that rounds not yet chosen add, but for the next pair
    std::vector<std::size_t> window_;
    double target_ = 0;
    std::uint64_t looks_ = 0;
    const std::function<bool()>& stop_;
};

}  // namespace

double window_bound(const std::vector<ListedRound>& rounds,
                    const SetErrors& errors,
                    int islands,
                    const MixingOptions& mixing,
                    int length,
                    double below,
                    double above,
                    std::uint64_t looks,
                    const std::function<bool()>& stop) {
    WindowSearch search(rounds, errors, islands, mixing, length, stop);
    if (search.all_reach(above, looks)) {
        return above;
    }
    double low = below;
    double high = above;
    for (int step = 0; step < 12 && !(stop && stop()) && high - low > 1e-4 * high; ++step) {
        const double middle = low + (high - low) / 2;
        (search.all_reach(middle, looks) ? low : high) = middle;
    }
    return low;
}

}  // namespace longhaul::schedule::detail
