#include "longhaul/study/idle.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "longhaul/core/assert.hpp"

namespace longhaul::study {
namespace {

class TimelineBuilder {
public:
    TimelineBuilder(const StepGraph& graph, const StepTimes& times)
        : graph_(graph), times_(times), lines_(graph.devices()) {}

    std::vector<Timeline> build() {
        for (const int task : by_start()) {
            const auto device = static_cast<std::size_t>(graph_.task(task).device);
            const TaskTimes& at = times_of(task);
            explain(device, task, at.start);
            append(lines_[device], at.start, at.sent, doing_of(task));
        }
        for (Timeline& line : lines_) {
            append(line, end_of(line), times_.end, Doing::kWaitingStragglers);
        }
        return std::move(lines_);
    }

private:
    static Time end_of(const Timeline& line) { return line.empty() ? Time{} : line.back().end; }

    /// A message that keeps its device busy counts as network.
    [[nodiscard]] Doing doing_of(int task) const {
        return graph_.task(task).is_message() ? Doing::kWaitingNetwork : Doing::kComputing;
    }

    [[nodiscard]] const TaskTimes& times_of(int task) const {
        return times_.tasks[static_cast<std::size_t>(task)];
    }

    /// All programs, by the moment at which a task starts.
    [[nodiscard]] std::vector<int> by_start() const {
        std::vector<int> order;
        for (std::size_t device = 0; device < graph_.devices(); ++device) {
            const std::vector<int>& program = graph_.program(device);
            order.insert(order.end(), program.begin(), program.end());
        }
        std::ranges::stable_sort(order, {}, [&](int task) { return times_of(task).start; });
        return order;
    }

    static void append(Timeline& line, Time begin, Time end, Doing doing) {
        if (end <= begin) {
            return;
        }
        if (!line.empty() && line.back().doing == doing && line.back().end == begin) {
            line.back().end = end;
        } else {
            line.push_back({begin, end, doing});
        }
    }

    /// Fills the gap of a device before `task`, up to `until`, going back from the moment that
    /// ended it. Causes are found from the last to the first, so they are appended in reverse.
    void explain(std::size_t device, int task, Time until) {
        const Time from = end_of(lines_[device]);
        if (until <= from) {
            return;
        }
        const bool exchange = graph_.task(task).kind == TaskKind::kUpdate;
        Timeline causes;
        Time upper = until;
        if (graph_.task(task).is_message()) {
            upper = add_cause(task, from, upper, exchange, causes);  // its connection was busy
        }
        for (int cause = times_of(task).waited_for; cause >= 0 && upper > from;
             cause = times_of(cause).waited_for) {
            upper = add_cause(cause, from, upper, exchange, causes);
            if (!graph_.task(cause).is_message() && graph_.task(cause).kind != TaskKind::kSum) {
                copy(cause, from, upper, exchange, causes);
                upper = from;
            }
        }
        add_piece(from, upper, waiting(Doing::kWaitingCompute, exchange), causes);
        for (std::size_t i = causes.size(); i-- > 0;) {
            append(lines_[device], causes[i].begin, causes[i].end, causes[i].doing);
        }
    }

    static Doing waiting(Doing doing, bool exchange) {
        return exchange && doing != Doing::kWaitingNetwork ? Doing::kWaitingStragglers : doing;
    }

    static void add_piece(Time begin, Time end, Doing doing, Timeline& causes) {
        if (end > begin) {
            causes.push_back({begin, end, doing});
        }
    }

    /// The part of [from, upper] in which `cause` was on its way or computed; what is before it is
    /// left.
    Time add_cause(int cause, Time from, Time upper, bool exchange, Timeline& causes) const {
        const TaskTimes& at = times_of(cause);
        const bool message = graph_.task(cause).is_message();
        const Time begin = std::max(from, message ? at.ready : at.start);
        if (begin >= upper) {
            return upper;
        }
        add_piece(begin,
                  upper,
                  message ? Doing::kWaitingNetwork : waiting(Doing::kWaitingCompute, exchange),
                  causes);
        return begin;
    }

    /// What the device of `cause` did in [from, upper] is what others waited for.
    void copy(int cause, Time from, Time upper, bool exchange, Timeline& causes) const {
        const Timeline& line = lines_[static_cast<std::size_t>(graph_.task(cause).device)];
        auto span = std::ranges::upper_bound(line, upper, {}, &Span::begin);
        Time left = upper;
        while (span != line.begin() && left > from) {
            --span;
            const Doing doing =
                span->doing == Doing::kComputing ? Doing::kWaitingCompute : span->doing;
            const Doing charged = exchange ? Doing::kWaitingStragglers : doing;
            add_piece(std::max(from, span->begin), std::min(left, span->end), charged, causes);
            left = std::max(from, std::min(left, span->begin));
        }
    }

    const StepGraph& graph_;
    const StepTimes& times_;
    std::vector<Timeline> lines_;
};

}  // namespace

std::string_view name_of(Doing doing) {
    constexpr std::array<std::string_view, 4> kNames{
        "computing", "waiting for compute", "waiting for the network", "waiting for stragglers"};
    return kNames.at(static_cast<std::size_t>(doing));
}

std::vector<Timeline> timelines(const StepGraph& graph, const StepTimes& times) {
    LONGHAUL_ASSERT(times.tasks.size() == graph.tasks().size());
    return TimelineBuilder(graph, times).build();
}

Shares shares_of(const Timeline& timeline) {
    Shares shares;
    for (const Span& span : timeline) {
        const std::array<Time*, 4> parts{
            &shares.computing, &shares.compute, &shares.network, &shares.stragglers};
        *parts.at(static_cast<std::size_t>(span.doing)) += span.end - span.begin;
    }
    return shares;
}

}  // namespace longhaul::study
