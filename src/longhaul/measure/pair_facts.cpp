#include "longhaul/measure/pair_facts.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "longhaul/measure/detail/pair_fits.hpp"

namespace longhaul::measure {
namespace {

PairFacts empty_facts(std::size_t n) {
    PairFacts facts;
    facts.alpha_ms = facts.beta_gbps = core::Grid<double>(n, n, 0.0);
    facts.alpha_lower = facts.alpha_upper = facts.alpha_ms;
    facts.beta_lower = facts.beta_upper = facts.alpha_ms;
    facts.estimated = core::Grid<char>(n, n, 0);
    return facts;
}

void set_cost(PairFacts& facts, std::size_t i, std::size_t j, const PairCost& cost) {
    facts.alpha_ms(i, j) = cost.alpha_ms;
    facts.beta_gbps(i, j) = cost.beta_gbps;
    facts.alpha_lower(i, j) = cost.alpha_interval.lower;
    facts.alpha_upper(i, j) = cost.alpha_interval.upper;
    facts.beta_lower(i, j) = cost.beta_interval.lower;
    facts.beta_upper(i, j) = cost.beta_interval.upper;
}

/// First device of every host, or of every kind where the fabric has kinds.
std::vector<std::size_t> representatives(const fabric::Fabric& fabric) {
    const fabric::PairMatrix& beta = fabric.parts().beta_gbps;
    const bool by_kind = beta.kinds() < fabric.size();
    const std::vector<int> key = by_kind ? beta.kind_of_device() : fabric.host_of_device();
    std::map<int, int> seen;
    std::vector<std::size_t> chosen;
    for (std::size_t device = 0; device < fabric.size(); ++device) {
        // Of a kind two devices, so that links inside it count.
        if (++seen[key[device]] <= (by_kind ? 2 : 1)) {
            chosen.push_back(device);
        }
    }
    return chosen;
}

std::string fresh_name(const fabric::Fabric& fabric,
                       std::size_t device,
                       std::map<std::string, int>& used) {
    const auto& devices = fabric.parts().devices;
    const std::string& label = fabric.labels()[device];
    const std::string base =
        devices.empty() || devices[device].host.empty() ? label : devices[device].host;
    const int number = ++used[base];
    return number == 1 ? base : fmt::format("{} #{}", base, number);
}

}  // namespace

PairFacts facts_of(const LinkFits& fits, const FabricOptions& options) {
    const detail::PairFits pairs(fits, options);
    PairFacts facts = empty_facts(fits.hosts.size());
    facts.started = fits.started;
    facts.suspects = 0;
    facts.intervals = true;
    for (const HostRecord& host : fits.hosts) {
        facts.names.push_back(host.id);
        facts.sites.push_back(host.site);
    }
    for (std::size_t i = 0; i < facts.size(); ++i) {
        for (std::size_t j = 0; j < facts.size(); ++j) {
            const LinkFit* fit = i == j ? nullptr : pairs.find(i, j);
            if (fit == nullptr) {
                continue;
            }
            const double rtt_ms = least_round_trip(*fit, pairs.find(j, i));
            set_cost(facts, i, j, pair_cost(*fit, rtt_ms, options.message_bytes));
            *facts.suspects += fit->verdict == Verdict::kSuspect ? 1 : 0;
            for (const Finding& finding : fit->findings) {
                if (!finding.warning) {
                    facts.gates.push_back({facts.names[i] + ">" + facts.names[j], finding});
                }
            }
        }
    }
    return facts;
}

PairFacts facts_of(const fabric::Fabric& fabric) {
    const fabric::FabricParts& parts = fabric.parts();
    const std::vector<std::size_t> chosen = representatives(fabric);
    PairFacts facts = empty_facts(chosen.size());
    facts.intervals = parts.beta_interval.has_value();
    if (parts.suspect) {
        facts.suspects = static_cast<std::size_t>(*parts.suspect);
    }
    std::map<std::string, int> used;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        facts.names.push_back(fresh_name(fabric, chosen[i], used));
        facts.sites.push_back(parts.labels[chosen[i]]);
        for (std::size_t j = 0; j < chosen.size(); ++j) {
            const std::size_t a = chosen[i];
            const std::size_t b = chosen[j];
            if (i == j) {
                continue;
            }
            PairCost cost{parts.alpha_ms(a, b), parts.beta_gbps(a, b), {}, {}};
            const auto& alpha = parts.alpha_interval;
            const auto& beta = parts.beta_interval;
            cost.alpha_interval = {alpha ? alpha->lower(a, b) : cost.alpha_ms,
                                   alpha ? alpha->upper(a, b) : cost.alpha_ms};
            cost.beta_interval = {beta ? beta->lower(a, b) : cost.beta_gbps,
                                  beta ? beta->upper(a, b) : cost.beta_gbps};
            set_cost(facts, i, j, cost);
            facts.estimated(i, j) =
                static_cast<char>(!parts.estimated.empty() && parts.estimated(a, b) != 0 ? 1 : 0);
        }
    }
    return facts;
}

}  // namespace longhaul::measure
