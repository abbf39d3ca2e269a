#include "longhaul/measure/coordinator.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "longhaul/core/hash.hpp"
#include "longhaul/measure/order.hpp"
#include "longhaul/measure/schedule.hpp"
#include "longhaul/measure/slot_run.hpp"
#include "longhaul/transport/clock.hpp"

namespace longhaul::measure {
namespace {

using core::Seconds;

constexpr std::size_t kExperimentDigits = 16;

/// One run of a campaign.
class CampaignRun {
public:
    CampaignRun(Campaign campaign,
                const Raw& before,
                const std::string& oldest,
                const transport::Token& token,
                const CoordinatorOptions& options)
        : campaign_(std::move(campaign)),
          token_(token),
          options_(options),
          fleet_(campaign_.hosts, token, options.fleet),
          done_(finished_tasks(campaign_, before, oldest)),
          attempts_(next_attempts(before)) {}

    core::Result<CoordinatorResult> run() {
        fleet_.connect();
        write_head();
        std::vector<const CampaignTask*> pending;
        for (const CampaignTask& task : campaign_.tasks) {
            if (!done_.contains(task.id)) {
                pending.push_back(&task);
            }
        }
        run_slots(pending);
        for (int pass = 1; pass < options_.most_attempts && good(); ++pass) {
            if (!run_again()) {
                break;
            }
        }
        finish();
        if (!problems_.empty()) {
            return tl::unexpected(problems_);
        }
        return std::move(result_);
    }

private:
    [[nodiscard]] bool stopped() const { return options_.stop && options_.stop(); }
    [[nodiscard]] bool good() const { return problems_.empty() && !stopped(); }

    void write(const std::string& lines) {
        if (const auto written = options_.append(lines); !written && problems_.empty()) {
            problems_ = written.error();
        }
    }

    void write_head() {
        RunRecord run;
        run.run = options_.run;
        run.started = transport::utc_now();
        run.tool = options_.tool;
        run.plan_sha256 = options_.plan_sha256;
        std::string lines = to_line(run);
        for (std::size_t i = 0; i < campaign_.hosts.size(); ++i) {
            const CampaignHost& host = campaign_.hosts[i];
            const HostLink& link = fleet_.link(static_cast<int>(i));
            HostRecord record{host.id, host.site, host.address, host.groups, link.facts};
            record.facts.set("port", host.port).set("clock_offset_s", link.clock.offset_s);
            record.facts.set("control_round_trip_s", link.clock.round_trip_s);
            lines += to_line(record);
            if (!link.problem.empty()) {
                lines +=
                    to_line(Event{transport::utc_now(), "", "unreachable", host.id, link.problem});
            }
        }
        write(lines);
    }

    /// Runs tasks in the order of their slots. A task whose host is away stays pending.
    void run_slots(const std::vector<const CampaignTask*>& tasks) {
        for (std::size_t begin = 0; begin < tasks.size() && good();) {
            std::size_t end = begin;
            while (end < tasks.size() && tasks[end]->slot == tasks[begin]->slot) {
                ++end;
            }
            fleet_.connect();
            SlotRun slot(
                campaign_, fleet_, token_, [this](const TaskOutcome& outcome) { record(outcome); });
            for (std::size_t i = begin; i < end; ++i) {
                const auto& hosts = tasks[i]->hosts;
                if (std::ranges::all_of(hosts, [&](int host) { return fleet_.up(host); })) {
                    slot.add(*tasks[i], attempt_of(tasks[i]->id));
                }
            }
            show(tasks[begin]->id, tasks, begin);
            slot.run(options_.stop);
            begin = end;
        }
    }

    [[nodiscard]] int attempt_of(const std::string& task) {
        return attempts_.emplace(task, 1).first->second;
    }

    void record(const TaskOutcome& outcome) {
        write(records_of(campaign_, outcome));
        ++attempts_[outcome.task->id];
        if (outcome.complete) {
            done_.insert(outcome.task->id);
        }
        for (const Event& event : outcome.events) {
            if (!outcome.complete) {
                result_.warnings.push_back(fmt::format("{}: {}: {}{}{}",
                                                       event.task,
                                                       event.kind,
                                                       event.host,
                                                       event.host.empty() ? "" : ": ",
                                                       event.detail));
            }
        }
    }

