#include "longhaul/placement/anneal_counts.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace longhaul::placement {
namespace {

/// A sequence of count rows with everything that its score is made of.
struct State {
    Counts counts;
    std::vector<std::uint64_t> keys;
    std::vector<double> exchange;
    std::vector<double> edges;  // edges[s] joins rows s and s + 1
    double total = 0;
};

class CountAnnealer {
public:
    CountAnnealer(CountModel& model, const Counts& start, core::Random random)
        : model_(model), random_(random), p_(start.rows()) {
        now_.counts = start;
        now_.keys.resize(p_);
        now_.exchange.resize(p_);
        now_.edges.resize(p_ - 1);
        touched_.assign(p_, 1);
        rescore(now_, std::numeric_limits<double>::infinity());
    }

    AnnealedCounts run(const AnnealOptions& options) {
        State best = now_;
        const double first = now_.total;
        std::uint64_t done = 0;
        for (; done < options.evaluations; ++done) {
            if (done % options.stop_interval == 0 && options.stop && options.stop()) {
                break;
            }
            step(acceptance_limit(options, first, now_.total, done, random_));
            if (now_.total < best.total) {
                best = now_;
            }
        }
        const Solved solved = score_best_order(model_, best.counts);
        return {reordered(best.counts, solved.order), solved.score.total(), done};
    }

private:
    /// Proposes one move and takes it when its score stays within the limit.
    void step(double limit) {
        next_ = now_;
        std::ranges::fill(touched_, 0);
        const std::uint32_t kind = random_.below(8);
        const bool moved = kind < 4   ? move_bundle()
                           : kind < 6 ? move_blocks()
                           : kind < 7 ? reverse()
                                      : relocate();
        if (moved && rescore(next_, limit)) {
            std::swap(now_, next_);
        }
    }

    void shift(std::size_t stage, std::size_t from, std::size_t to, int units) {
        next_.counts(stage, from) -= units;
        next_.counts(stage, to) += units;
        touched_[stage] = 1;
    }

    /// A class that the row holds, drawn by device; `none` when all are of class `other`.
    std::size_t class_in(std::size_t stage, std::size_t other) {
        const std::span<const int> row = now_.counts.row(stage);
        std::uint32_t open = 0;
        for (std::size_t k = 0; k < row.size(); ++k) {
            open += k == other ? 0 : static_cast<std::uint32_t>(row[k]);
        }
        if (open == 0) {
            return kNone;
        }
        auto drawn = static_cast<int>(random_.below(open));
        for (std::size_t k = 0; k < row.size(); ++k) {
            drawn -= k == other ? 0 : row[k];
            if (drawn < 0) {
                return k;
            }
        }
        return kNone;
    }

    bool move_bundle() {
        const std::size_t s = random_.index(p_);
        const std::size_t t = random_.index(p_);
        const std::size_t a = class_in(s, kNone);
        const std::size_t b = s == t ? kNone : class_in(t, a);
        if (b == kNone) {
            return false;
        }
        const int most = std::min(now_.counts(s, a), now_.counts(t, b));
        const int units =
            random_.below(2) == 0
                ? 1
                : 1 + static_cast<int>(random_.below(static_cast<std::uint32_t>(most)));
        shift(s, a, b, units);
        shift(t, b, a, units);
        return true;
    }

    /// Classes a and b change places between the stretches [s, s + l) and [t, t + m), s + l <= t.
    bool move_blocks() {
        if (p_ < 2) {
            return false;
        }
        const std::size_t s = random_.index(p_ - 1);
        const std::size_t l = 1 + random_.index(p_ - 1 - s);
        const std::size_t t = s + l + random_.index(p_ - s - l);
        const std::size_t m = 1 + random_.index(p_ - t);
        const std::size_t a = class_in(s, kNone);
        const std::size_t b = class_in(t, a);
        if (b == kNone) {
            return false;
        }
        const std::size_t common = std::gcd(l, m);
        const auto x = static_cast<int>(m / common);
        const auto y = static_cast<int>(l / common);
        int most = fewest(s, l, a) / x;
        most = std::min(most, fewest(t, m, b) / y);
        if (most == 0) {
            return false;
        }
        const int times = 1 + static_cast<int>(random_.below(static_cast<std::uint32_t>(most)));
        for (std::size_t stage = s; stage < s + l; ++stage) {
            shift(stage, a, b, times * x);
        }
        for (std::size_t stage = t; stage < t + m; ++stage) {
            shift(stage, b, a, times * y);
        }
        return true;
    }

