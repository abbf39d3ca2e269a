#include "longhaul/measure/outliers.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "longhaul/core/statistics.hpp"

namespace longhaul::measure {
namespace {

constexpr std::size_t kLeastMates = 3;
constexpr double kRobustDeviations = 3.5;
constexpr double kMadToDeviation = 1.4826;
constexpr double kLeastDeviation = 0.02;  // log; below it everything would be an outlier

double median_or_zero(std::vector<double> values) {
    return values.empty() ? 0 : core::median(std::move(values));
}

/// 1.4826 x median absolute deviation, at least kLeastDeviation.
double robust_deviation(const std::vector<double>& values) {
    const double middle = median_or_zero(values);
    std::vector<double> distances;
    for (const double value : values) {
        distances.push_back(std::abs(value - middle));
    }
    return std::max(kLeastDeviation, kMadToDeviation * median_or_zero(std::move(distances)));
}

/// Hosts to compare each with: those of its site, or all.
std::vector<std::vector<std::size_t>> mates_of(const PairFacts& facts) {
    std::map<std::string, std::vector<std::size_t>> sites;
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < facts.size(); ++i) {
        sites[facts.sites[i]].push_back(i);
        all.push_back(i);
    }
    std::vector<std::vector<std::size_t>> mates;
    for (std::size_t i = 0; i < facts.size(); ++i) {
        const std::vector<std::size_t>& own = sites[facts.sites[i]];
        mates.push_back(!facts.sites[i].empty() && own.size() >= kLeastMates ? own : all);
    }
    return mates;
}

/// Measured rate of a host with a partner; 0 where there is none.
double rate(const PairFacts& facts, std::size_t host, std::size_t partner, bool sends) {
    const std::size_t from = sends ? host : partner;
    const std::size_t to = sends ? partner : host;
    return facts.estimated(from, to) == 0 ? facts.beta_gbps(from, to) : 0;
}

/// Median over the partners of log(rate / median of the mates' rates with that partner).
double log_effect(const PairFacts& facts,
                  const std::vector<std::size_t>& mates,
                  std::size_t host,
                  bool sends) {
    std::vector<double> ratios;
    for (std::size_t partner = 0; partner < facts.size(); ++partner) {
        const double own = partner == host ? 0 : rate(facts, host, partner, sends);
        std::vector<double> others;
        for (const std::size_t mate : mates) {
            const double other =
                mate == host || mate == partner ? 0 : rate(facts, mate, partner, sends);
            if (other > 0) {
                others.push_back(other);
            }
        }
        if (own > 0 && !others.empty()) {
            ratios.push_back(std::log(own / median_or_zero(std::move(others))));
        }
    }
    return median_or_zero(std::move(ratios));
}

}  // namespace

std::vector<HostEffect> host_effects(const PairFacts& facts, double factor) {
    const auto mates = mates_of(facts);
    std::vector<HostEffect> effects;
    std::vector<double> all;
    for (std::size_t host = 0; host < facts.size(); ++host) {
        const double send = log_effect(facts, mates[host], host, true);
        const double receive = log_effect(facts, mates[host], host, false);
        effects.push_back({host, std::exp(send), std::exp(receive), false});
        all.push_back(send);
        all.push_back(receive);
    }
    const double limit = std::max(std::log(factor), kRobustDeviations * robust_deviation(all));
    for (HostEffect& effect : effects) {
        effect.outlier =
            facts.size() >= kLeastMates &&
            (std::abs(std::log(effect.send)) > limit || std::abs(std::log(effect.receive)) > limit);
    }
    return effects;
}

std::vector<PairEffect> pair_outliers(const PairFacts& facts,
                                      const std::vector<HostEffect>& hosts,
                                      double factor) {
    std::map<std::pair<std::string, std::string>, std::vector<PairEffect>> by_sites;
    for (std::size_t i = 0; i < facts.size(); ++i) {
        for (std::size_t j = 0; j < facts.size(); ++j) {
            const bool usable = i != j && facts.beta_gbps(i, j) > 0 && facts.estimated(i, j) == 0;
            if (usable && !hosts[i].outlier && !hosts[j].outlier) {
                const double own = std::log(facts.beta_gbps(i, j)) - std::log(hosts[i].send) -
                                   std::log(hosts[j].receive);
                by_sites[{facts.sites[i], facts.sites[j]}].push_back({{i, j}, own});
            }
        }
    }
    std::vector<PairEffect> outliers;
    for (const auto& [sites, pairs] : by_sites) {
        std::vector<double> values;
        for (const PairEffect& pair : pairs) {
            values.push_back(pair.ratio);
        }
        const double usual = median_or_zero(values);
        const double limit =
            std::max(std::log(factor), kRobustDeviations * robust_deviation(values));
        for (const PairEffect& pair : pairs) {
            if (pairs.size() >= kLeastMates && std::abs(pair.ratio - usual) > limit) {
                outliers.push_back({pair.pair, std::exp(pair.ratio - usual)});
            }
        }
    }
    std::ranges::stable_sort(outliers, std::ranges::greater(), [](const PairEffect& effect) {
        return std::abs(std::log(effect.ratio));
    });
    return outliers;
}

}  // namespace longhaul::measure
