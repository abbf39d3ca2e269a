// The tasks of one slot, from "prepare" to their last record.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "longhaul/measure/campaign.hpp"
#include "longhaul/measure/fleet.hpp"
#include "longhaul/measure/order.hpp"
#include "longhaul/measure/program.hpp"
#include "longhaul/transport/auth.hpp"

namespace longhaul::measure {

/// A task and what came of it.
struct TaskOutcome {
    const CampaignTask* task = nullptr;
    int attempt = 1;
    bool complete = false;
    std::vector<Sample> samples;
    std::vector<Event> events;
};

/// The order of a task under some rules, without tickets.
[[nodiscard]] TaskOrder order_for(const Campaign& campaign,
                                  const CampaignTask& task,
                                  int attempt,
                                  const CampaignRules& rules);

/// All records of an outcome as lines; samples of an incomplete attempt are not ok.
[[nodiscard]] std::string records_of(const Campaign& campaign, const TaskOutcome& outcome);

class SlotRun {
public:
    /// `ended` gets each outcome as soon as it is known.
    SlotRun(const Campaign& campaign,
            Fleet& fleet,
            const transport::Token& token,
            std::function<void(TaskOutcome)> ended);

    void add(const CampaignTask& task, int attempt, const CampaignRules& rules);
    /// Runs all tasks that were added; `stop` ends them early.
    void run(const std::function<bool()>& stop);

private:
    enum class Phase { kPreparing, kConnecting, kReady, kRunning, kFailing, kOver };
    struct Active {
        TaskOutcome outcome;
        CampaignRules rules;
        Phase phase = Phase::kPreparing;
        std::set<int> answered;
        core::Seconds deadline;
    };
    void begin(Active& active);
    void seal_tickets(TaskOrder& order, const CampaignTask& task) const;
    void hear(int host, const transport::Frame& frame);
    void hear_command(Active& active, int host, const core::Value& message);
    void hear_records(Active& active, const std::string& lines);
    void hear_answer(Active& active, int host, Phase from, Phase to);
    void go_when_ready();
    void lost(int host, const std::string& why);
    void check_deadlines();
    void end(Active& active, bool complete);
    void note(Active& active, const std::string& kind, int host, const std::string& detail);
    void tell(const Active& active, std::string_view what);
    [[nodiscard]] Active* active_of(int host);
    [[nodiscard]] bool over() const;

    const Campaign& campaign_;
    Fleet& fleet_;
    const transport::Token& token_;
    std::function<void(TaskOutcome)> ended_;
    std::vector<Active> active_;
    bool gone_ = false;  // "go" was said
};

}  // namespace longhaul::measure
