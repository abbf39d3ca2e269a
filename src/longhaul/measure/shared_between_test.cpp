// Worlds whose sharing is known, seen through the sets of transfers that a campaign schedules:
// eight hosts in three sites, fans of two and crossings.
#include <array>

#include <gtest/gtest.h>

#include "longhaul/core/random.hpp"
#include "longhaul/measure/schedule.hpp"
#include "longhaul/measure/shared_model.hpp"

namespace longhaul::measure {
namespace {

constexpr double kMessage = 4e6;  // bytes
constexpr double kNic = 24e6;     // bytes a second, also of pairs inside a site

// Bytes a second from one site to another: oregon, virginia, tokyo.
constexpr std::array<std::array<double, 3>, 3> kBetweenSites{
    {{kNic, 12e6, 7e6}, {10e6, kNic, 6e6}, {6e6, 7.5e6, kNic}}};

std::vector<CampaignHost> eight_hosts() {
    std::vector<CampaignHost> hosts;
    for (const auto& [site, count] : {std::pair{"oregon", 3}, {"virginia", 3}, {"tokyo", 2}}) {
        for (int i = 1; i <= count; ++i) {
            CampaignHost host;
            host.id = std::string(site) + "-" + std::to_string(i);
            host.site = site;
            hosts.push_back(host);
        }
    }
    return hosts;
}

SharedInput eight_hosts_alone(core::Random& random) {
    SharedInput input;
    input.alpha_s = core::Grid<double>(8, 8, 0.08);
    input.bytes_per_s = core::Grid<double>(8, 8, 0.0);
    input.groups = {{"oregon", {0, 1, 2}}, {"virginia", {3, 4, 5}}, {"tokyo", {6, 7}}};
    input.sites.names = {"oregon", "virginia", "tokyo"};
    input.sites.of_host = {0, 0, 0, 1, 1, 1, 2, 2};
    for (std::size_t i = 0; i < 8; ++i) {
        input.hosts.push_back(eight_hosts()[i].id);
        for (std::size_t j = 0; j < 8; ++j) {
            const double rate = kBetweenSites.at(input.sites.of_host[i]).at(input.sites.of_host[j]);
            input.bytes_per_s(i, j) = i == j ? 0 : rate * (1 + 0.02 * random.uniform());
        }
    }
    return input;
}

/// What a campaign of these patterns would have measured in a world with these resources, each time
/// off by up to 3 %.
SharedInput measured(const std::vector<Pattern>& patterns,
                     const std::vector<SharedResource>& truth) {
    core::Random random(5);
    SharedInput input = eight_hosts_alone(random);
    ScheduleOptions options;
    options.patterns = patterns;
    options.fan_widths = {2};
    options.blocks = 1;
    for (const CampaignTask& task : make_campaign(eight_hosts(), {}, options).tasks) {
        std::vector<Transfer> set;
        for (const Flow& flow : flows_of(task.pattern, task.hosts)) {
            set.push_back(
                {static_cast<std::size_t>(flow.from), static_cast<std::size_t>(flow.to), kMessage});
        }
        const double seconds = predicted_seconds(input, truth, std::span(set)) *
                               (1 + 0.03 * (2 * random.uniform() - 1));
        input.samples.push_back(
            {task.id, std::string(name_of(task.pattern)), "", {set}, Extreme::kExact, seconds});
    }
    return input;
}

const std::vector<Pattern> kAll{Pattern::kFanIn, Pattern::kFanOut, Pattern::kCrossing};

SharedModel fitted(const SharedInput& input) {
    const auto model = fit_shared(input);
    EXPECT_TRUE(model);
    EXPECT_TRUE(model && model->trusted);
    return model ? *model : SharedModel();
}

const SharedResource* find(const SharedModel& model, Scope scope) {
    const auto found = std::ranges::find(model.resources, scope, &SharedResource::scope);
    return found == model.resources.end() ? nullptr : &*found;
}

/// Rates of the entry between two sites, Gbit/s; 0 without one.
std::pair<double, double> between(const std::vector<fabric::SharedCapacity>& all,
                                  const std::string& a,
                                  const std::string& b) {
    for (const fabric::SharedCapacity& each : all) {
        if (each.between == std::vector<std::string>{a, b}) {
            return {each.there_gbps, each.back_gbps};
        }
    }
    return {0, 0};
}

SharedResource each_pair_of_sites(double concurrency) {
    return {Scope::kBetween, Rule::kOccupancy, true, 0, concurrency};
}

TEST(SharedBetween, LinksBetweenSitesAreFound) {
    const SharedInput input = measured(kAll, {each_pair_of_sites(1)});
    const SharedModel model = fitted(input);
    ASSERT_EQ(model.resources.size(), 1U);
    EXPECT_EQ(model.resources[0].scope, Scope::kBetween);
    EXPECT_EQ(model.resources[0].rule, Rule::kOccupancy);
    EXPECT_TRUE(model.resources[0].every);
    EXPECT_NEAR(model.resources[0].value, 1, 0.02);
    EXPECT_TRUE(not_in_fabric(model, input).empty());
    const auto stated = shared_capacities(model, input);
    ASSERT_EQ(stated.size(), 3U);
    EXPECT_EQ(stated[0].name, "oregon - virginia");
    // Pairs are up to 2 % above the table, so their median is 1 % above: 12.12e6 bytes/s there.
    const auto [there, back] = between(stated, "oregon", "virginia");
    EXPECT_NEAR(there, 0.097, 0.003);
    EXPECT_NEAR(back, 0.081, 0.003);
    EXPECT_NEAR(between(stated, "virginia", "tokyo").first, 0.0485, 0.002);
    EXPECT_NEAR(between(stated, "virginia", "tokyo").second, 0.0606, 0.002);
}

TEST(SharedBetween, CrossingsAloneFindThem) {
    const SharedModel model = fitted(measured({Pattern::kCrossing}, {each_pair_of_sites(1)}));
    ASSERT_EQ(model.resources.size(), 1U);
    EXPECT_EQ(model.resources[0].scope, Scope::kBetween);
    EXPECT_NEAR(model.resources[0].value, 1, 0.03);
}

/// Fans of two in a ring of three sites never have peers in two other sites, so that the sites
/// could be what is occupied as well as the links between them; a fabric can state the links.
TEST(SharedBetween, FansAloneFindThem) {
    const SharedModel model =
        fitted(measured({Pattern::kFanIn, Pattern::kFanOut}, {each_pair_of_sites(1)}));
    ASSERT_NE(find(model, Scope::kBetween), nullptr);
    EXPECT_NEAR(find(model, Scope::kBetween)->value, 1, 0.03);
}

TEST(SharedBetween, NetworkCardsAreFoundBesideThem) {
    const SharedResource cards{Scope::kHost, Rule::kRate, true, 0, kNic};
    const SharedInput input = measured(kAll, {each_pair_of_sites(1), cards});
    const SharedModel model = fitted(input);
    ASSERT_NE(find(model, Scope::kBetween), nullptr);
    EXPECT_NEAR(find(model, Scope::kBetween)->value, 1, 0.02);
    ASSERT_NE(find(model, Scope::kHost), nullptr);
    EXPECT_EQ(model.resources.size(), 2U);
    EXPECT_LT(model.left_out_factor, 1.03);
}

/// A pair alone does not fill the link: two get 1.6 times what one gets.
TEST(SharedBetween, ALinkThatOnePairDoesNotFill) {
    const SharedInput input = measured(kAll, {each_pair_of_sites(1.6)});
    const SharedModel model = fitted(input);
    ASSERT_EQ(model.resources.size(), 1U);
    EXPECT_EQ(model.resources[0].scope, Scope::kBetween);
    EXPECT_NEAR(model.resources[0].value, 1.6, 0.03);
    EXPECT_NEAR(
        between(shared_capacities(model, input), "oregon", "virginia").first, 1.6 * 0.097, 0.004);
}

/// All that leaves a site goes over one uplink; links between sites are wider.
TEST(SharedBetween, UplinksOfACampusAreFoundInstead) {
    for (const Scope scope : {Scope::kGroupOut, Scope::kGroupIn}) {
        const SharedModel model = fitted(measured(kAll, {{scope, Rule::kRate, true, 0, 8e6}}));
        ASSERT_EQ(model.resources.size(), 1U) << name_of(scope);
        EXPECT_EQ(model.resources[0].scope, scope);
        EXPECT_EQ(model.resources[0].rule, Rule::kRate);
        EXPECT_NEAR(model.resources[0].value, 8e6, 0.3e6);
    }
}

TEST(SharedBetween, LimitsOfHostsAreFoundInstead) {
    for (const Scope scope : {Scope::kReceiver, Scope::kSender}) {
        for (const Rule rule : {Rule::kRate, Rule::kOccupancy}) {
            const double value = rule == Rule::kRate ? 11e6 : 1.1;
            const SharedModel model = fitted(measured(kAll, {{scope, rule, true, 0, value}}));
            ASSERT_EQ(model.resources.size(), 1U) << name_of(scope) << " " << name_of(rule);
            EXPECT_EQ(model.resources[0].scope, scope);
            EXPECT_EQ(model.resources[0].rule, rule);
            EXPECT_NEAR(model.resources[0].value, value, 0.03 * value);
        }
    }
}

/// Only crossings were measured, and pairs from virginia take longer beside others than alone. No
/// host got two transfers, so that nothing about hosts may be made up from that.
TEST(SharedBetween, WhatNoTwoTransfersLoadIsNotTried) {
    SharedInput input = measured({Pattern::kCrossing}, {each_pair_of_sites(1)});
    for (LoadSample& sample : input.samples) {
        sample.seconds *= sample.sets[0][0].from / 3 == 1 ? 1.3 : 1;
    }
    const auto model = fit_shared(input);
    ASSERT_TRUE(model);
    for (const SharedTrial& trial : model->trials) {
        for (const char* host : {"receiver", "sender", "host", "duplex"}) {
            EXPECT_FALSE(trial.resource.starts_with(host)) << trial.resource;
        }
    }
    ASSERT_NE(find(*model, Scope::kBetween), nullptr);
}

/// One fan that takes 5 % longer than its slower pair alone: a receiver that is just too narrow for
/// two. A coarse scan of its rate would miss that.
TEST(SharedBetween, AResourceThatHardlyBindsIsFound) {
    SharedInput input;
    input.hosts = {"a", "b", "c"};
    input.alpha_s = core::Grid<double>(3, 3, 0.0);
    input.bytes_per_s = core::Grid<double>(3, 3, 1e7);
    for (double rate = 1e7; rate < 4e7; rate *= 1.03) {
        input.bytes_per_s(1, 0) = rate;
        const std::vector<Transfer> fan{{1, 0, 1e7}, {2, 0, 1e7}};
        input.samples = {{"fan", "fan_in", "", {fan}, Extreme::kExact, 1.05}};
        const auto found = fit_values(input, {{Scope::kReceiver, Rule::kRate, true, 0, 1}});
        EXPECT_NEAR(found[0].value, 2e7 / 1.05, 1e3) << rate;
    }
}

TEST(SharedBetween, NothingSharedNeedsNoLink) {
    EXPECT_TRUE(fitted(measured(kAll, {})).resources.empty());
}

/// One link of one direction is narrow for two, all others are wide. Three sets tell of it.
TEST(SharedBetween, OneNarrowLinkIsFoundAlone) {
    SharedInput world = measured(kAll, {});
    const std::size_t subject = world.sites.pair_of(3, 0);  // virginia to oregon
    const SharedInput input =
        measured(kAll, {{Scope::kBetween, Rule::kRate, false, subject, 10.5e6}});
    const SharedModel model = fitted(input);
    ASSERT_EQ(model.resources.size(), 1U);
    EXPECT_EQ(model.resources[0].scope, Scope::kBetween);
    EXPECT_FALSE(model.resources[0].every);
    EXPECT_EQ(model.resources[0].subject, subject);
    const auto stated = shared_capacities(model, input);
    ASSERT_EQ(stated.size(), 1U);
    EXPECT_EQ(stated[0].there_gbps, fabric::SharedCapacity::kNoLimit);
    EXPECT_NEAR(stated[0].back_gbps, 0.084, 0.003);
    const core::Value file = to_value(model, input);
    const core::Value* ends = file.find("resources")->items[0].find("between");
    ASSERT_NE(ends, nullptr);
    EXPECT_EQ(ends->items[0].string, "virginia");
    EXPECT_EQ(ends->items[1].string, "oregon");
}

/// A site with one host has one pair to another site with one host: nothing to share.
TEST(SharedBetween, ALinkOfOnePairIsNotStated) {
    SharedInput input;
    input.hosts = {"a", "b", "c"};
    input.sites.names = {"x", "y", "z"};
    input.sites.of_host = {0, 1, HostSites::kNone};
    input.alpha_s = core::Grid<double>(3, 3, 0.0);
    input.bytes_per_s = core::Grid<double>(3, 3, 1e9);
    SharedModel model;
    model.resources = {each_pair_of_sites(1)};
    EXPECT_TRUE(shared_capacities(model, input).empty());
    EXPECT_EQ(not_in_fabric(model, input), (std::vector<std::size_t>{0}));
    input.sites.of_host = {0, 1, 1};
    EXPECT_EQ(between(shared_capacities(model, input), "x", "y"), (std::pair{8.0, 8.0}));
}

}  // namespace
}  // namespace longhaul::measure
