#include "longhaul/measure/tcp_team.hpp"

#include <algorithm>
#include <thread>

#include "longhaul/core/assert.hpp"
#include "longhaul/measure/task_run.hpp"
#include "longhaul/transport/clock.hpp"

namespace longhaul::measure {
namespace {

using core::Seconds;
using core::Value;

constexpr int kClockExchanges = 8;
constexpr double kStartMargin = 0.002;  // beside the way of the command
constexpr double kPauseStep = 0.05;

}  // namespace

ClockOffset clock_offset(std::vector<ClockExchange> exchanges) {
    LONGHAUL_ASSERT(!exchanges.empty());
    const auto trip = [](const ClockExchange& one) { return one.received_s - one.sent_s; };
    std::ranges::sort(exchanges, {}, trip);
    const ClockExchange& best = exchanges.front();
    const ClockExchange& middle = exchanges[exchanges.size() / 2];
    return {best.theirs_s - (best.sent_s + best.received_s) / 2,
            trip(best),
            (trip(middle) - trip(best)) / 2};
}

TcpTeam::TcpTeam(const TaskOrder& order,
                 std::string self,
                 const transport::Token& token,
                 OutFlows& out,
                 RoundBook& book,
                 SocketSet& sockets,
                 Seconds end)
    : order_(order),
      self_(std::move(self)),
      token_(token),
      out_(out),
      book_(book),
      sockets_(sockets),
      end_(end) {
    incoming_ =
        order.streams * static_cast<int>(std::ranges::count(order.flows, self_, &FlowOrder::to));
}

TcpTeam::~TcpTeam() {
    for (const Driven& driven : driven_) {
        if (driven.channel) {
            sockets_.remove(driven.channel->socket());
        }
    }
}

tl::expected<void, TaskProblem> TcpTeam::connect(Seconds deadline) {
    for (const PartyOrder& party : order_.parties) {
        if (!party.ticket.empty() && party.id != self_) {
            driven_.push_back({party.id, nullptr, {}});
        }
    }
    // At once: a ring of many hosts would take many round trips one after the other.
    std::vector<tl::expected<void, TaskProblem>> outcomes(driven_.size());
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < driven_.size(); ++i) {
        threads.emplace_back([&, i] { outcomes[i] = connect_one(driven_[i], deadline); });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    const auto bad = std::ranges::find_if(outcomes, [](const auto& one) { return !one; });
    return bad == outcomes.end() ? tl::expected<void, TaskProblem>() : *bad;
}

tl::expected<void, TaskProblem> TcpTeam::connect_one(Driven& driven, Seconds deadline) {
    const PartyOrder& party = *std::ranges::find(order_.parties, driven.id, &PartyOrder::id);
    const auto address = transport::resolve(party.address, static_cast<std::uint16_t>(party.port));
    if (!address) {
        return tl::unexpected(TaskProblem{"refused", address.error()[0].what});
    }
    const transport::Hello hello{transport::Purpose::kData, to_payload({party.ticket, -1, 0, 0})};
    transport::ConnectOptions options;
    options.source = address_of(order_, self_);
    auto channel = transport::open_channel(*address, token_, hello, deadline, options);
    if (!channel) {
        return tl::unexpected(problem_of(channel.error(), self_ + ">" + party.id));
    }
    driven.channel = std::make_unique<transport::Channel>(std::move(*channel));
    sockets_.watch(driven.channel->socket());
    return compare_clocks(driven);
}

tl::expected<void, TaskProblem> TcpTeam::ask(Driven& driven, const Value& request) {
    const auto sent = driven.channel->send({kCommandFrame, core::write_json_line(request)}, end_);
    if (!sent) {
        return tl::unexpected(problem_of(sent.error(), self_ + ">" + driven.id));
    }
    return {};
}

tl::expected<Value, TaskProblem> TcpTeam::answer_of(Driven& driven) {
    const auto frame = driven.channel->receive(end_);
    if (!frame) {
        return tl::unexpected(problem_of(frame.error(), driven.id));
    }
    Value answer = object_of(frame->body);
    if (const std::string problem = text_member(answer, "problem"); !problem.empty()) {
        return tl::unexpected(TaskProblem{problem, text_member(answer, "detail")});
    }
    return answer;
}

tl::expected<void, TaskProblem> TcpTeam::compare_clocks(Driven& driven) {
    std::vector<ClockExchange> exchanges;
    for (int i = 0; i < kClockExchanges; ++i) {
        const Seconds sent = transport::now();
        if (auto asked = ask(driven, command("clock")); !asked) {
            return asked;
        }
        const auto answer = answer_of(driven);
        if (!answer) {
            return tl::unexpected(answer.error());
        }
        exchanges.push_back({sent.value(), number_member(*answer, "t"), transport::now().value()});
    }
    driven.clock = clock_offset(exchanges);
    return {};
}

tl::expected<void, TaskProblem> TcpTeam::fresh_connections() {
    for (Driven& driven : driven_) {
        if (auto asked = ask(driven, command("open")); !asked) {
            return asked;
        }
    }
    if (auto own = out_.connect(end_); !own) {
        return own;
    }
    for (Driven& driven : driven_) {
        if (const auto answer = answer_of(driven); !answer) {
            return tl::unexpected(answer.error());
        }
    }
    return {};
}

/// Far enough ahead for the command to reach everybody; at once when nobody has to be told.
Seconds TcpTeam::common_start() const {
    double lead = 0;
    for (const Driven& driven : driven_) {
        lead = std::max(lead, kStartMargin + 0.75 * driven.clock.round_trip_s);
    }
    return transport::now() + Seconds(lead);
}

tl::expected<RoundTimes, TaskProblem> TcpTeam::round(double bytes, bool fresh) {
    if (fresh) {
        if (auto opened = fresh_connections(); !opened) {
            return tl::unexpected(opened.error());
        }
    }
    ++number_;
    const Seconds start = common_start();
    RoundTimes times;
    times.t = transport::utc_now();
    for (Driven& driven : driven_) {
        Value request = command("round");
        request.set("number", static_cast<double>(number_)).set("bytes", bytes);
        request.set("start", start.value() + driven.clock.offset_s);
        if (auto asked = ask(driven, request); !asked) {
            return tl::unexpected(asked.error());
        }
    }
    auto own = out_.round(number_, bytes, start, end_);
    if (!own) {
        return tl::unexpected(own.error());
    }
    times.flows = std::move(*own);
    if (auto rest = collect(times); !rest) {
        return tl::unexpected(rest.error());
    }
    if (incoming_ > 0) {
        const auto received = book_.wait_for(number_, incoming_, end_);
        if (!received) {
            return tl::unexpected(TaskProblem{"timeout", "a message did not arrive"});
        }
        times.received_s[self_] = (*received - start).value();
    }
    std::ranges::sort(times.flows, {}, &FlowTimes::flow);
    measure_skew(times);
    return times;
}

tl::expected<void, TaskProblem> TcpTeam::collect(RoundTimes& times) {
    for (Driven& driven : driven_) {
        const auto answer = answer_of(driven);
        if (!answer) {
            return tl::unexpected(answer.error());
        }
        const Value* flows = answer->find("flows");
        for (std::size_t i = 0; flows != nullptr && i < flows->items.size(); ++i) {
            const FlowTimes flow = flow_times_of(flows->items[i]);
            if (flow.flow < 0 || static_cast<std::size_t>(flow.flow) >= order_.flows.size() ||
                order_.flows[static_cast<std::size_t>(flow.flow)].from != driven.id) {
                return tl::unexpected(
                    TaskProblem{"refused", driven.id + " reports a strange flow"});
            }
            times.flows.push_back(flow);
        }
        if (const Value* received = answer->find("received_s")) {
            times.received_s[driven.id] = received->number;
        }
    }
    return {};
}

/// Starts that were told are off by as much as the clocks may be.
void TcpTeam::measure_skew(RoundTimes& times) const {
    double first = times.flows.front().begin_s;
    double last = first;
    for (const FlowTimes& flow : times.flows) {
        first = std::min(first, flow.begin_s);
        last = std::max(last, flow.begin_s);
    }
    double clocks = 0;
    for (const Driven& driven : driven_) {
        clocks = std::max(clocks, driven.clock.uncertainty_s);
    }
    times.skew_s = last - first + clocks;
}

bool TcpTeam::pause(double seconds) {
    const Seconds until = transport::now() + Seconds(seconds);
    while (!sockets_.ended() && transport::now() < until) {
        transport::sleep_until(std::min(until, transport::now() + Seconds(kPauseStep)));
    }
    return !sockets_.ended();
}

double TcpTeam::clock() {
    return transport::now().value();
}

}  // namespace longhaul::measure
