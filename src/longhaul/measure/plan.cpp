#include "longhaul/measure/plan.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "longhaul/core/cursor.hpp"
#include "longhaul/core/json_lines.hpp"
#include "longhaul/core/own_formats.hpp"
#include "longhaul/measure/schedule.hpp"

namespace longhaul::measure {
namespace {

using core::Cursor;
using core::Value;

constexpr int kHighestPlannedPort = 65'535;
constexpr double kMostPlanned = 1e15;  // bytes, seconds
constexpr int kMostPlannedCount = 100'000'000;
constexpr int kMostStreams = 64;

Value names(const std::vector<std::string>& texts) {
    Value array = Value::array();
    for (const std::string& text : texts) {
        array.append(text);
    }
    return array;
}

std::string head_line(const Campaign& campaign, const std::string& tool) {
    const CampaignRules& rules = campaign.rules;
    const CampaignTotals totals = totals_of(campaign);
    Value value = Value::object();
    value.set("record", "plan").set("format", "longhaul.measure-plan/1").set("tool", tool);
    value.set("transport", rules.transport).set("congestion_control", rules.congestion_control);
    value.set("smallest_bytes", rules.smallest_bytes).set("largest_bytes", rules.largest_bytes);
    value.set("repeats", rules.repeats).set("most_repeats", rules.most_repeats);
    value.set("half_width", rules.half_width).set("pair_bytes", rules.pair_bytes);
    value.set("skew_factor", rules.skew_factor).set("task_seconds", rules.task_seconds);
    value.set("tasks", totals.tasks).set("slots", totals.slots).set("seconds", totals.seconds);
    value.set("bytes", totals.bytes).set("most_bytes", totals.most_bytes);
    return core::write_json_line(value);
}

std::string task_line(const Campaign& campaign, const CampaignTask& task) {
    Value value = Value::object();
    value.set("record", "task").set("task", task.id).set("slot", task.slot);
    value.set("block", task.block).set("pattern", name_of(task.pattern));
    value.set("state", name_of(task.state));
    if (task.state == State::kIdle) {
        value.set("idle_s", task.idle_s);
    }
    Value hosts = Value::array();
    for (const int host : task.hosts) {
        hosts.append(campaign.hosts[static_cast<std::size_t>(host)].id);
    }
    value.set("streams", task.streams).set("hosts", hosts).set("seconds", task.seconds);
    value.set("bytes", task.bytes).set("most_bytes", task.most_bytes);
    return core::write_json_line(value);
}

/// One of the kinds by its name; the first one after reporting an unknown name.
template <class Kind, std::size_t Count>
Kind kind_at(const Cursor& record, std::string_view key, const std::array<Kind, Count>& kinds) {
    const auto at = record.require(key, "a name");
    const std::string text = at ? at->string().value_or("") : "";
    std::string known;
    for (const Kind kind : kinds) {
        if (name_of(kind) == text) {
            return kind;
        }
        known += (known.empty() ? "" : ", ") + std::string(name_of(kind));
    }
    if (at && !text.empty()) {
        at->report("found " + core::shown(text), "one of " + known);
    }
    return kinds[0];
}

/// Reads the records of a plan one by one.
class PlanReader {
public:
    void read(const core::Document& document, core::Diagnostics& problems) {
        const Cursor record(document, problems);
        const auto kind = record.require("record", "the kind of the record");
        const std::string name = kind ? kind->string().value_or("") : "";
        if (name == "plan") {
            read_head(record);
        } else if (name == "host") {
            read_host_of_plan(record);
        } else if (name == "group") {
            campaign_.groups.push_back(
                {text(record, "group"), flag(record, "half_duplex"), flag(record, "inside")});
        } else if (name == "task") {
            read_task(record);
        } else if (kind && !name.empty()) {
            kind->report("found " + core::shown(name), "plan, host, group or task");
        }
    }

