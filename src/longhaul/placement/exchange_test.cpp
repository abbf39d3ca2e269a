#include "longhaul/placement/exchange.hpp"

#include <cmath>
#include <map>
#include <tuple>

#include <gtest/gtest.h>

#include "longhaul/placement/brute_force.hpp"
#include "longhaul/placement/detail/test_support.hpp"

namespace longhaul::placement {
namespace {

constexpr Exchange kAllExchanges[] = {Exchange::kSharded,
                                      Exchange::kRing,
                                      Exchange::kCentral,
                                      Exchange::kTree,
                                      Exchange::kHierarchical};

std::vector<int> random_regions(std::size_t n, std::uint32_t count, core::Random& random) {
    std::vector<int> regions(n);
    for (int& region : regions) {
        region = static_cast<int>(random.below(count));
    }
    return regions;
}

/// Both tables of random links.
struct Tables {
    core::Grid<double> latency_s;
    core::Grid<double> slowness;
    [[nodiscard]] PointLinks links() const { return {latency_s, slowness}; }
};

Tables random_links(std::size_t n, testing::Instance& instance) {
    return {random_costs(n, instance.levels, instance.equal_rows, instance.random),
            random_costs(n, instance.levels, instance.equal_rows, instance.random)};
}

/// Straight from the definitions at the top of exchange.hpp.
class Plain {
public:
    Plain(const Tables& links, const std::vector<int>& region, double gb, int messages)
        : links_(links), region_(region), gb_(gb), messages_(messages) {}

    double seconds(Exchange kind, const std::vector<int>& group) const {
        const auto d = static_cast<double>(group.size());
        switch (kind) {
            case Exchange::kSharded:
                return worst_sum(group, gb_ / d);
            case Exchange::kRing:
                return 2 * (d - 1) * brute_force_ring(hops(group, gb_ / d));
            case Exchange::kCentral:
                return central(group);
            case Exchange::kTree:
                return 2 * brute_force_tree(hops(group, gb_));
            case Exchange::kHierarchical:
                return hierarchical(group);
        }
        return -1;
    }

private:
    double transfer(int a, int b, double gb) const {
        const auto i = static_cast<std::size_t>(a);
        const auto j = static_cast<std::size_t>(b);
        return a == b ? 0 : messages_ * links_.latency_s(i, j) + gb * links_.slowness(i, j);
    }

    core::Grid<double> hops(const std::vector<int>& group, double gb) const {
        core::Grid<double> hops(group.size(), group.size());
        for (std::size_t i = 0; i < group.size(); ++i) {
            for (std::size_t j = 0; j < group.size(); ++j) {
                hops(i, j) = transfer(group[i], group[j], gb);
            }
        }
        return hops;
    }

    double worst_sum(const std::vector<int>& group, double gb) const {
        double worst = 0;
        for (const int a : group) {
            double sum = 0;
            for (const int b : group) {
                sum += 2 * transfer(a, b, gb);
            }
            worst = std::max(worst, sum);
        }
        return worst;
    }

    double central(const std::vector<int>& group) const {
        double least = 1e300;
        for (const int root : group) {
            double sum = 0;
            for (const int peer : group) {
                sum += 2 * transfer(root, peer, gb_);
            }
            least = std::min(least, sum);
        }
        return least;
    }

    /// Over all orders of the members of every region, whose first k are the owners.
    double hierarchical(const std::vector<int>& group) const {
        std::map<int, std::vector<int>> regions;
        for (const int device : group) {
            regions[region_[static_cast<std::size_t>(device)]].push_back(device);
        }
        for (auto& [region, members] : regions) {
            std::ranges::sort(members);
        }
        double least = 1e300;
        bool more = true;
        while (more) {
            least = std::min(least, arranged(group.size(), regions));
            more = false;
            for (auto region = regions.begin(); region != regions.end() && !more; ++region) {
                more = regions.size() > 1 && std::ranges::next_permutation(region->second).found;
            }
        }
        return least;
    }

