// Parallel tempering: walks at fixed temperatures that exchange their temperatures now and then.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "longhaul/core/pool.hpp"
#include "longhaul/core/random.hpp"

namespace longhaul::placement {

struct TemperingOptions {
    std::uint64_t evaluations = 100'000;  ///< of all walks together
    double hottest = 0.03;                ///< share of the best starting score
    double coldest = 0.0005;
    std::uint64_t round = 256;   ///< steps of each walk between two exchanges
    int threads = 1;             ///< never changes the result
    std::uint64_t seed = 7;      ///< walk i uses the random stream `stream` + i,
    std::uint64_t stream = 0;    ///< the exchanges the one after the last walk
    std::function<bool()> stop;  ///< asked between rounds
};

/// Exchange Monte Carlo (Hukushima and Nemoto, 1996) over any number of walks, each with
/// `step(limit, random)` and `total()`. Temperatures stand in a geometric ladder; after each round
/// neighbours on it, alternately the even and the odd pairs, exchange with the usual probability,
/// drawn from one stream in a fixed order. `better(i)` is called, from any thread but never twice
/// at once for one i, when walk i is below all it has seen so far. Returns the evaluations done.
template <class Walk>
std::uint64_t temper(std::vector<Walk>& walks,
                     const TemperingOptions& options,
                     const std::function<void(std::size_t)>& better) {
    const std::size_t count = walks.size();
    std::vector<core::Random> streams;
    std::vector<double> best;
    std::vector<std::size_t> holder;  // walk on each rung, the hottest first
    double scale = walks.front().total();
    for (std::size_t i = 0; i < count; ++i) {
        streams.emplace_back(options.seed, options.stream + i);
        best.push_back(walks[i].total());
        holder.push_back(i);
        scale = std::min(scale, walks[i].total());
    }
    core::Random exchanges(options.seed, options.stream + count);
    const auto temperature = [&](std::size_t rung) {
        const double depth =
            count == 1 ? 1 : static_cast<double>(rung) / static_cast<double>(count - 1);
        return scale * options.hottest * std::pow(options.coldest / options.hottest, depth);
    };
    const std::uint64_t in_round = options.round * count;
    std::uint64_t done = 0;
    for (std::size_t parity = 0; done + in_round <= options.evaluations; parity ^= 1U) {
        if (options.stop && options.stop()) {
            break;
        }
        core::parallel_for(count, options.threads, [&](std::size_t rung) {
            const std::size_t i = holder[rung];
            const double heat = temperature(rung);
            for (std::uint64_t step = 0; step < options.round; ++step) {
                const double slack = -heat * std::log(1 - streams[i].uniform());
                walks[i].step(walks[i].total() + slack, streams[i]);
                if (walks[i].total() < best[i]) {
                    best[i] = walks[i].total();
                    better(i);
                }
            }
        });
        done += in_round;
        for (std::size_t rung = parity; rung + 1 < count; rung += 2) {
            const double gain = (1 / temperature(rung + 1) - 1 / temperature(rung)) *
                                (walks[holder[rung + 1]].total() - walks[holder[rung]].total());
            if (std::log(1 - exchanges.uniform()) <= gain) {
                std::swap(holder[rung], holder[rung + 1]);
            }
        }
    }
    return done;
}

}  // namespace longhaul::placement
