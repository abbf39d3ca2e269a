// The coordinator's connections to all agents: who is there, heartbeats, clocks.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "longhaul/core/value.hpp"
#include "longhaul/measure/campaign.hpp"
#include "longhaul/measure/tcp_team.hpp"
#include "longhaul/transport/channel.hpp"

namespace longhaul::measure {

/// One agent as the coordinator knows it.
struct HostLink {
    std::optional<transport::Channel> channel;  ///< empty: not connected
    std::string session;
    ClockOffset clock;
    int unanswered = 0;      ///< heartbeats since its last word
    core::Seconds retry_at;  ///< not before
    int strikes = 0;         ///< times that it was lost or did not answer
    std::string problem;     ///< why it is not connected
    core::Value facts = core::Value::object();
};

struct FleetOptions {
    core::Seconds connect_patience{5};
    core::Seconds busy_patience{12};  ///< an agent forgets a silent coordinator after 10 s
    core::Seconds beat_every{1};
    int most_unanswered = 3;
    core::Seconds retry_after{5};
    int most_strikes = 3;
};

/// Events of the fleet, for whoever runs tasks on it.
struct FleetListener {
    std::function<void(int host, const transport::Frame& frame)> frame;
    std::function<void(int host, const std::string& why)> lost;
};

class Fleet {
public:
    Fleet(const std::vector<CampaignHost>& hosts,
          const transport::Token& token,
          const FleetOptions& options);

    /// Connects to everybody who is not connected, may be tried again and has strikes left; in
    /// parallel.
    void connect();
    [[nodiscard]] bool up(int host) const { return link(host).channel.has_value(); }
    /// Given up: its tasks are skipped.
    [[nodiscard]] bool out(int host) const;
    [[nodiscard]] const HostLink& link(int host) const {
        return links_[static_cast<std::size_t>(host)];
    }
    /// When the next host may be tried again; nullopt when there is none.
    [[nodiscard]] std::optional<core::Seconds> next_retry() const;

    void send(int host, const core::Value& message);
    /// Waits for messages, at most that long, hands them on, sends heartbeats.
    void pump(core::Seconds patience, const FleetListener& listener);

private:
    void connect_one(std::size_t host);
    [[nodiscard]] std::string greet(const CampaignHost& at, HostLink& link) const;
    void lose(int host, const std::string& why);
    void beat();

    const std::vector<CampaignHost>& hosts_;
    const transport::Token& token_;
    FleetOptions options_;
    std::vector<HostLink> links_;
    std::vector<std::pair<int, std::string>> lost_;  // not told yet
    core::Seconds beaten_{-1e9};
};

}  // namespace longhaul::measure