    double arranged(std::size_t size, const std::map<int, std::vector<int>>& regions) const {
        std::size_t k = size;
        for (const auto& [region, members] : regions) {
            k = std::min(k, members.size());
        }
        std::map<int, double> busy;  // of every device while shards go to the owners
        std::map<int, double> across;
        for (const auto& [region, members] : regions) {
            for (std::size_t j = 0; j < k; ++j) {
                for (std::size_t i = 0; i < members.size(); ++i) {
                    const double gb = gb_ / static_cast<double>(k);
                    const double seconds = transfer(members[i], members[j], gb);
                    busy[members[j]] += seconds;
                    busy[members[i]] += i >= k ? seconds : 0;
                }
                for (const auto& [other, peers] : regions) {
                    const double gb = gb_ / static_cast<double>(k * regions.size());
                    across[members[j]] +=
                        other == region ? 0 : 2 * transfer(members[j], peers[j], gb);
                }
            }
        }
        const auto worst = [](const std::map<int, double>& sums) {
            double most = 0;
            for (const auto& [device, sum] : sums) {
                most = std::max(most, sum);
            }
            return most;
        };
        return 2 * worst(busy) + worst(across);
    }

    const Tables& links_;
    const std::vector<int>& region_;
    double gb_;
    int messages_;
};

TEST(Exchange, EqualsItsDefinitionOnRandomGroups) {
    for (int i = 0; i < 150; ++i) {
        testing::Instance instance(720, i);
        const std::size_t n = 7 + static_cast<std::size_t>(i) % 3;
        const Tables links = random_links(n, instance);
        const auto region =
            random_regions(n, 1 + static_cast<std::uint32_t>(i) % 4, instance.random);
        const int messages = 1 + i % 3;
        std::vector<int> group = testing::shuffled(n, instance.random);
        group.resize(1 + static_cast<std::size_t>(i) % 7);
        for (const Exchange kind : kAllExchanges) {
            const ExchangeTerm term(kind, links.links(), region, 0.75, messages);
            ASSERT_NEAR(term.seconds(group),
                        Plain(links, region, 0.75, messages).seconds(kind, group),
                        1e-9)
                << name_of(kind) << " " << i;
        }
    }
}

TEST(Exchange, UniformFabricsHaveClosedForms) {
    // Latency 0.25 s a message, 8 s a GB, 2 GB in 3 messages: T(c) = 0.75 + 8 c.
    for (const int d : {2, 3, 4, 7, 8, 16, 24}) {
        const auto n = static_cast<std::size_t>(d);
        const PointLinks links{core::Grid<double>(n, n, 0.25), core::Grid<double>(n, n, 8.0)};
        const auto seconds = [&](Exchange kind, const std::vector<int>& region) {
            return ExchangeTerm(kind, links, region, 2, 3).seconds(testing::counted(n));
        };
        const auto t = [](double gb) { return 0.75 + 8 * gb; };
        const std::vector<int> one(n, 0);
        EXPECT_NEAR(seconds(Exchange::kSharded, one), 2 * (d - 1) * t(2.0 / d), 1e-9);
        EXPECT_NEAR(seconds(Exchange::kRing, one), 2 * (d - 1) * t(2.0 / d), 1e-9);
        EXPECT_NEAR(seconds(Exchange::kCentral, one), 2 * (d - 1) * t(2), 1e-9);
        EXPECT_NEAR(seconds(Exchange::kTree, one), 2 * std::ceil(std::log2(d)) * t(2), 1e-9);
        // One region, and regions of one member each: the sharded exchange.
        EXPECT_NEAR(seconds(Exchange::kHierarchical, one), 2 * (d - 1) * t(2.0 / d), 1e-9);
        EXPECT_NEAR(
            seconds(Exchange::kHierarchical, testing::counted(n)), 2 * (d - 1) * t(2.0 / d), 1e-9);
        if (d % 2 == 0) {  // two regions of d / 2
            std::vector<int> two(n, 0);
            std::fill(two.begin(), two.begin() + d / 2, 1);
            const double k = d / 2.0;
            EXPECT_NEAR(seconds(Exchange::kHierarchical, two),
                        2 * (k - 1) * t(2 / k) + 2 * t(2 / (2 * k)),
                        1e-9);
        }
    }
}

TEST(Exchange, CountsOfClassesEqualTheirDevices) {
    // Random classes with a region each; devices numbered class by class.
    for (int i = 0; i < 100; ++i) {
        testing::Instance instance(721, i);
        const std::size_t k = 2 + static_cast<std::size_t>(i) % 3;
        Tables classes = random_links(k, instance);
        for (std::size_t a = 0; a < k; ++a) {
            classes.latency_s(a, a) = instance.random.uniform();
            classes.slowness(a, a) = instance.random.uniform();
        }
        const auto region = random_regions(k, 3, instance.random);
        std::vector<int> class_of;  // of each device
        for (std::size_t a = 0; a < k; ++a) {
            class_of.insert(class_of.end(), 1 + instance.random.below(6), static_cast<int>(a));
        }
        const std::size_t n = class_of.size();
        Tables devices{core::Grid<double>(n, n), core::Grid<double>(n, n)};
        std::vector<int> region_of_device(n);
        for (std::size_t x = 0; x < n; ++x) {
            region_of_device[x] = region[static_cast<std::size_t>(class_of[x])];
            for (std::size_t y = 0; y < n; ++y) {
                const auto a = static_cast<std::size_t>(class_of[x]);
                const auto b = static_cast<std::size_t>(class_of[y]);
                devices.latency_s(x, y) = x == y ? 0 : classes.latency_s(a, b);
                devices.slowness(x, y) = x == y ? 0 : classes.slowness(a, b);
            }
        }
        for (const Exchange kind : kAllExchanges) {
            const double by_class =
                ExchangeTerm(kind, classes.links(), region, 1.5, 2).seconds(class_of);
            const double by_device = ExchangeTerm(kind, devices.links(), region_of_device, 1.5, 2)
                                         .seconds(testing::shuffled(n, instance.random));
            ASSERT_NEAR(by_class, by_device, 1e-12) << name_of(kind) << " " << i;
        }
    }
}

TEST(Exchange, MemberBoundsHoldForEveryGroup) {
    int tight = 0;
    for (int i = 0; i < 100; ++i) {
        testing::Instance instance(722, i);
        const std::size_t n = 8;
        const Tables links = random_links(n, instance);
        const auto region = random_regions(n, 3, instance.random);
        std::vector<int> group = testing::shuffled(n, instance.random);
        group.resize(2 + static_cast<std::size_t>(i) % 6);
        for (const Exchange kind : kAllExchanges) {
            const ExchangeTerm term(kind, links.links(), region, 0.5, 1);
            const double seconds = term.seconds(group);
            for (const int member : group) {
                for (const std::size_t pool : {group.size(), n}) {
                    std::vector<int> peers = pool == n ? testing::counted(n) : group;
                    std::erase(peers, member);
                    const double bound =
                        term.member_bound(member, peers, static_cast<int>(group.size()));
                    ASSERT_LE(bound, seconds + 1e-9) << name_of(kind) << " " << i;
                    tight += bound > 0.999 * seconds ? 1 : 0;
                }
            }
        }
    }
    EXPECT_GT(tight, 300);  // bounds of 0 would hold too
}

TEST(Exchange, BoundsOfAllMembersAreThoseOfEach) {
    for (int i = 0; i < 60; ++i) {
        testing::Instance instance(724, i);
        const std::size_t n = 2 + static_cast<std::size_t>(i) % 9;
        const Tables links = random_links(n, instance);
        const auto region = random_regions(n, 3, instance.random);
        for (const Exchange kind : kAllExchanges) {
            const ExchangeTerm term(kind, links.links(), region, 0.5, 1);
            for (int size = 1; size <= static_cast<int>(n); ++size) {
                const std::vector<double> bounds = term.member_bounds(size);
                ASSERT_EQ(bounds.size(), n);
                for (int member = 0; member < static_cast<int>(n); ++member) {
                    std::vector<int> peers = testing::counted(n);
                    std::erase(peers, member);
                    ASSERT_NEAR(bounds[member], term.member_bound(member, peers, size), 1e-12)
                        << name_of(kind) << " " << i << " size " << size;
                }
            }
        }
    }
}

TEST(Exchange, PartBoundHoldsForEveryGroupAroundThePart) {
    for (int i = 0; i < 60; ++i) {
        testing::Instance instance(723, i);
        const Tables links = random_links(8, instance);
        const auto region = random_regions(8, 3, instance.random);
        const std::vector<int> group = testing::shuffled(8, instance.random);
        for (const Exchange kind : kAllExchanges) {
            const ExchangeTerm term(kind, links.links(), region, 0.5, 1);
            for (std::size_t part = 1; part <= 8; ++part) {
                const double bound = term.part_bound(std::span(group).first(part), 8);
                ASSERT_LE(bound, term.seconds(group) + 1e-9);
                ASSERT_EQ(bound > 0, kind == Exchange::kSharded && part > 1);
            }
        }
    }
}

TEST(Exchange, OthersThanShardedCanGetCheaperByAMember) {
    // By hand, T in seconds of any payload (latency alone, one message). Points 0, 1 and 2 hop
    // for 10 among themselves, point 3 hops for 1 to each of them: a hub.
    core::Grid<double> latency(4, 4, 10.0);
    for (std::size_t i = 0; i < 3; ++i) {
        latency(i, 3) = latency(3, i) = 1;
    }
    const PointLinks links{latency, core::Grid<double>(4, 4, 0.0)};
    const auto seconds = [&](Exchange kind, std::vector<int> group, std::vector<int> region) {
        return ExchangeTerm(kind, links, std::move(region), 1, 1).seconds(group);
    };
    const std::vector<int> apart{0, 1, 2, 3};
    // central: 2 (10 + 10) with a root among them, 2 (1 + 1 + 1) around the hub.
    EXPECT_EQ(seconds(Exchange::kCentral, {0, 1, 2}, apart), 40);
    EXPECT_EQ(seconds(Exchange::kCentral, {0, 1, 2, 3}, apart), 6);
    // tree: 2 x 10 for two of them, 2 (1 + 1) with the hub in between.
    EXPECT_EQ(seconds(Exchange::kTree, {0, 1}, apart), 20);
    EXPECT_EQ(seconds(Exchange::kTree, {0, 1, 3}, apart), 4);
    // ring: 0 - 1 - 2 - 0 with hops of 10 becomes 0 - 3 - 1 - 4 - 2 - 5 - 0 with three hubs: five
    // members pay less than three when shards are messages of 1 instead of 10.
    core::Grid<double> hubs(6, 6, 1.0);
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j) {
            hubs(i, j) = 10;
        }
    }
    const ExchangeTerm ring(
        Exchange::kRing, {hubs, core::Grid<double>(6, 6, 0.0)}, std::vector<int>(6, 0), 1, 1);
    EXPECT_EQ(ring.seconds(std::vector<int>{0, 1, 2}), 2 * 2 * 10);
    EXPECT_EQ(ring.seconds(std::vector<int>{0, 1, 2, 3, 4, 5}), 2 * 5 * 1);
    // hierarchical, 1 s a GB everywhere, 1 GB: regions {0} and {1, 2} have one owner each: 2 s for
    // member 2 to reach its owner and back, 2 x 1/2 s across. With 3 beside 0 there are two: inside
    // 2 x 1/2 s, across 2 x 1/4 s.
    const ExchangeTerm hierarchical(Exchange::kHierarchical,
                                    {core::Grid<double>(4, 4, 0.0), core::Grid<double>(4, 4, 1.0)},
                                    {0, 1, 1, 0},
                                    1,
                                    1);
    EXPECT_EQ(hierarchical.seconds(std::vector<int>{0, 1, 2}), 3);
    EXPECT_EQ(hierarchical.seconds(std::vector<int>{0, 1, 2, 3}), 1.5);
}

