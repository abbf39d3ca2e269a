#include "longhaul/measure/links_shared.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "longhaul/core/statistics.hpp"
#include "longhaul/measure/detail/pair_fits.hpp"

namespace longhaul::measure {
namespace {

using HostIndex = std::map<std::string, std::size_t, std::less<>>;

/// Start-up may be this share of the transfer of a message that tells of rates.
constexpr double kMostStartUp = 0.25;

/// Messages that ran together, of all repetitions.
struct Together {
    LoadSample sample;
    std::map<std::pair<int, int>, std::vector<const Sample*>> runs;  // by block and repetition
};

/// "crossing:a>b,c>d", in alphabetical order.
std::string name_of_crossing(const Sample& sample) {
    std::set<std::string> transfers;
    for (std::size_t i = 0; i + 1 < sample.peers.size(); i += 2) {
        transfers.insert(sample.peers[i] + ">" + sample.peers[i + 1]);
    }
    return fmt::format("crossing:{}", fmt::join(transfers, ","));
}

/// "in:r<-p,q", "both:a,b", "crossing:a>b,c>d", "relay:task": equal for all sizes.
std::string name_of_set(const Sample& sample) {
    switch (sample.pattern) {
        case Pattern::kFanIn:
            return fan_key(true, sample.to, sample.peers);
        case Pattern::kFanOut:
            return fan_key(false, sample.from, sample.peers);
        case Pattern::kBothWays:
            return fmt::format(
                "both:{},{}", std::min(sample.from, sample.to), std::max(sample.from, sample.to));
        case Pattern::kCrossing:
            return name_of_crossing(sample);
        default:
            return "relay:" + sample.task;
    }
}

/// Relays without a task cannot be told from each other.
bool runs_together(const Sample& sample) {
    const Pattern pattern = sample.pattern;
    return pattern == Pattern::kFanIn || pattern == Pattern::kFanOut ||
           pattern == Pattern::kBothWays || pattern == Pattern::kCrossing ||
           (pattern == Pattern::kRelay && !sample.task.empty());
}

std::vector<HostGroup> groups_of(const LinkFits& fits) {
    std::map<std::string, std::vector<std::size_t>> members;
    for (std::size_t i = 0; i < fits.hosts.size(); ++i) {
        std::set<std::string> names(fits.hosts[i].groups.begin(), fits.hosts[i].groups.end());
        names.insert(fits.hosts[i].site);
        for (const std::string& name : names) {
            members[name].push_back(i);
        }
    }
    std::vector<HostGroup> groups;
    for (const auto& [name, hosts] : members) {
        const bool twice = std::ranges::find(groups, hosts, &HostGroup::members) != groups.end();
        if (!name.empty() && !twice && hosts.size() > 1 && hosts.size() < fits.hosts.size()) {
            groups.push_back({name, hosts});
        }
    }
    return groups;
}

HostSites sites_of(const LinkFits& fits) {
    HostSites sites;
    for (const HostRecord& host : fits.hosts) {
        const auto known = std::ranges::find(sites.names, host.site);
        sites.of_host.push_back(host.site.empty()
                                    ? HostSites::kNone
                                    : static_cast<std::size_t>(known - sites.names.begin()));
        if (!host.site.empty() && known == sites.names.end()) {
            sites.names.push_back(host.site);
        }
    }
    return sites;
}

std::string congestion_of(const LinkFits& fits, std::size_t host) {
    const core::Value* fact = fits.hosts[host].facts.find("congestion_control");
    return fact != nullptr && fact->kind == core::Value::Kind::kString ? fact->string : "";
}

/// Seconds until the last message of one run was done; 0 when messages are missing.
double seconds_of(const std::vector<const Sample*>& run) {
    const Sample& first = *run.front();
    const bool fan = first.pattern == Pattern::kFanIn || first.pattern == Pattern::kFanOut;
    const std::size_t expected = fan                                   ? first.width()
                                 : first.pattern == Pattern::kCrossing ? first.width() / 2
                                                                       : 2;
    if (first.pattern == Pattern::kRelay ? run.size() < 2 : run.size() != expected) {
        return 0;
    }
    double seconds = 0;
    double root_s = 0;
    for (const Sample* sample : run) {
        seconds = std::max(seconds, sample->elapsed_s);
        root_s = std::max(root_s, sample->root_s.value_or(0));
    }
    return fan && root_s > 0 ? root_s : seconds;
}

/// Sets the transfers and the median seconds; false when nothing is left.
bool finish(Together& together, const HostIndex& index, const LinkFits& fits) {
    std::vector<double> seconds;
    for (const auto& [run, messages] : together.runs) {
        const double each = seconds_of(messages);
        if (each <= 0) {
            continue;
        }
        seconds.push_back(each);
        if (together.sample.sets.empty()) {
            together.sample.sets.emplace_back();
            for (const Sample* sample : messages) {
                together.sample.sets.front().push_back(
                    {index.at(sample->from), index.at(sample->to), sample->bytes});
            }
        }
    }
    if (seconds.empty()) {
        return false;
    }
    together.sample.seconds = core::summarise(std::move(seconds)).median;
    together.sample.congestion = congestion_of(fits, together.sample.sets.front().front().from);
    return true;
}

/// Largest start-up over the slowest transfer of a set, or -1 when a pair has no rate.
double start_up_share(const SharedInput& input, const LoadSample& sample) {
    double alpha = 0;
    double slowest = 0;
    for (const Transfer& transfer : sample.sets.front()) {
        const double rate = input.bytes_per_s(transfer.from, transfer.to);
        if (rate <= 0) {
            return -1;
        }
        alpha = std::max(alpha, input.alpha_s(transfer.from, transfer.to));
        slowest = std::max(slowest, transfer.bytes / rate);
    }
    return alpha / slowest;
}

/// Of each set all sizes that tell of rates, else the largest size.
std::vector<LoadSample> rate_bound(const SharedInput& input, std::vector<LoadSample> all) {
    std::map<std::string, std::vector<LoadSample>> by_name;
    for (LoadSample& sample : all) {
        if (start_up_share(input, sample) >= 0) {
            by_name[sample.name].push_back(std::move(sample));
        }
    }
    std::vector<LoadSample> kept;
    for (auto& [name, sizes] : by_name) {
        std::ranges::sort(
            sizes, {}, [](const LoadSample& s) { return s.sets.front().front().bytes; });
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            if (i + 1 == sizes.size() || start_up_share(input, sizes[i]) <= kMostStartUp) {
                kept.push_back(std::move(sizes[i]));
            }
        }
    }
    return kept;
}

}  // namespace

