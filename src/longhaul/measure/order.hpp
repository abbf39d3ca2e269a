// What the coordinator tells agents to do, and the small messages between them. All are JSON in the
// frames of transport::Channel.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "longhaul/core/value.hpp"
#include "longhaul/measure/raw.hpp"
#include "longhaul/transport/address.hpp"

namespace longhaul::measure {

/// Types of frames between coordinator and agent.
inline constexpr std::uint32_t kCommandFrame = 1;  ///< JSON, member "do" says what
inline constexpr std::uint32_t kRecordsFrame = 2;  ///< lines of raw.hpp

/// One transfer of a task, with the leave that its sender shows to its receiver.
struct FlowOrder {
    std::string from;
    std::string to;
    std::string ticket;
};

/// An agent that takes part in a task.
struct PartyOrder {
    std::string id;
    std::string address;
    int port = 0;
    std::string ticket;  ///< for the leader, to drive this agent; empty where nobody drives it
};

/// A whole task, the same text for every agent that takes part.
struct TaskOrder {
    std::string task;
    int attempt = 1;
    Pattern pattern = Pattern::kPeer;
    State state = State::kWarm;
    double idle_s = 0;
    int streams = 1;
    int block = 0;
    std::string congestion_control;
    double smallest_bytes = 0;  ///< 0: chosen from the round trip
    double largest_bytes = 0;   ///< 0: chosen from a probe
    int repeats = 2;
    int most_repeats = 7;
    double half_width = 0.05;
    double skew_factor = 20;  ///< transfers that begin together last that often their differences
    double pair_bytes = 0;    ///< most of one flow; 0: no limit but those of the agents
    double seconds = 120;     ///< longest that it may take from go on
    std::string leader;       ///< decides sizes and repetitions, reports the samples
    std::vector<FlowOrder> flows;
    std::vector<PartyOrder> parties;
};

[[nodiscard]] core::Value to_value(const TaskOrder& order);
/// nullopt when a part is missing or senseless: the sender has proved that it knows the token, so
/// this is no place for kind words.
[[nodiscard]] std::optional<TaskOrder> order_of(const core::Value& value);

/// By which the others know a party of the task, with port 0; asks the system's resolver for names.
[[nodiscard]] std::optional<transport::Address> address_of(const TaskOrder& order,
                                                           std::string_view id);

/// First message on a data connection: which flow it carries (-1: it drives the agent).
struct DataHello {
    std::string ticket;
    int flow = -1;
    int stream = 0;
    int serial = 0;  ///< counts connections of one stream; each may come once
};
[[nodiscard]] std::string to_payload(const DataHello& hello);
[[nodiscard]] std::optional<DataHello> data_hello_of(std::string_view payload);

/// {"do": what}, for more members.
[[nodiscard]] core::Value command(std::string_view what);
/// The object of a text; null when it is none.
[[nodiscard]] core::Value object_of(std::string_view text);

/// Member of an object, or what stands for its absence.
[[nodiscard]] std::string text_member(const core::Value& object, std::string_view key);
[[nodiscard]] double number_member(const core::Value& object,
                                   std::string_view key,
                                   double otherwise = 0);
[[nodiscard]] int integer_member(const core::Value& object,
                                 std::string_view key,
                                 int otherwise = 0);
[[nodiscard]] bool flag_member(const core::Value& object, std::string_view key);

}  // namespace longhaul::measure