TEST(Exchange, FlowsCarryWhatTheWayNeeds) {
    // Totals by hand, c = 1 GB, D = 6 in regions of 2 and 4 (k = 2, R = 2): sharded and ring move
    // 2 (D - 1) / D GB out of every member, central and tree 2 (D - 1) in all; hierarchical 2 x (1
    // x 2 + 3 x 2) / 2 inside and 2 x 2 x 2 / 4 across.
    testing::Instance instance(724, 0);
    const Tables links = random_links(6, instance);
    const std::vector<int> region{0, 0, 1, 1, 1, 1};
    const std::map<Exchange, double> totals{{Exchange::kSharded, 10},
                                            {Exchange::kRing, 10},
                                            {Exchange::kCentral, 10},
                                            {Exchange::kTree, 10},
                                            {Exchange::kHierarchical, 8 + 2}};
    for (const auto& [kind, total] : totals) {
        const ExchangePlan plan = ExchangeTerm(kind, links.links(), region, 1, 1)
                                      .plan(std::vector<int>{5, 4, 3, 2, 1, 0});
        double sum = 0;
        std::vector<double> net(6, 0);  // every member sends what it receives, over both rounds
        for (const Flow& flow : plan.flows) {
            ASSERT_NE(flow.from, flow.to);
            sum += flow.gb;
            net[static_cast<std::size_t>(flow.from)] += flow.gb;
            net[static_cast<std::size_t>(flow.to)] -= flow.gb;
        }
        EXPECT_NEAR(sum, total, 1e-12) << name_of(kind);
        for (const double balance : net) {
            EXPECT_NEAR(balance, 0, 1e-12) << name_of(kind);
        }
        EXPECT_TRUE(plan.exact);
        EXPECT_EQ(plan.group, testing::counted(6));
    }
}

TEST(Exchange, NamesReadBack) {
    for (const Exchange kind : kAllExchanges) {
        EXPECT_EQ(exchange_of_name(name_of(kind)), kind);
    }
    EXPECT_FALSE(exchange_of_name("gossip"));
}

}  // namespace
}  // namespace longhaul::placement
