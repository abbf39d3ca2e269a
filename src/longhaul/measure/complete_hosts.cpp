#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "longhaul/core/statistics.hpp"
#include "longhaul/measure/sampling.hpp"

namespace longhaul::measure {
namespace {

constexpr std::size_t kFewTests = 20;
constexpr double kFewSpread = 0.1;
constexpr double kLeastSpread = 0.02;

double median_or_zero(std::vector<double> values) {
    return values.empty() ? 0 : core::summarise(std::move(values)).median;
}

/// Medians of the known entries of hosts, by pair of sites; 0 where there is none. The diagonal is
/// inside a site.
core::Grid<double> site_medians(const Sites& sites, const core::Grid<double>& of_hosts) {
    const std::size_t count = sites.size();
    std::vector<std::vector<double>> known(count * count);
    for (std::size_t i = 0; i < of_hosts.rows(); ++i) {
        for (std::size_t j = 0; j < of_hosts.rows(); ++j) {
            if (i != j && of_hosts(i, j) > 0) {
                known[sites.site_of_host[i] * count + sites.site_of_host[j]].push_back(
                    of_hosts(i, j));
            }
        }
    }
    core::Grid<double> medians(count, count, 0.0);
    for (std::size_t a = 0; a < count; ++a) {
        for (std::size_t b = 0; b < count; ++b) {
            medians(a, b) = median_or_zero(std::move(known[a * count + b]));
        }
    }
    return medians;
}

/// What is assumed inside each site, and whether it was measured there.
struct Inside {
    std::vector<double> beta;
    std::vector<char> estimated;
    double least = 0;
    double most = 0;
};

Inside inside_of(const Sites& sites, const core::Grid<double>& medians) {
    Inside inside{std::vector<double>(sites.size()), std::vector<char>(sites.size(), 0), 0, 0};
    for (std::size_t a = 0; a < sites.size(); ++a) {
        const double beta = medians(a, a);
        inside.beta[a] = beta;
        inside.most = std::max(inside.most, beta);
        inside.least = beta > 0 && (inside.least == 0 || beta < inside.least) ? beta : inside.least;
    }
    for (std::size_t a = 0; a < sites.size(); ++a) {
        if (inside.beta[a] == 0) {
            inside.beta[a] = inside.least;
            inside.estimated[a] = 1;
        }
    }
    return inside;
}

/// exp of the median of log-ratios, drawn towards 1. Of the two middle ones of an even number the
/// one nearer to 0 counts: a host is slow when most of its tests are, not when one of two is.
double drawn_to_one(std::vector<double> log_ratios) {
    if (log_ratios.empty()) {
        return 1;
    }
    std::ranges::sort(log_ratios);
    const std::size_t n = log_ratios.size();
    const double low = log_ratios[(n - 1) / 2];
    const double high = log_ratios[n / 2];
    const double middle = std::abs(low) < std::abs(high) ? low : high;
    return std::exp(middle * static_cast<double>(n) / static_cast<double>(n + 1));
}

/// Factors of hosts beside their sites, from measured pairs.
void host_factors(const Sites& sites,
                  const core::Grid<double>& beta_gbps,
                  const core::Grid<double>& of_sites,
                  HostCompletion& result) {
    const std::size_t n = beta_gbps.rows();
    std::vector<std::vector<double>> sent(n);
    std::vector<std::vector<double>> received(n);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            const double usual = of_sites(sites.site_of_host[i], sites.site_of_host[j]);
            if (i != j && beta_gbps(i, j) > 0 && usual > 0) {
                const double ratio = std::log(beta_gbps(i, j) / usual);
                sent[i].push_back(ratio);
                received[j].push_back(ratio);
            }
        }
    }
    for (std::size_t i = 0; i < n; ++i) {
        result.send.push_back(drawn_to_one(std::move(sent[i])));
        result.receive.push_back(drawn_to_one(std::move(received[i])));
    }
}

