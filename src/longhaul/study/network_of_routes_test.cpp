#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include "longhaul/fabric/names.hpp"
#include "longhaul/flowsim/batch.hpp"
#include "longhaul/flowsim/over_routes.hpp"
#include "longhaul/study/build_step.hpp"
#include "longhaul/study/detail/test_support.hpp"
#include "longhaul/study/replay.hpp"
#include "longhaul/study/step_network.hpp"
#include "longhaul/study/step_report.hpp"
#include "longhaul/topology/devices.hpp"
#include "longhaul/topology/read.hpp"
#include "longhaul/topology/routes.hpp"

namespace longhaul::study {
namespace {

using placement::Shape;
using testing::Job;
using topology::NodeId;

topology::Routes routes_of(const std::string& body) {
    auto network = topology::read_topology("format = \"longhaul.topology/1\"\n" + body, "net.toml");
    EXPECT_TRUE(network.has_value());
    auto routes = topology::Routes::compile(std::move(*network));
    EXPECT_TRUE(routes.has_value());
    return std::move(*routes);
}

/// Hosts on one switch, whose cables differ.
topology::Routes star(int hosts = 6) {
    std::string text =
        "[[group]]\nname = \"net\"\nendpoints = \"host\"\ncount = " + std::to_string(hosts) +
        "\npattern = \"tree\"\nswitches = 1\ngbps = 10\nlatency_us = 300\n";
    for (int host = 1; host < hosts; host += 2) {
        const std::string number = std::to_string(host);
        text += "[[exception]]\nlink = [\"host" + number +
                "\", \"switch0\"]\ngbps = " + std::to_string(4 + host) +
                "\nlatency_ms = " + number + "\n";
    }
    return routes_of(text);
}

/// Pods of two racks of two hosts; the ways up have a quarter of what the hosts below can send.
topology::Routes narrow_fat_tree() {
    return routes_of(
        "[[group]]\nname = \"rack\"\nendpoints = \"host\"\ncount = 2\npattern = \"tree\"\n"
        "switches = 1\nswitch_name = \"edge\"\ngbps = 40\nlatency_us = 1\n"
        "[[group]]\nname = \"pod\"\nmembers = \"rack\"\ncount = 2\npattern = \"tree\"\n"
        "switches = 2\nswitch_name = \"agg\"\ngbps = 10\nlatency_us = 2\n"
        "[[group]]\nname = \"net\"\nmembers = \"pod\"\ncount = 2\npattern = \"tree\"\n"
        "switches = 2\nswitch_name = \"core\"\ngbps = 10\nlatency_us = 3\n");
}

/// Three regions of four hosts, whose links between them are narrow and unequal.
topology::Routes regions() {
    std::string text =
        "[[group]]\nname = \"cluster\"\nendpoints = \"host\"\ncount = 4\npattern = \"tree\"\n"
        "switches = 1\nswitch_name = \"border\"\ngbps = 100\nlatency_us = 5\n";
    for (const char* name : {"us", "eu", "asia"}) {
        text += "[[site]]\nname = \"" + std::string(name) + "\"\ngroup = \"cluster\"\n";
    }
    return routes_of(text +
                     "[[link]]\na = \"us\"\nb = \"eu\"\nlatency_ms = 40\ngbps = 10\n"
                     "[[link]]\na = \"eu\"\nb = \"asia\"\nlatency_ms = 110\ngbps = 4\n"
                     "[[link]]\na = \"asia\"\nb = \"us\"\nlatency_ms = 75\ngbps = 5\n"
                     "[[policy]]\nfrom = \"eu\"\nto = \"asia\"\nuse = \"k-disjoint\"\npaths = 2\n"
                     "both = true\n");
}

/// Latency and slowest link of every pair's path: what `route fabric --flows 1` writes, without
/// what is shared.
fabric::Fabric fabric_of(const topology::Routes& routes) {
    const topology::Topology& network = routes.topology();
    const std::size_t n = network.endpoints();
    fabric::FabricParts parts;
    for (const topology::EndpointDevice& each : topology::devices_of(network)) {
        fabric::Device device;
        device.host = each.host;
        device.local_rank = each.local_rank;
        parts.devices.push_back(device);
        parts.labels.emplace_back("all");
    }
    core::Grid<double> alpha(n, n, 0.0);
    core::Grid<double> beta(n, n, 1.0);
    for (NodeId i = 0; i < n; ++i) {
        for (NodeId j = 0; j < n; ++j) {
            double slowest = i == j ? 1 : 1e9;
            for (const topology::LinkId id : routes.path(i, j, topology::pair_flow(i, j)).links) {
                alpha(i, j) += network.link(id).latency_ms;
                slowest = std::min(slowest, network.link(id).gbps);
            }
            beta(i, j) = slowest;
        }
    }
    parts.alpha_ms = fabric::PairMatrix(std::move(alpha));
    parts.beta_gbps = fabric::PairMatrix(std::move(beta));
    auto fabric = fabric::Fabric::make(std::move(parts), "test");
    EXPECT_TRUE(fabric.has_value());
    return std::move(*fabric);
}

struct Payloads {
    double c_pp = 0;
    double c_dp = 0;
    int messages = 1;
};

/// Every endpoint a device, pipelines of contiguous endpoints; a second of compute a stage.
Job job_over(const topology::Routes& routes, Shape shape, const Payloads& payloads) {
    Job job = testing::make_job(shape, fabric_of(routes));
    job.problem.workload.c_pp = core::Gigabytes(payloads.c_pp);
    job.problem.workload.c_dp = core::Gigabytes(payloads.c_dp);
    job.problem.workload.pp_messages = payloads.messages;
    job.problem.workload.stage_seconds.assign(static_cast<std::size_t>(shape.pp), 1.0);
    return testing::remade(std::move(job));
}

struct RoutedStep {
    StepGraph graph{0};
    Connections connections;
    StepNetwork network;
    Replay replay;
    [[nodiscard]] double seconds() const { return flowsim::to_seconds(replay.times.end).value(); }
};

/// Over the pairs of the fabric, or over routes.
RoutedStep run_step(const Job& job, const topology::Routes* routes, bool queues = false) {
    StepOptions options;
    options.order = PipelineOrder::kGpipe;
    RoutedStep result;
    auto graph = build_step(job.problem, job.fabric, job.placement, options);
    EXPECT_TRUE(graph.has_value());
    result.graph = std::move(*graph);
    result.connections = connections_of(result.graph);
    const std::vector<std::string> names = fabric::device_names(job.fabric);
    if (routes != nullptr) {
        auto network = network_of_routes(*routes, names, result.connections.list);
        EXPECT_TRUE(network.has_value());
        result.network = std::move(*network);
    } else {
        result.network = network_of_fabric(job.fabric, result.connections.list, true);
    }
    auto replayed = replay(result.graph, result.connections, result.network, {.queues = queues});
    EXPECT_TRUE(replayed.has_value());
    result.replay = std::move(*replayed);
    return result;
}

// A pipeline under GPipe sends one way at a time, a ring has one sender and one receiver a port,
// and two replicas exchange with each other only: no two messages meet on a cable of a star.
TEST(NetworkOfRoutes, WithoutContentionEqualsTheFabric) {
    struct Case {
        Shape shape;
        Payloads payloads;
        placement::Exchange exchange;
    };
    for (const Case& each : {Case{{6, 1}, {0.5, 0, 4}, placement::Exchange::kSharded},
                             Case{{1, 6}, {0, 1.5, 1}, placement::Exchange::kRing},
                             Case{{1, 2}, {0, 1.5, 1}, placement::Exchange::kSharded}}) {
        const topology::Routes routes = star(static_cast<int>(each.shape.devices()));
        Job job = job_over(routes, each.shape, each.payloads);
        job.problem.terms.exchange = each.exchange;
        job = testing::remade(std::move(job));
        const double over_fabric = run_step(job, nullptr).seconds();
        EXPECT_GT(over_fabric, 1.1);
        EXPECT_NEAR(run_step(job, &routes).seconds(), over_fabric, 1e-9 * over_fabric);
        EXPECT_NEAR(run_step(job, &routes, true).seconds(), over_fabric, 1e-9 * over_fabric);
    }
}

/// Seconds until the last backward pass has ended; the exchange follows.
double pipeline_of(const RoutedStep& step) {
    return report_step(step.graph, step.network, step.replay).pipeline_s;
}

flowsim::PlannedFlow message(const topology::Routes& routes, NodeId from, NodeId to, double gb) {
    flowsim::PlannedFlow flow;
    flow.path = *flowsim::path_of(routes, from, to, topology::pair_flow(from, to));
    flow.payload = core::Gigabytes(gb);
    return flow;
}

flowsim::Time seconds(double value) {
    return flowsim::to_time(core::Seconds(value));
}

// One stage, sharded exchange: after a second every replica sends a part to every other; a replica
// that has all parts of its own share sends it to every other.
TEST(NetworkOfRoutes, ExchangeUnderContentionEqualsABatchOfFlows) {
    for (const topology::Routes& routes : {narrow_fat_tree(), regions()}) {
        const auto n = static_cast<NodeId>(routes.topology().endpoints());
        constexpr double kGb = 3;
        const double part = kGb / n;
        std::vector<flowsim::PlannedFlow> flows;
        std::vector<std::vector<flowsim::FlowId>> into(n);
        for (NodeId from = 0; from < n; ++from) {
            for (NodeId to = 0; to < n; ++to) {
                if (from != to) {
                    into[to].push_back(static_cast<flowsim::FlowId>(flows.size()));
                    flows.push_back(message(routes, from, to, part));
                    flows.back().start = seconds(1);
                }
            }
        }
        for (NodeId from = 0; from < n; ++from) {
            for (NodeId to = 0; to < n; ++to) {
                if (from != to) {
                    flows.push_back(message(routes, from, to, part));
                    flows.back().after = into[from];
                    const auto same = std::ranges::find_if(into[to], [&](flowsim::FlowId f) {
                        return flows[f].path == flows.back().path;
                    });
                    ASSERT_NE(same, into[to].end());
                    flows.back().after_sent = {*same};  // one connection keeps its order
                }
            }
        }
        const auto batch = flowsim::run_batch(flowsim::links_of(routes.topology()), flows);
        ASSERT_EQ(batch.unfinished, 0U);
        const double expected = flowsim::to_seconds(batch.end).value();
        const Job job = job_over(routes, {1, static_cast<int>(n)}, {0, kGb, 1});
        const RoutedStep over = run_step(job, &routes);
        EXPECT_NEAR(over.seconds(), expected, 1e-8 * expected);
        EXPECT_GT(expected, 1.05 * run_step(job, nullptr).seconds());  // links are shared indeed
        for (std::size_t link = 0; link < over.network.links.size(); ++link) {
            const auto names = flowsim::link_names_of(routes.topology());
            const auto at = std::ranges::find(names, over.network.names[link]);
            ASSERT_NE(at, names.end());
            EXPECT_NEAR(over.replay.links[link].gb,
                        batch.links[static_cast<std::size_t>(at - names.begin())].carried.value(),
                        1e-6);
        }
    }
}

// Two stages, one micro-batch: a third of a second forward, a message, then forward and backward on
// the second stage, the gradient back, and two thirds backward on the first.
TEST(NetworkOfRoutes, PipelineUnderContentionEqualsABatchOfFlows) {
    for (const topology::Routes& routes : {narrow_fat_tree(), regions()}) {
        const auto pairs = static_cast<NodeId>(routes.topology().endpoints() / 2);
        Job job = job_over(routes, {2, static_cast<int>(pairs)}, {0.7, 0, 1});
        // Pipelines from the first half of the endpoints to the second.
        std::vector<int> devices;
        std::vector<flowsim::PlannedFlow> flows;
        for (NodeId pair = 0; pair < pairs; ++pair) {
            devices.push_back(static_cast<int>(pair));
            devices.push_back(static_cast<int>(pair + pairs));
            flows.push_back(message(routes, pair, pair + pairs, 0.7));
            flows.back().start = seconds(1.0 / 3);
            flows.push_back(message(routes, pair + pairs, pair, 0.7));
            flows.back().after = {2 * pair};
            flows.back().wait = seconds(1);
        }
        job.problem.terms.forward_share = 1.0 / 3;
        job.placement = placement::Placement(job.problem.shape, devices);
        const auto batch = flowsim::run_batch(flowsim::links_of(routes.topology()), flows);
        ASSERT_EQ(batch.unfinished, 0U);
        const double expected = flowsim::to_seconds(batch.end).value() + 2.0 / 3;
        EXPECT_NEAR(pipeline_of(run_step(job, &routes)), expected, 1e-8 * expected);
        EXPECT_GT(expected, 1.05 * pipeline_of(run_step(job, nullptr)));
    }
}

TEST(NetworkOfRoutes, GivesTheSameStepTwice) {
    const topology::Routes routes = regions();
    const Job job = job_over(routes, {3, 4}, {0.4, 0.9, 4});
    const RoutedStep first = run_step(job, &routes);
    const RoutedStep again = run_step(job, &routes);
    ASSERT_EQ(first.replay.times.tasks.size(), again.replay.times.tasks.size());
    for (std::size_t i = 0; i < first.replay.times.tasks.size(); ++i) {
        EXPECT_EQ(first.replay.times.tasks[i].end, again.replay.times.tasks[i].end);
    }
}

TEST(NetworkOfRoutes, LinksOfTheReportAreThoseOfTheTopology) {
    const topology::Routes routes = star();
    const Job job = job_over(routes, {1, 6}, {0, 1.2, 1});
    const RoutedStep over = run_step(job, &routes);
    const StepReport report = report_step(over.graph, over.network, over.replay);
    // 12 directed cables; each carries 2 x 5 parts of 0.2 GB.
    ASSERT_EQ(report.links.size(), 12U);
    EXPECT_TRUE(std::ranges::any_of(
        report.links, [](const LinkReport& link) { return link.name == "switch0 > host3"; }));
    for (const LinkReport& link : report.links) {
        EXPECT_NEAR(link.gb, 2.0, 1e-9) << link.name;
    }
}

TEST(NetworkOfRoutes, MatchesRanksAndCountedDevicesOfHosts) {
    const topology::Routes routes = routes_of(
        "[[group]]\nname = \"node\"\nendpoints = \"gpu\"\ncount = 2\npattern = \"tree\"\n"
        "switches = 1\nup = \"members\"\ngbps = 3600\n"
        "[[group]]\nname = \"net\"\nmembers = \"node\"\ncount = 2\npattern = \"tree\"\n"
        "switches = 1\nswitch_name = \"leaf\"\ngbps = 400\n");
    const std::vector<std::string> names{"node1/1", "node0#0", "elsewhere/0"};
    const auto network = network_of_routes(routes, names, {{0, 1}});  // nothing is sent elsewhere
    ASSERT_TRUE(network.has_value());
    // Endpoints come in the order of the file, and so do their links.
    EXPECT_EQ(network->names,
              (std::vector<std::string>{"leaf0 > node0/gpu0", "node1/gpu1 > leaf0"}));
    EXPECT_EQ(network->gbps.front(), 400);
}

std::string refusal(const topology::Routes& routes,
                    const std::vector<std::string>& names,
                    const std::vector<Connection>& connections) {
    const auto network = network_of_routes(routes, names, connections);
    return network ? "" : core::to_string(network.error().front());
}

TEST(NetworkOfRoutes, RefusesDevicesWithoutEndpointsAndPairsWithoutPaths) {
    const topology::Routes routes = star();
    const std::string unknown =
        refusal(routes, {"host0/0", "oregon/3", "ohio#1"}, {{0, 1}, {1, 0}, {2, 0}});
    EXPECT_NE(unknown.find("no endpoint for device \"oregon/3\" of the plan (2 of 3 have none)"),
              std::string::npos)
        << unknown;
    EXPECT_NE(unknown.find("\"host0/0\" is the first"), std::string::npos) << unknown;
    // Two devices that would be one endpoint.
    EXPECT_NE(refusal(routes, {"host0/0", "host0#0"}, {{0, 1}}).find("no endpoint"),
              std::string::npos);
    const topology::Routes broken = routes_of(
        "[[group]]\nname = \"net\"\nendpoints = \"host\"\ncount = 3\npattern = \"tree\"\n"
        "switches = 1\ngbps = 10\n"
        "[[exception]]\nlink = [\"host1\", \"switch0\"]\ndown = true\n");
    EXPECT_EQ(refusal(broken, {"host0/0", "host2/0"}, {{0, 1}}), "");
    EXPECT_NE(refusal(broken, {"host0/0", "host1/0"}, {{0, 1}}).find("no path from host0 to host1"),
              std::string::npos);
}

}  // namespace
}  // namespace longhaul::study
