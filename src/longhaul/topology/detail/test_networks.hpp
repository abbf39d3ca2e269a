// Small networks for tests: of every pattern, and random ones.
#pragma once

#include <stdexcept>
#include <string>

#include "longhaul/topology/read.hpp"
#include "longhaul/topology/routes.hpp"

namespace longhaul::topology::detail {

inline Topology network(const std::string& body) {
    auto topology = read_topology("format = \"longhaul.topology/1\"\n" + body, "net.toml");
    if (!topology) {
        throw std::runtime_error(core::to_string(topology.error().front()));
    }
    return std::move(*topology);
}

inline Routes compiled(const std::string& body) {
    auto routes = Routes::compile(network(body));
    if (!routes) {
        throw std::runtime_error(core::to_string(routes.error().front()));
    }
    return std::move(*routes);
}

inline std::string fat_tree_text(int k) {
    return "[[group]]\nname = \"net\"\nendpoints = \"host\"\npattern = \"fat-tree\"\nk = " +
           std::to_string(k) + "\ngbps = 100\nlatency_us = 1\n";
}

/// Two pods of three hosts with four GPUs each, on rails under two spines.
inline std::string rails_text() {
    return "[[group]]\nname = \"node\"\nendpoints = \"gpu\"\ncount = 4\npattern = \"tree\"\n"
           "switches = 1\nswitch_name = \"nvswitch\"\nup = \"members\"\ngbps = 3600\n"
           "[[group]]\nname = \"pod\"\nmembers = \"node\"\ncount = 3\npattern = \"rails\"\n"
           "switches = 4\nswitch_name = \"rail\"\ngbps = 400\nlatency_us = 1\n"
           "[[group]]\nname = \"net\"\nmembers = \"pod\"\ncount = 2\npattern = \"tree\"\n"
           "switches = 2\nswitch_name = \"spine\"\ngbps = 400\nlatency_us = 1\n";
}

/// A balanced dragonfly: a = 4 routers, p = 2 hosts, h = 2 cables, 9 groups.
inline std::string dragonfly_text() {
    return "[[group]]\nname = \"router\"\nendpoints = \"host\"\ncount = 2\npattern = \"tree\"\n"
           "switches = 1\nswitch_name = \"sw\"\ngbps = 100\n"
           "[[group]]\nname = \"cabinet\"\nmembers = \"router\"\ncount = 4\npattern = \"mesh\"\n"
           "gbps = 100\n"
           "[[group]]\nname = \"net\"\nmembers = \"cabinet\"\ncount = 9\npattern = \"dragonfly\"\n"
           "cables_per_port = 2\ngbps = 100\n";
}

/// Three regions of a small fat tree each behind a border, one city that is an endpoint.
inline std::string regions_text() {
    std::string text =
        "[[group]]\nname = \"cluster\"\nendpoints = \"host\"\npattern = \"fat-tree\"\nk = 4\n"
        "gbps = 100\nlatency_us = 1\n"
        "[[group]]\nname = \"region\"\nmembers = \"cluster\"\ncount = 1\npattern = \"tree\"\n"
        "switches = 1\nswitch_name = \"border\"\ngbps = 400\nlatency_us = 5\n";
    for (const char* name : {"us", "eu", "asia"}) {
        text += "[[site]]\nname = \"" + std::string(name) + "\"\ngroup = \"region\"\n";
    }
    return text +
           "[[site]]\nname = \"lab\"\n"
           "[[link]]\na = \"us\"\nb = \"eu\"\nlatency_ms = 40\ngbps = 100\n"
           "[[link]]\na = \"eu\"\nb = \"asia\"\nlatency_ms = 80\ngbps = 50\n"
           "[[link]]\na = \"asia\"\nb = \"us\"\nlatency_ms = 60\ngbps = 50\n"
           "[[link]]\na = \"lab\"\nb = \"eu\"\nlatency_ms = 5\ngbps = 10\n";
}

}  // namespace longhaul::topology::detail
