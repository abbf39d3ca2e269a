#include "longhaul/measure/slot_run.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "longhaul/measure/resume.hpp"
#include "longhaul/transport/clock.hpp"

namespace longhaul::measure {
namespace {

using core::Seconds;
using core::Value;

constexpr Seconds kSetupPatience{25};  // prepare and connect
constexpr Seconds kRunPatience{10};    // beyond the seconds of a task
constexpr Seconds kReasonPatience{0.5};
constexpr Seconds kTicketMargin{90};
constexpr Seconds kPumpStep{0.2};
constexpr double kAnyBytes = 1e15;

const CampaignHost& host_at(const Campaign& campaign, int host) {
    return campaign.hosts[static_cast<std::size_t>(host)];
}

}  // namespace

TaskOrder order_for(const Campaign& campaign,
                    const CampaignTask& task,
                    int attempt,
                    const CampaignRules& rules) {
    TaskOrder order;
    order.task = task.id;
    order.attempt = attempt;
    order.pattern = task.pattern;
    order.state = task.state;
    order.idle_s = task.idle_s;
    order.streams = task.streams;
    order.block = task.block;
    order.congestion_control = rules.congestion_control;
    order.smallest_bytes = rules.smallest_bytes;
    order.largest_bytes = rules.largest_bytes;
    order.repeats = rules.repeats;
    order.most_repeats = std::max(rules.repeats, rules.most_repeats);
    order.half_width = rules.half_width;
    order.skew_factor = rules.skew_factor;
    order.pair_bytes = rules.pair_bytes;
    order.seconds = rules.task_seconds;
    order.leader = host_at(campaign, task.hosts.front()).id;
    for (const Flow& flow : flows_of(task.pattern, task.hosts)) {
        order.flows.push_back({host_at(campaign, flow.from).id, host_at(campaign, flow.to).id, ""});
    }
    for (const int host : task.hosts) {
        const CampaignHost& at = host_at(campaign, host);
        order.parties.push_back({at.id, at.address, at.port, ""});
    }
    return order;
}

std::string records_of(const Campaign& campaign, const TaskOutcome& outcome) {
    const CampaignTask& task = *outcome.task;
    TaskRecord record;
    record.task = task.id;
    record.attempt = outcome.attempt;
    record.slot = task.slot;
    record.pattern = task.pattern;
    record.state = task.state;
    const bool fan = task.pattern == Pattern::kFanIn || task.pattern == Pattern::kFanOut;
    for (std::size_t i = 0; i < task.hosts.size(); ++i) {
        const std::string& id = host_at(campaign, task.hosts[i]).id;
        if (fan && i == 0) {
            record.root = id;
        } else {
            record.peers.push_back(id);
        }
    }
    record.unknown.set("streams", task.streams).set("block", task.block);
    record.unknown.set("experiment", experiment_of(campaign, task));
    std::string lines = to_line(record);
    for (Sample sample : outcome.samples) {
        sample.ok = sample.ok && outcome.complete;
        lines += to_line(sample);
    }
    for (const Event& event : outcome.events) {
        lines += to_line(event);
    }
    return lines + to_line(TaskEnd{task.id, outcome.attempt, outcome.complete});
}

SlotRun::SlotRun(const Campaign& campaign,
                 Fleet& fleet,
                 const transport::Token& token,
                 std::function<void(TaskOutcome)> ended)
    : campaign_(campaign), fleet_(fleet), token_(token), ended_(std::move(ended)) {}

void SlotRun::add(const CampaignTask& task, int attempt, const CampaignRules& rules) {
    Active active;
    active.rules = rules;
    active.outcome.task = &task;
    active.outcome.attempt = attempt;
    active_.push_back(std::move(active));
}

void SlotRun::run(const std::function<bool()>& stop) {
    const FleetListener listener{
        [this](int host, const transport::Frame& frame) { hear(host, frame); },
        [this](int host, const std::string& why) { lost(host, why); }};
    for (Active& active : active_) {
        begin(active);
    }
    while (!over()) {
        fleet_.pump(kPumpStep, listener);
        check_deadlines();
        go_when_ready();
        if (stop && stop()) {
            for (Active& active : active_) {
                if (active.phase != Phase::kOver) {
                    note(active, "aborted", -1, "stopped by the user");
                    end(active, false);
                }
            }
        }
    }
}

void SlotRun::begin(Active& active) {
    const CampaignTask& task = *active.outcome.task;
    TaskOrder order = order_for(campaign_, task, active.outcome.attempt, active.rules);
    seal_tickets(order, task);
    active.deadline = transport::now() + kSetupPatience;
    const Value message = to_value(order);
    for (const int host : task.hosts) {
        fleet_.send(host, message);
    }
}

/// Leave for every flow, and for the leader to drive those who send. A ticket expires on the clock
/// of its receiver.
void SlotRun::seal_tickets(TaskOrder& order, const CampaignTask& task) const {
    const auto ticket_for = [&](int to, const std::string& from) {
        const HostLink& link = fleet_.link(to);
        const Seconds theirs = transport::now() + Seconds(link.clock.offset_s);
        transport::Ticket ticket;
        ticket.session = link.session;
        ticket.task = order.task;
        ticket.attempt = order.attempt;
        ticket.from = from;
        ticket.to = host_at(campaign_, to).id;
        ticket.max_bytes =
            static_cast<std::uint64_t>(order.pair_bytes > 0 ? order.pair_bytes : kAnyBytes);
        ticket.max_seconds = Seconds(order.seconds);
        ticket.expires = theirs + Seconds(order.seconds) + kTicketMargin;
        return transport::seal(ticket, token_);
    };
    const std::vector<Flow> flows = flows_of(task.pattern, task.hosts);
    for (std::size_t i = 0; i < flows.size(); ++i) {
        order.flows[i].ticket = ticket_for(flows[i].to, order.flows[i].from);
    }
    for (std::size_t i = 1; i < task.hosts.size(); ++i) {
        const bool sends = std::ranges::count(flows, task.hosts[i], &Flow::from) > 0;
        order.parties[i].ticket = sends ? ticket_for(task.hosts[i], order.leader) : "";
    }
}

SlotRun::Active* SlotRun::active_of(int host) {
    const auto found = std::ranges::find_if(active_, [&](const Active& active) {
        return active.phase != Phase::kOver &&
               std::ranges::count(active.outcome.task->hosts, host) > 0;
    });
    return found == active_.end() ? nullptr : &*found;
}

void SlotRun::hear(int host, const transport::Frame& frame) {
    Active* active = active_of(host);
    if (active == nullptr) {
        return;
    }
    if (frame.type == kRecordsFrame) {
        hear_records(*active, frame.body);
        return;
    }
    const Value message = object_of(frame.body);
    if (text_member(message, "task") == active->outcome.task->id &&
        integer_member(message, "attempt") == active->outcome.attempt) {
        hear_command(*active, host, message);
    }
}

void SlotRun::hear_command(Active& active, int host, const Value& message) {
    const std::string what = text_member(message, "do");
    const std::string kind = text_member(message, "kind");
    const std::string detail = text_member(message, "detail");
    if (what == "prepared") {
        hear_answer(active, host, Phase::kPreparing, Phase::kConnecting);
    } else if (what == "ready") {
        hear_answer(active, host, Phase::kConnecting, Phase::kReady);
    } else if (what == "event") {
        note(active, kind, host, detail);
    } else if (what == "failed") {
        const bool told = std::ranges::any_of(active.outcome.events, [&](const Event& event) {
            return event.kind == kind && event.detail == detail;
        });
        if (!told) {
            note(active, kind.empty() ? "failed" : kind, host, detail);
        }
        if (kind == "peer_lost" && active.phase != Phase::kFailing) {
            // The other end may still say why it closed the connection.
            active.phase = Phase::kFailing;
            active.deadline = transport::now() + kReasonPatience;
        } else {
            end(active, false);
        }
    } else if (what == "done" && active.phase == Phase::kRunning &&
               host == active.outcome.task->hosts.front()) {
        end(active, true);
    }
}

/// Moves a task on when all its hosts have answered.
void SlotRun::hear_answer(Active& active, int host, Phase from, Phase to) {
    if (active.phase != from) {
        return;
    }
    active.answered.insert(host);
    if (active.answered.size() < active.outcome.task->hosts.size()) {
        return;
    }
    active.answered.clear();
    active.phase = to;
    if (to == Phase::kConnecting) {
        tell(active, "connect");
    }
}

void SlotRun::hear_records(Active& active, const std::string& lines) {
    RunRecord head;  // a file of records begins with one
    head.run = "agent";
    const core::Result<Raw> raw = read_raw(to_line(head) + lines, "agent");
    if (!raw) {
        note(active, "refused", -1, core::to_string(raw.error()[0]));
        return;
    }
    const auto& hosts = active.outcome.task->hosts;
    const auto member = [&](const std::string& id) {
        return std::ranges::find_if(hosts,
                                    [&](int host) { return host_at(campaign_, host).id == id; });
    };
    for (Sample sample : raw->samples) {
        const auto from = member(sample.from);
        const auto to = member(sample.to);
        if (sample.task != active.outcome.task->id || from == hosts.end() || to == hosts.end() ||
            sample.attempt != active.outcome.attempt) {
            continue;
        }
        sample.path = path_label(host_at(campaign_, *from), host_at(campaign_, *to));
        if (const Value* next = sample.unknown.find("send_to")) {
            const auto after = member(next->string);
            sample.send_path = after == hosts.end() ? ""
                                                    : path_label(host_at(campaign_, *to),
                                                                 host_at(campaign_, *after));
        }
        for (const Active& other : active_) {
            if (&other != &active) {
                sample.concurrent.push_back(other.outcome.task->id);
            }
        }
        active.outcome.samples.push_back(std::move(sample));
    }
}

/// All tasks of a slot begin together, as soon as each is ready or has failed.
void SlotRun::go_when_ready() {
    const bool waiting = std::ranges::any_of(active_, [](const Active& active) {
        return active.phase == Phase::kPreparing || active.phase == Phase::kConnecting;
    });
    if (gone_ || waiting) {
        return;
    }
    gone_ = true;
    double lead = 0;
    for (const Active& active : active_) {
        for (const int host : active.outcome.task->hosts) {
            lead = std::max(lead, 2 * fleet_.link(host).clock.round_trip_s);
        }
    }
    const Seconds start = transport::now() + Seconds(lead);
    for (Active& active : active_) {
        if (active.phase != Phase::kReady) {
            continue;
        }
        const int leader = active.outcome.task->hosts.front();
        Value message = command("go");
        message.set("task", active.outcome.task->id).set("attempt", active.outcome.attempt);
        message.set("start", start.value() + fleet_.link(leader).clock.offset_s);
        active.phase = Phase::kRunning;
        active.deadline = start + Seconds(active.rules.task_seconds) + kRunPatience;
        fleet_.send(leader, message);
    }
}

void SlotRun::lost(int host, const std::string& why) {
    if (Active* active = active_of(host)) {
        note(*active, "peer_lost", host, why);
        end(*active, false);
    }
}

void SlotRun::check_deadlines() {
    for (Active& active : active_) {
        if (active.phase != Phase::kOver && transport::now() > active.deadline) {
            const bool running = active.phase == Phase::kRunning;
            if (active.phase != Phase::kFailing) {
                note(active, "timeout", -1, running ? "it runs too long" : "it does not get ready");
            }
            end(active, false);
        }
    }
}

void SlotRun::note(Active& active, const std::string& kind, int host, const std::string& detail) {
    active.outcome.events.push_back({transport::utc_now(),
                                     active.outcome.task->id,
                                     kind,
                                     host >= 0 ? host_at(campaign_, host).id : "",
                                     detail});
}

void SlotRun::tell(const Active& active, std::string_view what) {
    Value message = command(what);
    message.set("task", active.outcome.task->id).set("attempt", active.outcome.attempt);
    for (const int host : active.outcome.task->hosts) {
        fleet_.send(host, message);
    }
}

void SlotRun::end(Active& active, bool complete) {
    active.phase = Phase::kOver;
    active.outcome.complete = complete;
    tell(active, "finish");
    ended_(active.outcome);
}

bool SlotRun::over() const {
    return std::ranges::all_of(active_,
                               [](const Active& active) { return active.phase == Phase::kOver; });
}

}  // namespace longhaul::measure
