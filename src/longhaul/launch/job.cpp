#include "longhaul/launch/job.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "longhaul/launch/names.hpp"
#include "longhaul/launch/quote.hpp"

namespace longhaul::launch {
namespace {

constexpr int kMaxMasterPort = 65535;

void check_word(const std::string& word, std::string_view where, core::Diagnostics& problems) {
    if (has_control(word) || core::first_invalid_utf8(word) != std::string_view::npos) {
        problems.push_back({"",
                            std::string(where),
                            "found " + core::shown(word),
                            "use text without control characters, in UTF-8"});
    }
}

core::Diagnostics check_options(const Options& options) {
    core::Diagnostics problems;
    if (options.command.empty() || options.command.front().empty()) {
        problems.push_back(
            {"", "command", "the training command is missing", "give it after --, or --command"});
    }
    for (const std::string& word : options.command) {
        check_word(word, "command", problems);
    }
    // The command is executed, not read by a shell: a leading dash would be taken for an option.
    if (!options.command.empty() && options.command.front().starts_with('-')) {
        problems.push_back({"",
                            "command",
                            "it starts with " + core::shown(options.command.front()),
                            "start it with a program"});
    }
    check_word(options.image, "image", problems);
    if (!is_dns_label(options.name, 40)) {
        problems.push_back({"",
                            "name",
                            "found " + core::shown(options.name),
                            "use at most 40 of a-z, 0-9 and \"-\", not \"-\" at an end"});
    }
    if (options.master_port &&
        (*options.master_port < 1 || *options.master_port > kMaxMasterPort)) {
        problems.push_back({"",
                            "master-port",
                            fmt::format("found {}", *options.master_port),
                            "it must be from 1 to 65535"});
    }
    return problems;
}

/// Host and local device id of the devices that the hosts hold, in no order.
std::vector<Process> devices_of(const Hosts& hosts) {
    std::vector<Process> devices;
    for (std::size_t h = 0; h < hosts.hosts.size(); ++h) {
        const Host& host = hosts.hosts[h];
        for (std::size_t k = 0; k < host.gpus.size(); ++k) {
            Process& process = devices.emplace_back();
            process.device = host.fabric_devices[k];
            process.host = static_cast<int>(h);
            process.gpu = host.gpus[k];
        }
    }
    return devices;
}

void fill_processes(Job& job, const std::vector<int>& plan_ranks, const std::vector<int>& ranks) {
    job.processes.resize(job.shape.devices());
    for (Process process : devices_of(job.hosts)) {
        const auto device = static_cast<std::size_t>(process.device);
        process.rank = ranks[device];
        if (process.rank < 0) {
            continue;
        }
        const int cell = plan_ranks[device] / job.shape.tp;
        process.stage = cell % job.shape.pp;
        process.replica = cell / job.shape.pp;
        job.processes[static_cast<std::size_t>(process.rank)] = process;
    }
    job.ranks_of_host.resize(job.hosts.hosts.size());
    for (Process& process : job.processes) {
        std::vector<int>& ranks_there = job.ranks_of_host[static_cast<std::size_t>(process.host)];
        process.local_rank = static_cast<int>(ranks_there.size());
        ranks_there.push_back(process.rank);
    }
}

/// Every device with a rank is on a host, and hosts hold devices of the plan. Hosts that follow the
/// order of their file hold as many devices as the plan knows.
core::Diagnostics check_devices(const Hosts& hosts, const std::vector<int>& rank_map) {
    if (!hosts.numbered && hosts.devices() != rank_map.size()) {
        return {{"",
                 "host",
                 fmt::format("the hosts have {} devices", hosts.devices()),
                 fmt::format("the rank map of the plan has {}", rank_map.size())}};
    }
    core::Diagnostics problems;
    std::vector<char> held(rank_map.size(), 0);
    for (const Host& host : hosts.hosts) {
        for (const int device : host.fabric_devices) {
            if (static_cast<std::size_t>(device) < held.size()) {
                held[static_cast<std::size_t>(device)] = 1;
            } else {
                problems.push_back(
                    {"",
                     "host",
                     fmt::format("host {} holds device {}", core::shown(host.name), device),
                     fmt::format("the plan has devices 0 to {}", rank_map.size() - 1)});
            }
        }
    }
    std::vector<int> missing;
    for (std::size_t device = 0; device < held.size(); ++device) {
        if (held[device] == 0 && rank_map[device] >= 0) {
            missing.push_back(static_cast<int>(device));
        }
    }
    if (!missing.empty()) {
        problems.push_back({"",
                            "host",
                            fmt::format("no host holds device{} {} of the plan",
                                        missing.size() == 1 ? "" : "s",
                                        ranges_text(missing)),
                            "every device that has a rank needs its host"});
    }
    return problems;
}

/// Hosts whose devices are all left out take no part.
void drop_idle_hosts(Job& job) {
    std::vector<int> number(job.hosts.hosts.size(), -1);
    std::vector<Host> hosts;
    std::vector<std::vector<int>> ranks;
    for (std::size_t h = 0; h < number.size(); ++h) {
        if (!job.ranks_of_host[h].empty()) {
            number[h] = static_cast<int>(hosts.size());
            hosts.push_back(std::move(job.hosts.hosts[h]));
            ranks.push_back(std::move(job.ranks_of_host[h]));
        }
    }
    job.hosts.hosts = std::move(hosts);
    job.ranks_of_host = std::move(ranks);
    for (Process& process : job.processes) {
        process.host = number[static_cast<std::size_t>(process.host)];
    }
}

}  // namespace

core::Result<Job> make_job(placement::Shape shape,
                           const std::vector<int>& rank_map,
                           Hosts hosts,
                           Options options) {
    core::Diagnostics problems = check_options(options);
    const Convention* convention = find_convention(options.convention);
    if (convention == nullptr) {
        problems.push_back({"",
                            "convention",
                            "unknown convention " + core::shown(options.convention),
                            "see longhaul launch --list-conventions"});
    }
    if (const auto good = placement::Placement::from_rank_map(shape, rank_map); !good) {
        problems.insert(problems.end(), good.error().begin(), good.error().end());
    } else {
        const core::Diagnostics devices = check_devices(hosts, rank_map);
        problems.insert(problems.end(), devices.begin(), devices.end());
    }
    if (!problems.empty()) {
        return tl::unexpected(std::move(problems));
    }
    const auto ranks = translate(rank_map, axis_sizes(shape), plan_convention(shape), *convention);
    if (!ranks) {
        return tl::unexpected(ranks.error());
    }
    Job job;
    job.shape = shape;
    job.convention = convention;
    job.hosts = std::move(hosts);
    job.options = std::move(options);
    job.master_port = job.options.master_port.value_or(job.hosts.master_port);
    fill_processes(job, rank_map, *ranks);
    drop_idle_hosts(job);
    return job;
}

std::string ranges_text(std::span<const int> numbers, std::size_t limit) {
    std::string text;
    std::size_t ranges = 0;
    for (std::size_t i = 0; i < numbers.size(); ++ranges) {
        std::size_t last = i;
        while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) {
            ++last;
        }
        if (ranges == limit) {
            return text + ", ...";
        }
        text += text.empty() ? "" : ", ";
        text += last == i ? fmt::format("{}", numbers[i])
                          : fmt::format("{}-{}", numbers[i], numbers[last]);
        i = last + 1;
    }
    return text;
}

std::vector<int> hosts_by_rank(const Job& job) {
    std::vector<int> order;
    for (const Process& process : job.processes) {
        if (process.rank == job.ranks_of_host[static_cast<std::size_t>(process.host)].front()) {
            order.push_back(process.host);
        }
    }
    return order;
}

std::optional<int> split_host(const Job& job) {
    for (const int host : hosts_by_rank(job)) {
        const std::vector<int>& ranks = job.ranks_of_host[static_cast<std::size_t>(host)];
        if (ranks.back() - ranks.front() + 1 != static_cast<int>(ranks.size())) {
            return host;
        }
    }
    return std::nullopt;
}

std::vector<int> gpus_by_local_rank(const Job& job, int host) {
    const std::vector<int>& ranks = job.ranks_of_host[static_cast<std::size_t>(host)];
    std::vector<int> gpus(ranks.size());
    for (const int rank : ranks) {
        const Process& process = job.processes[static_cast<std::size_t>(rank)];
        gpus[static_cast<std::size_t>(process.local_rank)] = process.gpu;
    }
    return gpus;
}

}  // namespace longhaul::launch
