#include "subsets.hpp"

#include <fmt/format.h>

namespace longhaul::bench {
namespace {

Instance row_of(const SubsetCase& one, double limit_s) {
    return {fmt::format("{} devices in {} regions{}, {}x{}",
                        one.shape.devices(),
                        one.regions,
                        one.uneven ? ", uneven" : "",
                        one.shape.pp,
                        one.shape.dp),
            "Random subsets of measured regions",
            "measured regions",
            one.shape,
            0.512,
            0.65,
            1,
            1,
            limit_s,
            {}};
}

core::Result<Measurement> measure_subset(const MeasuredRegions& measured,
                                         const SubsetCase& one,
                                         const Instance& row,
                                         std::uint64_t seed) {
    double peak_mb = 0;
    const core::Result<core::Value> value = in_child(
        [&]() -> core::Result<core::Value> {
            const auto devices = static_cast<int>(one.shape.devices());
            const auto fabric = draw_fabric(measured, one.regions, devices, one.uneven, seed);
            if (!fabric) {
                return tl::unexpected(fabric.error());
            }
            const core::Result<Measurement> run = plan_row(*fabric, row, seed);
            return run ? core::Result<core::Value>(to_value(*run)) : tl::unexpected(run.error());
        },
        kChildLimit_s,
        peak_mb);
    if (!value) {
        return tl::unexpected(value.error());
    }
    core::Result<Measurement> run = read_measurement(*value);
    if (run) {
        run->peak_mb = peak_mb;
    }
    return run;
}

}  // namespace

core::Result<std::vector<RowResult>> measure_subsets(
    const MeasuredRegions& measured,
    int rounds,
    double limit_s,
    const std::function<void(const std::string&)>& each) {
    const std::vector<SubsetCase> cases = subset_cases();
    std::vector<std::vector<Measurement>> runs(cases.size());
    for (int round = 1; round <= rounds; ++round) {
        for (std::size_t i = 0; i < cases.size(); ++i) {
            const Instance row = row_of(cases[i], limit_s);
            const auto seed = static_cast<std::uint64_t>(6 + round);
            const core::Result<Measurement> run = measure_subset(measured, cases[i], row, seed);
            if (!run) {
                return tl::unexpected(run.error());
            }
            runs[i].push_back(*run);
            each(one_line(to_value(*run).set("id", row.id).set("seed", 6 + round)));
        }
    }
    std::vector<RowResult> results;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        results.push_back(judge(row_of(cases[i], limit_s), runs[i], {}));
    }
    return results;
}

}  // namespace longhaul::bench
