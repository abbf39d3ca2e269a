#include "longhaul/measure/fleet.hpp"

#include <algorithm>
#include <thread>

#include <fmt/format.h>

#include "longhaul/measure/agent.hpp"
#include "longhaul/measure/order.hpp"
#include "longhaul/transport/clock.hpp"

namespace longhaul::measure {
namespace {

using core::Seconds;
using core::Value;

constexpr int kFleetExchanges = 5;
constexpr Seconds kFleetSendPatience{3};
constexpr Seconds kBusyPause{0.2};
constexpr std::string_view kBusy = "busy with another coordinator";

}  // namespace

Fleet::Fleet(const std::vector<CampaignHost>& hosts,
             const transport::Token& token,
             const FleetOptions& options)
    : hosts_(hosts), token_(token), options_(options), links_(hosts.size()) {}

bool Fleet::out(int host) const {
    return !up(host) && link(host).strikes >= options_.most_strikes;
}

std::optional<Seconds> Fleet::next_retry() const {
    std::optional<Seconds> next;
    for (std::size_t i = 0; i < links_.size(); ++i) {
        const auto host = static_cast<int>(i);
        if (!up(host) && !out(host)) {
            next = next ? std::min(*next, links_[i].retry_at) : links_[i].retry_at;
        }
    }
    return next;
}

void Fleet::connect() {
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < links_.size(); ++i) {
        const auto host = static_cast<int>(i);
        if (!up(host) && !out(host) && transport::now() >= links_[i].retry_at) {
            threads.emplace_back([this, i] { connect_one(i); });
        }
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
}

void Fleet::connect_one(std::size_t host) {
    HostLink& link = links_[host];
    const Seconds give_up = transport::now() + options_.busy_patience;
    while (true) {
        const std::string why = greet(hosts_[host], link);
        if (why.empty()) {
            return;
        }
        link.channel.reset();
        link.problem = why;
        if (why != kBusy || transport::now() > give_up) {
            break;
        }
        transport::sleep_until(transport::now() + kBusyPause);
    }
    ++link.strikes;
    link.retry_at = transport::now() + options_.retry_after;
}

/// Connects, learns the facts of the host, compares clocks; empty, or why that failed.
std::string Fleet::greet(const CampaignHost& at, HostLink& link) const {
    const Seconds deadline = transport::now() + options_.connect_patience;
    const auto address = transport::resolve(at.address, static_cast<std::uint16_t>(at.port));
    if (!address) {
        return address.error()[0].what;
    }
    const std::string payload =
        core::write_json_line(Value::object().set("id", kCoordinatorId).set("to", at.id));
    auto channel = transport::open_channel(
        *address, token_, {transport::Purpose::kControl, payload}, deadline);
    if (!channel) {
        const auto kind = channel.error().kind;
        const bool closed =
            kind == transport::IoError::Kind::kClosed || kind == transport::IoError::Kind::kBroken;
        return closed ? "it closed the connection: another token, or we are not its coordinator"
                      : channel.error().what;
    }
    const auto frame = channel->receive(deadline);
    if (!frame) {
        return frame.error().what;
    }
    const Value welcome = object_of(frame->body);
    if (text_member(welcome, "do") != "welcome") {
        return std::string(kBusy);
    }
    std::vector<ClockExchange> exchanges;
    const std::string question = core::write_json_line(command("clock"));
    for (int i = 0; i < kFleetExchanges; ++i) {
        const Seconds sent = transport::now();
        if (const auto asked = channel->send({kCommandFrame, question}, deadline); !asked) {
            return asked.error().what;
        }
        const auto answer = channel->receive(deadline);
        if (!answer) {
            return answer.error().what;
        }
        const double theirs = number_member(object_of(answer->body), "t");
        exchanges.push_back({sent.value(), theirs, transport::now().value()});
    }
    link.clock = clock_offset(exchanges);
    link.session = text_member(welcome, "session");
    if (const Value* facts = welcome.find("facts")) {
        link.facts = *facts;
    }
    link.unanswered = 0;
    link.problem.clear();
    link.channel.emplace(std::move(*channel));
    return "";
}

void Fleet::lose(int host, const std::string& why) {
    HostLink& link = links_[static_cast<std::size_t>(host)];
    if (!link.channel) {
        return;
    }
    link.channel.reset();
    link.problem = why;
    ++link.strikes;
    link.retry_at = transport::now() + options_.retry_after;
    lost_.emplace_back(host, why);
}

void Fleet::send(int host, const Value& message) {
    HostLink& link = links_[static_cast<std::size_t>(host)];
    if (!link.channel) {
        return;
    }
    const auto sent = link.channel->send({kCommandFrame, core::write_json_line(message)},
                                         transport::now() + kFleetSendPatience);
    if (!sent) {
        lose(host, sent.error().what);
    }
}

void Fleet::beat() {
    if (transport::now() - beaten_ < options_.beat_every) {
        return;
    }
    beaten_ = transport::now();
    for (std::size_t i = 0; i < links_.size(); ++i) {
        if (links_[i].channel && links_[i].unanswered > options_.most_unanswered) {
            lose(static_cast<int>(i), fmt::format("{} heartbeats missed", links_[i].unanswered));
        }
        send(static_cast<int>(i), command("beat"));
        ++links_[i].unanswered;
    }
}

void Fleet::pump(Seconds patience, const FleetListener& listener) {
    beat();
    std::vector<transport::Watch> watches;
    for (const HostLink& link : links_) {
        if (link.channel) {
            watches.push_back({link.channel->socket().fd()});
        }
    }
    const bool news = !lost_.empty();
    transport::wait(watches, news ? Seconds(0) : std::min(patience, options_.beat_every));
    for (std::size_t i = 0; i < links_.size(); ++i) {
        const auto host = static_cast<int>(i);
        if (!links_[i].channel) {
            continue;
        }
        const auto frames = links_[i].channel->drain();
        if (!frames) {
            lose(host, frames.error().what);
            continue;
        }
        for (const transport::Frame& frame : *frames) {
            links_[i].unanswered = 0;
            listener.frame(host, frame);
        }
    }
    std::vector<std::pair<int, std::string>> lost;
    lost.swap(lost_);
    for (const auto& [host, why] : lost) {
        listener.lost(host, why);
    }
}

}  // namespace longhaul::measure
