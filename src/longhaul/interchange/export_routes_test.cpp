#include "longhaul/interchange/export_routes.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "longhaul/interchange/detail/test_files.hpp"
#include "longhaul/topology/read.hpp"

namespace longhaul::interchange {
namespace {

topology::Routes small_routes() {
    auto topology = topology::read_topology(
        "format = \"longhaul.topology/1\"\n[[group]]\nname = \"net\"\nendpoints = \"host\"\n"
        "pattern = \"fat-tree\"\nk = 4\ngbps = 100\nlatency_us = 2\n",
        "net.toml");
    return topology::Routes::compile(std::move(topology.value())).value();
}

Exported exported_routes(const char* format) {
    return find_route_format(format)->write(small_routes(), "net.toml").value();
}

/// Hosts of one rack are 2 links apart, of one pod 4, of different pods 6; each takes 0.002 ms.
/// Both importers find the routes again, HPCC's by hops.
void expect_tree(const fabric::Fabric& fabric) {
    ASSERT_EQ(fabric.size(), 16U);
    for (std::size_t i = 0; i < 16; ++i) {
        for (std::size_t j = 0; j < 16; ++j) {
            if (i != j) {
                const int links = i / 2 == j / 2 ? 2 : i / 4 == j / 4 ? 4 : 6;
                EXPECT_NEAR(fabric.parts().alpha_ms(i, j), 0.002 * links, 1e-12);
                EXPECT_NEAR(fabric.parts().beta_gbps(i, j), 100, 1e-9);
            }
        }
    }
}

TEST(ExportRoutes, SimgridReadsBack) {
    const auto imported = import_text("simgrid", exported_routes("simgrid").text);
    ASSERT_TRUE(imported) << problems_of(imported);
    expect_tree(*imported->fabric);
}

TEST(ExportRoutes, HpccReadsBack) {
    const auto imported = import_text("hpcc", exported_routes("hpcc").text);
    ASSERT_TRUE(imported) << problems_of(imported);
    expect_tree(*imported->fabric);
}

TEST(ExportRoutes, TablesListAllBranches) {
    const std::string table = exported_routes("table").text;
    EXPECT_NE(table.find("\npod0/rack0/edge0,pod1/rack0/host0,pod0/agg0 pod0/agg1\n"),
              std::string::npos);
    EXPECT_NE(table.find("\ncore3,pod1/rack0/host0,pod1/agg1\n"), std::string::npos);
    // 36 nodes towards 16 hosts without themselves, and the heading.
    EXPECT_EQ(std::ranges::count(table, '\n'), 36 * 16 - 16 + 1);
    // Of 240 ordered pairs 16 are in one rack (1 path), 32 in one pod (2), 192 in two (4).
    EXPECT_EQ(std::ranges::count(exported_routes("paths").text, '\n'), 16 + 2 * 32 + 4 * 192 + 1);
}

TEST(ExportRoutes, LargeNetworksAreRefused) {
    auto topology = topology::read_topology(
        "format = \"longhaul.topology/1\"\n[[group]]\nname = \"net\"\nendpoints = \"host\"\n"
        "pattern = \"fat-tree\"\nk = 48\ngbps = 100\n",
        "net.toml");
    const auto routes = topology::Routes::compile(std::move(topology.value()));
    for (const char* format : {"table", "paths", "simgrid"}) {
        EXPECT_FALSE(find_route_format(format)->write(*routes, "net.toml").has_value()) << format;
    }
    EXPECT_TRUE(find_route_format("hpcc")->write(*routes, "net.toml").has_value());
}

}  // namespace
}  // namespace longhaul::interchange
