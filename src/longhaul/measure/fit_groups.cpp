#include "longhaul/measure/fit_groups.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "longhaul/core/statistics.hpp"

namespace longhaul::measure {
namespace {

/// Whose samples: everything that keeps fits apart, in the order in which fits are listed.
using GroupKey =
    std::tuple<std::string, std::string, std::string, std::string, std::string, int, double, int>;
using Groups = std::map<GroupKey, FitJob>;

enum class By { kHosts, kPath, kPaths };

Timing timing_of(const Sample& sample) {
    if (const core::Value* said = sample.unknown.find("timing"); said != nullptr) {
        return said->string == name_of(Timing::kEcho) ? Timing::kEcho : Timing::kOneWay;
    }
    return sample.transport == "tcp" ? Timing::kEcho : Timing::kOneWay;
}

bool is_number(const std::string& text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

bool timed(double seconds) {
    return std::isfinite(seconds) && seconds > 0;
}

/// Sorts samples into the jobs of a plan.
class Grouper {
public:
    Grouper(FitPlan& plan, const std::vector<Sample>& samples) : plan_(plan) {
        for (std::size_t i = 0; i < plan.hosts.size(); ++i) {
            index_.emplace(plan.hosts[i].id, i);
        }
        for (const Sample& sample : samples) {
            add(sample);
        }
        add_round_trips();
        plan.pairs = finish(pairs_, "pair");
        plan.paths = finish(paths_, "path");
        plan.both_ways = finish(both_ways_, "both_ways");
        plan.both_ways_paths = finish(both_ways_paths_, "both_ways_path");
        plan.relays = finish(relays_, "relay");
        plan.locals = finish(locals_, "local");
        add_fans();
        if (untimed_ > 0) {
            plan.warnings.push_back(
                fmt::format("{} samples without a time above zero are left out", untimed_));
        }
        if (peerless_ > 0) {
            plan.warnings.push_back(fmt::format(
                "{} samples of fans do not name their peers and are left out", peerless_));
        }
    }

private:
    using FanKey = std::tuple<std::string, std::string, int, double, int>;
    struct FanGroup {
        FanFit fan;
        Groups per_peer;
        FitJob root;
        // Largest root time of every repetition, and the bytes that the root moved.
        std::map<std::tuple<std::string, int, int, int, double>, Point> times;
    };

    [[nodiscard]] const HostRecord* host(const std::string& id) const {
        const auto found = index_.find(id);
        return found == index_.end() ? nullptr : &plan_.hosts[found->second];
    }

    /// Path class of a sample: its label, else the sites of its ends, else nothing.
    [[nodiscard]] std::string path_of(const Sample& sample) const {
        if (!sample.path.empty()) {
            return sample.path;
        }
        const HostRecord* from = host(sample.from);
        const HostRecord* to = host(sample.to);
        if (from == nullptr || to == nullptr || from->site.empty() || to->site.empty()) {
            return "";
        }
        return from->site + ">" + to->site;
    }

    void name(FitJob& job, const Sample& sample, By by) const {
        LinkFit& fit = job.fit;
        fit.transport = sample.transport;
        fit.state = sample.state;
        fit.idle_s = sample.idle_s;
        fit.streams = sample.streams;
        fit.timing = timing_of(sample);
        if (by == By::kHosts) {
            fit.from = sample.from;
            fit.to = sample.to;
            fit.path = path_of(sample);
            job.buffers = buffers_of(host(sample.from), host(sample.to));
        } else {
            fit.path = path_of(sample);
            fit.send_path = by == By::kPaths ? sample.send_path : "";
        }
    }

    void add_to(Groups& groups, const Sample& sample, By by) {
        const bool hosts = by == By::kHosts;
        const GroupKey key{hosts ? sample.from : "",
                           hosts ? sample.to : "",
                           hosts ? "" : path_of(sample),
                           by == By::kPaths ? sample.send_path : "",
                           sample.transport,
                           static_cast<int>(sample.state),
                           sample.idle_s,
                           sample.streams};
        const auto [group, fresh] = groups.try_emplace(key);
        if (fresh) {
            name(group->second, sample, by);
        }
        group->second.samples.push_back(&sample);
        group->second.points.push_back({sample.bytes, sample.elapsed_s});
    }

    void add(const Sample& sample) {
        if (!timed(sample.elapsed_s)) {
            ++untimed_;
            return;
        }
        switch (sample.pattern) {
            case Pattern::kLocal:
                add_to(locals_, sample, By::kPath);
                break;
            case Pattern::kPing:
                add_ping(sample);
                break;
            case Pattern::kPeer:
                add_pair(sample, pairs_, paths_);
                break;
            case Pattern::kBothWays:
                add_pair(sample, both_ways_, both_ways_paths_);
                break;
            case Pattern::kFanOut:
            case Pattern::kFanIn:
                add_fan(sample);
                break;
            case Pattern::kRelay:
                add_to(relays_, sample, By::kPaths);
                break;
            case Pattern::kCrossing:
                break;  // tells what is shared, nothing of one link
        }
    }

    void add_pair(const Sample& sample, Groups& pairs, Groups& paths) {
        add_to(pairs, sample, By::kHosts);
        if (!path_of(sample).empty()) {
            add_to(paths, sample, By::kPath);
        }
    }

    void add_ping(const Sample& sample) {
        const bool swap = index_.at(sample.to) < index_.at(sample.from);
        const std::size_t a = index_.at(swap ? sample.to : sample.from);
        const std::size_t b = index_.at(swap ? sample.from : sample.to);
        pings_[{a, b, sample.transport}].push_back(sample.elapsed_s * 1000);
    }

    void add_round_trips() {
        for (const auto& [key, times] : pings_) {
            const auto& [a, b, transport] = key;
            const core::Summary summary = core::summarise(times);
            plan_.round_trips.push_back({plan_.hosts[a].id,
                                         plan_.hosts[b].id,
                                         transport,
                                         static_cast<int>(times.size()),
                                         summary.min,
                                         summary.median,
                                         summary.p90});
        }
    }

    void add_fan(const Sample& sample) {
        if (sample.peers.empty()) {
            ++peerless_;
            return;
        }
        const bool inward = sample.pattern == Pattern::kFanIn;
        const std::string& root = inward ? sample.to : sample.from;
        const std::string label = fan_key(inward, root, sample.peers);
        const auto [group, fresh] = fans_.try_emplace({label,
                                                       sample.transport,
                                                       static_cast<int>(sample.state),
                                                       sample.idle_s,
                                                       sample.streams});
        FanGroup& fan = group->second;
        if (fresh) {
            fan.fan = {label, inward, root, sample.peers, {}, {}};
            std::ranges::sort(fan.fan.peers);
            name(fan.root, sample, By::kHosts);
            (inward ? fan.root.fit.from : fan.root.fit.to).clear();
            fan.root.fit.path = "";
            fan.root.buffers = {};
        }
        add_to(fan.per_peer, sample, By::kHosts);
        if (sample.root_s && timed(*sample.root_s)) {
            Point& time =
                fan.times[{sample.task, sample.attempt, sample.block, sample.rep, sample.bytes}];
            time.bytes = sample.bytes * static_cast<double>(sample.peers.size());
            time.seconds = std::max(time.seconds, *sample.root_s);
        }
    }

    void add_fans() {
        for (auto& [key, group] : fans_) {
            FitPlan::Fan fan{std::move(group.fan), {}, {}};
            fan.per_peer = finish(group.per_peer, fan.fan.key);
            for (const auto& [repetition, time] : group.times) {
                group.root.points.push_back(time);
            }
            if (!group.root.points.empty()) {
                group.root.stream = stream_name(group.root, "root " + fan.fan.key);
                fan.root.push_back(std::move(group.root));
            }
            plan_.fans.push_back(std::move(fan));
        }
    }

    [[nodiscard]] static std::string stream_name(const FitJob& job, const std::string& kind) {
        return fmt::format("{} {} {} {} {} {}",
                           kind,
                           key_of(job.fit),
                           job.fit.transport,
                           name_of(job.fit.state),
                           job.fit.idle_s,
                           job.fit.streams);
    }

    /// Least of the medians of all pings of the pair, whatever they were sent over; 0 without.
    [[nodiscard]] double ping_s(const LinkFit& fit) const {
        const auto from = index_.find(fit.from);
        const auto to = index_.find(fit.to);
        if (from == index_.end() || to == index_.end()) {
            return 0;
        }
        const std::pair<std::size_t, std::size_t> ends = std::minmax(from->second, to->second);
        double least_ms = 0;
        for (const auto& [key, times] : pings_) {
            if (std::pair(std::get<0>(key), std::get<1>(key)) == ends) {
                const double median = core::summarise(times).median;
                least_ms = least_ms > 0 ? std::min(least_ms, median) : median;
            }
        }
        return least_ms / 1000;
    }

    /// Jobs of groups in the order of the hosts.
    [[nodiscard]] std::vector<FitJob> finish(Groups& groups, const std::string& kind) const {
        std::vector<FitJob> jobs;
        jobs.reserve(groups.size());
        for (auto& [key, job] : groups) {
            job.stream = stream_name(job, kind);
            job.rtt_s = ping_s(job.fit);
            jobs.push_back(std::move(job));
        }
        const auto place = [&](const std::string& id) {
            const auto found = index_.find(id);
            return found == index_.end() ? index_.size() : found->second;
        };
        std::ranges::stable_sort(jobs, [&](const FitJob& a, const FitJob& b) {
            return std::pair(place(a.fit.from), place(a.fit.to)) <
                   std::pair(place(b.fit.from), place(b.fit.to));
        });
        return jobs;
    }

    FitPlan& plan_;
    std::map<std::string, std::size_t> index_;  // of hosts
    Groups pairs_, paths_, both_ways_, both_ways_paths_, relays_, locals_;
    std::map<std::tuple<std::size_t, std::size_t, std::string>, std::vector<double>> pings_;  // ms
    std::map<FanKey, FanGroup> fans_;
    int untimed_ = 0;
    int peerless_ = 0;
};

/// Hosts with records, then all others that samples name.
std::vector<HostRecord> all_hosts(const std::vector<HostRecord>& records,
                                  const std::vector<Sample>& samples) {
    std::vector<HostRecord> hosts = records;
    std::map<std::string, bool> known;
    for (const HostRecord& record : records) {
        known.emplace(record.id, true);
    }
    std::vector<std::string> others;
    for (const Sample& sample : samples) {
        for (const std::string& id : {sample.from, sample.to}) {
            if (!id.empty() && known.emplace(id, true).second) {
                others.push_back(id);
            }
        }
    }
    std::ranges::sort(others, name_less);
    for (std::string& id : others) {
        hosts.emplace_back().id = std::move(id);
    }
    return hosts;
}

}  // namespace

bool name_less(const std::string& a, const std::string& b) {
    if (is_number(a) && is_number(b) && a.size() != b.size()) {
        return a.size() < b.size();
    }
    return a < b;
}

std::vector<FitJob*> FitPlan::jobs() {
    std::vector<FitJob*> all;
    const auto add = [&all](std::vector<FitJob>& jobs) {
        for (FitJob& job : jobs) {
            all.push_back(&job);
        }
    };
    for (std::vector<FitJob>* jobs :
         {&pairs, &paths, &both_ways, &both_ways_paths, &relays, &locals}) {
        add(*jobs);
    }
    for (Fan& fan : fans) {
        add(fan.per_peer);
        add(fan.root);
    }
    return all;
}

FitPlan plan_fits(const std::vector<HostRecord>& hosts, const std::vector<Sample>& samples) {
    FitPlan plan;
    plan.hosts = all_hosts(hosts, samples);
    const Grouper grouper(plan, samples);
    return plan;
}

}  // namespace longhaul::measure
