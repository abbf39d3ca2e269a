#include "longhaul/placement/baselines.hpp"

#include <algorithm>
#include <numeric>

#include "longhaul/core/pool.hpp"
#include "longhaul/core/random.hpp"

namespace longhaul::placement {
namespace {

constexpr std::uint64_t kStreams = std::uint64_t{1} << 48U;  // apart from those of the search

std::vector<int> counted(std::size_t n) {
    std::vector<int> devices(n);
    std::iota(devices.begin(), devices.end(), 0);
    return devices;
}

Stages label_stages(const Problem& problem, const std::vector<std::string>& labels, bool& fit) {
    std::vector<int> devices = counted(labels.size());
    const std::vector<int> label = fabric::index_of_labels(labels);
    std::ranges::stable_sort(devices, {}, [&](int device) { return label[device]; });
    Stages stages(problem.shape.pp);
    fit = true;
    devices.resize(problem.shape.devices());
    for (std::size_t i = 0; i < devices.size(); ++i) {
        std::vector<int>& stage = stages[i / static_cast<std::size_t>(problem.shape.dp)];
        stage.push_back(devices[i]);
        fit = fit && label[stage.front()] == label[devices[i]];
    }
    fit = fit && static_cast<int>(stages.size()) == *std::ranges::max_element(label) + 1;
    return stages;
}

}  // namespace

Baselines make_baselines(const Problem& problem,
                         const std::vector<std::string>& labels,
                         int samples,
                         std::uint64_t seed,
                         int threads) {
    Baselines baselines;
    baselines.samples = samples;
    baselines.seed = seed;
    const std::size_t places = problem.shape.devices();
    const Placement host(problem.shape, counted(places), labels.size());
    baselines.host_order = score_as_mapped(problem, host);
    baselines.host_order_solved = solve_inner(problem, host.stages()).score.total();
    baselines.label_per_stage =
        solve_inner(problem, label_stages(problem, labels, baselines.labels_fit)).score;
    std::vector<double> maps(samples);
    std::vector<double> partitions(samples);
    core::parallel_for(maps.size(), threads, [&](std::size_t i) {
        core::Random random(seed, kStreams + i);
        std::vector<int> devices = counted(labels.size());
        random.shuffle(std::span<int>(devices));
        devices.resize(places);
        const Placement map(problem.shape, std::move(devices), labels.size());
        maps[i] = score_as_mapped(problem, map).total();
        partitions[i] = solve_inner(problem, map.stages()).score.total();
    });
    baselines.maps = core::summarise(std::move(maps));
    baselines.partitions = core::summarise(std::move(partitions));
    return baselines;
}

}  // namespace longhaul::placement