/// How far pairs of hosts are off their sites' value times the hosts' factors: the 90 % quantile of
/// |log|, never below kLeastSpread, nor below kFewSpread while few tests tell.
double spread_of(const Sites& sites,
                 const core::Grid<double>& beta_gbps,
                 const core::Grid<double>& of_sites,
                 const HostCompletion& result) {
    std::vector<double> off;
    for (std::size_t i = 0; i < beta_gbps.rows(); ++i) {
        for (std::size_t j = 0; j < beta_gbps.rows(); ++j) {
            const double usual = of_sites(sites.site_of_host[i], sites.site_of_host[j]);
            if (i != j && beta_gbps(i, j) > 0 && usual > 0) {
                const double factor = std::min(result.send[i], result.receive[j]);
                off.push_back(std::abs(std::log(beta_gbps(i, j) / (usual * factor))));
            }
        }
    }
    std::ranges::sort(off);
    const double quantile = off.empty() ? 0 : core::quantile(off, 0.9);
    return std::max(quantile, off.size() < kFewTests ? kFewSpread : kLeastSpread);
}

Completion expand(const Sites& sites,
                  const core::Grid<double>& beta_gbps,
                  const Inside& inside,
                  double spread,
                  const HostCompletion& result) {
    const std::size_t n = beta_gbps.rows();
    const Completion& of_sites = result.sites;
    Completion all;
    all.model = of_sites.model;
    all.rank = of_sites.rank;
    all.median_error = of_sites.median_error;
    all.p90_error = of_sites.p90_error;
    all.filled_rtts = of_sites.filled_rtts;
    all.beta_gbps = all.lower = all.upper = core::Grid<double>(n, n, 0.0);
    all.estimated = core::Grid<char>(n, n, 0);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            const std::size_t a = sites.site_of_host[i];
            const std::size_t b = sites.site_of_host[j];
            if (i == j) {
                continue;
            }
            if (beta_gbps(i, j) > 0) {
                all.beta_gbps(i, j) = all.lower(i, j) = all.upper(i, j) = beta_gbps(i, j);
                ++all.measured;
                continue;
            }
            const double factor = std::min(result.send[i], result.receive[j]);
            const double usual = a == b ? inside.beta[a] : of_sites.beta_gbps(a, b);
            const double low = a == b ? std::min(inside.least, usual) : of_sites.lower(a, b);
            const double high = a == b ? std::max(inside.most, usual) : of_sites.upper(a, b);
            all.beta_gbps(i, j) = usual * factor;
            all.lower(i, j) = low * std::min(1.0, factor) * std::exp(-spread);
            all.upper(i, j) = high * std::max(1.0, factor) * std::exp(spread);
            all.estimated(i, j) = 1;
        }
    }
    return all;
}

}  // namespace

core::Result<HostCompletion> complete_hosts(const std::vector<std::string>& hosts,
                                            const Sites& sites,
                                            const core::Grid<double>& rtt_ms,
                                            const core::Grid<double>& beta_gbps,
                                            const CompletionOptions& options) {
    LONGHAUL_ASSERT(hosts.size() == beta_gbps.rows() && rtt_ms.rows() == beta_gbps.rows());
    const core::Grid<double> medians = site_medians(sites, beta_gbps);
    const Inside inside = inside_of(sites, medians);
    const bool no_inside = inside.least == 0 && sites.size() < hosts.size();
    if (no_inside) {
        return core::fail({"",
                           "",
                           "no pair of hosts of one site has a bandwidth",
                           "measure every host once inside its site"});
    }
    HostCompletion result;
    CompletionInput input{sites.names, {}, site_medians(sites, rtt_ms), medians};
    for (std::size_t a = 0; a < sites.size(); ++a) {
        input.beta_gbps(a, a) = 0;
        input.classes.push_back(class_of_site(sites.names[a]));
    }
    const std::size_t open =
        static_cast<std::size_t>(std::ranges::count(input.beta_gbps.cells(), 0.0)) - sites.size();
    if (open > 0) {
        auto completed = complete(input, options);
        if (!completed) {
            return tl::unexpected(completed.error());
        }
        result.sites = std::move(*completed);
    } else {
        result.sites.beta_gbps = result.sites.lower = result.sites.upper = input.beta_gbps;
        result.sites.estimated = core::Grid<char>(sites.size(), sites.size(), 0);
        result.sites.measured = sites.size() * (sites.size() - 1);
        result.sites.model = "measured";
        result.sites.rtt_ms = input.rtt_ms;
    }
    host_factors(sites, beta_gbps, medians, result);
    const double spread = spread_of(sites, beta_gbps, medians, result);
    result.hosts = expand(sites, beta_gbps, inside, spread, result);
    return result;
}

}  // namespace longhaul::measure
