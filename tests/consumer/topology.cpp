// A fat tree of 4-port switches: 16 hosts; between two pods there are 4 shortest paths of 6 links.
#include <iostream>

#include "longhaul/topology/read.hpp"
#include "longhaul/topology/routes.hpp"

int main() {
    auto topology = longhaul::topology::read_topology(
        "format = \"longhaul.topology/1\"\n[[group]]\nname = \"net\"\nendpoints = \"host\"\n"
        "pattern = \"fat-tree\"\nk = 4\ngbps = 100\n",
        "tree.toml");
    bool good = topology && topology->endpoints() == 16;
    if (good) {
        const auto routes = longhaul::topology::Routes::compile(*topology);
        good = routes && routes->path(0, 15, 7).links.size() == 6 &&
               routes->paths(0, 15, 10).routes.size() == 4;
    }
    std::cout << "topology " << (good ? "works" : "is broken") << '\n';
    return good ? 0 : 1;
}