    /// What is left, in new slots, when a host may have come back; false when nothing can run.
    bool run_again() {
        std::vector<CampaignTask> left;
        for (const CampaignTask& task : campaign_.tasks) {
            const bool hopeless =
                std::ranges::any_of(task.hosts, [&](int host) { return fleet_.out(host); });
            if (!done_.contains(task.id) && !hopeless) {
                left.push_back(task);
            }
        }
        if (left.empty()) {
            return false;
        }
        wait_for_hosts();
        std::vector<CampaignTask*> chosen;
        for (CampaignTask& task : left) {
            chosen.push_back(&task);
        }
        const CampaignTask& last = campaign_.tasks.back();
        (void)assign_slots(chosen, campaign_.hosts, campaign_.groups, last.slot + 1);
        std::ranges::stable_sort(left, {}, &CampaignTask::slot);
        std::vector<const CampaignTask*> tasks;
        for (const CampaignTask& task : left) {
            tasks.push_back(&task);
        }
        run_slots(tasks);
        return true;
    }

    /// Until the hosts that are away may be tried again, with heartbeats for the others.
    void wait_for_hosts() {
        const FleetListener nobody{[](int, const transport::Frame&) {},
                                   [](int, const std::string&) {}};
        fleet_.connect();
        while (good()) {
            const std::optional<Seconds> retry = fleet_.next_retry();
            if (!retry) {
                return;
            }
            if (transport::now() >= *retry) {
                fleet_.connect();
                continue;
            }
            fleet_.pump(std::min(*retry - transport::now(), Seconds(0.2)), nobody);
        }
    }

    void show(const std::string& doing,
              const std::vector<const CampaignTask*>& tasks,
              std::size_t at) {
        if (!options_.progress) {
            return;
        }
        RunProgress progress{
            static_cast<int>(done_.size()), static_cast<int>(campaign_.tasks.size()), 0, doing};
        double longest = 0;
        for (std::size_t i = at; i < tasks.size(); ++i) {
            const bool next = i > at && tasks[i]->slot != tasks[i - 1]->slot;
            progress.left_s += next ? longest : 0;
            longest = std::max(next ? 0 : longest, tasks[i]->seconds);
        }
        progress.left_s += longest;
        options_.progress(progress);
    }

    void finish() {
        std::string lines;
        for (const CampaignTask& task : campaign_.tasks) {
            ++result_.total;
            if (done_.contains(task.id)) {
                ++result_.complete;
                continue;
            }
            result_.missing.push_back(task.id);
            for (const int host : task.hosts) {
                if (fleet_.out(host)) {
                    const std::string& id = campaign_.hosts[static_cast<std::size_t>(host)].id;
                    lines += to_line(Event{
                        transport::utc_now(), task.id, "skipped", id, fleet_.link(host).problem});
                }
            }
        }
        for (std::size_t i = 0; i < campaign_.hosts.size(); ++i) {
            if (const auto host = static_cast<int>(i); fleet_.out(host)) {
                result_.lost.push_back(campaign_.hosts[i].id + ": " + fleet_.link(host).problem);
            }
        }
        if (result_.missing.empty() && problems_.empty()) {
            lines += end_line();
        }
        if (!lines.empty()) {
            write(lines);
        }
    }

    Campaign campaign_;
    const transport::Token& token_;
    const CoordinatorOptions& options_;
    Fleet fleet_;
    std::set<std::string> done_;
    std::map<std::string, int> attempts_;
    CoordinatorResult result_;
    core::Diagnostics problems_;
};

}  // namespace

std::string experiment_of(const Campaign& campaign, const CampaignTask& task) {
    core::Value value = to_value(order_for(campaign, task, 0));
    core::Value groups = core::Value::array();
    for (const int host : task.hosts) {
        for (const std::string& group : campaign.hosts[static_cast<std::size_t>(host)].groups) {
            groups.append(group);
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

core::Result<CoordinatorResult> run_campaign(Campaign campaign,
                                             const Raw& before,
                                             const std::string& oldest,
                                             const transport::Token& token,
                                             const CoordinatorOptions& options) {
    return CampaignRun(std::move(campaign), before, oldest, token, options).run();
}

}  // namespace longhaul::measure
