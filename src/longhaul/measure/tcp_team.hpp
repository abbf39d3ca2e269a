// The agents of a task as its leader sees them: its own flows, and a channel to every other agent
// that sends. Starts are agreed on a common clock: offset by the exchange with the least round
// trip.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "longhaul/measure/data_stream.hpp"
#include "longhaul/measure/out_flows.hpp"
#include "longhaul/measure/program.hpp"
#include "longhaul/transport/channel.hpp"

namespace longhaul::measure {

/// Clock of the other end of a channel.
struct ClockOffset {
    double offset_s = 0;       ///< its now() - ours
    double round_trip_s = 0;   ///< least
    double uncertainty_s = 0;  ///< half of what the median exchange took longer than the quickest
};

/// From (sent, its clock, received) of several exchanges; must not be empty. The midpoint of the
/// quickest counts (Cristian, 1989): its error is half of the asymmetry of that round trip.
struct ClockExchange {
    double sent_s = 0;
    double theirs_s = 0;
    double received_s = 0;
};
[[nodiscard]] ClockOffset clock_offset(std::vector<ClockExchange> exchanges);

class TcpTeam : public Team {
public:
    TcpTeam(const TaskOrder& order,
            std::string self,
            const transport::Token& token,
            OutFlows& out,
            RoundBook& book,
            SocketSet& sockets,
            core::Seconds end);
    ~TcpTeam() override;

    /// Connects to the agents that it drives, and compares clocks.
    [[nodiscard]] tl::expected<void, TaskProblem> connect(core::Seconds deadline);

    [[nodiscard]] tl::expected<RoundTimes, TaskProblem> round(double bytes, bool fresh) override;
    [[nodiscard]] bool pause(double seconds) override;
    [[nodiscard]] double clock() override;

private:
    struct Driven {
        std::string id;
        std::unique_ptr<transport::Channel> channel;
        ClockOffset clock;
    };
    [[nodiscard]] tl::expected<void, TaskProblem> connect_one(Driven& driven,
                                                              core::Seconds deadline);
    [[nodiscard]] tl::expected<core::Value, TaskProblem> answer_of(Driven& driven);
    [[nodiscard]] tl::expected<void, TaskProblem> ask(Driven& driven, const core::Value& request);
    [[nodiscard]] tl::expected<void, TaskProblem> compare_clocks(Driven& driven);
    [[nodiscard]] tl::expected<void, TaskProblem> fresh_connections();
    [[nodiscard]] tl::expected<void, TaskProblem> collect(RoundTimes& times);
    [[nodiscard]] core::Seconds common_start() const;
    void measure_skew(RoundTimes& times) const;

    const TaskOrder& order_;
    std::string self_;
    const transport::Token& token_;
    OutFlows& out_;
    RoundBook& book_;
    SocketSet& sockets_;
    core::Seconds end_;
    std::vector<Driven> driven_;
    std::uint32_t number_ = 0;
    int incoming_ = 0;  // messages of a round that end at the leader
};

}  // namespace longhaul::measure
