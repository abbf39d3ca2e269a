// Annealing over counts: moves single devices, bundles of them, and blocks of stages at once.
#pragma once

#include <functional>

#include "longhaul/core/random.hpp"
#include "longhaul/placement/counts.hpp"

namespace longhaul::placement {

struct AnnealOptions {
    std::uint64_t evaluations = 50'000;
    double start_temperature = 0.1;  ///< share of the starting score
    double end_temperature = 0.0005;
    std::function<bool()> stop;         ///< see SearchOptions
    std::uint64_t stop_interval = 128;  ///< evaluations between two questions to `stop`
};

/// The cooling of an annealing: a temperature that falls geometrically with the evaluations done.
class Cooling {
public:
    /// `first` is the starting score.
    Cooling(const AnnealOptions& options, double first)
        : evaluations_(options.evaluations),
          start_(options.start_temperature * first),
          end_(options.end_temperature * first) {}
    /// Largest score that the next candidate may have: the current one plus an exponential draw at
    /// the temperature after `done` evaluations, which is renewed every few of them.
    [[nodiscard]] double limit(double current, std::uint64_t done, core::Random& random);

private:
    static constexpr std::uint64_t kStepsPerTemperature = 16;
    std::uint64_t evaluations_;
    double start_, end_;
    double temperature_ = 0;
    std::uint64_t next_ = 0;
};

/// Anneals a walk with `step(limit, random)` and `total()`; `better` is called whenever the total
/// is below all before. Returns the evaluations done.
template <class Walk, class Better>
std::uint64_t anneal(Walk& walk,
                     const AnnealOptions& options,
                     core::Random& random,
                     Better better) {
    Cooling cooling(options, walk.total());
    double best = walk.total();
    std::uint64_t done = 0;
    for (; done < options.evaluations; ++done) {
        if (done % options.stop_interval == 0 && options.stop && options.stop()) {
            break;
        }
        walk.step(cooling.limit(walk.total(), done, random), random);
        if (walk.total() < best) {
            best = walk.total();
            better();
        }
    }
    return done;
}

struct AnnealedCounts {
    Counts counts;  ///< rows in path order
    double score = 0;
    std::uint64_t evaluations = 0;
};

/// Simulated annealing (Kirkpatrick et al., 1983) from `start` with the moves of CountWalk. The
/// acceptance threshold is drawn first, so that most rejected moves never solve a transport.
[[nodiscard]] AnnealedCounts anneal_counts(CountModel& model,
                                           const Counts& start,
                                           const AnnealOptions& options,
                                           core::Random random);

}  // namespace longhaul::placement
