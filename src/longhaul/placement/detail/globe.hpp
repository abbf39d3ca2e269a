// Regions spread over a globe: fabrics of any size for tests and benchmarks.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "longhaul/core/document.hpp"

namespace longhaul::placement::testing {

/// Points of equal distance on the unit sphere, on a spiral (Saff and Kuijlaars, 1997).
inline std::vector<std::array<double, 3>> points_on_globe(int count) {
    std::vector<std::array<double, 3>> points;
    for (int i = 0; i < count; ++i) {
        const double z = 1 - (2 * i + 1.0) / count;
        const double angle = 2.399963229728653 * i;  // pi (3 - sqrt 5)
        const double radius = std::sqrt(1 - z * z);
        points.push_back({radius * std::cos(angle), radius * std::sin(angle), z});
    }
    return points;
}

/// A region table (JSON) of `regions` x `devices`: 2 ms and 1 ms for every 120 km of great circle,
/// to a tenth; a rate of 60 / delay Gbit/s to a thousandth, 5 at most; 0.2 ms and 20 Gbit/s inside.
/// Synthetic.
inline std::string globe_table(int regions, int devices) {
    const auto points = points_on_globe(regions);
    core::Value names = core::Value::array();
    core::Value pairs = core::Value::array();
    for (int i = 0; i < regions; ++i) {
        names.append("r" + std::to_string(i));
        for (int j = i + 1; j < regions; ++j) {
            double cosine = 0;
            for (std::size_t k = 0; k < 3; ++k) {
                cosine +=
                    points[static_cast<std::size_t>(i)][k] * points[static_cast<std::size_t>(j)][k];
            }
            const double km = 6371 * std::acos(std::clamp(cosine, -1.0, 1.0));
            const double delay = std::round(10 * (2 + km / 120)) / 10;
            pairs.append(
                core::Value::object()
                    .set("a", "r" + std::to_string(i))
                    .set("b", "r" + std::to_string(j))
                    .set("delay_ms", delay)
                    .set("bandwidth_gbps", std::round(1000 * std::min(5.0, 60 / delay)) / 1000));
        }
    }
    return core::write_json(
        core::Value::object()
            .set("regions", std::move(names))
            .set("gpus_per_region", devices)
            .set("intra_region",
                 core::Value::object().set("delay_ms", 0.2).set("bandwidth_gbps", 20))
            .set("pairs", std::move(pairs)));
}

}  // namespace longhaul::placement::testing
