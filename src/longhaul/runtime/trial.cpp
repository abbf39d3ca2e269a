#include "longhaul/runtime/trial.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace longhaul::runtime {
namespace {

double number_of(const core::Value& object, std::string_view key) {
    const core::Value* value = object.find(key);
    return value != nullptr ? value->number : 0;
}

/// Entries of an array of numbers, in either of the forms that it has.
std::vector<double> numbers_of(const core::Value* array) {
    std::vector<double> numbers;
    if (array != nullptr) {
        numbers = array->numbers;
        for (const core::Value& item : array->items) {
            numbers.push_back(item.number);
        }
    }
    return numbers;
}

std::vector<Stretch> stretches_of(const core::Value& message) {
    std::vector<Stretch> stretches;
    const core::Value* array = message.find("stretches");
    for (std::size_t i = 0; array != nullptr && i < array->items.size(); ++i) {
        Stretch stretch{static_cast<std::uint32_t>(number_of(array->items[i], "blocks")), 0};
        for (const double island : numbers_of(array->items[i].find("islands"))) {
            stretch.mask |= schedule::Clique{1} << static_cast<unsigned>(island);
        }
        stretches.push_back(stretch);
    }
    return stretches;
}

AggregatorCounts counts_of(const core::Value& totals) {
    const auto count = [&](std::string_view key) {
        return static_cast<std::uint64_t>(number_of(totals, key));
    };
    return {count("contributions"),
            count("duplicates"),
            count("strangers"),
            count("completed"),
            count("conflicts"),
            count("timeouts"),
            count("late"),
            count("peak_slots")};
}

/// Digests of right sums, worked out once for equal contents.
class Answers {
public:
    explicit Answers(const Session& session) : session_(session) {}