SharedInput shared_input(const Raw& raw, const LinkFits& fits, const FabricOptions& options) {
    const detail::PairFits pairs(fits, options);
    const std::size_t n = fits.hosts.size();
    SharedInput input;
    HostIndex index;
    input.alpha_s = input.bytes_per_s = core::Grid<double>(n, n, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
        index[fits.hosts[i].id] = i;
        input.hosts.push_back(fits.hosts[i].id);
        for (std::size_t j = 0; j < n; ++j) {
            if (const LinkFit* fit = pairs.find(i, j)) {
                input.alpha_s(i, j) = std::max(0.0, fit->alpha_ms / 1000);
                input.bytes_per_s(i, j) = fit->beta_gbps * 1e9 / 8;
            }
        }
    }
    input.groups = groups_of(fits);
    input.sites = sites_of(fits);
    std::map<std::pair<std::string, double>, Together> sets;
    const std::vector<Sample> usable = usable_samples(raw);
    for (const Sample& sample : usable) {
        if (!runs_together(sample) || sample.state != options.state ||
            !index.contains(sample.from) || !index.contains(sample.to) ||
            (!options.transport.empty() && sample.transport != options.transport) ||
            (options.streams > 0 && sample.streams != options.streams)) {
            continue;
        }
        Together& together = sets[{name_of_set(sample), sample.bytes}];
        together.sample.name = name_of_set(sample);
        together.sample.pattern = name_of(sample.pattern);
        together.runs[{sample.block, sample.rep}].push_back(&sample);
    }
    std::vector<LoadSample> samples;
    for (auto& [key, together] : sets) {
        if (finish(together, index, fits)) {
            samples.push_back(std::move(together.sample));
        }
    }
    input.samples = rate_bound(input, std::move(samples));
    return input;
}

void set_shared(LinkFits& fits, const SharedModel& model, const SharedInput& input) {
    fits.unknown.set("shared", to_value(model, input));
}

std::optional<SharedSummary> shared_summary(const LinkFits& fits) {
    const core::Value* shared = fits.unknown.find("shared");
    const core::Value* factor = shared == nullptr ? nullptr : shared->find("left_out_factor");
    const core::Value* trusted = shared == nullptr ? nullptr : shared->find("trusted");
    const core::Value* resources = shared == nullptr ? nullptr : shared->find("resources");
    if (factor == nullptr || trusted == nullptr || resources == nullptr) {
        return std::nullopt;
    }
    SharedSummary summary{factor->number, trusted->boolean, {}};
    for (const core::Value& resource : resources->items) {
        const core::Value* scope = resource.find("scope");
        const core::Value* rule = resource.find("rule");
        const core::Value* gbps = resource.find("gbps");
        const core::Value* concurrency = resource.find("concurrency");
        const core::Value* host = resource.find("host");
        const core::Value* group = resource.find("group");
        const core::Value* between = resource.find("between");
        if (scope == nullptr || rule == nullptr || (gbps == nullptr && concurrency == nullptr)) {
            continue;
        }
        std::string text = fmt::format("{} {}", scope->string, rule->string);
        text += host != nullptr ? " of " + host->string : "";
        text += group != nullptr ? " of " + group->string : "";
        if (between != nullptr && between->items.size() == 2) {
            text += fmt::format(" of {}>{}", between->items[0].string, between->items[1].string);
        }
        text += gbps != nullptr ? fmt::format(", {:.4g} Gbit/s", gbps->number)
                                : fmt::format(", concurrency {:.3g}", concurrency->number);
        summary.resources.push_back(std::move(text));
    }
    return summary;
}

}  // namespace longhaul::measure
