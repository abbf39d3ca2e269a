#include "longhaul/measure/run_head.hpp"

#include "longhaul/transport/clock.hpp"

namespace longhaul::measure {

std::string head_records(const Campaign& campaign,
                         const Fleet& fleet,
                         const CoordinatorOptions& options) {
    RunRecord run;
    run.run = options.run;
    run.started = transport::utc_now();
    run.tool = options.tool;
    run.plan_sha256 = options.plan_sha256;
    std::string lines = to_line(run);
    for (std::size_t i = 0; i < campaign.hosts.size(); ++i) {
        const CampaignHost& host = campaign.hosts[i];
        const HostLink& link = fleet.link(static_cast<int>(i));
        HostRecord record{host.id, host.site, host.address, host.groups, link.facts};
        if (host.devices > 0) {
            record.facts.set("devices", host.devices);
        }
        record.facts.set("port", host.port).set("clock_offset_s", link.clock.offset_s);
        record.facts.set("control_round_trip_s", link.clock.round_trip_s);
        lines += to_line(record);
        if (!link.problem.empty()) {
            lines += to_line(Event{transport::utc_now(), "", "unreachable", host.id, link.problem});
        }
    }
    return lines;
}

}  // namespace longhaul::measure
