#include "longhaul/placement/replay_members.hpp"

#include <algorithm>
#include <limits>

#include "longhaul/placement/replay_flow.hpp"

namespace longhaul::placement {
namespace {

constexpr double kNoSuchPair = std::numeric_limits<double>::infinity();

}  // namespace

ReplayMembers::ReplayMembers(const Costs& costs, std::span<const int> class_of_device, Shape shape)
    : costs_(&costs), shape_(shape) {
    members_.resize(static_cast<std::size_t>(*std::ranges::max_element(class_of_device)) + 1);
    for (std::size_t i = 0; i < class_of_device.size(); ++i) {
        members_[static_cast<std::size_t>(class_of_device[i])].push_back(static_cast<int>(i));
    }
    find_cheapest_peers();
    find_prices();
}

void ReplayMembers::find_cheapest_peers() {
    const std::size_t n = costs_->exchange.size();
    peers_.assign(n, std::vector<std::vector<double>>(members_.size()));
    for (std::size_t device = 0; device < n; ++device) {
        std::vector<double> all;
        for (std::size_t b = 0; b < members_.size(); ++b) {
            std::vector<double> seconds;
            for (const int other : members_[b]) {
                if (static_cast<std::size_t>(other) != device) {
                    seconds.push_back(costs_->exchange(device, static_cast<std::size_t>(other)));
                }
            }
            all.insert(all.end(), seconds.begin(), seconds.end());
            std::ranges::sort(seconds);
            std::vector<double>& sums = peers_[device][b];
            sums.push_back(0);
            for (const double one : seconds) {
                sums.push_back(sums.back() + one);
            }
        }
        std::ranges::sort(all);
        double least = 0;
        for (std::size_t i = 0; i + 1 < static_cast<std::size_t>(shape_.dp); ++i) {
            least += all[i];
        }
        least_exchange_ = std::max(least_exchange_, least);
    }
}

/// Pipeline costs between all members of two classes; a device has no pair with itself.
core::Grid<double> ReplayMembers::pairs_of(std::size_t a, std::size_t b) const {
    core::Grid<double> costs(members_[a].size(), members_[b].size(), kNoSuchPair);
    for (std::size_t i = 0; i < costs.rows(); ++i) {
        for (std::size_t j = 0; j < costs.columns(); ++j) {
            const auto one = static_cast<std::size_t>(members_[a][i]);
            const auto other = static_cast<std::size_t>(members_[b][j]);
            costs(i, j) = one == other ? kNoSuchPair : costs_->pipeline(one, other);
        }
    }
    return costs;
}

/// Inside a class every pair stands twice in the table of its members by themselves: two disjoint
/// cells a pair at least, so half of them bound the pairs.
void ReplayMembers::find_prices() {
    const std::size_t k = members_.size();
    const auto most = static_cast<std::size_t>(shape_.dp);
    prices_.assign(k, std::vector<std::vector<double>>(k));
    for (std::size_t a = 0; a < k; ++a) {
        const std::vector<double> cells = disjoint_pairs(pairs_of(a, a), 2 * most);
        for (std::size_t i = 1; i < cells.size(); i += 2) {
            prices_[a][a].push_back(cells[i]);
        }
        for (std::size_t b = a + 1; b < k; ++b) {
            prices_[a][b] = prices_[b][a] = disjoint_pairs(pairs_of(a, b), most);
        }
    }
    for (const std::vector<std::vector<double>>& row : prices_) {
        for (const std::vector<double>& prices : row) {
            thresholds_.insert(thresholds_.end(), prices.begin(), prices.end());
        }
    }
    std::ranges::sort(thresholds_);
    thresholds_.erase(std::unique(thresholds_.begin(), thresholds_.end()), thresholds_.end());
}

double ReplayMembers::with_cheapest_peers(int device, std::size_t own, const ReplayRow& row) const {
    double seconds = 0;
    for (std::size_t b = 0; b < members_.size(); ++b) {
        const std::vector<double>& sums = peers_[static_cast<std::size_t>(device)][b];
        const int peers = std::max(0, row[b] - (b == own ? 1 : 0));
        seconds += sums[std::min(static_cast<std::size_t>(peers), sums.size() - 1)];
    }
    return seconds;
}

double ReplayMembers::exchange(const ReplayRow& row, int times) const {
    double worst = 0;
    for (std::size_t a = 0; a < members_.size(); ++a) {
        const std::size_t places =
            std::min(static_cast<std::size_t>(times * row[a]), members_[a].size());
        if (places == 0) {
            continue;
        }
        std::vector<double> pays;
        for (const int device : members_[a]) {
            pays.push_back(with_cheapest_peers(device, a, row));
        }
        std::ranges::nth_element(pays, pays.begin() + static_cast<std::ptrdiff_t>(places - 1));
        worst = std::max(worst, pays[places - 1]);
    }
    return worst;
}

double ReplayMembers::exchange_of(std::span<const std::pair<ReplayRow, int>> stages) const {
    double worst = 0;
    for (std::size_t a = 0; a < members_.size(); ++a) {
        worst = std::max(worst, deal(a, stages));
    }
    return worst;
}

/// Whether a deal exists in which all pay at most a threshold is a flow from devices to stages.
double ReplayMembers::deal(std::size_t a, std::span<const std::pair<ReplayRow, int>> stages) const {
    const std::size_t n = members_[a].size();
    core::Grid<double> pays(n, stages.size(), 0.0);
    std::vector<double> values;
    for (std::size_t s = 0; s < stages.size(); ++s) {
        for (std::size_t i = 0; i < n && stages[s].first[a] > 0; ++i) {
            pays(i, s) = with_cheapest_peers(members_[a][i], a, stages[s].first);
            values.push_back(pays(i, s));
        }
    }
    std::ranges::sort(values);
    const auto all_dealt = [&](double most) {
        const std::size_t source = n + stages.size();
        ReplayFlow flow(source + 2);
        for (std::size_t i = 0; i < n; ++i) {
            flow.add(source, i, 1);
        }
        for (std::size_t s = 0; s < stages.size(); ++s) {
            const int places = stages[s].first[a] * stages[s].second;
            flow.add(n + s, source + 1, places);
            for (std::size_t i = 0; i < n && places > 0; ++i) {
                if (pays(i, s) <= most) {
                    flow.add(i, n + s, 1);
                }
            }
        }
        return flow.most(source, source + 1) == static_cast<int>(n);
    };
    const auto least =
        std::ranges::partition_point(values, [&](double value) { return !all_dealt(value); });
    return least == values.end() ? kNoSuchPair : *least;
}

bool ReplayMembers::paired(const ReplayRow& a, const ReplayRow& b, double threshold) const {
    const std::size_t k = members_.size();
    ReplayFlow flow(2 * k + 2);
    int devices = 0;
    for (std::size_t i = 0; i < k; ++i) {
        flow.add(2 * k, i, a[i]);
        flow.add(k + i, 2 * k + 1, b[i]);
        devices += a[i];
        for (std::size_t j = 0; j < k && a[i] > 0; ++j) {
            const std::vector<double>& prices = prices_[i][j];
            const auto open = std::ranges::upper_bound(prices, threshold) - prices.begin();
            if (b[j] > 0 && open > 0) {
                flow.add(i, k + j, static_cast<int>(open));
            }
        }
    }
    return flow.most(2 * k, 2 * k + 1) == devices;
}

double ReplayMembers::edge(const ReplayRow& a, const ReplayRow& b) const {
    const auto least = std::ranges::partition_point(
        thresholds_, [&](double threshold) { return !paired(a, b, threshold); });
    return least == thresholds_.end() ? kNoSuchPair : *least;
}

int ReplayMembers::partners(std::size_t a, double below) const {
    std::ptrdiff_t pairs = 0;
    for (std::size_t b = 0; b < members_.size(); ++b) {
        const std::vector<double>& prices = prices_[a][b];
        pairs += std::ranges::lower_bound(prices, below) - prices.begin();
    }
    return static_cast<int>(pairs);
}

int ReplayMembers::chains(std::span<const std::size_t> classes, double below) const {
    std::vector<int> devices;
    for (const std::size_t a : classes) {
        devices.insert(devices.end(), members_[a].begin(), members_[a].end());
    }
    core::Grid<char> open(devices.size(), devices.size(), 0);
    for (std::size_t i = 0; i < devices.size(); ++i) {
        for (std::size_t j = 0; j < devices.size(); ++j) {
            open(i, j) = i != j && costs_->pipeline(static_cast<std::size_t>(devices[i]),
                                                    static_cast<std::size_t>(devices[j])) < below
                             ? 1
                             : 0;
        }
    }
    return chains_that_cover(open);
}

}  // namespace longhaul::placement
