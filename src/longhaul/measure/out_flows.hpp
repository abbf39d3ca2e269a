// The transfers of a task that begin at this host: their connections, and one thread a stream.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "longhaul/measure/data_stream.hpp"
#include "longhaul/measure/order.hpp"
#include "longhaul/measure/program.hpp"
#include "longhaul/transport/auth.hpp"

namespace longhaul::measure {

/// A thread that does one thing after the other.
class Worker {
public:
    Worker();
    ~Worker();
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    void start(std::function<void()> job);
    /// Until the job is done.
    void wait();

private:
    void loop();

    std::mutex mutex_;
    std::condition_variable changed_;
    std::function<void()> job_;
    bool busy_ = false;
    bool stop_ = false;
    std::thread thread_;
};

/// How a problem of a connection is told in events.
[[nodiscard]] TaskProblem problem_of(const transport::IoError& error, const std::string& where);

class OutFlows {
public:
    OutFlows(const TaskOrder& order,
             const std::string& self,
             const transport::Token& token,
             ByteBudget& budget,
             SocketSet& sockets);

    [[nodiscard]] bool empty() const { return streams_.empty(); }
    /// New connections for all streams, in parallel.
    [[nodiscard]] tl::expected<void, TaskProblem> connect(core::Seconds deadline);
    /// One message of `bytes` over every flow, split over its streams, begun at `start`.
    [[nodiscard]] tl::expected<std::vector<FlowTimes>, TaskProblem> round(std::uint32_t number,
                                                                          double bytes,
                                                                          core::Seconds start,
                                                                          core::Seconds deadline);

private:
    struct Stream {
        int flow = 0;
        int index = 0;
        int serial = 0;
        std::shared_ptr<transport::Socket> socket;
        core::Seconds connect_time;
        std::string pool;
        Worker worker;
        transport::Io<SendTimes> outcome;
        transport::Io<void> connected;
    };
    void connect_one(Stream& stream, core::Seconds deadline);
    [[nodiscard]] const PartyOrder* receiver_of(int flow) const;
    [[nodiscard]] FlowTimes times_of(int flow, core::Seconds start) const;

    const TaskOrder& order_;
    const transport::Token& token_;
    ByteBudget& budget_;
    SocketSet& sockets_;
    std::vector<std::unique_ptr<Stream>> streams_;
};

}  // namespace longhaul::measure
