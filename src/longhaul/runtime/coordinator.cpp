#include "longhaul/runtime/coordinator.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>

#include <unistd.h>

#include <fmt/format.h>

#include "longhaul/runtime/control.hpp"
#include "longhaul/runtime/detail/processes.hpp"
#include "longhaul/runtime/udp.hpp"

namespace longhaul::runtime {
namespace {

constexpr double kGatherMs = 30e3;
constexpr double kClockMs = 20e3;
constexpr double kAnswerMs = 5e3;
constexpr double kLeadMs = 250;  // from the order to start to the first block
constexpr double kGraceMs = 5e3;

class Coordinator {
public:
    explicit Coordinator(const Session& session)
        : session_(session), hosts_(session.wan.hosts.size()), told_(hosts_.size()) {}

    core::Value run();

private:
    using Condition = std::function<bool()>;

    bool until(const Condition& condition, double patience_ms);
    bool before_the_start(const Condition& condition, double patience_ms, const char* otherwise);
    void accept_all();
    void hear_guests();
    void hear_hosts();
    [[nodiscard]] std::vector<int> descriptors() const;
    void hear(std::size_t host, core::Value message);
    void tell(std::size_t host, const core::Value& message);
    [[nodiscard]] bool alive(std::size_t host) const {
        return hosts_[host] && !hosts_[host]->closed();
    }
    /// Whether every living island satisfies a condition.
    [[nodiscard]] bool all_islands(const std::function<bool(std::size_t)>& condition) const;
    [[nodiscard]] std::size_t rounds_of(std::size_t island) const;
    bool lead();

