#include <algorithm>
#include <map>

#include "longhaul/measure/detail/pair_fits.hpp"
#include "longhaul/measure/links_shared.hpp"

namespace longhaul::measure {
namespace {

std::map<std::string, std::size_t, std::less<>> numbers_of_hosts(const LinkFits& fits) {
    std::map<std::string, std::size_t, std::less<>> numbers;
    for (std::size_t i = 0; i < fits.hosts.size(); ++i) {
        numbers[fits.hosts[i].id] = i;
    }
    return numbers;
}

/// Rates as completed; of latencies half the pair's own round trip, else that of its sites.
CompletedPairs with_latencies(const LinkCompletion& completed,
                              const core::Grid<double>& rtt_ms,
                              double near_ms) {
    const std::size_t n = rtt_ms.rows();
    CompletedPairs all;
    all.beta_gbps = completed.beta.hosts.beta_gbps;
    all.beta_lower = completed.beta.hosts.lower;
    all.beta_upper = completed.beta.hosts.upper;
    all.alpha_ms = all.alpha_lower = all.alpha_upper = core::Grid<double>(n, n, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            if (i == j) {
                continue;
            }
            const std::size_t a = completed.sites.site_of_host[i];
            const std::size_t b = completed.sites.site_of_host[j];
            const double of_sites = a == b ? near_ms / 2 : completed.beta.sites.rtt_ms(a, b);
            const double own = rtt_ms(i, j) > 0 ? rtt_ms(i, j) : rtt_ms(j, i);
            const double value = (own > 0 ? own : of_sites) / 2;
            all.alpha_ms(i, j) = value;
            all.alpha_lower(i, j) = std::min(value, of_sites / 2);
            all.alpha_upper(i, j) = std::max(value, of_sites / 2);
        }
    }
    return all;
}

}  // namespace

namespace detail {

PairFits::PairFits(const LinkFits& fits, const FabricOptions& options)
    : fits_(fits.hosts.size(), fits.hosts.size(), nullptr) {
    const auto numbers = numbers_of_hosts(fits);
    for (const LinkFit& fit : fits.pairs) {
        const auto from = numbers.find(fit.from);
        const auto to = numbers.find(fit.to);
        if (from == numbers.end() || to == numbers.end() || fit.state != options.state ||
            (!options.transport.empty() && fit.transport != options.transport) ||
            (options.streams > 0 && fit.streams != options.streams)) {
            continue;
        }
        const LinkFit*& best = fits_(from->second, to->second);
        best = best == nullptr || fit.streams < best->streams ? &fit : best;
    }
}

core::Grid<double> round_trips_of(const LinkFits& fits) {
    const auto numbers = numbers_of_hosts(fits);
    const std::size_t n = fits.hosts.size();
    core::Grid<double> rtt(n, n, 0.0);
    const auto add = [&](const std::string& a, const std::string& b, double ms) {
        const auto from = numbers.find(a);
        const auto to = numbers.find(b);
        if (from != numbers.end() && to != numbers.end() && ms > 0) {
            double& least = rtt(from->second, to->second);
            least = least > 0 ? std::min(least, ms) : ms;
        }
    };
    for (const RoundTrip& trip : fits.round_trips) {
        add(trip.from, trip.to, trip.median_ms);
    }
    for (const LinkFit& fit : fits.pairs) {
        add(fit.from, fit.to, fit.rtt_ms);
    }
    return rtt;
}

}  // namespace detail

core::Result<LinkCompletion> complete_links(const LinkFits& fits,
                                            const FabricOptions& options,
                                            const CompletionOptions& completion,
                                            double near_ms) {
    const std::size_t n = fits.hosts.size();
    const detail::PairFits pairs(fits, options);
    const core::Grid<double> rtt_ms = detail::round_trips_of(fits);
    std::vector<std::string> names;
    std::vector<std::string> declared;
    core::Grid<double> beta(n, n, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
        names.push_back(fits.hosts[i].id);
        declared.push_back(fits.hosts[i].site);
        for (std::size_t j = 0; j < n; ++j) {
            const LinkFit* fit = pairs.find(i, j);
            beta(i, j) = fit == nullptr ? 0 : fit->beta_gbps;
        }
    }
    LinkCompletion result;
    result.sites = cluster_sites(names, declared, rtt_ms, near_ms);
    auto hosts = complete_hosts(names, result.sites, rtt_ms, beta, completion);
    if (!hosts) {
        return tl::unexpected(hosts.error());
    }
    result.beta = *std::move(hosts);
    result.pairs = with_latencies(result, rtt_ms, near_ms);
    return result;
}

}  // namespace longhaul::measure
