#include "longhaul/launch/launcher.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

namespace longhaul::launch {
namespace {

using Numbers = std::vector<int>;

Options training(std::string_view convention = "dt-fm") {
    Options options;
    options.command = {"python3", "train.py", "--note", "it's"};
    options.image = "registry.example/train:1";
    options.convention = convention;
    return options;
}

Hosts hosts_of(const std::string& text) {
    const auto hosts = read_hosts(text, "hosts.toml");
    EXPECT_TRUE(hosts) << core::to_string(hosts.error().front());
    return *hosts;
}

const std::string kTwoOfFour =
    "[[host]]\nname = \"a\"\naddress = \"10.0.0.1\"\ndevices = 4\n"
    "[[host]]\nname = \"b\"\naddress = \"10.0.0.2\"\ndevices = 4\n";
// 3 + 5 devices: the blocks differ in size.
const std::string kUnequal =
    "[[host]]\nname = \"a\"\naddress = \"10.0.0.1\"\ndevices = 3\n"
    "[[host]]\nname = \"b\"\naddress = \"10.0.0.2\"\ndevices = 5\n";
const Numbers kBlocks = {4, 5, 6, 7, 0, 1, 2, 3};
const Numbers kMixed = {0, 2, 4, 6, 1, 3, 5, 7};

Job job_of(const std::string& hosts, const Numbers& map, Options options = training()) {
    const auto job = make_job({4, 2}, map, hosts_of(hosts), std::move(options));
    EXPECT_TRUE(job) << core::to_string(job.error().front());
    return *job;
}

std::map<std::string, std::string> files_of(std::string_view launcher, const Job& job) {
    const auto launch = emit(*find_launcher(launcher), job);
    EXPECT_TRUE(launch) << core::to_string(launch.error().front());
    std::map<std::string, std::string> files;
    for (const OutputFile& file : launch->files) {
        EXPECT_TRUE(files.emplace(file.path, file.text).second) << file.path << " twice";
    }
    return files;
}

bool holds(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

TEST(Launchers, NamesAreUniqueAndFilesComplete) {
    std::set<std::string_view> names;
    for (const Launcher& launcher : launchers()) {
        EXPECT_TRUE(names.insert(launcher.name).second);
        EXPECT_EQ(find_launcher(launcher.name), &launcher);
        const auto files = files_of(launcher.name, job_of(kTwoOfFour, kBlocks));
        EXPECT_TRUE(files.contains("rank_map.tsv")) << launcher.name;
        EXPECT_TRUE(files.at("README.txt").starts_with("longhaul launch files")) << launcher.name;
        const std::string all = std::accumulate(
            files.begin(), files.end(), std::string(), [](std::string text, const auto& file) {
                return text + file.second;
            });
        EXPECT_TRUE(holds(all, "the map said")) << launcher.name << " has no verifier";
        EXPECT_TRUE(holds(all, "'it'\\''s'")) << launcher.name << " has no command";
    }
    EXPECT_EQ(names,
              (std::set<std::string_view>{
                  "torchrun", "env", "slurm", "mpi", "deepspeed", "kubernetes", "megatron"}));
    EXPECT_EQ(find_launcher("ssh"), nullptr);
}

// Which launcher can express a map that gives no host a block: planners' table of launchers.
TEST(Launchers, RefuseMapsThatTheyCannotExpress) {
    const Job mixed = job_of(kTwoOfFour, kMixed);
    for (const char* name : {"torchrun", "deepspeed"}) {
        const auto refused = emit(*find_launcher(name), mixed);
        ASSERT_FALSE(refused);
        const std::string text = core::to_string(refused.error().front());
        EXPECT_TRUE(holds(text, "host a holds 0, 2, 4, 6")) << text;
        EXPECT_TRUE(holds(text, "use --to env, slurm, mpi, kubernetes, megatron")) << text;
    }
    for (const char* name : {"env", "slurm", "mpi", "kubernetes", "megatron"}) {
        EXPECT_TRUE(emit(*find_launcher(name), mixed)) << name;
    }
    EXPECT_TRUE(check(*find_launcher("torchrun"), job_of(kTwoOfFour, kBlocks)).reason.empty());
}

TEST(Launchers, SchedulersChooseTheDevices) {
    const Job chosen =
        job_of("[[host]]\nname = \"a\"\ngpus = [4, 5, 6, 7]\n[[host]]\nname = \"b\"\ndevices = 4\n",
               kBlocks);
    EXPECT_TRUE(holds(find_launcher("slurm")->refusal(chosen), "host a wants gpus 4-7"));
    EXPECT_TRUE(holds(find_launcher("kubernetes")->refusal(chosen), "host a wants gpus 4-7"));
    EXPECT_EQ(find_launcher("torchrun")->refusal(chosen), "");
    const Job ordered =
        job_of("[[host]]\nname = \"a\"\ngpus = [3, 1, 0, 2]\n[[host]]\nname = \"b\"\ndevices = 4\n",
               kBlocks);
    EXPECT_EQ(find_launcher("slurm")->refusal(ordered), "");
}

TEST(Launchers, NamesThatOneOfThemCannotUse) {
    const Job upper = job_of(
        "[[host]]\nname = \"Node_A\"\ndevices = 4\n[[host]]\nname = \"b\"\ndevices = 4\n", kBlocks);
    EXPECT_TRUE(holds(find_launcher("kubernetes")->refusal(upper), "Node_A"));
    const Job six = job_of(
        "[[host]]\nname = \"a\"\naddress = \"fd00::1\"\ndevices = 4\n"
        "[[host]]\nname = \"b\"\ndevices = 4\n",
        kBlocks);
    EXPECT_TRUE(holds(find_launcher("mpi")->refusal(six), "fd00::1"));
    EXPECT_EQ(find_launcher("env")->refusal(six), "");
}

TEST(Torchrun, NodeRanksFollowTheBlocks) {
    const auto files = files_of("torchrun", job_of(kTwoOfFour, kBlocks));
    const std::string& start = files.at("start_host.sh");
    EXPECT_TRUE(holds(start, "'b') node_rank=0 processes=4 ;;\n'a') node_rank=1 processes=4 ;;"));
    EXPECT_TRUE(holds(start, "--rdzv_backend=static --nnodes=2"));
    EXPECT_TRUE(holds(start, "--master_addr=10.0.0.2 --master_port=29500"));
}

TEST(Torchrun, WarnsOfUnequalHosts) {
    const auto equal = emit(*find_launcher("torchrun"), job_of(kTwoOfFour, kBlocks));
    const auto unequal =
        emit(*find_launcher("torchrun"), job_of(kUnequal, {0, 1, 2, 3, 4, 5, 6, 7}));
    ASSERT_TRUE(equal && unequal);
    EXPECT_EQ(unequal->notes.size(), equal->notes.size() + 1);
}

// Devices 0-2 of host a hold ranks 5-7, devices 3-7 of host b ranks 0-4. DeepSpeed gives rank 5
// LOCAL_RANK 5 mod 3 = 2, rank 6 gets 0, rank 7 gets 1 (launch.py), so the devices of host a must
// be listed in the order rank 6, rank 7, rank 5 = 1, 2, 0.
TEST(DeepSpeed, LocalRanksAreRotatedOnUnequalHosts) {
    const auto files = files_of("deepspeed", job_of(kUnequal, {5, 6, 7, 0, 1, 2, 3, 4}));
    EXPECT_TRUE(holds(files.at("rank_map.tsv"),
                      "0\ta\t0\t2\t5\t1\t1\n1\ta\t1\t0\t6\t2\t1\n2\ta\t2\t1\t7\t3\t1\n"));
    EXPECT_TRUE(holds(files.at("rank_exec.sh"), "'a')\n    gpus=1,2,0 processes=3"));
    EXPECT_EQ(files.at("hostfile"), "b slots=5\na slots=3\n");
    EXPECT_FALSE(holds(files.at("start_host.sh"), "--include"));
}

TEST(DeepSpeed, IncludesTheChosenSlots) {
    const auto files = files_of("deepspeed",
                                job_of("[[host]]\nname = \"a\"\ngpus = [5, 4, 7, 6]\n"
                                       "[[host]]\nname = \"b\"\ndevices = 4\n",
                                       kBlocks));
    EXPECT_EQ(files.at("hostfile"), "b slots=4\na slots=8\n");
    EXPECT_TRUE(holds(files.at("start_host.sh"), "--include=b:0,1,2,3@a:4,5,6,7 "));
}

TEST(DeepSpeed, SaysHowItsOwnPipelinesAreNumbered) {
    const auto notes_of = [](const Job& job) {
        std::string all;
        const auto launch = emit(*find_launcher("deepspeed"), job);
        for (const std::string& note : launch->notes) {
            all += note;
        }
        return all;
    };
    EXPECT_TRUE(holds(notes_of(job_of(kTwoOfFour, kBlocks)), "--convention deepspeed-pipe-data"));
    // Stages 0 and 1 of both replicas on host a: contiguous when replicas are counted first.
    const Job own = job_of(kTwoOfFour, {0, 4, 1, 5, 2, 6, 3, 7}, training("deepspeed-pipe-data"));
    EXPECT_FALSE(holds(notes_of(own), "PipelineModule"));
}

TEST(Slurm, OneLineARank) {
    const auto files = files_of("slurm", job_of(kTwoOfFour, kMixed));
    EXPECT_EQ(files.at("slurm_hosts"), "a\nb\na\nb\na\nb\na\nb\n");
    EXPECT_TRUE(holds(files.at("job.sbatch"), "#SBATCH --gpus-per-node=4\n"));
    EXPECT_TRUE(holds(files.at("job.sbatch"), "srun --distribution=arbitrary --ntasks=8"));
    const auto unequal = files_of("slurm", job_of(kUnequal, kMixed));
    EXPECT_FALSE(holds(unequal.at("job.sbatch"), "gpus-per-node"));
}

TEST(Mpi, RankfileNamesHostsAndCores) {
    const auto files = files_of("mpi",
                                job_of("[[host]]\nname = \"a\"\naddress = \"10.0.0.1\"\n"
                                       "devices = 4\ncores = 16\n"
                                       "[[host]]\nname = \"b\"\ndevices = 4\n",
                                       kMixed));
    EXPECT_TRUE(
        files.at("rankfile")
            .starts_with(
                "rank 0=10.0.0.1 slot=0-15\nrank 1=b slot=0:*\nrank 2=10.0.0.1 slot=0-15\n"));
    EXPECT_EQ(files.at("mpi_hosts"), "10.0.0.1 slots=4\nb slots=4\n");
    Options colon = training();
    colon.command.emplace_back(":");
    EXPECT_FALSE(emit(*find_launcher("mpi"), job_of(kTwoOfFour, kMixed, colon)));
}

TEST(Kubernetes, NeedsAnImageAndUsesTheNetworkOfNamedInterfaces) {
    Options no_image = training();
    no_image.image = "";
    EXPECT_FALSE(emit(*find_launcher("kubernetes"), job_of(kTwoOfFour, kMixed, no_image)));
    const std::string plain = files_of("kubernetes", job_of(kTwoOfFour, kBlocks)).at("jobset.yaml");
    EXPECT_FALSE(holds(plain, "hostNetwork"));
    EXPECT_TRUE(holds(plain, "MASTER_ADDR=longhaul-h1-0-0.longhaul MASTER_PORT=29500"));
    const std::string named =
        files_of("kubernetes", job_of("interface = \"wg0\"\n" + kTwoOfFour, kBlocks))
            .at("jobset.yaml");
    EXPECT_TRUE(holds(named, "hostNetwork: true"));
    EXPECT_TRUE(holds(named, "MASTER_ADDR=10.0.0.2 MASTER_PORT=29500"));
}

TEST(Megatron, FlagsFollowTheConvention) {
    const auto own = files_of("megatron", job_of(kTwoOfFour, kBlocks));
    EXPECT_EQ(own.at("megatron_flags.txt"),
              "--tensor-model-parallel-size 1\n--context-parallel-size 1\n"
              "--pipeline-model-parallel-size 4\n--use-tp-pp-dp-mapping\n");
    EXPECT_TRUE(holds(own.at("start_host.sh"), "child torchrun"));
    EXPECT_TRUE(
        holds(own.at("start_host.sh"), "--pipeline-model-parallel-size 4 --use-tp-pp-dp-mapping"));
    const auto usual = files_of("megatron", job_of(kTwoOfFour, kBlocks, training("megatron")));
    EXPECT_FALSE(holds(usual.at("megatron_flags.txt"), "--use-tp-pp-dp-mapping"));
    EXPECT_TRUE(holds(usual.at("start_host.sh"), "child env RANK="));
}

TEST(RankMap, ListsEveryDevice) {
    const auto files = files_of("env", job_of(kTwoOfFour, kMixed, training("megatron")));
    // Device 1 is rank 2 of the plan: stage 2 of replica 0, Megatron rank 0 + 2*2 = 4.
    EXPECT_TRUE(files.at("rank_map.tsv")
                    .starts_with("device\thost\tgpu\tlocal_rank\trank\tstage\treplica\n"
                                 "0\ta\t0\t0\t0\t0\t0\n"
                                 "1\ta\t1\t2\t4\t2\t0\n"));
}

TEST(Emit, SameInputSameBytes) {
    for (const Launcher& launcher : launchers()) {
        EXPECT_EQ(files_of(launcher.name, job_of(kTwoOfFour, kBlocks)),
                  files_of(launcher.name, job_of(kTwoOfFour, kBlocks)));
    }
}

namespace fs = std::filesystem;

/// A job whose names hold shell text. The reader refuses such names; should one ever pass, the
/// scripts must still not run it.
Job hostile_job(const std::string& evil) {
    Job job = job_of(kTwoOfFour, kBlocks);
    for (Host& host : job.hosts.hosts) {
        host.name += evil;
        host.address += evil;
        host.ssh_address = host.address;
        host.user = evil;
        host.interface = evil;
        host.workdir = evil;
    }
    job.options.command = {"true", evil};
    return job;
}

void write_script(const fs::path& path, const std::string& text) {
    std::ofstream(path) << text;
    fs::permissions(path, fs::perms::owner_all);
}

/// Writes the files and stand-ins for every program that they start; ssh runs its command.
void fill_folder(const fs::path& folder, std::string_view launcher, const Job& job) {
    fs::remove_all(folder);
    fs::create_directories(folder / "bin");
    write_script(folder / "bin/ssh", "#!/bin/sh\nfor last; do :; done\nexec sh -c \"$last\"\n");
    for (const char* program : {"srun", "sbatch", "mpirun", "torchrun", "deepspeed"}) {
        write_script(folder / "bin" / program, "#!/bin/sh\nexit 0\n");
    }
    for (const auto& [name, text] : files_of(launcher, job)) {
        write_script(folder / name, text);
    }
    std::ofstream(folder / "host") << job.hosts.hosts[0].name << "\n";
    std::ofstream(folder / "name") << job.hosts.hosts[0].name;
    std::ofstream(folder / "address") << job.hosts.hosts[0].address;
}

/// Checks the syntax of every script and runs each of them.
void run_all(const fs::path& folder) {
    const std::string run =
        "cd '" + folder.string() +
        "' && export PATH=\"$PWD/bin:$PATH\" HOME=\"$PWD\" RANK=4 LOCAL_RANK=0 WORLD_SIZE=8"
        " SLURMD_NODENAME=\"$(cat name)\" SLURM_PROCID=4 SLURM_LOCALID=0 SLURM_NTASKS=8"
        " OMPI_COMM_WORLD_RANK=4 OMPI_COMM_WORLD_LOCAL_RANK=0 OMPI_COMM_WORLD_SIZE=8;"
        " for f in *.sh *.sbatch; do [ ! -e \"$f\" ] || sh -n \"$f\" || touch SYNTAX; done;"
        " sh launch.sh; [ ! -e start_host.sh ] || sh start_host.sh \"$(cat name)\";"
        " sh rank_exec.sh true; [ ! -e ssh_agent.sh ] || sh ssh_agent.sh \"$(cat address)\" :;"
        " LONGHAUL_DIR=. sh job.sbatch";
    EXPECT_EQ(std::system(("(" + run + ") >/dev/null 2>&1; exit 0").c_str()), 0);
}

TEST(Emit, HostileTextRunsNothing) {
    const fs::path folder = fs::path(::testing::TempDir()) / "longhaul_hostile";
    for (const char* evil : {"x; touch PWNED #",
                             "$(touch PWNED)",
                             "x'; touch PWNED; '",
                             "x\"; touch PWNED; \"",
                             "x`touch PWNED`",
                             "|touch PWNED|",
                             ") touch PWNED ;; x"}) {
        for (const Launcher& launcher : launchers()) {
            if (launcher.name == "kubernetes" || launcher.name == "megatron") {
                continue;  // YAML of such names is refused before; megatron is torchrun or env
            }
            fill_folder(folder, launcher.name, hostile_job(evil));
            run_all(folder);
            for (const auto& entry : fs::recursive_directory_iterator(folder)) {
                EXPECT_NE(entry.path().filename(), "PWNED") << launcher.name << " " << evil;
                EXPECT_NE(entry.path().filename(), "SYNTAX") << launcher.name << " " << evil;
            }
        }
    }
    fs::remove_all(folder);
}

}  // namespace
}  // namespace longhaul::launch
