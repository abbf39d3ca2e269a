#include "rates.hpp"

#include <numeric>

#include "longhaul/placement/anneal_counts.hpp"
#include "longhaul/placement/anneal_devices.hpp"
#include "longhaul/placement/costs.hpp"
#include "fabrics.hpp"
#include "measure.hpp"

namespace longhaul::bench {
namespace {

using placement::Problem;

core::Result<Problem> table2_problem(const std::string& source_folder, const std::string& name) {
    const core::Result<fabric::Fabric> fabric = make_fabric(source_folder, name);
    if (!fabric) {
        return tl::unexpected(fabric.error());
    }
    workload::Workload workload;
    workload.c_pp = core::Gigabytes(0.512);
    workload.c_dp = core::Gigabytes(0.65);
    return placement::make_problem(*fabric, name, workload, {8, 8});
}

double counts_rate(const Problem& problem, std::uint64_t budget, std::uint64_t seed) {
    const placement::Classes classes = placement::exact_classes(problem.costs);
    placement::CountModel model(placement::class_costs(problem.costs, classes));
    placement::AnnealOptions options;
    options.evaluations = budget;
    const double start = cpu_seconds();
    const auto found =
        placement::anneal_counts(model, placement::Counts(8, 8, 1), options, core::Random(seed));
    return static_cast<double>(found.evaluations) / (cpu_seconds() - start);
}

placement::Stages shuffled_stages(core::Random& random) {
    std::vector<int> devices(64);
    std::iota(devices.begin(), devices.end(), 0);
    random.shuffle(std::span<int>(devices));
    return placement::Placement({8, 8}, devices).stages();
}

double devices_rate(const Problem& problem, std::uint64_t budget, std::uint64_t seed) {
    core::Random random(seed, 1);
    placement::AnnealOptions options;
    options.evaluations = budget;
    const placement::Stages start_stages = shuffled_stages(random);
    const double start = cpu_seconds();
    const auto found =
        placement::anneal_devices(problem.costs, start_stages, options, core::Random(seed));
    return static_cast<double>(found.evaluations) / (cpu_seconds() - start);
}

double solved_rate(const Problem& problem, std::uint64_t budget, std::uint64_t seed) {
    core::Random random(seed, 2);
    double sum = 0;
    const double start = cpu_seconds();
    for (std::uint64_t i = 0; i < budget; ++i) {
        sum += placement::solve_inner(problem, shuffled_stages(random)).score.total();
    }
    // The sum is used, so that no compiler drops the work.
    return sum > 0 ? static_cast<double>(budget) / (cpu_seconds() - start) : 0;
}

}  // namespace

core::Result<Rates> measure_rates(const std::string& source_folder,
                                  std::uint64_t budget,
                                  std::uint64_t seed) {
    const auto plain = table2_problem(source_folder, "dtfm-table2-worldwide.json");
    const auto noisy = table2_problem(source_folder, "noise 1");
    if (!plain || !noisy) {
        return tl::unexpected(plain ? noisy.error() : plain.error());
    }
    return Rates{counts_rate(*plain, budget, seed),
                 devices_rate(*noisy, budget, seed),
                 solved_rate(*noisy, budget / 64 + 1, seed)};
}

}  // namespace longhaul::bench
