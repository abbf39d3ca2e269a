#include "longhaul/placement/cluster_search.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include <fmt/format.h>

#include "longhaul/core/pool.hpp"
#include "longhaul/placement/anneal_counts.hpp"

namespace longhaul::placement {
namespace {

using Mask = std::uint32_t;

constexpr int kCacheBitsOfCluster = 11;
constexpr double kStartTemperatureOfCluster = 0.05;
constexpr std::size_t kMaxPartitions = 20'000;
constexpr std::size_t kExactlyScored = 64;

/// Classes of a cluster, ascending.
std::vector<int> members_of(Mask cluster) {
    std::vector<int> members;
    for (; cluster != 0; cluster &= cluster - 1) {
        members.push_back(std::countr_zero(cluster));
    }
    return members;
}

core::Grid<double> between(const core::Grid<double>& all, const std::vector<int>& members) {
    core::Grid<double> some(members.size(), members.size());
    for (std::size_t i = 0; i < members.size(); ++i) {
        for (std::size_t j = 0; j < members.size(); ++j) {
            some(i, j) = all(members[i], members[j]);
        }
    }
    return some;
}

/// The placement of one cluster alone; rows in path order over all classes.
struct Cluster {
    Mask mask = 0;
    Counts counts;
    Score score;
};

class ClusterSearch {
public:
    ClusterSearch(CountModel& model,
                  const ClassCosts& costs,
                  Shape shape,
                  const std::vector<int>& sizes)
        : model_(model), costs_(costs), shape_(shape), sizes_(sizes) {}

    std::vector<Seed> run(std::size_t limit,
                          const ClusterOptions& options,
                          std::uint64_t& evaluations) {
        place_clusters(options, evaluations);
        if (clusters_.empty()) {
            return {};
        }
        extend(0, {0, 0});
        std::ranges::stable_sort(partitions_, {}, &Partition::estimate);
        if (partitions_.size() > kExactlyScored) {
            partitions_.resize(kExactlyScored);
        }
        std::vector<Seed> seeds;
        for (const Partition& partition : partitions_) {
            seeds.push_back(joined(partition.clusters));
        }
        evaluations += seeds.size();
        std::ranges::stable_sort(seeds, {}, &Seed::score);
        const auto same = std::ranges::unique(seeds, {}, &Seed::counts);
        seeds.erase(same.begin(), same.end());
        seeds.resize(std::min(seeds.size(), limit));
        return seeds;
    }

private:
    struct Partition {
        std::vector<std::size_t> clusters;
        double estimate = 0;
    };

    void place_clusters(const ClusterOptions& options, std::uint64_t& evaluations) {
        for (const Mask mask : whole_stage_clusters(shape_, sizes_)) {
            clusters_.push_back({mask, {}, {}});
        }
        const std::uint64_t stages = std::accumulate(
            clusters_.begin(), clusters_.end(), std::uint64_t{0}, [&](std::uint64_t sum, auto& c) {
                return sum + static_cast<std::uint64_t>(stages_of(c.mask));
            });
        const std::uint64_t share = stages == 0 ? 0 : options.evaluations / stages;
        std::vector<std::uint64_t> done(clusters_.size(), 0);
        core::parallel_for(clusters_.size(), options.threads, [&](std::size_t i) {
            if (!options.stop || !options.stop()) {
                done[i] =
                    place(clusters_[i], share, core::Random(options.seed, options.stream + i));
            }
        });
        evaluations += std::accumulate(done.begin(), done.end(), std::uint64_t{0});
        std::erase_if(clusters_, [](const Cluster& cluster) { return cluster.counts.empty(); });
    }

    [[nodiscard]] int stages_of(Mask mask) const {
        int devices = 0;
        for (const int k : members_of(mask)) {
            devices += sizes_[k];
        }
        return devices / shape_.dp;
    }

