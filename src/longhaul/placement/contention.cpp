#include "longhaul/placement/contention.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <limits>

#include "longhaul/placement/assignment.hpp"
#include "longhaul/placement/matching.hpp"

namespace longhaul::placement {
namespace {

constexpr int kMostThresholds = 16;
constexpr std::int64_t kNotAllowed = std::int64_t{1} << 40U;

/// Partner of each row in the matching of pairs up to a threshold that loads resources least.
std::vector<int> least_loaded(const core::Grid<double>& pairs,
                              const core::Grid<double>& load_seconds,
                              double threshold) {
    core::Grid<LexCost> price(pairs.rows(), pairs.columns());
    for (std::size_t i = 0; i < pairs.rows(); ++i) {
        for (std::size_t j = 0; j < pairs.columns(); ++j) {
            const auto nanoseconds = [](double seconds) {
                return static_cast<std::int64_t>(std::llround(std::min(seconds, 1e6) * 1e9));
            };
            price(i, j) = {{pairs(i, j) > threshold ? kNotAllowed : 0,
                            nanoseconds(load_seconds(i, j)),
                            nanoseconds(pairs(i, j))}};
        }
    }
    return least_assignment(price);
}

}  // namespace

Contention::Contention(std::vector<std::string> names,
                       const std::vector<double>& gbps,
                       std::vector<std::vector<int>> sides)
    : names_(std::move(names)), sides_(std::move(sides)) {
    for (const double rate : gbps) {
        rates_.push_back({rate, rate, true});
    }
}

Contention Contention::with_rates(std::vector<std::string> names,
                                  std::vector<SharedRates> rates,
                                  std::vector<std::vector<int>> sides) {
    Contention made;
    made.names_ = std::move(names);
    made.rates_ = std::move(rates);
    made.sides_ = std::move(sides);
    return made;
}

Contention::Contention(const fabric::Fabric& fabric) : sides_(fabric.shared_sides()) {
    for (const fabric::SharedCapacity& resource : fabric.parts().shared) {
        names_.push_back(resource.name);
        rates_.push_back({resource.there_gbps, resource.back_gbps, resource.duplex});
    }
}

Contention Contention::divided(int parts) const {
    Contention part = *this;
    for (SharedRates& rates : part.rates_) {
        rates.there_gbps /= parts;
        rates.back_gbps /= parts;
    }
    return part;
}

bool Contention::directed(double forward_gb, double backward_gb) const {
    return forward_gb != backward_gb && std::ranges::any_of(rates_, [](const SharedRates& rates) {
               return rates.duplex && rates.there_gbps != rates.back_gbps;
           });
}

double Contention::seconds(std::size_t resource, const Load& load) const {
    const SharedRates& rates = rates_[resource];
    const double there = 8 * load.there / rates.there_gbps;
    const double back = 8 * load.back / rates.back_gbps;
    return rates.duplex ? std::max(there, back) : there + back;
}

Contention Contention::of(const std::vector<int>& points) const {
    Contention part = *this;
    for (std::size_t r = 0; r < size(); ++r) {
        part.sides_[r].clear();
        for (const int point : points) {
            part.sides_[r].push_back(side(r, point));
        }
    }
    return part;
}

void Contention::add(const ExchangePlan& plan, std::vector<Load>& loads) const {
    loads.resize(size());
    for (std::size_t r = 0; r < size(); ++r) {
        for (const Flow& flow : plan.flows) {
            const int from = side(r, plan.group[static_cast<std::size_t>(flow.from)]);
            const int to = side(r, plan.group[static_cast<std::size_t>(flow.to)]);
            loads[r].there += from == 1 && to == 2 ? flow.gb : 0;
            loads[r].back += from == 2 && to == 1 ? flow.gb : 0;
        }
    }
}

Contended Contention::slowest(std::span<const Load> loads) const {
    Contended worst;
    for (std::size_t r = 0; r < loads.size(); ++r) {
        const double taken = seconds(r, loads[r]);
        if (taken > worst.seconds) {
            worst = {taken, static_cast<int>(r)};
        }
    }
    return worst;
}

void Contention::add_pairs(std::span<const int> left,
                           std::span<const int> right,
                           double gb,
                           std::vector<Load>& loads) const {
    loads.resize(size());
    for (std::size_t r = 0; r < size(); ++r) {
        for (std::size_t i = 0; i < left.size(); ++i) {
            const int from = side(r, left[i]);
            const int to = side(r, right[i]);
            loads[r].there += from == 1 && to == 2 ? gb : 0;
            loads[r].back += from == 2 && to == 1 ? gb : 0;
        }
    }
}

Contended Contention::slower_pass(std::span<const Load> loads) const {
    std::vector<Load> backward(loads.begin(), loads.end());
    for (Load& load : backward) {
        std::swap(load.there, load.back);
    }
    const Contended there = slowest(loads);
    const Contended back = slowest(backward);
    return back.seconds > there.seconds ? back : there;
}

/// Pairs cross forward, then, the other way round, backward.
double Contention::passes(std::size_t resource,
                          const Load& pairs,
                          double forward_gb,
                          double backward_gb) const {
    return seconds(resource, {forward_gb * pairs.there, forward_gb * pairs.back}) +
           seconds(resource, {backward_gb * pairs.back, backward_gb * pairs.there});
}

Contended Contention::edge(std::span<const int> left,
                           std::span<const int> right,
                           double forward_gb,
                           double backward_gb) const {
    Contended worst;
    for (std::size_t r = 0; r < size(); ++r) {
        Load pairs;
        for (std::size_t i = 0; i < left.size(); ++i) {
            const int from = side(r, left[i]);
            const int to = side(r, right[i]);
            pairs.there += from == 1 && to == 2 ? 1 : 0;
            pairs.back += from == 2 && to == 1 ? 1 : 0;
        }
        const double taken = passes(r, pairs, forward_gb, backward_gb);
        if (taken > worst.seconds) {
            worst = {taken, static_cast<int>(r)};
        }
    }
    return worst;
}

/// Seconds by which a pair loads all resources together.
core::Grid<double> Contention::crossing_seconds(std::span<const int> left,
                                                std::span<const int> right,
                                                double forward_gb,
                                                double backward_gb) const {
    core::Grid<double> all(left.size(), right.size(), 0.0);
    for (std::size_t r = 0; r < size(); ++r) {
        for (std::size_t i = 0; i < left.size(); ++i) {
            for (std::size_t j = 0; j < right.size(); ++j) {
                const int from = side(r, left[i]);
                const int to = side(r, right[j]);
                if (from != 0 && to != 0 && from != to) {
                    const Load pair = from == 1 ? Load{1, 0} : Load{0, 1};
                    all(i, j) += passes(r, pair, forward_gb, backward_gb);
                }
            }
        }
    }
    return all;
}

/// Devices on one side that find no partner off the other side must cross.
std::vector<Load> Contention::fewest_crossing(std::span<const int> left,
                                              std::span<const int> right) const {
    std::vector<Load> fewest(size());
    const auto all = static_cast<int>(left.size());
    for (std::size_t r = 0; r < size(); ++r) {
        const auto on = [&](std::span<const int> group, int which) {
            return static_cast<int>(
                std::ranges::count_if(group, [&](int point) { return side(r, point) == which; }));
        };
        fewest[r].there = std::max(0, on(left, 1) + on(right, 2) - all);
        fewest[r].back = std::max(0, on(left, 2) + on(right, 1) - all);
    }
    return fewest;
}

std::vector<int> Contention::least_load(const core::Grid<double>& pair_seconds,
                                        std::span<const int> left,
                                        std::span<const int> right) const {
    const core::Grid<double> load_seconds = crossing_seconds(left, right, 0.5, 0.5);
    std::vector<double> levels;
    std::ranges::copy_if(pair_seconds.cells(), std::back_inserter(levels), [](double seconds) {
        return std::isfinite(seconds);
    });
    std::ranges::sort(levels);
    levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
    if (levels.empty()) {
        return {};
    }
    struct Matched {
        std::vector<int> partner;
        double load = 0;
    };
    const auto under = [&](double threshold) {
        Matched found{least_loaded(pair_seconds, load_seconds, threshold), 0};
        for (std::size_t i = 0; i < left.size(); ++i) {
            const auto j = static_cast<std::size_t>(found.partner[i]);
            found.load += pair_seconds(i, j) > threshold ? std::numeric_limits<double>::infinity()
                                                         : load_seconds(i, j);
        }
        return found;
    };
    Matched best = under(levels.back());
    if (!std::isfinite(best.load)) {
        return {};
    }
    constexpr double kRounding = 1e-9;
    std::size_t low = 0;
    for (std::size_t high = levels.size() - 1; low < high;) {
        const std::size_t middle = low + (high - low) / 2;
        Matched found = under(levels[middle]);
        if (found.load <= best.load * (1 + kRounding)) {
            best.partner = std::move(found.partner);
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return best.partner;
}

ContendedEdge Contention::match(const core::Grid<double>& pair_seconds,
                                std::span<const int> left,
                                std::span<const int> right,
                                double forward_gb,
                                double backward_gb) const {
    const core::Grid<double> load_seconds = crossing_seconds(left, right, forward_gb, backward_gb);
    const std::vector<Load> fewest = fewest_crossing(left, right);
    double least_shared = 0;
    for (std::size_t r = 0; r < size(); ++r) {
        least_shared = std::max(least_shared, passes(r, fewest[r], forward_gb, backward_gb));
    }
    double threshold = bottleneck_matching(pair_seconds).value;
    ContendedEdge best;
    for (int i = 0; i < kMostThresholds; ++i) {
        ContendedEdge found;
        found.partner = least_loaded(pair_seconds, load_seconds, threshold);
        std::vector<int> joined;
        for (std::size_t k = 0; k < left.size(); ++k) {
            const auto partner = static_cast<std::size_t>(found.partner[k]);
            joined.push_back(right[partner]);
            found.pair_seconds = std::max(found.pair_seconds, pair_seconds(k, partner));
        }
        found.shared = edge(left, joined, forward_gb, backward_gb);
        const double bound = std::max(i == 0 ? threshold : best.bound, least_shared);
        if (i == 0 || found.seconds() < best.seconds()) {
            best = found;
        }
        best.bound = bound;
        double next = std::numeric_limits<double>::infinity();
        for (const double seconds : pair_seconds.cells()) {
            next = seconds > threshold ? std::min(next, seconds) : next;
        }
        if (found.shared.seconds <= least_shared || next >= best.seconds()) {
            break;
        }
        threshold = next;
    }
    return best;
}

}  // namespace longhaul::placement
