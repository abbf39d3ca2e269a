#include "longhaul/placement/anneal_devices.hpp"

#include <algorithm>

namespace longhaul::placement {
namespace {

class DeviceAnnealer {
public:
    DeviceAnnealer(const Costs& costs, const Stages& start, core::Random random)
        : costs_(costs),
          random_(random),
          now_(start),
          exchange_(start.size()),
          edges_(start.size() - 1),
          touched_(start.size(), 0) {
        for (std::size_t s = 0; s < now_.size(); ++s) {
            exchange_[s] = group_exchange(costs_.exchange, now_[s]).seconds;
            if (s > 0) {
                edges_[s - 1] = solver_.solve(costs_.pipeline, now_[s - 1], now_[s]);
            }
        }
        total_ = sum(exchange_, edges_);
    }

    AnnealedStages run(const AnnealOptions& options) {
        Stages best = now_;
        double best_total = total_;
        const double first = total_;
        Cooling cooling(options, first);
        std::uint64_t done = 0;
        for (; done < options.evaluations; ++done) {
            if (done % options.stop_interval == 0 && options.stop && options.stop()) {
                break;
            }
            step(cooling.limit(total_, done, random_));
            if (total_ < best_total) {
                best = now_;
                best_total = total_;
            }
        }
        const Solved solved = solve_inner(costs_, best);
        return {in_order(best, solved.order), solved.score.total(), done};
    }

private:
    static double sum(const std::vector<double>& exchange, const std::vector<double>& edges) {
        double total = *std::ranges::max_element(exchange);
        for (const double edge : edges) {
            total += edge;
        }
        return total;
    }

    void step(double limit) {
        swaps_.clear();
        std::ranges::fill(touched_, 0);
        const std::size_t p = now_.size();
        const std::uint32_t kind = random_.below(8);
        const std::size_t s = random_.index(p);
        const std::size_t t = random_.index(p);
        if (s == t) {
            return;
        }
        if (kind == 7) {
            reverse(std::min(s, t), std::max(s, t), limit);
            return;
        }
        const std::size_t longest = std::min(std::max(s, t) - std::min(s, t), p - std::max(s, t));
        const std::size_t length = kind < 6 ? 1 : 1 + random_.index(longest);
        for (std::size_t i = 0; i < length; ++i) {
            swaps_.push_back({s + i,
                              random_.index(now_[s + i].size()),
                              t + i,
                              random_.index(now_[t + i].size())});
            touched_[s + i] = touched_[t + i] = 1;
        }
        try_swaps(limit);
    }

    void apply_swaps() {
        for (const Swap& swap : swaps_) {
            std::swap(now_[swap.s][swap.i], now_[swap.t][swap.j]);
        }
    }

    void try_swaps(double limit) {
        apply_swaps();
        next_exchange_ = exchange_;
        for (std::size_t s = 0; s < now_.size(); ++s) {
            if (touched_[s] != 0) {
                next_exchange_[s] = group_exchange(costs_.exchange, now_[s]).seconds;
            }
        }
        if (!rescore(limit)) {
            apply_swaps();
        }
    }

    void reverse(std::size_t first, std::size_t last, double limit) {
        const auto turn = [&](auto& items) {
            std::reverse(items.begin() + static_cast<std::ptrdiff_t>(first),
                         items.begin() + static_cast<std::ptrdiff_t>(last) + 1);
        };
        turn(now_);
        next_exchange_ = exchange_;
        turn(next_exchange_);
        // Inner edges turn with the stages; marking all of them keeps this plain.
        std::fill(touched_.begin() + static_cast<std::ptrdiff_t>(first),
                  touched_.begin() + static_cast<std::ptrdiff_t>(last) + 1,
                  1);
        if (!rescore(limit)) {
            turn(now_);
        }
    }

    /// Matches the edges next to touched stages; takes the change when the total stays within the
    /// limit.
    bool rescore(double limit) {
        double total = *std::ranges::max_element(next_exchange_);
        for (std::size_t s = 1; s < now_.size(); ++s) {
            total += touched_[s - 1] == 0 && touched_[s] == 0 ? edges_[s - 1] : 0;
        }
        next_edges_ = edges_;
        for (std::size_t s = 1; s < now_.size(); ++s) {
            if (touched_[s - 1] == 0 && touched_[s] == 0) {
                continue;
            }
            if (total > limit) {
                return false;
            }
            next_edges_[s - 1] = solver_.solve(costs_.pipeline, now_[s - 1], now_[s]);
            total += next_edges_[s - 1];
        }
        if (total > limit) {
            return false;
        }
        std::swap(exchange_, next_exchange_);
        std::swap(edges_, next_edges_);
        total_ = total;
        return true;
    }

    struct Swap {
        std::size_t s, i, t, j;
    };

    const Costs& costs_;
    core::Random random_;
    BottleneckSolver solver_;
    Stages now_;
    std::vector<double> exchange_;
    std::vector<double> edges_;
    double total_ = 0;
    std::vector<char> touched_;
    std::vector<Swap> swaps_;
    std::vector<double> next_exchange_;
    std::vector<double> next_edges_;
};

}  // namespace

AnnealedStages anneal_devices(const Costs& costs,
                              const Stages& start,
                              const AnnealOptions& options,
                              core::Random random) {
    return DeviceAnnealer(costs, start, random).run(options);
}

}  // namespace longhaul::placement