    /// Anneals the devices of a cluster over its own stages, from a random deal.
    std::uint64_t place(Cluster& cluster, std::uint64_t share, core::Random random) const {
        const std::vector<int> members = members_of(cluster.mask);
        std::vector<int> devices;  // their classes, by number among the members
        for (std::size_t i = 0; i < members.size(); ++i) {
            devices.insert(devices.end(), sizes_[members[i]], static_cast<int>(i));
        }
        random.shuffle(std::span<int>(devices));
        const int stages = stages_of(cluster.mask);
        Counts start(stages, members.size(), 0);
        for (std::size_t d = 0; d < devices.size(); ++d) {
            ++start(d / shape_.dp, devices[d]);
        }
        CountModel model({between(costs_.pipeline, members), between(costs_.exchange, members)},
                         kCacheBitsOfCluster);
        AnnealOptions anneal;
        anneal.evaluations =
            stages == 1 || members.size() == 1 ? 0 : share * static_cast<std::uint64_t>(stages);
        anneal.start_temperature = kStartTemperatureOfCluster;
        const AnnealedCounts found = anneal_counts(model, start, anneal, random);
        cluster.counts = Counts(stages, sizes_.size(), 0);
        for (std::size_t s = 0; s < found.counts.rows(); ++s) {
            for (std::size_t i = 0; i < members.size(); ++i) {
                cluster.counts(s, members[i]) = found.counts(s, i);
            }
        }
        cluster.score = score_in_order(model, found.counts);
        return found.evaluations;
    }

    /// All ways to cover the classes; the cluster of the lowest open class comes next.
    void extend(Mask covered, Score score) {
        if (partitions_.size() >= kMaxPartitions) {
            return;
        }
        const Mask all = (Mask{1} << sizes_.size()) - 1;
        if (covered == all) {
            const auto joints = static_cast<double>(chosen_.size() - 1);
            partitions_.push_back({chosen_, score.total() + joints * least_joint()});
            return;
        }
        const Mask lowest = ~covered & (covered + 1);
        for (std::size_t i = 0; i < clusters_.size(); ++i) {
            const Cluster& cluster = clusters_[i];
            if ((cluster.mask & covered) != 0 || (cluster.mask & lowest) == 0) {
                continue;
            }
            chosen_.push_back(i);
            extend(covered | cluster.mask,
                   {std::max(score.data_parallel, cluster.score.data_parallel),
                    score.pipeline + cluster.score.pipeline});
            chosen_.pop_back();
        }
    }

    /// Cheapest edge between different classes: what a joint costs at least.
    [[nodiscard]] double least_joint() {
        if (least_joint_ < 0) {
            least_joint_ = std::numeric_limits<double>::infinity();
            for (std::size_t a = 0; a < sizes_.size(); ++a) {
                for (std::size_t b = 0; b < a; ++b) {
                    least_joint_ = std::min(least_joint_, costs_.pipeline(a, b));
                }
            }
        }
        return least_joint_;
    }

    Seed joined(const std::vector<std::size_t>& chosen) {
        Counts counts(shape_.pp, sizes_.size(), 0);
        std::size_t stage = 0;
        for (const std::size_t i : chosen) {
            for (std::size_t s = 0; s < clusters_[i].counts.rows(); ++s) {
                std::ranges::copy(clusters_[i].counts.row(s), counts.row(stage++).begin());
            }
        }
        const Solved solved = score_best_order(model_, counts);
        return {reordered(counts, solved.order),
                solved.score.total(),
                fmt::format("{} clusters of whole stages", chosen.size()),
                true};
    }

    CountModel& model_;
    const ClassCosts& costs_;
    Shape shape_;
    const std::vector<int>& sizes_;
    std::vector<Cluster> clusters_;
    std::vector<Partition> partitions_;
    std::vector<std::size_t> chosen_;
    double least_joint_ = -1;
};

}  // namespace

std::vector<std::uint32_t> whole_stage_clusters(Shape shape, const std::vector<int>& class_sizes) {
    std::vector<Mask> clusters;
    if (class_sizes.size() > kMaxClusterClasses) {
        return clusters;
    }
    for (Mask mask = 1; mask < Mask{1} << class_sizes.size(); ++mask) {
        int devices = 0;
        for (const int k : members_of(mask)) {
            devices += class_sizes[k];
        }
        if (devices % shape.dp == 0) {
            clusters.push_back(mask);
        }
    }
    return clusters;
}

std::vector<Seed> cluster_seeds(CountModel& model,
                                const ClassCosts& costs,
                                Shape shape,
                                const std::vector<int>& class_sizes,
                                std::size_t limit,
                                const ClusterOptions& options,
                                std::uint64_t& evaluations) {
    return ClusterSearch(model, costs, shape, class_sizes).run(limit, options, evaluations);
}

}  // namespace longhaul::placement
