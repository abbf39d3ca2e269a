#include "instance.hpp"

#include <utility>

#include <fmt/format.h>

namespace longhaul::bench {
namespace {

using placement::Shape;

// A gap in 30 s: the proof may work until the time is up.
constexpr double kLongProof = 30;
// A score after 10 s or 30 s: the search goes on until the time is up.
constexpr double kLongSearch = 50;

constexpr const char* kTable2 = "dtfm-table2-worldwide.json";

std::string name_of(const std::string& fabric, Shape shape, double c_pp, double c_dp) {
    const std::string stem = fabric.substr(0, fabric.find('.'));
    return fmt::format("{} {}x{} {:g}/{:g}", stem, shape.pp, shape.dp, c_pp, c_dp);
}

/// Optima that docs/mathematics/placement.md derives or cites.
void add_known_answers(std::vector<Instance>& rows) {
    struct Known {
        const char* fabric;
        double c_pp, c_dp, optimum, final_s;
    };
    const Known known[] = {{kTable2, 0.512, 0.65, 51.500424, 3},
                           {kTable2, 0.128, 0.65, 19.447381, 10},
                           {"dtfm-spot.json", 0.471249, 0.65, 31.634148, 10},
                           {"dtfm-regional.json", 0.512, 0.65, 37.084085, 10},
                           {"dtfm-campuses.json", 0.512, 0.65, 16.999657, 10},
                           {"dtfm-datacenter.json", 0.512, 0.65, 3.485440, 10},
                           {kTable2, 0.512, 1.3, 62.201579, 10}};
    for (const Known& k : known) {
        Instance row{name_of(k.fabric, {8, 8}, k.c_pp, k.c_dp),
                     "Known answers",
                     k.fabric,
                     {8, 8},
                     k.c_pp,
                     k.c_dp,
                     1,
                     1,
                     60,
                     {}};
        row.bar.optimum = k.optimum;
        row.bar.proved = true;
        row.bar.final_s = k.final_s;
        rows.push_back(std::move(row));
    }
}

/// Shipped fabrics; those whose regions are equal and divide evenly must be proved.
void add_payloads(std::vector<Instance>& rows) {
    struct Shipped {
        const char* fabric;
        bool balanced;
        std::vector<Shape> shapes;
    };
    const std::vector<Shape> of_64{{8, 8}, {16, 4}, {4, 16}};
    const Shipped shipped[] = {{kTable2, true, of_64},
                               {"dtfm-worldwide.json", true, of_64},
                               {"dtfm-regional.json", true, of_64},
                               {"dtfm-campuses.json", true, of_64},
                               {"dtfm-datacenter.json", true, of_64},
                               {"dtfm-spot.json", false, of_64},
                               {"two-datacenters-synthetic.toml", true, {{4, 8}, {8, 4}, {16, 2}}}};
    const std::pair<double, double> payloads[] = {
        {0.03, 0.1}, {0.03, 5}, {0.128, 0.1}, {0.128, 1.3}, {0.128, 5}, {1, 0.1}, {1, 1.3}, {1, 5}};
    for (const Shipped& s : shipped) {
        for (const Shape shape : s.shapes) {
            for (const auto& [c_pp, c_dp] : payloads) {
                Instance row{name_of(s.fabric, shape, c_pp, c_dp),
                             "Other payloads and shapes",
                             s.fabric,
                             shape,
                             c_pp,
                             c_dp,
                             1,
                             1,
                             60,
                             {}};
                row.bar.best_known = true;
                row.bar.proved = s.balanced;
                row.bar.final_s = s.balanced ? 60 : 0;
                rows.push_back(std::move(row));
            }
        }
    }
}

void add_uneven(std::vector<Instance>& rows) {
    for (const char* fabric : {"uneven", "dtfm-ten-regions.json"}) {
        Instance row{name_of(fabric, {8, 8}, 0.512, 0.65),
                     "Regions that do not divide",
                     fabric,
                     {8, 8},
                     0.512,
                     0.65,
                     1,
                     kLongProof,
                     30,
                     {}};
        row.bar.best_known = true;
        row.bar.best_within_s = 2;
        row.bar.gap = 0.10;
        rows.push_back(std::move(row));
    }
}

void add_noise(std::vector<Instance>& rows) {
    for (int seed = 1; seed <= 5; ++seed) {
        Instance row{fmt::format("table2 with noise {} 8x8 0.512/0.65", seed),
                     "Noise of 10 % on every directed link of Table 2",
                     fmt::format("noise {}", seed),
                     {8, 8},
                     0.512,
                     0.65,
                     1,
                     kLongProof,
                     30,
                     {}};
        row.bar.gap = 0.06;
        rows.push_back(std::move(row));
    }
}

/// Regions of equal size and such that differ.
void add_large(std::vector<Instance>& rows) {
    struct Size {
        int regions, devices;
        Shape shape;
        double limit_s, first_s, memory_gb;
    };
    const Size sizes[] = {{16, 64, {16, 64}, 10, 0.1, 1}, {20, 500, {100, 100}, 30, 1, 2.5}};
    for (const Size& size : sizes) {
        for (const bool uneven : {false, true}) {
            Instance row{
                fmt::format("globe {} regions of {}{} {}x{} 0.512/0.65",
                            size.regions,
                            uneven ? "about " : "",
                            size.devices,
                            size.shape.pp,
                            size.shape.dp),
                "Many devices (synthetic)",
                fmt::format(
                    "{} {} {}", uneven ? "globe-uneven" : "globe", size.regions, size.devices),
                size.shape,
                0.512,
                0.65,
                kLongSearch,
                1,
                size.limit_s,
                {}};
            row.bar.first_s = size.first_s;
            row.bar.memory_gb = size.memory_gb;
            // Equal regions: the best seed is the optimum.
            row.bar.beats_seeds = uneven;
            row.bar.proved = !uneven;
            rows.push_back(std::move(row));
        }
    }
}

}  // namespace

std::vector<Instance> all_instances() {
    std::vector<Instance> rows;
    add_known_answers(rows);
    add_payloads(rows);
    add_uneven(rows);
    add_noise(rows);
    add_large(rows);
    return rows;
}

}  // namespace longhaul::bench
