#include "longhaul/placement/spare_sets.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "longhaul/placement/classes.hpp"
#include "longhaul/placement/group_terms.hpp"

namespace longhaul::placement {
namespace {

/// How far devices are from the open ones, kept up by kind while devices are closed.
class Nearness {
public:
    explicit Nearness(const Problem& problem)
        : problem_(problem), members_(problem.costs.pipeline.kinds()), far_(members_.size()) {
        const std::vector<int>& kinds = problem.costs.pipeline.kind_of_device();
        for (std::size_t device = 0; device < kinds.size(); ++device) {
            members_[kinds[device]].push_back(static_cast<int>(device));
        }
        for (std::size_t kind = 0; kind < members_.size(); ++kind) {
            update(kind);
        }
    }

    /// Closes the farthest device again and again; of a kind, all devices are equally far, so the
    /// last one goes first, and of kinds that are equally far the one with the last device.
    std::vector<int> nearest(std::size_t devices) && {
        for (std::size_t left = problem_.devices(); left > devices; --left) {
            close(farthest());
        }
        std::vector<int> open;
        for (const std::vector<int>& members : members_) {
            open.insert(open.end(), members.begin(), members.end());
        }
        std::ranges::sort(open);
        return open;
    }

private:
    struct Far {
        double seconds = 0;
        double exchange = 0;  ///< of the farthest peer that counts
        double edge = 0;
    };

    [[nodiscard]] std::size_t farthest() const {
        std::size_t farthest = members_.size();
        for (std::size_t kind = 0; kind < members_.size(); ++kind) {
            if (members_[kind].empty()) {
                continue;
            }
            const bool first = farthest == members_.size();
            if (first || std::pair(far_[kind].seconds, members_[kind].back()) >
                             std::pair(far_[farthest].seconds, members_[farthest].back())) {
                farthest = kind;
            }
        }
        return farthest;
    }

    /// Only kinds that had the device among their near ones become farther.
    void close(std::size_t closed) {
        members_[closed].pop_back();
        for (std::size_t kind = 0; kind < members_.size(); ++kind) {
            if (!members_[kind].empty() &&
                (problem_.costs.exchange.table()(kind, closed) <= far_[kind].exchange ||
                 problem_.costs.pipeline.table()(kind, closed) <= far_[kind].edge)) {
                update(kind);
            }
        }
    }

    void update(std::size_t kind) {
        if (members_[kind].empty()) {
            return;
        }
        Far far{0, 0, std::numeric_limits<double>::infinity()};
        std::vector<std::pair<double, std::size_t>> exchange;  // and how many devices
        for (std::size_t other = 0; other < members_.size(); ++other) {
            const std::size_t devices = members_[other].size() - (other == kind ? 1 : 0);
            if (devices > 0) {
                exchange.emplace_back(problem_.costs.exchange.table()(kind, other), devices);
                far.edge = std::min(far.edge, problem_.costs.pipeline.table()(kind, other));
            }
        }
        auto peers = static_cast<std::size_t>(problem_.shape.dp - 1);
        const std::size_t nearest = std::min(peers, exchange.size());
        std::ranges::partial_sort(exchange,
                                  exchange.begin() + static_cast<std::ptrdiff_t>(nearest));
        for (std::size_t i = 0; i < nearest && peers > 0; ++i) {
            const std::size_t taken = std::min(peers, exchange[i].second);
            far.seconds += static_cast<double>(taken) * exchange[i].first;
            far.exchange = exchange[i].first;
            peers -= taken;
        }
        far.seconds += problem_.shape.pp > 1 ? far.edge : 0;
        far_[kind] = far;
    }

    const Problem& problem_;
    std::vector<std::vector<int>> members_;  // open devices of every kind, ascending
    std::vector<Far> far_;
};

/// Classes for choosing: exact ones, or the first tolerant ones that are few enough.
Classes few_classes(const Problem& problem) {
    constexpr std::size_t kMost = 16;
    Classes classes = classes_under_terms(problem);
    if (classes.size() > kMost) {
        classes = exact_classes(problem.costs);
    }
    for (const double tolerance : {0.05, 0.12, 0.3, 0.7}) {
        if (classes.size() <= kMost) {
            break;
        }
        classes = tolerant_classes(problem.costs, tolerance);
    }
    return classes;
}

/// Leaves out the last devices of one class after another.
std::vector<int> without(const Classes& classes,
                         const std::vector<std::size_t>& order,
                         std::size_t spare) {
    std::vector<int> devices;
    for (const std::size_t k : order) {
        const std::vector<int>& members = classes.members[k];
        const std::size_t dropped = std::min(spare, members.size());
        spare -= dropped;
        devices.insert(
            devices.end(), members.begin(), members.end() - static_cast<std::ptrdiff_t>(dropped));
    }
    std::ranges::sort(devices);
    return devices;
}

}  // namespace

std::vector<int> nearest_devices(const Problem& problem) {
    return Nearness(problem).nearest(problem.shape.devices());
}

std::vector<std::vector<int>> device_sets(const Problem& problem) {
    constexpr std::size_t kMostClasses = 64;
    std::vector<std::vector<int>> sets{nearest_devices(problem)};
    const Classes classes = few_classes(problem);
    if (classes.size() > kMostClasses) {
        return sets;
    }
    const std::size_t spare = problem.devices() - problem.shape.devices();
    const ClassCosts costs = class_costs(problem.costs, classes);
    std::vector<std::size_t> order(classes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t k) { return classes.members[k].size(); });
    sets.push_back(without(classes, order, spare));
    std::vector<double> far(classes.size(), 0);
    for (std::size_t a = 0; a < far.size(); ++a) {
        for (std::size_t b = 0; b < far.size(); ++b) {
            far[a] += static_cast<double>(classes.members[b].size()) *
                      (costs.pipeline(a, b) + costs.exchange(a, b));
        }
    }
    for (std::size_t first = 0; first < classes.size(); ++first) {
        std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t k) {
            return k == first ? std::numeric_limits<double>::infinity() : far[k];
        });
        sets.push_back(without(classes, order, spare));
    }
    return sets;
}

}  // namespace longhaul::placement
