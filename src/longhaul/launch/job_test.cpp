#include "longhaul/launch/job.hpp"

#include <gtest/gtest.h>

namespace longhaul::launch {
namespace {

using Numbers = std::vector<int>;

Hosts two_hosts() {
    return *read_hosts(
        "[[host]]\nname = \"a\"\naddress = \"10.0.0.1\"\ndevices = 2\n"
        "[[host]]\nname = \"b\"\naddress = \"10.0.0.2\"\ngpus = [5, 3]\n",
        "hosts.toml");
}

Options plain_options() {
    Options options;
    options.command = {"python3", "train.py"};
    return options;
}

std::string refusal_of(const core::Result<Job>& job) {
    return job ? "accepted" : core::to_string(job.error().front());
}

// pp 2, dp 2: device 0 is rank 2 = replica 1, stage 0, and so on by hand.
TEST(MakeJob, JoinsPlanAndHosts) {
    const auto job = make_job({2, 2}, {2, 1, 3, 0}, two_hosts(), plain_options());
    ASSERT_TRUE(job) << refusal_of(job);
    EXPECT_EQ(job->world_size(), 4);
    EXPECT_EQ(job->master().name, "b");
    EXPECT_EQ(job->master_port, 29500);
    const Process& first = job->processes[0];
    EXPECT_EQ(first.device, 3);
    EXPECT_EQ(first.host, 1);
    EXPECT_EQ(first.gpu, 3);
    EXPECT_EQ(first.local_rank, 0);
    EXPECT_EQ(first.stage, 0);
    EXPECT_EQ(first.replica, 0);
    const Process& last = job->processes[3];
    EXPECT_EQ(last.device, 2);
    EXPECT_EQ(last.gpu, 5);
    EXPECT_EQ(last.local_rank, 1);
    EXPECT_EQ(last.stage, 1);
    EXPECT_EQ(last.replica, 1);
    EXPECT_EQ(job->ranks_of_host, (std::vector<Numbers>{{1, 2}, {0, 3}}));
    EXPECT_EQ(hosts_by_rank(*job), (Numbers{1, 0}));
    EXPECT_EQ(split_host(*job), 1);
    EXPECT_EQ(gpus_by_local_rank(*job, 1), (Numbers{3, 5}));
}

// Megatron counts replicas first: rank = r + D*p. Stage and replica of a device stay.
TEST(MakeJob, NumbersForTheFramework) {
    Options options = plain_options();
    options.convention = "megatron";
    const auto job = make_job({2, 2}, {0, 2, 1, 3}, two_hosts(), options);
    ASSERT_TRUE(job) << refusal_of(job);
    for (const Process& process : job->processes) {
        EXPECT_EQ(process.rank, process.device);
        EXPECT_EQ(process.rank, process.replica + 2 * process.stage);
    }
    EXPECT_FALSE(split_host(*job));
}

TEST(MakeJob, RefusesWhatDoesNotFit) {
    const Hosts hosts = two_hosts();
    EXPECT_EQ(refusal_of(make_job({2, 1}, {0, 1}, hosts, plain_options())),
              "host: the hosts have 4 devices; the rank map of the plan has 2");
    EXPECT_NE(
        refusal_of(make_job({2, 2}, {0, 1, 1, 3}, hosts, plain_options())).find("rank_map[2]"),
        std::string::npos);
    EXPECT_NE(refusal_of(make_job({2, 3}, {0, 1, 2, 3}, hosts, plain_options())).find("rank_map"),
              std::string::npos);
    Options options = plain_options();
    options.convention = "megatrom";
    EXPECT_NE(refusal_of(make_job({2, 2}, {0, 1, 2, 3}, hosts, options)).find("unknown convention"),
              std::string::npos);
}

TEST(MakeJob, RefusesOptionsThatNoFileCanHold) {
    const auto refused = [](const Options& options) {
        return !make_job({2, 2}, {0, 1, 2, 3}, two_hosts(), options);
    };
    EXPECT_FALSE(refused(plain_options()));
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{}, {""}, {"a", "b\nc"}, {"a", "\xff"}, {"-c", "a"}}) {
        Options options = plain_options();
        options.command = command;
        EXPECT_TRUE(refused(options));
    }
    for (const char* name :
         {"", "Upper", "a_b", "-a", "a.b", "a b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}) {
        Options options = plain_options();
        options.name = name;
        EXPECT_TRUE(refused(options)) << name;
    }
    for (const int port : {0, -1, 65536}) {
        Options options = plain_options();
        options.master_port = port;
        EXPECT_TRUE(refused(options)) << port;
    }
    Options options = plain_options();
    options.image = "a\nb";
    EXPECT_TRUE(refused(options));
}

TEST(RangesText, WritesRanges) {
    EXPECT_EQ(ranges_text(Numbers{}), "");
    EXPECT_EQ(ranges_text(Numbers{4}), "4");
    EXPECT_EQ(ranges_text(Numbers{0, 1, 2, 5, 7, 8}), "0-2, 5, 7-8");
    EXPECT_EQ(ranges_text(Numbers{0, 2, 4, 6}, 3), "0, 2, 4, ...");
    EXPECT_EQ(ranges_text(Numbers{0, 2, 4}, 3), "0, 2, 4");
}

TEST(MakeJob, NeedsNoHostForDevicesThatAreLeftOut) {
    // Devices 0 and 3 of four have no rank.
    const auto hosts_of = [](const std::string& devices) {
        return *read_hosts("[[host]]\nname = \"a\"\nfabric_devices = " + devices + "\n", "h");
    };
    const auto job = make_job({2, 1}, {-1, 1, 0, -1}, hosts_of("[2, 1]"), plain_options());
    ASSERT_TRUE(job);
    EXPECT_EQ(job->processes[0].device, 2);
    EXPECT_EQ(job->processes[0].gpu, 0);
    EXPECT_EQ(job->processes[1].device, 1);
    EXPECT_EQ(job->processes[1].gpu, 1);
    EXPECT_EQ(
        refusal_of(make_job({2, 1}, {-1, 1, 0, -1}, hosts_of("[0, 2]"), plain_options())),
        "host: no host holds device 1 of the plan; every device that has a rank needs its host");
    EXPECT_EQ(refusal_of(make_job({2, 1}, {-1, 1, 0, -1}, hosts_of("[1, 2, 4]"), plain_options())),
              "host: host \"a\" holds device 4; the plan has devices 0 to 3");
    // Numbered by the order of the file, two devices of four could be any.
    const Hosts in_order = *read_hosts("[[host]]\nname = \"a\"\ndevices = 2\n", "h");
    EXPECT_EQ(refusal_of(make_job({2, 1}, {-1, 1, 0, -1}, in_order, plain_options())),
              "host: the hosts have 2 devices; the rank map of the plan has 4");
}

TEST(MakeJob, HostsOfDevicesThatAreLeftOutTakeNoPart) {
    const Hosts hosts = two_hosts();
    const auto job = make_job({2, 1}, {-1, -1, 0, 1}, hosts, plain_options());
    ASSERT_TRUE(job);
    ASSERT_EQ(job->processes.size(), 2U);
    for (const Process& process : job->processes) {
        ASSERT_LT(static_cast<std::size_t>(process.host), job->hosts.hosts.size());
    }
    for (const std::vector<int>& ranks : job->ranks_of_host) {
        EXPECT_FALSE(ranks.empty());
    }
    EXPECT_EQ(job->processes[0].device, 2);
}

}  // namespace
}  // namespace longhaul::launch
