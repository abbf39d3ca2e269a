#include "longhaul/measure/coordinator.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "longhaul/measure/audit.hpp"
#include "longhaul/measure/pace.hpp"
#include "longhaul/measure/resume.hpp"
#include "longhaul/measure/run_head.hpp"
#include "longhaul/measure/run_tail.hpp"
#include "longhaul/measure/schedule.hpp"
#include "longhaul/measure/slot_run.hpp"
#include "longhaul/transport/clock.hpp"

namespace longhaul::measure {
namespace {

using core::Seconds;
using Tasks = std::vector<const CampaignTask*>;

constexpr int kMostAudits = 3;
constexpr std::size_t kMostMates = 8;
constexpr int kAuditRepeats = 5;
constexpr std::uint64_t kAuditSeed = 7;

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
          attempts_(next_attempts(before)) {
        // What an earlier run found to be shared holds now, too.
        (void)add_hidden_groups(campaign_, sets_of_events(campaign_.hosts, before.events));
        for (const Sample& sample : usable_samples(before)) {
            beside_[sample.task].insert(sample.concurrent.begin(), sample.concurrent.end());
        }
        (void)forget_clashes();
        ever_ = done_;
    }

    core::Result<CoordinatorResult> run() {
        fleet_.connect();
        write(head_records(campaign_, fleet_, options_));
        run_pending();
        for (int round = 0; round < kMostAudits && good() && options_.audit_share > 0; ++round) {
            if (!audit()) {
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

    /// First in the slots of the plan, then what is left in new ones.
    void run_pending() {
        const bool planned = std::ranges::none_of(campaign_.groups, [](const CampaignGroup& group) {
            return group.name.starts_with(kHiddenPrefix);
        });
        Tasks pending;
        for (const CampaignTask& task : campaign_.tasks) {
            if (planned && !done_.contains(task.id)) {
                pending.push_back(&task);
            }
        }
        run_slots(pending);
        for (int pass = planned ? 1 : 0; pass < options_.most_attempts && good(); ++pass) {
            if (!run_again()) {
                break;
            }
        }
    }

    /// Tasks that ran beside one that they share a resource with do not count. Returns how many.
    int forget_clashes() {
        int forgotten = 0;
        for (const std::string& task : clashing_tasks(campaign_, beside_)) {
            forgotten += static_cast<int>(done_.erase(task));
            beside_.erase(task);
        }
        return forgotten;
    }

    [[nodiscard]] const CampaignTask* task_of(const std::string& id) const {
        const auto found = std::ranges::find(campaign_.tasks, id, &CampaignTask::id);
        return found == campaign_.tasks.end() ? nullptr : &*found;
    }

    /// Looks for hidden sharing; true when some was found and the tasks concerned ran again.
    bool audit() {
        std::set<std::string> candidates;
        for (const auto& [id, times] : timed_) {
            if (times.bytes > 0 && done_.contains(id) && !audited_.contains(id) &&
                !beside_[id].empty()) {
                candidates.insert(id);
            }
        }
        std::vector<Sharing> found;
        const std::vector<std::string> chosen =
            choose_audited(candidates, options_.audit_share, options_.least_audited, kAuditSeed);
        for (std::size_t i = 0; i < chosen.size() && good(); ++i) {
            audited_.insert(chosen[i]);
            const CampaignTask& task = *task_of(chosen[i]);
            show(fmt::format("audit of {} ({} of {})", task.id, i + 1, chosen.size()),
                 static_cast<double>(chosen.size() - i) * pace_.expected(task));
            audit_one(task, found);
        }
        const Explained explained = explain(campaign_.hosts, found);
        tell_busy(explained.busy);
        return measure_again(hidden_sets(campaign_.hosts, explained.shared));
    }

    /// Hosts that share count as one resource from now on; what ran at once there runs again.
    bool measure_again(const std::vector<std::set<int>>& sets) {
        if (sets.empty() || add_hidden_groups(campaign_, sets) == 0) {
            return false;
        }
        const std::string detail = sets_text(campaign_.hosts, sets);
        write(to_line(Event{transport::utc_now(), "", "hidden_sharing", "", detail}));
        result_.warnings.push_back(hidden_text(detail));
        const int forgotten = forget_clashes();
        again_ += forgotten;
        notice(
            fmt::format("hidden sharing: transfers that ran at once slowed each other; {}; {} "
                        "task{} that ran so run again one by one",
                        detail,
                        forgotten,
                        forgotten == 1 ? "" : "s"));
        run_pending();
        return true;
    }

    /// Slower beside others that have nothing in common with them: no resource to declare.
    void tell_busy(const std::vector<Sharing>& busy) {
        if (busy.empty()) {
            return;
        }
        const std::string detail = sharings_text(campaign_.hosts, busy);
        write(to_line(Event{transport::utc_now(), "", "busy", "", detail}));
        result_.warnings.push_back(busy_text(detail));
    }

    void audit_one(const CampaignTask& task, std::vector<Sharing>& found) {
        const BesideTimes before = timed_[task.id];
        Tasks mates;
        for (const std::string& id : beside_[task.id]) {
            const CampaignTask* mate = task_of(id);
            if (mate != nullptr && mate->pattern == Pattern::kPeer && mates.size() < kMostMates) {
                mates.push_back(mate);
            }
        }
        const AuditedPair pair =
            audit_pair(task, before.median_s, mates, [&](const CampaignTask* mate) {
                return timed_run(mate == nullptr ? Tasks{&task} : Tasks{&task, mate}, before.bytes);
            });
        found.insert(found.end(), pair.found.begin(), pair.found.end());
        for (Event event : pair.events) {
            event.t = transport::utc_now();
            write(to_line(event));
        }
    }

    /// Median time of the first task, with messages of that size, beside the rest; 0 when it
    /// failed. Samples of a task alone are kept.
    double timed_run(const Tasks& tasks, double bytes) {
        fleet_.connect();
        CampaignRules rules = campaign_.rules;
        rules.smallest_bytes = rules.largest_bytes = bytes;
        rules.pair_bytes = 0;
        std::vector<CampaignTask> copies;
        for (const CampaignTask* task : tasks) {
            copies.push_back(*task);
            copies.back().id = "audit/" + task->id;
        }
        double median = 0;
        SlotRun slot(campaign_, fleet_, token_, [&](const TaskOutcome& outcome) {
            ++attempts_[outcome.task->id];
            if (tasks.size() == 1) {
                write(records_of(campaign_, outcome));
            }
            if (outcome.task == copies.data() && outcome.complete) {
                median = median_of(outcome.samples, bytes);
            }
        });
        for (std::size_t i = 0; i < copies.size(); ++i) {
            rules.repeats = rules.most_repeats = i == 0 ? kAuditRepeats : 2 * kAuditRepeats;
            const auto& hosts = copies[i].hosts;
            if (!std::ranges::all_of(hosts, [&](int host) { return fleet_.up(host); })) {
                return 0;
            }
            slot.add(copies[i], attempt_of(copies[i].id), rules);
        }
        slot.run(options_.stop);
        return median;
    }

    /// Runs tasks in the order of their slots. A task whose host is away stays pending.
    void run_slots(const Tasks& tasks) {
        for (std::size_t begin = 0; begin < tasks.size() && good();) {
            std::size_t end = begin;
            while (end < tasks.size() && tasks[end]->slot == tasks[begin]->slot) {
                ++end;
            }
            fleet_.connect();
            const Seconds start = transport::now();
            SlotRun slot(campaign_, fleet_, token_, [this, start](const TaskOutcome& outcome) {
                record(outcome);
                if (outcome.complete) {
                    pace_.took(*outcome.task, (transport::now() - start).value());
                }
            });
            for (std::size_t i = begin; i < end; ++i) {
                const auto& hosts = tasks[i]->hosts;
                if (std::ranges::all_of(hosts, [&](int host) { return fleet_.up(host); })) {
                    slot.add(*tasks[i], attempt_of(tasks[i]->id), campaign_.rules);
                }
            }
            show(tasks[begin]->id, pace_.left(tasks, begin));
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
            remember(outcome);
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

    void remember(const TaskOutcome& outcome) {
        const CampaignTask& task = *outcome.task;
        done_.insert(task.id);
        ever_.insert(task.id);
        std::set<std::string>& beside = beside_[task.id];
        beside.clear();
        for (const Sample& sample : outcome.samples) {
            beside.insert(sample.concurrent.begin(), sample.concurrent.end());
        }
        if (task.pattern == Pattern::kPeer && task.state == State::kWarm && task.streams == 1) {
            timed_[task.id] = beside_times(outcome.samples);
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
        Tasks tasks;
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

    void notice(const std::string& text) const {
        if (options_.notice) {
            options_.notice(text);
        }
    }

    void show(const std::string& doing, double left_s) const {
        if (!options_.progress) {
            return;
        }
        const auto pending = static_cast<int>(std::ranges::count_if(
            ever_, [this](const std::string& task) { return !done_.contains(task); }));
        options_.progress({static_cast<int>(ever_.size()),
                           static_cast<int>(campaign_.tasks.size()),
                           again_ - pending,
                           again_,
                           left_s,
                           doing});
    }

    void finish() {
        std::string lines = count_tasks(campaign_, done_, fleet_, result_);
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
    std::set<std::string> ever_;  // tasks that are or were done
    int again_ = 0;               // times that one which was done had to run again
    Pace pace_;
    std::map<std::string, int> attempts_;
    std::map<std::string, std::set<std::string>> beside_;  // what each task ran beside
    std::map<std::string, BesideTimes> timed_;             // pairs that an audit may take
    std::set<std::string> audited_;
    CoordinatorResult result_;
    core::Diagnostics problems_;
};

}  // namespace

core::Result<CoordinatorResult> run_campaign(Campaign campaign,
                                             const Raw& before,
                                             const std::string& oldest,
                                             const transport::Token& token,
                                             const CoordinatorOptions& options) {
    return CampaignRun(std::move(campaign), before, oldest, token, options).run();
}

}  // namespace longhaul::measure
