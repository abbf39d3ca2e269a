// Which samples make which fit.
#pragma once

#include <string>
#include <vector>

#include "longhaul/measure/fit_job.hpp"
#include "longhaul/measure/link_fit.hpp"

namespace longhaul::measure {

/// All fits to make of a set of samples, which must outlive them.
struct FitPlan {
    std::vector<HostRecord> hosts;
    std::vector<RoundTrip> round_trips;
    std::vector<FitJob> pairs, paths, both_ways, both_ways_paths, relays, locals;
    struct Fan {
        FanFit fan;  ///< named; fits are made from the jobs
        std::vector<FitJob> per_peer;
        std::vector<FitJob> root;  ///< none or one
    };
    std::vector<Fan> fans;
    std::vector<std::string> warnings;

    /// Every job, fans included.
    [[nodiscard]] std::vector<FitJob*> jobs();
};

/// Groups samples by pattern and by who they are of; hosts in the order of their records, others
/// behind them by name. The order of the samples does not matter. O(samples log samples).
[[nodiscard]] FitPlan plan_fits(const std::vector<HostRecord>& hosts,
                                const std::vector<Sample>& samples);

/// Whether a comes before b: numbers by value, other names as text.
[[nodiscard]] bool name_less(const std::string& a, const std::string& b);

}  // namespace longhaul::measure
