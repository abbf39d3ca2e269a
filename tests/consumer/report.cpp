// A map of one cell becomes a picture.
#include "longhaul/report/phase_map.hpp"

#include <cstdio>

int main() {
    using namespace longhaul;
    report::PhaseMap map;
    map.title = "a < b";
    map.x = {"x", {1}, true};
    map.y = {"y", {1}, true};
    map.structures = {"only one"};
    map.structure = core::Grid<int>(1, 1, 0);
    const std::string svg = report::draw(map);
    const bool right = svg.starts_with("<svg ") && svg.find("a &lt; b") != std::string::npos;
    std::puts(right ? "report: ok" : "report: wrong picture");
    return right ? 0 : 1;
}
