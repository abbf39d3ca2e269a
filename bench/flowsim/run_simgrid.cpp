#include "child.hpp"
#include "engines.hpp"

#ifdef LONGHAUL_WITH_SIMGRID

#include <memory>

#include <fmt/format.h>
#include <simgrid/s4u.hpp>
#include <simgrid/version.h>

namespace longhaul::bench {
namespace {

namespace s4u = simgrid::s4u;

std::vector<s4u::Host*> build(const FlowCase& flow_case) {
    s4u::NetZone* zone = s4u::create_full_zone("world");
    std::vector<s4u::Host*> hosts;
    for (int host = 0; host < flow_case.hosts; ++host) {
        hosts.push_back(zone->create_host(fmt::format("h{}", host), 1e9)->seal());
    }
    std::vector<const s4u::Link*> links;
    for (const flowsim::Link& link : flow_case.links) {
        links.push_back(
            zone->create_link(fmt::format("l{}", links.size()), link.capacity.value() * 1e9 / 8)
                ->set_latency(flowsim::to_seconds(link.latency).value())
                ->seal());
    }
    for (const auto& [pair, path] : flow_case.routes) {
        std::vector<s4u::LinkInRoute> route;
        for (const flowsim::Hop& hop : path) {
            route.emplace_back(links[hop.link]);
        }
        zone->add_route(hosts[static_cast<std::size_t>(pair.first)]->get_netpoint(),
                        hosts[static_cast<std::size_t>(pair.second)]->get_netpoint(),
                        nullptr,
                        nullptr,
                        route,
                        false);
    }
    zone->seal();
    return hosts;
}

FlowRun simulate(const FlowCase& flow_case, bool lazy) {
    std::vector<std::string> words = {
        "simgrid",
        "--log=root.thresh:critical",
        "--cfg=network/model:CM02",
        "--cfg=network/TCP-gamma:0",
        "--cfg=network/crosstraffic:0",
        "--cfg=network/weight-S:0",
        "--cfg=maxmin/precision:1e-9",
        "--cfg=surf/precision:1e-12",
        lazy ? "--cfg=network/optim:Lazy" : "--cfg=network/optim:Full",
        "--cfg=contexts/stack-size:16"};
    std::vector<char*> arguments;
    for (std::string& word : words) {
        arguments.push_back(word.data());
    }
    arguments.push_back(nullptr);
    auto count = static_cast<int>(words.size());
    s4u::Engine engine(&count, arguments.data());
    const std::vector<s4u::Host*> hosts = build(flow_case);
    FlowRun run;
    run.arrival_s.resize(flow_case.transfers.size());
    const double begin = cpu_seconds();
    for (std::size_t t = 0; t < flow_case.transfers.size(); ++t) {
        const Transfer& one = flow_case.transfers[t];
        s4u::Host* from = hosts[static_cast<std::size_t>(one.from)];
        s4u::Host* to = hosts[static_cast<std::size_t>(one.to)];
        s4u::Actor::create("a", from, [&run, t, from, to, one] {
            s4u::this_actor::sleep_until(static_cast<double>(one.start_ns) / 1e9);
            s4u::Comm::sendto(from, to, one.bytes);
            run.arrival_s[t] = s4u::Engine::get_clock();
        });
    }
    engine.run();
    run.cpu_s = cpu_seconds() - begin;
    return run;
}

}  // namespace

std::optional<FlowRun> run_simgrid(const FlowCase& flow_case, bool lazy) {
    return run_in_child([&] { return simulate(flow_case, lazy); });
}

std::optional<std::string> simgrid_version() {
    return fmt::format(
        "{}.{}.{}", SIMGRID_VERSION_MAJOR, SIMGRID_VERSION_MINOR, SIMGRID_VERSION_PATCH);
}

}  // namespace longhaul::bench

#else

namespace longhaul::bench {

std::optional<FlowRun> run_simgrid(const FlowCase&, bool) {
    return std::nullopt;
}

std::optional<std::string> simgrid_version() {
    return std::nullopt;
}

}  // namespace longhaul::bench

#endif
