#include "longhaul/placement/seeds.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "longhaul/placement/dendrogram.hpp"

namespace longhaul::placement {
namespace {

constexpr int kExactOrderStages = 10;  // above, seeds are ranked in their own order first
constexpr std::size_t kMaxOrders = 10;
constexpr std::size_t kMaxCuts = 10;
constexpr std::size_t kMaxLengths =
    128;  // run lengths of each clustering; fewer of longer pipelines
constexpr std::size_t kMinLengths = 4;

using Clusters = std::vector<std::vector<int>>;

/// Fills the grid block by block from what is left of each class.
class Packer {
public:
    Packer(Shape shape, const std::vector<int>& sizes, const Clusters& clusters, bool by_stage)
        : dp_(shape.dp),
          left_(sizes),
          clusters_(clusters),
          by_stage_(by_stage),
          counts_(shape.pp, sizes.size(), 0) {}

    Counts pack(int longest) && {
        const auto pp = static_cast<int>(counts_.rows());
        for (int m = longest; m >= 1; --m) {
            while (stage_ + m <= pp && runs(m) >= dp_) {
                fill_block(m);
            }
        }
        return std::move(counts_);
    }

private:
    [[nodiscard]] int left_in(const std::vector<int>& cluster) const {
        return std::accumulate(
            cluster.begin(), cluster.end(), 0, [&](int sum, int k) { return sum + left_[k]; });
    }

    [[nodiscard]] int runs(int m) const {
        return std::accumulate(
            clusters_.begin(), clusters_.end(), 0, [&](int sum, const std::vector<int>& cluster) {
                return sum + left_in(cluster) / m;
            });
    }

    void fill_block(int m) {
        int needed = dp_;
        for (const std::vector<int>& cluster : clusters_) {
            const int taken = std::min(needed, left_in(cluster) / m);
            fill(cluster, taken, m);
            needed -= taken;
        }
        stage_ += m;
    }

    void fill(const std::vector<int>& cluster, int taken, int m) {
        int index = 0;
        for (const int k : cluster) {
            for (; left_[k] > 0 && index < taken * m; ++index) {
                const int offset = by_stage_ ? index / taken : index % m;
                ++counts_(stage_ + offset, k);
                --left_[k];
            }
        }
    }

    int dp_;
    std::vector<int> left_;
    const Clusters& clusters_;
    bool by_stage_;
    Counts counts_;
    int stage_ = 0;
};

/// Entries spread evenly over a list that is too long.
template <class T>
std::vector<T> thinned(std::vector<T> all, std::size_t limit) {
    if (all.size() <= limit) {
        return all;
    }
    std::vector<T> some;
    for (std::size_t i = 0; i < limit; ++i) {
        some.push_back(std::move(all[i * (all.size() - 1) / (limit - 1)]));
    }
    return some;
}

struct NamedClusters {
    Clusters clusters;
    std::string name;
};

/// Every class alone, in several orders; then cuts into fewer clusters.
std::vector<NamedClusters> clusterings(const ClassCosts& costs, const std::vector<int>& sizes) {
    const std::size_t k = sizes.size();
    std::vector<NamedClusters> all;
    const auto add_order = [&](const std::vector<int>& order, std::string name) {
        Clusters alone;
        for (const int node : order) {
            alone.push_back({node});
        }
        all.push_back({std::move(alone), std::move(name)});
    };
    std::vector<int> order(k);
    std::iota(order.begin(), order.end(), 0);
    add_order(order, "host order");
    std::ranges::stable_sort(order, std::greater<>(), [&](int node) { return sizes[node]; });
    add_order(order, "largest class first");
    std::vector<int> starts(k);
    std::iota(starts.begin(), starts.end(), 0);
    for (const auto& [matrix, metric] :
         {std::pair{&costs.pipeline, "pipeline"}, {&costs.exchange, "exchange"}}) {
        for (const int start : thinned(starts, kMaxOrders)) {
            add_order(nearest_neighbour_tour(*matrix, start), fmt::format("{} tour", metric));
        }
        const Dendrogram dendrogram(*matrix);
        std::vector<std::size_t> cuts(k);
        std::iota(cuts.begin(), cuts.end(), 1);
        for (const std::size_t cut : thinned(cuts, kMaxCuts)) {
            all.push_back(
                {dendrogram.cut(cut), fmt::format("{} clusters by {} cost", cut, metric)});
        }
    }
    return all;
}

}  // namespace

Counts pack_runs(Shape shape,
                 const std::vector<int>& class_sizes,
                 const Clusters& clusters,
                 int longest,
                 bool by_stage) {
    return Packer(shape, class_sizes, clusters, by_stage).pack(longest);
}

std::vector<Seed> structural_seeds(CountModel& model,
                                   const ClassCosts& class_costs,
                                   Shape shape,
                                   const std::vector<int>& class_sizes,
                                   std::size_t limit,
                                   std::uint64_t& evaluations,
                                   const std::function<bool()>& stop) {
    std::vector<Seed> seeds;
    std::set<std::vector<int>> known;
    const auto stopped = [&] { return !seeds.empty() && stop && stop(); };
    std::vector<int> lengths(shape.pp);
    std::iota(lengths.rbegin(), lengths.rend(), 1);
    lengths = thinned(std::move(lengths),
                      std::max(kMinLengths, kMaxLengths * kMaxLengths / lengths.size()));
    for (const NamedClusters& clustering : clusterings(class_costs, class_sizes)) {
        for (const int longest : lengths) {
            for (const bool by_stage : {false, true}) {
                if (stopped()) {
                    break;
                }
                Counts counts =
                    pack_runs(shape, class_sizes, clustering.clusters, longest, by_stage);
                if (!known.emplace(counts.cells().begin(), counts.cells().end()).second) {
                    continue;
                }
                const double score = shape.pp <= kExactOrderStages
                                         ? score_best_order(model, counts).score.total()
                                         : score_in_order(model, counts).total();
                ++evaluations;
                seeds.push_back({std::move(counts),
                                 score,
                                 fmt::format("{}, runs of up to {}", clustering.name, longest)});
            }
        }
    }
    std::ranges::stable_sort(seeds, {}, &Seed::score);
    if (seeds.size() > limit) {
        seeds.resize(limit);
    }
    for (Seed& seed : seeds) {
        if (stopped()) {
            break;
        }
        const Solved solved = score_best_order(model, seed.counts);
        seed.counts = reordered(seed.counts, solved.order);
        seed.score = solved.score.total();
        seed.ordered = true;
    }
    std::ranges::stable_sort(seeds, {}, &Seed::score);
    return seeds;
}

}  // namespace longhaul::placement
