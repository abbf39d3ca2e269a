// What `measure plan` takes from its command line.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "longhaul/measure/schedule.hpp"

namespace CLI {
class App;
}  // namespace CLI

namespace longhaul::app {

/// Most messages of a size, unless the command line says otherwise or asks for more at once.
inline constexpr int kUsualMostRepeats = 7;

/// Options as typed; BYTES and TIME are texts, "0" where nothing was said.
struct PlanCommand {
    std::string hosts;
    std::string output;
    std::string pairs;
    std::vector<std::string> patterns{"ping", "peer"};
    std::vector<std::string> states{"warm"};
    std::vector<int> streams{1};
    std::vector<int> widths;
    double idle_s = 1;
    int blocks = 3;
    int repeats = 2;
    std::optional<int> most_repeats;
    std::string smallest = "0";
    std::string largest = "0";
    std::string pair_bytes = "0";
    std::string congestion;
    double task_seconds = measure::CampaignRules().task_seconds;
    double skew_factor = measure::CampaignRules().skew_factor;
    double rtt_ms = 80;
    double gbps = 0.2;
    std::string total_bytes = "1000GB";
    std::string seconds = "1d";
    std::optional<double> price;
    bool json = false;
};

/// Adds what to measure, how much of it, and the limits of a campaign.
void add_plan_options(CLI::App& command, PlanCommand& options);

}  // namespace longhaul::app
