#include "longhaul/placement/levels.hpp"

#include <set>

#include <gtest/gtest.h>

#include "longhaul/placement/counts.hpp"
#include "longhaul/placement/detail/test_support.hpp"

namespace longhaul::placement {
namespace {

/// A random count table with its class costs.
struct Table {
    explicit Table(int i) : instance(37, i) {
        shape = {1 + static_cast<int>(instance.random.below(6)),
                 1 + static_cast<int>(instance.random.below(5))};
        const std::size_t k = 1 + instance.random.index(std::min<std::size_t>(5, shape.devices()));
        costs = random_costs(k, instance.levels, false, instance.random);
        for (std::size_t c = 0; c < k; ++c) {
            costs(c, c) = costs(instance.random.index(k), c) + instance.random.below(2);
        }
        sizes.assign(k, 1);
        for (std::size_t rest = shape.devices() - k; rest > 0; --rest) {
            ++sizes[instance.random.index(k)];
        }
        for (std::size_t c = 0; c < k; ++c) {
            costs(c, c) = sizes[c] == 1 ? 0 : std::max(costs(c, c), 0.5);
        }
    }

    /// Devices dealt at random, or sorted into blocks so that equal neighbours occur.
    [[nodiscard]] Counts dealt() {
        std::vector<int> classes;
        for (std::size_t c = 0; c < sizes.size(); ++c) {
            classes.insert(classes.end(), static_cast<std::size_t>(sizes[c]), static_cast<int>(c));
        }
        const std::uint32_t kind = instance.random.below(3);
        if (kind == 0) {
            instance.random.shuffle(std::span<int>(classes));
        }
        Counts counts(static_cast<std::size_t>(shape.pp), sizes.size(), 0);
        for (std::size_t d = 0; d < classes.size(); ++d) {
            const std::size_t stage =
                kind == 1 ? d % counts.rows() : d / static_cast<std::size_t>(shape.dp);
            ++counts(stage, static_cast<std::size_t>(classes[d]));
        }
        return counts;
    }

    testing::Instance instance;
    Shape shape;
    core::Grid<double> costs;
    std::vector<int> sizes;
};

Profile profile_from(std::span<const int> counts) {
    Profile profile{};
    std::ranges::copy(counts, profile.begin());
    return profile;
}

TEST(StructureLevels, ComponentsAreThoseOfTheThresholdGraph) {
    for (int i = 0; i < 300; ++i) {
        const Table table(i);
        const std::size_t k = table.sizes.size();
        double last = -1;
        for (const Level& level : structure_levels(table.costs, table.sizes)) {
            ASSERT_GT(level.next, level.threshold);
            ASSERT_GT(level.threshold, last);
            last = level.threshold;
            // Classes joined by costs up to the threshold share a component, by plain closure.
            std::vector<std::size_t> root(k);
            for (std::size_t a = 0; a < k; ++a) {
                root[a] = a;
            }
            for (std::size_t round = 0; round < k; ++round) {
                for (std::size_t a = 0; a < k; ++a) {
                    for (std::size_t b = 0; b < k; ++b) {
                        if (a != b && table.costs(a, b) <= level.threshold) {
                            root[a] = root[b] = std::min(root[a], root[b]);
                        }
                    }
                }
            }
            for (std::size_t a = 0; a < k; ++a) {
                for (std::size_t b = 0; b < k; ++b) {
                    ASSERT_EQ(level.component[a] == level.component[b], root[a] == root[b]) << i;
                }
            }
        }
    }
}

TEST(BreakCounter, NeverCountsMoreBreaksThanAPathHas) {
    // Along any table the edges that cost at least a level's `next` are at least as many as
    // counted, from the start and from every stage of it.
    for (int i = 0; i < 600; ++i) {
        Table table(i);
        const std::size_t k = table.sizes.size();
        CountModel model({table.costs, table.costs});
        BreakCounter counter(table.shape.dp);
        const std::vector<Level> levels = structure_levels(table.costs, table.sizes);
        for (int draw = 0; draw < 5; ++draw) {
            const Counts counts = table.dealt();
            for (const Level& level : levels) {
                const auto view = [&](const Profile& classes) {
                    return LevelView{profile_of(level, classes, k),
                                     isolated_devices(level, classes, k)};
                };
                int breaks = 0;
                Profile rest{};
                for (std::size_t s = counts.rows(); s-- > 0;) {
                    // `rest` holds the stages after s, `breaks` counts the edges from s onwards.
                    const Profile here = profile_from(counts.row(s));
                    if (s + 1 < counts.rows()) {
                        const double edge = model.edge(counts.row(s),
                                                       model.key(counts.row(s)),
                                                       counts.row(s + 1),
                                                       model.key(counts.row(s + 1)));
                        breaks += edge >= level.next ? 1 : 0;
                        const LevelView last = view(here);
                        ASSERT_LE(counter.fewest(level.components,
                                                 &last,
                                                 view(rest),
                                                 static_cast<int>(counts.rows() - 1 - s)),
                                  breaks)
                            << i;
                    }
                    for (std::size_t c = 0; c < k; ++c) {
                        rest[c] = static_cast<std::uint16_t>(rest[c] + here[c]);
                    }
                }
                ASSERT_LE(counter.fewest(level.components, nullptr, view(rest), table.shape.pp),
                          breaks)
                    << i;
            }
        }
    }
}

}  // namespace
}  // namespace longhaul::placement
