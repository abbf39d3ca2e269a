// Runs a campaign on agents: slot by slot, all tasks of a slot at once; keeps going when agents
// die; continues where an earlier run ended.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "longhaul/core/diagnostic.hpp"
#include "longhaul/measure/campaign.hpp"
#include "longhaul/measure/fleet.hpp"
#include "longhaul/measure/raw.hpp"
#include "longhaul/transport/auth.hpp"

namespace longhaul::measure {

struct RunProgress {
    int done = 0;  ///< tasks that are or were complete: never falls
    int total = 0;
    int again_done = 0;   ///< of these, those that were complete and have run again
    int again_total = 0;  ///< those that have to
    double left_s = 0;    ///< expected, from what the tasks so far took
    std::string doing;
};

struct CoordinatorOptions {
    std::string run;  ///< id of the campaign
    std::string tool;
    std::string plan_sha256;
    int most_attempts = 3;      ///< of a task in this run
    double audit_share = 0.05;  ///< of the pairs that ran beside others; 0: no audit
    int least_audited = 3;
    FleetOptions fleet;
    /// Appends lines to the raw file so that they survive a crash.
    std::function<core::Result<void>(std::string_view)> append;
    std::function<void(const RunProgress&)> progress;
    std::function<void(const std::string&)> notice;  ///< what the user should know at once
    std::function<bool()> stop;  ///< asked often: end in order, what is under way does not count
};

struct CoordinatorResult {
    int complete = 0;
    int total = 0;
    std::vector<std::string> missing;  ///< ids of tasks that are not complete
    std::vector<std::string> lost;     ///< hosts that are away at the end, with the reason
    std::vector<std::string> warnings;
};

/// Runs what is not finished. Fails only when the raw file cannot be written.
[[nodiscard]] core::Result<CoordinatorResult> run_campaign(Campaign campaign,
                                                           const Raw& before,
                                                           const std::string& oldest,
                                                           const transport::Token& token,
                                                           const CoordinatorOptions& options);

}  // namespace longhaul::measure
