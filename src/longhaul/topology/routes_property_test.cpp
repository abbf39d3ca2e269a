// Routes of random networks with random failures equal those of searches over all links.
#include <algorithm>
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "longhaul/core/random.hpp"
#include "longhaul/topology/check.hpp"
#include "longhaul/topology/read.hpp"

namespace longhaul::topology {
namespace {

constexpr std::uint32_t kMostEndpoints = 80;

std::string number(std::uint32_t value) {
    return std::to_string(value);
}

/// A random chain of 1 to 4 levels; text, with every key that a person could write.
std::string random_groups(core::Random& random, bool site, const std::string& tag) {
    std::string text;
    std::string inner = "host";
    std::uint32_t endpoints = 1;
    std::uint32_t ports = 1;
    const std::uint32_t levels = 1 + random.below(site ? 2 : 4);
    for (std::uint32_t l = 0; l <= levels; ++l) {
        const bool top = l == levels;
        if (top && (!site || ports == 1)) {
            break;
        }
        const std::uint32_t kind = top ? 0 : random.below(4);
        const bool ring = kind == 3;
        const std::uint32_t count = top ? 1 : (ring ? 3 : 2) + random.below(ring ? 4 : 3);
        if (endpoints * count > kMostEndpoints) {
            break;
        }
        endpoints *= count;
        const std::string name = tag + std::string(1, static_cast<char>('a' + l));
        text += "[[group]]\nname = \"" + name + "\"\n" + (l == 0 ? "endpoints" : "members") +
                " = \"" + inner + "\"\ncount = " + number(count) +
                "\ngbps = " + number(1 + random.below(9)) + "\n";
        if (random.below(3) == 0) {
            text += "cost = " + number(1 + random.below(3)) + "\n";
        }
        if (kind < 2) {
            const bool rails = kind == 1;
            const std::uint32_t switches = top     ? 1
                                           : rails ? ports * (1 + random.below(2))
                                                   : 1 + random.below(3);
            const bool up = !top && random.below(3) == 0;
            text += std::string("pattern = \"") + (rails ? "rails" : "tree") +
                    "\"\nswitches = " + number(switches) + (up ? "\nup = \"members\"\n" : "\n");
            ports = up ? ports * count : switches;
        } else {
            text += std::string("pattern = \"") + (ring ? "ring" : "mesh") + "\"\n";
            ports *= count;
        }
        inner = name;
    }
    return text;
}

std::string random_wan(core::Random& random) {
    const std::uint32_t sites = 2 + random.below(4);
    std::string text;
    for (std::uint32_t s = 0; s < sites; ++s) {
        const std::string tag(1, static_cast<char>('p' + s));
        const std::string groups = random.below(4) == 0 ? "" : random_groups(random, true, tag);
        std::string outermost;
        if (const std::size_t at = groups.rfind("name = \""); at != std::string::npos) {
            outermost = groups.substr(at + 8, 2);
        }
        text += groups + "[[site]]\nname = \"site" + number(s) + "\"\n" +
                (outermost.empty() ? "" : "group = \"" + outermost + "\"\n");
        if (s > 0) {
            for (std::uint32_t i = 0; i < 1 + random.below(2); ++i) {
                text += "[[link]]\na = \"site" + number(s) + "\"\nb = \"site" +
                        number(random.below(s)) +
                        "\"\nlatency_us = " + number(1 + random.below(4)) + "\ngbps = 10\n";
            }
        }
    }
    return text;
}

/// Some links down, some with other costs.
Topology with_failures(const Topology& topology, core::Random& random, std::uint32_t percent) {
    std::vector<Exception> exceptions;
    for (std::uint32_t u = 0; u < topology.undirected_links(); ++u) {
        if (random.below(100) < percent) {
            const Link link = topology.link(2 * u);
            const bool down = random.below(2) == 0;
            exceptions.push_back({u,
                                  down,
                                  {link.gbps,
                                   link.latency_ms,
                                   down ? link.cost : 1 + static_cast<int>(random.below(4))}});
        }
    }
    return topology.with_exceptions(std::move(exceptions));
}

/// The look-up of a next hop takes one of all links; of trees and rails, the one that the hash
/// counts off their list.
void expect_quick_as_slow(const Routes& routes, const std::string& text) {
    const Topology& net = routes.topology();
    for (NodeId at = 0; at < net.nodes(); ++at) {
        for (NodeId to = at % 3; to < net.endpoints(); to += 3) {
            const std::vector<LinkId> links = routes.next_links(at, to);
            const auto hop = routes.next_hop(at, to, at + to);
            if (hop.has_value() == links.empty()) {
                RC_FAIL(text + "a path or none from " + net.name(at) + " to " + net.name(to));
            }
            const std::uint64_t hash = hop_hash(at + to, at);
            const bool tree = !net.wan() && routes.chain(0).tree() != nullptr;
            const bool right = !hop || (hop->node == net.link(hop->link).to &&
                                        (tree ? hop->link == links[(hash * links.size()) >> 32U]
                                              : std::ranges::binary_search(links, hop->link)));
            if (!right) {
                RC_FAIL(text + "another link from " + net.name(at) + " to " + net.name(to));
            }
        }
    }
}

/// Checks one network, given as text; false when its nesting is one that is refused.
bool holds(const std::string& text, core::Random& random) {
    const auto topology = read_topology("format = \"longhaul.topology/1\"\n" + text, "net.toml");
    if (!topology) {
        RC_FAIL(text + core::to_string(topology.error().front()));
    }
    for (const std::uint32_t percent : {0U, 5U, 25U}) {
        const auto routes = Routes::compile(with_failures(*topology, random, percent));
        if (!routes) {
            return false;
        }
        const CheckReport report = check(*routes, {0, 2, 7, 1});
        if (report.wrong > 0) {
            RC_FAIL(text + report.problems.front());
        }
        expect_quick_as_slow(*routes, text);
    }
    return true;
}

RC_GTEST_PROP(RoutesProperty, NestedGroupsEqualTheSearch, (std::uint64_t seed)) {
    core::Random random(seed);
    const std::string text = random_groups(random, false, "g");
    RC_CLASSIFY(!holds(text, random), "refused");
}

RC_GTEST_PROP(RoutesProperty, WansEqualTheSearch, (std::uint64_t seed)) {
    core::Random random(seed);
    const std::string text = random_wan(random);
    RC_CLASSIFY(!holds(text, random), "refused");
}

}  // namespace
}  // namespace longhaul::topology