    [[nodiscard]] int fewest(std::size_t first, std::size_t length, std::size_t k) const {
        int fewest = now_.counts(first, k);
        for (std::size_t stage = first; stage < first + length; ++stage) {
            fewest = std::min(fewest, now_.counts(stage, k));
        }
        return fewest;
    }

    bool reverse() {
        const std::size_t a = random_.index(p_);
        const std::size_t b = random_.index(p_);
        return permute(std::min(a, b), std::max(a, b), [](auto first, auto last) {
            std::reverse(first, last);
        });
    }

    bool relocate() {
        const std::size_t a = random_.index(p_);
        const std::size_t b = random_.index(p_);
        const std::size_t first = std::min(a, b);
        const std::size_t last = std::max(a, b);
        const std::size_t by = last == first ? 0 : 1 + random_.index(last - first);
        return permute(first, last, [by](auto from, auto to) {
            std::rotate(from, from + static_cast<std::ptrdiff_t>(by), to);
        });
    }

    /// Rearranges the rows first .. last.
    template <class Change>
    bool permute(std::size_t first, std::size_t last, Change change) {
        if (first == last) {
            return false;
        }
        order_.resize(p_);
        std::iota(order_.begin(), order_.end(), std::size_t{0});
        change(order_.begin() + static_cast<std::ptrdiff_t>(first),
               order_.begin() + static_cast<std::ptrdiff_t>(last) + 1);
        for (std::size_t s = first; s <= last; ++s) {
            std::ranges::copy(now_.counts.row(order_[s]), next_.counts.row(s).begin());
            touched_[s] = 1;
        }
        return true;
    }

    /// Recomputes what the touched rows change. False as soon as the total must exceed the limit;
    /// the state is then half updated and thrown away.
    bool rescore(State& state, double limit) {
        double worst = 0;
        double total = 0;
        for (std::size_t s = 0; s < p_; ++s) {
            if (touched_[s] != 0) {
                state.keys[s] = model_.key(state.counts.row(s));
                state.exchange[s] = model_.exchange(state.counts.row(s));
            }
            worst = std::max(worst, state.exchange[s]);
            if (s > 0 && touched_[s - 1] == 0 && touched_[s] == 0) {
                total += state.edges[s - 1];
            }
        }
        total += worst;
        for (std::size_t s = 1; s < p_ && total <= limit; ++s) {
            if (touched_[s - 1] != 0 || touched_[s] != 0) {
                state.edges[s - 1] = model_.edge(
                    state.counts.row(s - 1), state.keys[s - 1], state.counts.row(s), state.keys[s]);
                total += state.edges[s - 1];
            }
        }
        state.total = total;
        return total <= limit;
    }

    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

    CountModel& model_;
    core::Random random_;
    std::size_t p_;
    State now_;
    State next_;
    std::vector<char> touched_;
    std::vector<std::size_t> order_;
};

}  // namespace

double acceptance_limit(const AnnealOptions& options,
                        double first,
                        double current,
                        std::uint64_t done,
                        core::Random& random) {
    const double start = options.start_temperature * first;
    const double end = options.end_temperature * first;
    const double progress = static_cast<double>(done) / static_cast<double>(options.evaluations);
    const double temperature = start * std::pow(end / start, progress);
    return current - temperature * std::log(1 - random.uniform());
}

AnnealedCounts anneal_counts(CountModel& model,
                             const Counts& start,
                             const AnnealOptions& options,
                             core::Random random) {
    return CountAnnealer(model, start, random).run(options);
}

}  // namespace longhaul::placement
