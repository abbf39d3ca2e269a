#include "longhaul/placement/baselines.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "longhaul/core/pool.hpp"
#include "longhaul/core/random.hpp"
#include "longhaul/placement/group_terms.hpp"

namespace longhaul::placement {
namespace {

constexpr std::size_t kSmallProblem = 256;  // devices
constexpr int kUsualSamples = 200;
constexpr int kFewestSamples = 8;
constexpr double kSampleWork = 2e9;    // of all samples together, about a nanosecond each
constexpr double kTransportWork = 25;  // of a pair of kinds in one transport
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

/// Random placement number `i`: of all devices, of which the last stay unused where there are
/// spares.
Placement sampled_map(const Problem& problem,
                      std::size_t devices,
                      std::uint64_t seed,
                      std::size_t i) {
    core::Random random(seed, kStreams + i);
    std::vector<int> order = counted(devices);
    random.shuffle(std::span<int>(order));
    order.resize(problem.shape.devices());
    return {problem.shape, std::move(order), devices};
}

/// Scores of the random placements that were taken.
struct Samples {
    std::vector<double> maps;
    std::vector<double> partitions;
    BestBaseline best;
};

/// Order statistics of scores. What lies between one that fits the memory and one that does not
/// does not fit either.
core::Summary summary_of(std::vector<double> scores) {
    constexpr double kRounding = 1e-9;  // 0.1 * 30 is not 3
    std::ranges::sort(scores);
    core::Summary summary = core::summarise(scores);
    if (scores.back() < kDoesNotFit) {
        return summary;
    }
    for (const auto& [value, share] : {std::pair(&summary.p10, 0.1),
                                       std::pair(&summary.median, 0.5),
                                       std::pair(&summary.p90, 0.9)}) {
        const double at = share * static_cast<double>(scores.size() - 1);
        const auto below = static_cast<std::size_t>(std::floor(at + kRounding));
        const auto above = static_cast<std::size_t>(std::ceil(at - kRounding));
        const bool between = below != above && scores[above] < kDoesNotFit;
        *value = between ? *value : scores[above];
    }
    return summary;
}

Samples take_samples(const Problem& problem,
                     std::size_t devices,
                     int samples,
                     std::uint64_t seed,
                     int threads,
                     const std::function<bool()>& stop) {
    std::vector<char> taken(samples, 0);
    std::vector<double> maps(samples);
    std::vector<double> partitions(samples);
    core::parallel_for(maps.size(), threads, [&](std::size_t i) {
        if (stop && stop()) {
            return;
        }
        const Placement map = sampled_map(problem, devices, seed, i);
        maps[i] = score_as_mapped(problem, map).total();
        partitions[i] = solve_inner(problem, map.stages()).score.total();
        taken[i] = 1;
    });
    Samples all;
    std::size_t best = taken.size();
    const auto least = [&](std::size_t i) { return std::min(maps[i], partitions[i]); };
    for (std::size_t i = 0; i < taken.size(); ++i) {
        if (taken[i] != 0) {
            all.maps.push_back(maps[i]);
            all.partitions.push_back(partitions[i]);
            best = best == taken.size() || least(i) < least(best) ? i : best;
        }
    }
    if (best < taken.size()) {
        all.best = {sampled_map(problem, devices, seed, best),
                    least(best),
                    partitions[best] <= maps[best],
                    "random placement"};
    }
    return all;
}

void keep_if_better(BestBaseline& best, BestBaseline&& other) {
    if (best.name.empty() || other.score < best.score) {
        best = std::move(other);
    }
}

}  // namespace

int usual_samples(const Problem& problem) {
    const auto devices = static_cast<double>(problem.shape.devices());
    if (problem.shape.devices() <= kSmallProblem) {
        return kUsualSamples;
    }
    const double pp = problem.shape.pp;
    const double kinds =
        std::min<double>(problem.shape.dp, static_cast<double>(problem.costs.pipeline.kinds()));
    const double path = std::min(pp, double{kMaxExactStages});
    const double work = devices * problem.shape.dp + pp * pp * kinds * kinds * kTransportWork +
                        path * path * std::exp2(path);
    return std::clamp(static_cast<int>(kSampleWork / work), kFewestSamples, kUsualSamples);
}

Baselines make_baselines(const Problem& problem,
                         const std::vector<std::string>& labels,
                         int samples,
                         std::uint64_t seed,
                         int threads,
                         const std::function<bool()>& stop) {
    Baselines baselines;
    baselines.seed = seed;
    const std::size_t places = problem.shape.devices();
    const Placement host(problem.shape, counted(places), labels.size());
    baselines.host_order = score_as_mapped(problem, host);
    baselines.host_order_solved = solve_inner(problem, host.stages()).score.total();
    const Stages by_label = label_stages(problem, labels, baselines.labels_fit);
    baselines.label_per_stage = solve_inner(problem, by_label).score;
    baselines.best = {host, baselines.host_order.total(), false, "host order"};
    keep_if_better(baselines.best, {host, baselines.host_order_solved, true, "host order"});
    keep_if_better(baselines.best,
                   {Placement::from_stages(by_label, labels.size()),
                    baselines.label_per_stage.total(),
                    true,
                    "devices sorted by label"});
    Samples taken = take_samples(problem, labels.size(), samples, seed, threads, stop);
    baselines.samples = static_cast<int>(taken.maps.size());
    if (baselines.samples > 0) {
        baselines.maps = summary_of(std::move(taken.maps));
        baselines.partitions = summary_of(std::move(taken.partitions));
        keep_if_better(baselines.best, std::move(taken.best));
    }
    return baselines;
}

}  // namespace longhaul::placement