    const Session& session_;
    std::optional<transport::Listener> listener_;
    std::vector<Control> guests_;                ///< that have not said who they are
    std::vector<std::optional<Control>> hosts_;  ///< by number
    struct Told {
        bool clock = false;
        bool totals = false;
        std::size_t rounds = 0;
    };
    std::vector<Told> told_;
    std::optional<double> now_ms_;  ///< of the reference clock
    double residual_ms_ = 0;        ///< of clocks, the worst
    core::Value messages_ = core::Value::array();
    std::string problem_;
};

void Coordinator::accept_all() {
    for (;;) {
        auto socket = listener_->accept_one();
        if (!socket || !socket->valid()) {
            return;
        }
        guests_.emplace_back(std::move(*socket));
    }
}

void Coordinator::hear(std::size_t host, core::Value message) {
    Told& told = told_[host];
    if (const core::Value* clock = message.find("clock")) {
        told.clock = true;
        const core::Value* residual = clock->find("residual_ms");
        residual_ms_ = std::max(residual_ms_, residual != nullptr ? residual->number : 0);
    }
    told.totals =
        told.totals || message.find("island") != nullptr || message.find("aggregator") != nullptr;
    told.rounds += message.find("round") != nullptr ? 1 : 0;
    if (const core::Value* now = message.find("now_ms")) {
        now_ms_ = now->number;
        return;
    }
    if (const core::Value* problem = message.find("problem")) {
        problem_ = session_.wan.hosts[host].name + ": " + problem->string;
    }
    messages_.append(core::Value::object()
                         .set("host", static_cast<double>(host))
                         .set("message", std::move(message)));
}

void Coordinator::tell(std::size_t host, const core::Value& message) {
    if (alive(host)) {
        static_cast<void>(hosts_[host]->send(message));
    }
}

std::vector<int> Coordinator::descriptors() const {
    std::vector<int> descriptors{listener_->fd()};
    for (const Control& guest : guests_) {
        descriptors.push_back(guest.fd());
    }
    for (std::size_t i = 0; i < hosts_.size(); ++i) {
        if (alive(i)) {
            descriptors.push_back(hosts_[i]->fd());
        }
    }
    return descriptors;
}

/// Guests that say who they are become hosts.
void Coordinator::hear_guests() {
    for (Control& guest : guests_) {
        for (core::Value& message : guest.receive()) {
            const core::Value* host = message.find("host");
            const auto number =
                host != nullptr ? static_cast<std::size_t>(host->number) : hosts_.size();
            if (number < hosts_.size() && !hosts_[number]) {
                hosts_[number].emplace(std::move(guest));
                hear(number, std::move(message));
                break;
            }
        }
    }
    std::erase_if(guests_, [](const Control& guest) { return guest.fd() < 0 || guest.closed(); });
}

void Coordinator::hear_hosts() {
    for (std::size_t i = 0; i < hosts_.size(); ++i) {
        if (alive(i)) {
            for (core::Value& message : hosts_[i]->receive()) {
                hear(i, std::move(message));
            }
        }
    }
}

/// Serves all connections until a condition holds; false when that takes too long.
bool Coordinator::until(const Condition& condition, double patience_ms) {
    const double deadline = clock_ms(0) + patience_ms;
    while (!condition()) {
        if (clock_ms(0) > deadline || !problem_.empty()) {
            return false;
        }
        wait_for(descriptors(), 0, deadline);
        accept_all();
        hear_guests();
        hear_hosts();
    }
    return true;
}

/// The same before the first round: there all processes are needed.
bool Coordinator::before_the_start(const Condition& condition,
                                   double patience_ms,
                                   const char* otherwise) {
    const auto ended = [&] {
        return std::ranges::find_if(hosts_,
                                    [](const auto& host) { return host && host->closed(); });
    };
    const bool held = until([&] { return ended() != hosts_.end() || condition(); }, patience_ms);
    if (const auto gone = ended(); gone != hosts_.end()) {
        const auto number = static_cast<std::size_t>(gone - hosts_.begin());
        problem_ = fmt::format("the {} of {} ended before the first round",
                               number < session_.islands() ? "process" : "aggregator",
                               session_.names[number % session_.islands()]);
        return false;
    }
    problem_ = held || !problem_.empty() ? problem_ : otherwise;
    return held;
}

bool Coordinator::all_islands(const std::function<bool(std::size_t)>& condition) const {
    for (std::size_t i = 0; i < session_.islands(); ++i) {
        if (alive(i) && !condition(i)) {
            return false;
        }
    }
    return true;
}

/// Rounds in which an island exchanges something.
std::size_t Coordinator::rounds_of(std::size_t island) const {
    std::size_t rounds = 0;
    for (const SessionRound& round : session_.rounds) {
        rounds += round.exchanges[round.exchange_of[island]].senders.empty() ? 0 : 1;
    }
    return rounds;
}

bool Coordinator::lead() {
    const auto here = [&] {
        return std::ranges::all_of(hosts_, [](const auto& host) { return host.has_value(); });
    };
    if (!before_the_start(here, kGatherMs, "not all hosts have started")) {
        return false;
    }
    for (std::size_t i = 1; i < session_.islands(); ++i) {
        tell(i, core::Value::object().set("clock", true));
    }
    const auto compared = [&] {
        return all_islands([&](std::size_t i) { return i == 0 || told_[i].clock; });
    };
    if (!before_the_start(compared, kClockMs, "the clocks could not be compared")) {
        return false;
    }
    for (std::size_t i = session_.islands(); i < hosts_.size(); ++i) {
        tell(i, core::Value::object().set("clock_residual_ms", residual_ms_));
    }
    tell(0, core::Value::object().set("now", true));
    if (!before_the_start([&] { return now_ms_.has_value(); },
                          kAnswerMs,
                          "the reference clock does not answer")) {
        return false;
    }
    const double start = *now_ms_ + kLeadMs + session_.lead_ms;
    for (std::size_t i = 0; i < session_.islands(); ++i) {
        tell(i, core::Value::object().set("start_ms", start));
    }
    const SessionRound& last = session_.rounds.back();
    const double length = kLeadMs + session_.lead_ms + last.start_ms + last.predicted_ms;
    const auto reported = [&] {
        return all_islands([&](std::size_t i) { return told_[i].rounds >= rounds_of(i); });
    };
    if (!until(reported, length + session_.patience_ms + kGraceMs)) {
        problem_ = problem_.empty() ? "some islands have not reported all rounds" : problem_;
    }
    return true;
}

core::Value Coordinator::run() {
    const auto address =
        transport::Address::numeric(emulate::address_text(session_.wan.control_host), kControlPort);
    auto listener = transport::Listener::open(address.value_or(transport::Address()));
    if (!listener) {
        problem_ = core::to_string(listener.error().front());
    } else {
        listener_.emplace(std::move(*listener));
        static_cast<void>(lead());
        const std::string problem = std::exchange(problem_, "");
        core::Value lost = core::Value::array();
        for (std::size_t i = 0; i < hosts_.size(); ++i) {
            if (!alive(i)) {
                lost.append(static_cast<double>(i));
            }
            tell(i, core::Value::object().set("end", true));
        }
        const auto totals = [&] {
            for (std::size_t i = 0; i < hosts_.size(); ++i) {
                if (alive(i) && !told_[i].totals) {
                    return false;
                }
            }
            return true;
        };
        static_cast<void>(until(totals, kAnswerMs));
        return core::Value::object()
            .set("problem", problem)
            .set("lost", std::move(lost))
            .set("messages", std::move(messages_));
    }
    return core::Value::object().set("problem", problem_);
}

}  // namespace

int run_coordinator(const Session& session, int log_fd) {
    static_cast<void>(be_punctual());  // or the hosts, which are, would keep it waiting
    const std::string text = core::write_json(Coordinator(session).run());
    std::size_t written = 0;
    while (written < text.size()) {
        const ssize_t size = write(log_fd, text.data() + written, text.size() - written);
        if (size <= 0) {
            return kFailed;
        }
        written += static_cast<std::size_t>(size);
    }
    return 0;
}

}  // namespace longhaul::runtime