    [[nodiscard]] core::Result<Campaign> finish(const std::string& name) {
        const auto no = [&](const std::string& what, const std::string& fix) {
            return core::fail({name, "", what, fix});
        };
        if (!head_) {
            return no("has no record \"plan\"", "make it with longhaul measure plan");
        }
        if (campaign_.hosts.size() < 2 || campaign_.tasks.empty()) {
            return no("has no tasks", "make it with longhaul measure plan");
        }
        std::map<std::pair<int, int>, const CampaignTask*> holders;
        for (const CampaignTask& task : campaign_.tasks) {
            for (const int resource : resources_of(task, campaign_.hosts, campaign_.groups)) {
                const auto [holder, fresh] = holders.emplace(std::pair(task.slot, resource), &task);
                if (!fresh) {
                    return no(fmt::format("tasks {} and {} of slot {} share a host or a group",
                                          holder->second->id,
                                          task.id,
                                          task.slot),
                              "tasks of one slot run at once: give them slots of their own");
                }
            }
        }
        std::ranges::stable_sort(campaign_.tasks, {}, &CampaignTask::slot);
        return std::move(campaign_);
    }

private:
    static std::string text(const Cursor& record, std::string_view key) {
        const auto at = record.find(key);
        return at ? at->string().value_or("") : "";
    }
    static bool flag(const Cursor& record, std::string_view key) {
        const auto at = record.find(key);
        return at && at->boolean().value_or(false);
    }
    static double amount(const Cursor& record, std::string_view key, double otherwise) {
        const auto at = record.find(key);
        return at ? at->number_in(0, kMostPlanned).value_or(otherwise) : otherwise;
    }
    static int count(const Cursor& record, std::string_view key, int least, int otherwise) {
        const auto at = record.find(key);
        return at ? at->integer(least, kMostPlannedCount).value_or(otherwise) : otherwise;
    }

    void read_head(const Cursor& record) {
        if (std::exchange(head_, true)) {
            record.report("a second record \"plan\"", "a plan has one");
        }
        core::check_format(record, "longhaul.measure-plan", 1, true);
        CampaignRules& rules = campaign_.rules;
        rules.transport = text(record, "transport");
        rules.congestion_control = text(record, "congestion_control");
        rules.smallest_bytes = amount(record, "smallest_bytes", 0);
        rules.largest_bytes = amount(record, "largest_bytes", 0);
        rules.repeats = count(record, "repeats", 1, rules.repeats);
        rules.most_repeats = count(record, "most_repeats", 1, rules.most_repeats);
        rules.half_width = amount(record, "half_width", rules.half_width);
        rules.skew_factor = amount(record, "skew_factor", rules.skew_factor);
        rules.pair_bytes = amount(record, "pair_bytes", 0);
        rules.task_seconds = amount(record, "task_seconds", rules.task_seconds);
        if (rules.largest_bytes > 0 && rules.smallest_bytes > rules.largest_bytes) {
            record.report("smallest_bytes is above largest_bytes",
                          "swap them, or make another plan");
        }
        if (rules.repeats > rules.most_repeats) {
            record.report("repeats is above most_repeats", "raise most_repeats");
        }
    }

    void read_host_of_plan(const Cursor& record) {
        CampaignHost host;
        host.id = text(record, "id");
        host.address = text(record, "address");
        const auto port = record.find("port");
        host.port = port ? port->integer(1, kHighestPlannedPort).value_or(0) : 0;
        host.site = text(record, "site");
        host.devices = count(record, "devices", 0, 0);
        const auto groups = record.find("groups");
        if (groups && groups->is_array()) {
            for (std::size_t i = 0; i < groups->value().size(); ++i) {
                host.groups.push_back(groups->item(i).string().value_or(""));
            }
        }
        const auto number = static_cast<int>(index_.size());
        if (host.id.empty() || !index_.emplace(host.id, number).second) {
            record.report("id " + core::shown(host.id) + " is empty or occurs twice",
                          "every host has an id of its own");
            return;
        }
        campaign_.hosts.push_back(std::move(host));
    }

