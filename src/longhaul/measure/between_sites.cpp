#include "longhaul/measure/detail/between_sites.hpp"

#include <algorithm>

#include "longhaul/core/statistics.hpp"

namespace longhaul::measure::detail {
namespace {

constexpr double kGbitOfBytes = 8e-9;

/// Rates of the pairs of hosts that load each ordered pair of sites, and how many pairs there are.
struct PairsOfSites {
    std::vector<double> rates;
    std::size_t count = 0;
};

std::vector<PairsOfSites> pairs_of_sites(const SharedInput& input) {
    const std::size_t sites = input.sites.names.size();
    std::vector<PairsOfSites> all(sites * sites);
    for (std::size_t from = 0; from < input.hosts.size(); ++from) {
        for (std::size_t to = 0; to < input.hosts.size(); ++to) {
            const std::size_t subject = input.sites.pair_of(from, to);
            if (subject == HostSites::kNone) {
                continue;
            }
            ++all[subject].count;
            if (input.bytes_per_s(from, to) > 0) {
                all[subject].rates.push_back(input.bytes_per_s(from, to));
            }
        }
    }
    return all;
}

/// Bytes a second from one site to another; no limit where nothing is known.
double rate_between(const SharedModel& model, const PairsOfSites& pairs, std::size_t subject) {
    double least = fabric::SharedCapacity::kNoLimit;
    for (const SharedResource& resource : model.resources) {
        const bool loads = resource.every || resource.subject == subject;
        if (resource.scope != Scope::kBetween || !loads || pairs.rates.empty() || pairs.count < 2) {
            continue;
        }
        const double pair = resource.rule == Rule::kRate ? 1 : core::summarise(pairs.rates).median;
        least = std::min(least, resource.value * pair);
    }
    return least;
}

}  // namespace

void add_between_sites(const SharedModel& model,
                       const SharedInput& input,
                       std::vector<fabric::SharedCapacity>& all) {
    const std::vector<std::string>& names = input.sites.names;
    const std::size_t sites = names.size();
    const std::vector<PairsOfSites> pairs = pairs_of_sites(input);
    const auto gbps = [&](std::size_t from, std::size_t to) {
        const std::size_t subject = from * sites + to;
        return rate_between(model, pairs[subject], subject) * kGbitOfBytes;
    };
    for (std::size_t a = 0; a < sites; ++a) {
        for (std::size_t b = a + 1; b < sites; ++b) {
            fabric::SharedCapacity link;
            link.name = names[a] + " - " + names[b];
            link.between = {names[a], names[b]};
            link.there_gbps = gbps(a, b);
            link.back_gbps = gbps(b, a);
            if (link.there_gbps != fabric::SharedCapacity::kNoLimit ||
                link.back_gbps != fabric::SharedCapacity::kNoLimit) {
                all.push_back(std::move(link));
            }
        }
    }
}

}  // namespace longhaul::measure::detail
