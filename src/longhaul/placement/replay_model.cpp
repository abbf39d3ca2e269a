#include "longhaul/placement/replay_model.hpp"

#include <algorithm>
#include <limits>
#include <set>

namespace longhaul::placement {
namespace {

constexpr double kUnpaired = std::numeric_limits<double>::infinity();

}  // namespace

ReplayModel::ReplayModel(const Costs& costs, std::span<const int> class_of_device, Shape shape)
    : shape_(shape) {
    const std::size_t n = class_of_device.size();
    const auto k = static_cast<std::size_t>(*std::ranges::max_element(class_of_device)) + 1;
    sizes_.assign(k, 0);
    pipeline_ = core::Grid<double>(k, k, kUnpaired);
    exchange_ = core::Grid<double>(k, k, kUnpaired);
    for (std::size_t i = 0; i < n; ++i) {
        ++sizes_[class_of_device[i]];
        for (std::size_t j = 0; j < n; ++j) {
            if (i != j) {
                double& edge = pipeline_(class_of_device[i], class_of_device[j]);
                double& peer = exchange_(class_of_device[i], class_of_device[j]);
                edge = std::min(edge, costs.pipeline(i, j));
                peer = std::min(peer, costs.exchange(i, j));
            }
        }
    }
    cheapest_ = n > 1 ? std::ranges::min(pipeline_.cells()) : 0;
    for (std::size_t a = 0; a < k; ++a) {
        std::vector<int> order;
        for (std::size_t b = 0; b < k; ++b) {
            if (a != b || sizes_[a] > 1) {
                order.push_back(static_cast<int>(b));
            }
        }
        std::ranges::sort(order, {}, [&](int b) { return exchange_(a, b); });
        nearest_.push_back(std::move(order));
    }
    find_levels();
}

double ReplayModel::exchange(const ReplayRow& row) const {
    if (group_seconds_) {
        return group_seconds_(row);
    }
    double worst = 0;
    for (std::size_t a = 0; a < classes(); ++a) {
        double seconds = 0;
        for (std::size_t b = 0; b < classes() && row[a] > 0; ++b) {
            const int peers = row[b] - (a == b ? 1 : 0);
            seconds += peers > 0 ? peers * exchange_(a, b) : 0;
        }
        worst = std::max(worst, seconds);
    }
    return worst;
}

double ReplayModel::exchange(const ReplayRow& row, int times) const {
    return members_ != nullptr ? members_->exchange(row, times) : exchange(row);
}

double ReplayModel::least_exchange() const {
    return members_ != nullptr ? members_->least_exchange() : exchange_of_rest(root().rest);
}

double ReplayModel::exchange_of_rest(const ReplayRow& rest) const {
    double worst = 0;
    for (std::size_t a = 0; a < classes(); ++a) {
        if (rest[a] == 0) {
            continue;
        }
        if (group_seconds_) {
            worst = std::max(worst, least_of_class_[a]);
            continue;
        }
        double seconds = 0;
        int missing = shape_.dp - 1;
        for (const int b : nearest_[a]) {
            const int peers =
                std::min(missing, rest[b] - (static_cast<std::size_t>(b) == a ? 1 : 0));
            seconds += peers > 0 ? peers * exchange_(a, b) : 0;
            missing -= std::max(peers, 0);
        }
        worst = std::max(worst, seconds);
    }
    return worst;
}

double ReplayModel::edge(const ReplayRow& a, const ReplayRow& b) const {
    if (members_ != nullptr) {
        return members_->edge(a, b);
    }
    std::vector<int> from;
    std::vector<int> to;
    for (std::size_t k = 0; k < classes(); ++k) {
        if (a[k] > 0) {
            from.push_back(static_cast<int>(k));
        }
        if (b[k] > 0) {
            to.push_back(static_cast<int>(k));
        }
    }
    const auto sums = [](const std::vector<int>& who, const ReplayRow& row) {
        std::vector<int> of(std::size_t{1} << who.size(), 0);
        for (std::size_t set = 1; set < of.size(); ++set) {
            const auto lowest = static_cast<std::size_t>(__builtin_ctzll(set));
            of[set] = of[set & (set - 1)] + row[who[lowest]];
        }
        return of;
    };
    const std::vector<int> devices = sums(from, a);
    const std::vector<int> partners = sums(to, b);
    std::set<double> costs;
    for (const int i : from) {
        for (const int j : to) {
            costs.insert(pipeline_(i, j));
        }
    }
    std::vector<std::size_t> reached(devices.size(), 0);
    const auto pairs_all = [&](double threshold) {
        for (std::size_t set = 1; set < devices.size(); ++set) {
            const std::size_t before = set & (set - 1);
            const int lowest = from[static_cast<std::size_t>(__builtin_ctzll(set))];
            reached[set] = reached[before];
            for (std::size_t j = 0; j < to.size(); ++j) {
                if (pipeline_(lowest, to[j]) <= threshold) {
                    reached[set] |= std::size_t{1} << j;
                }
            }
            if (devices[set] > partners[reached[set]]) {
                return false;
            }
        }
        return true;
    };
    const std::vector<double> rising(costs.begin(), costs.end());
    return *std::ranges::partition_point(rising, [&](double t) { return !pairs_all(t); });
}

ReplayState ReplayModel::root() const {
    ReplayState state;
    std::ranges::copy(sizes_, state.rest.begin());
    state.left = shape_.pp;
    state.groups.resize(levels_.size());
    return state;
}

ReplayState ReplayModel::after(const ReplayState& state, const ReplayRow& column, int times) const {
    ReplayState next = state;
    next.left -= times;
    next.exchange = std::max(next.exchange, exchange(column, times));
    for (std::size_t a = 0; a < classes(); ++a) {
        next.rest[a] -= times * column[a];
    }
    for (std::size_t l = 0; l < levels_.size(); ++l) {
        ReplayGroups& groups = next.groups[l];
        const ReplayRow row = profile(levels_[l], column);
        int begins = 0;
        if (stands_alone(levels_[l], column)) {
            groups.lone_stages += times;
            begins = times;
        } else if (std::ranges::find(groups.profiles, row) == groups.profiles.end()) {
            groups.profiles.push_back(row);
            begins = 1;
        }
        for (int part = 0; part < levels_[l].parts; ++part) {
            groups.begun[part] += begins * row[part];
        }
    }
    return next;
}

}  // namespace longhaul::placement
