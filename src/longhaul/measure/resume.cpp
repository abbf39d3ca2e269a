#include "longhaul/measure/resume.hpp"

#include <algorithm>

#include "longhaul/core/hash.hpp"
#include "longhaul/measure/audit.hpp"
#include "longhaul/measure/order.hpp"
#include "longhaul/measure/slot_run.hpp"

namespace longhaul::measure {
namespace {

constexpr std::size_t kExperimentDigits = 16;

}  // namespace

std::string experiment_of(const Campaign& campaign, const CampaignTask& task) {
    core::Value value = to_value(order_for(campaign, task, 0, campaign.rules));
    core::Value groups = core::Value::array();
    for (const int host : task.hosts) {
        for (const std::string& group : campaign.hosts[static_cast<std::size_t>(host)].groups) {
            if (!group.starts_with(kHiddenPrefix)) {
                groups.append(group);
            }
        }
    }
    value.set("groups", groups).set("transport", campaign.rules.transport);
    return core::sha256_hex(core::write_json_line(value)).substr(0, kExperimentDigits);
}

std::map<std::string, int> next_attempts(const Raw& raw) {
    std::map<std::string, int> next;
    const auto saw = [&](const std::string& task, int attempt) {
        int& number = next.emplace(task, 1).first->second;
        number = std::max(number, attempt + 1);
    };
    for (const TaskRecord& task : raw.tasks) {
        saw(task.task, task.attempt);
    }
    for (const Sample& sample : raw.samples) {
        saw(sample.task, sample.attempt);
    }
    for (const TaskEnd& end : raw.ends) {
        saw(end.task, end.attempt);
    }
    return next;
}

std::set<std::string> finished_tasks(const Campaign& campaign,
                                     const Raw& raw,
                                     const std::string& oldest) {
    std::map<std::pair<std::string, int>, std::string> experiments;
    for (const TaskRecord& task : raw.tasks) {
        experiments[{task.task, task.attempt}] = text_member(task.unknown, "experiment");
    }
    std::map<std::string, int> complete;  // last complete attempt
    for (const TaskEnd& end : raw.ends) {
        if (end.complete) {
            complete[end.task] = std::max(complete[end.task], end.attempt);
        }
    }
    std::set<std::string> old;
    for (const Sample& sample : raw.samples) {
        const auto last = complete.find(sample.task);
        if (last != complete.end() && sample.attempt == last->second && !oldest.empty() &&
            !sample.t.empty() && sample.t < oldest) {
            old.insert(sample.task);
        }
    }
    std::set<std::string> finished;
    for (const CampaignTask& task : campaign.tasks) {
        const auto last = complete.find(task.id);
        if (last == complete.end() || old.contains(task.id)) {
            continue;
        }
        const auto experiment = experiments.find({task.id, last->second});
        if (experiment != experiments.end() &&
            experiment->second == experiment_of(campaign, task)) {
            finished.insert(task.id);
        }
    }
    return finished;
}

}  // namespace longhaul::measure