    [[nodiscard]] const std::string& digest(std::uint32_t round,
                                            int island,
                                            const std::vector<Stretch>& stretches) {
        std::vector<std::int32_t> weights = session_.weights_of(round, island);
        Key key{round, weights.empty() ? -1 : island, {}};
        for (const Stretch& stretch : stretches) {
            std::get<2>(key).emplace_back(stretch.blocks, stretch.mask);
        }
        std::string& known = known_[key];
        if (known.empty()) {
            known =
                digest_of(expected_sums(session_.options.seed,
                                        round,
                                        stretches,
                                        static_cast<std::size_t>(session_.options.block_elements),
                                        {session_.payload_bits, std::move(weights)}));
        }
        return known;
    }

private:
    /// Round, island where weights differ, and contents.
    using Key =
        std::tuple<std::uint32_t, int, std::vector<std::pair<std::uint32_t, schedule::Clique>>>;
    const Session& session_;
    std::map<Key, std::string> known_;
};

/// Blocks add up to the payload, and name the island itself and no strangers: what may be believed.
bool plausible(const Session& session,
               std::uint32_t round,
               int island,
               const std::vector<Stretch>& stretches) {
    const schedule::Clique members = session.exchange(round, island).members;
    const schedule::Clique self = schedule::Clique{1} << static_cast<unsigned>(island);
    std::uint64_t blocks = 0;
    bool sound = true;
    for (const Stretch& stretch : stretches) {
        blocks += stretch.blocks;
        sound = sound && (stretch.mask & ~members) == 0 && (stretch.mask & self) != 0;
    }
    return sound && blocks == session.blocks;
}

void take_round(const Session& session,
                std::size_t host,
                const core::Value& message,
                Answers& answers,
                Trial& trial) {
    const auto round = static_cast<std::uint32_t>(number_of(message, "round"));
    if (round >= session.rounds.size() || host >= session.islands()) {
        return;
    }
    const auto island = static_cast<int>(host);
    IslandRound& result = trial.rounds[round].islands[host];
    result.reported = true;
    result.stretches = stretches_of(message);
    const core::Value* digest = message.find("digest");
    result.exact = digest != nullptr && plausible(session, round, island, result.stretches) &&
                   digest->string == answers.digest(round, island, result.stretches);
    result.complete =
        result.stretches ==
        std::vector<Stretch>{{session.blocks, session.exchange(round, island).members}};
    result.elapsed_ms = number_of(message, "elapsed_ms");
}

void take(const Session& session,
          std::size_t host,
          const core::Value& message,
          Answers& answers,
          Trial& trial) {
    const std::size_t n = session.islands();
    if (const core::Value* real_time = message.find("real_time")) {
        trial.real_time = trial.real_time && real_time->boolean;
    }
    if (const core::Value* clock = message.find("clock"); clock != nullptr && host < n) {
        trial.clocks[host] = {number_of(*clock, "ahead_ms"),
                              number_of(*clock, "round_trip_ms"),
                              number_of(*clock, "residual_ms"),
                              static_cast<int>(number_of(*clock, "probes"))};
        const double truth = session.clock_error_ms[0] - session.clock_error_ms[host];
        trial.clock_misses_ms[host] = trial.clocks[host].ahead_ms - truth;
    }
    if (const core::Value* totals = message.find("aggregator"); totals != nullptr && host >= n) {
        trial.aggregators[host - n] = counts_of(*totals);
    }
    if (const core::Value* totals = message.find("island")) {
        trial.duplicates += number_of(*totals, "duplicates");
        trial.lacking += number_of(*totals, "lacking");
        trial.requests += number_of(*totals, "requests");
        trial.request_datagrams += number_of(*totals, "datagrams");
        trial.resends += number_of(*totals, "resends");
        trial.late_ms = std::max(trial.late_ms, number_of(*totals, "late_ms"));
    }
    if (message.find("round") != nullptr) {
        take_round(session, host, message, answers, trial);
    }
}

bool exchanges(const SessionRound& round, std::size_t island) {
    return !round.exchanges[round.exchange_of[island]].senders.empty();
}

double median_of(std::vector<double> values) {
    std::ranges::sort(values);
    return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

/// Times of rounds, and of rounds of the schedule.
void summarise(const Session& session, Trial& trial) {
    for (std::size_t k = 0; k < session.rounds.size(); ++k) {
        const SessionRound& round = session.rounds[k];
        RoundOutcome& outcome = trial.rounds[k];
        double last = 0;
        bool complete = true;
        for (std::size_t i = 0; i < session.islands(); ++i) {
            if (exchanges(round, i)) {
                complete = complete && outcome.islands[i].complete;
                last = std::max(last, outcome.islands[i].elapsed_ms);
            }
        }
        trial.phases.resize(std::max(trial.phases.size(), round.phase + 1));
        PhaseOutcome& phase = trial.phases[round.phase];
        phase.predicted_ms =
            round.predicted_ms;  // where none is measured; else their median, below
        if (complete && round.predicted_ms > 0) {
            outcome.measured_ms = last;
            phase.measured_ms.push_back(last);
            phase.predicted_each_ms.push_back(round.predicted_ms);
        }
    }
    for (PhaseOutcome& phase : trial.phases) {
        if (!phase.measured_ms.empty()) {
            std::vector<double> ratios;
            for (std::size_t i = 0; i < phase.measured_ms.size(); ++i) {
                ratios.push_back(phase.measured_ms[i] / phase.predicted_each_ms[i]);
            }
            phase.ratio = median_of(std::move(ratios));
            phase.median_ms = median_of(phase.measured_ms);
            phase.predicted_ms = median_of(phase.predicted_each_ms);
        }
    }
}

}  // namespace

Trial judge(const Session& session, const core::Value& log) {
    Trial trial;
    trial.rounds.resize(session.rounds.size());
    for (RoundOutcome& round : trial.rounds) {
        round.islands.resize(session.islands());
    }
    trial.clocks.resize(session.islands());
    trial.clock_misses_ms.resize(session.islands());
    trial.aggregators.resize(session.islands());
    if (const core::Value* problem = log.find("problem")) {
        trial.problem = problem->string;
    }
    for (const double host : numbers_of(log.find("lost"))) {
        const auto number = static_cast<int>(host);
        const auto islands = static_cast<int>(session.islands());
        if (number < islands) {
            trial.lost.push_back(number);
        } else if (number < 2 * islands) {
            trial.lost_aggregators.push_back(number - islands);
        }
    }
    Answers answers(session);
    const core::Value* messages = log.find("messages");
    for (std::size_t i = 0; messages != nullptr && i < messages->items.size(); ++i) {
        const core::Value& entry = messages->items[i];
        const auto host = static_cast<std::size_t>(number_of(entry, "host"));
        if (const core::Value* message = entry.find("message");
            message != nullptr && host < session.wan.hosts.size()) {
            take(session, host, *message, answers, trial);
        }
    }
    summarise(session, trial);
    return trial;
}

std::size_t Trial::reports() const {
    std::size_t count = 0;
    for (const RoundOutcome& round : rounds) {
        count +=
            static_cast<std::size_t>(std::ranges::count_if(round.islands, &IslandRound::reported));
    }
    return count;
}

std::size_t Trial::wrong_sums() const {
    std::size_t count = 0;
    for (const RoundOutcome& round : rounds) {
        count += static_cast<std::size_t>(std::ranges::count_if(
            round.islands, [](const IslandRound& at) { return at.reported && !at.exact; }));
    }
    return count;
}

std::size_t Trial::incomplete() const {
    std::size_t count = 0;
    for (const RoundOutcome& round : rounds) {
        count += static_cast<std::size_t>(std::ranges::count_if(
            round.islands, [](const IslandRound& at) { return at.reported && !at.complete; }));
    }
    return count;
}

std::size_t Trial::unexplained(const Session& session) const {
    const schedule::Clique killed =
        session.options.kill ? schedule::Clique{1} << session.options.kill->island : 0;
    std::size_t count = 0;
    for (std::uint32_t k = 0; k < rounds.size(); ++k) {
        for (std::size_t i = 0; i < session.islands(); ++i) {
            const IslandRound& at = rounds[k].islands[i];
            const schedule::Clique all = session.exchange(k, static_cast<int>(i)).members;
            const bool lacks = std::ranges::any_of(at.stretches, [&](const Stretch& stretch) {
                return (all & ~stretch.mask & ~killed) != 0;
            });
            count += at.reported && lacks ? 1 : 0;
        }
    }
    return count;
}

bool Trial::on_time(double tolerance) const {
    return std::ranges::all_of(phases, [&](const PhaseOutcome& phase) {
        return phase.predicted_ms == 0 ||
               (!phase.measured_ms.empty() && std::abs(phase.difference()) <= tolerance);
    });
}

}  // namespace longhaul::runtime