    void read_task(const Cursor& record) {
        CampaignTask task;
        task.id = text(record, "task");
        task.pattern = kind_at(record,
                               "pattern",
                               std::array{Pattern::kPing,
                                          Pattern::kPeer,
                                          Pattern::kBothWays,
                                          Pattern::kFanOut,
                                          Pattern::kFanIn,
                                          Pattern::kRelay,
                                          Pattern::kCrossing});
        task.state = kind_at(record, "state", std::array{State::kWarm, State::kIdle, State::kCold});
        task.idle_s = amount(record, "idle_s", 0);
        const auto streams = record.find("streams");
        task.streams = streams ? streams->integer(1, kMostStreams).value_or(1) : 1;
        task.block = count(record, "block", 0, 0);
        task.slot = count(record, "slot", 0, 0);
        task.seconds = amount(record, "seconds", 0);
        task.bytes = amount(record, "bytes", 0);
        task.most_bytes = amount(record, "most_bytes", task.bytes);
        if (task.id.empty() || !ids_.insert(task.id).second) {
            record.report("task " + core::shown(task.id) + " is empty or occurs twice",
                          "every task has an id of its own");
        }
        read_members(record, task);
        campaign_.tasks.push_back(std::move(task));
    }

    void read_members(const Cursor& record, CampaignTask& task) {
        const auto hosts = record.require("hosts", "the ids of its hosts");
        if (!hosts || !hosts->is_array()) {
            return;
        }
        std::set<int> seen;
        for (std::size_t i = 0; i < hosts->value().size(); ++i) {
            const Cursor at = hosts->item(i);
            const auto found = index_.find(at.string().value_or(""));
            if (found == index_.end() || !seen.insert(found->second).second) {
                at.report("is no host of the plan, or occurs twice",
                          "ids of \"host\" records that stand above");
                return;
            }
            task.hosts.push_back(found->second);
        }
        const bool pair = task.pattern == Pattern::kPing || task.pattern == Pattern::kPeer ||
                          task.pattern == Pattern::kBothWays;
        const bool crossing = task.pattern == Pattern::kCrossing;
        if (task.hosts.size() < 2 || (pair && task.hosts.size() != 2) ||
            (crossing && task.hosts.size() % 2 != 0)) {
            hosts->report(fmt::format("names {} hosts", task.hosts.size()),
                          pair       ? "from and to"
                          : crossing ? "from, to, from, to, ..."
                                     : "two or more");
            task.hosts = {0, 0};
        }
    }

    Campaign campaign_;
    std::map<std::string, int> index_;
    std::set<std::string> ids_;
    bool head_ = false;
};

}  // namespace

std::string plan_text(const Campaign& campaign, const std::string& tool) {
    std::string text = head_line(campaign, tool);
    for (const CampaignHost& host : campaign.hosts) {
        Value value = Value::object();
        value.set("record", "host").set("id", host.id).set("address", host.address);
        value.set("port", host.port).set("site", host.site).set("groups", names(host.groups));
        text += core::write_json_line(value.set("devices", host.devices));
    }
    for (const CampaignGroup& group : campaign.groups) {
        text += core::write_json_line(Value::object()
                                          .set("record", "group")
                                          .set("group", group.name)
                                          .set("half_duplex", group.half_duplex)
                                          .set("inside", group.inside));
    }
    for (const CampaignTask& task : campaign.tasks) {
        text += task_line(campaign, task);
    }
    return text;
}

core::Result<Campaign> read_plan(std::string_view text, const std::string& name) {
    if (const auto own = core::refuse_other_format(text, name, {"longhaul.measure-plan"}); !own) {
        return tl::unexpected(own.error());
    }
    PlanReader reader;
    const core::Result<bool> whole = core::each_json_line(
        text, name, [&](const core::Document& document, core::Diagnostics& problems) {
            reader.read(document, problems);
        });
    if (!whole) {
        return tl::unexpected(whole.error());
    }
    if (!*whole) {
        return core::fail({name, "", "ends in the middle of a line", "make the plan again"});
    }
    return reader.finish(name);
}

}  // namespace longhaul::measure
