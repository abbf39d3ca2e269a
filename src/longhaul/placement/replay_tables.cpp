#include "longhaul/placement/replay_tables.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "longhaul/placement/replay_compute.hpp"
#include "longhaul/placement/replay_exchange.hpp"
#include "longhaul/placement/replay_order.hpp"

namespace longhaul::placement {
namespace {

constexpr std::size_t kMostTableStages = 14;
constexpr std::size_t kMostTableColumns = 20'000;
constexpr double kReplayAlike = 1e-9;  // relative

bool alike(double a, double b) {
    return a == b || std::abs(a - b) <= kReplayAlike * std::max(std::abs(a), std::abs(b));
}

/// Values of two devices that are of one kind.
bool values_differ(const std::vector<double>& values, std::size_t a, std::size_t b) {
    return !values.empty() && !alike(values[a], values[b]);
}

class TablesReplayer {
public:
    TablesReplayer(const Problem& problem,
                   std::span<const int> classes,
                   double enough,
                   const ReplayLimits& limits)
        : problem_(problem),
          model_(problem.costs, classes, problem.shape),
          exchange_(problem),
          limits_(limits),
          shared_(problem.shared.size()) {
        result_.least = enough;
        members_.resize(model_.classes());
        for (std::size_t i = 0; i < classes.size(); ++i) {
            members_[static_cast<std::size_t>(classes[i])].push_back(static_cast<int>(i));
        }
        const ReplayCompute compute = replay_compute(problem);
        compute_ = compute.sum + replay_repeats(problem, compute, 0);
    }

    TablesReplay run() {
        ReplayRow row{};
        ReplayRow rest{};
        std::ranges::copy(model_.sizes(), rest.begin());
        if (problem_.shape.pp > static_cast<int>(kMostTableStages)) {
            result_.why = "there are too many stages to try every order";
        } else if (columns(0, problem_.shape.dp, row)) {
            sets(0, rest);
        }
        return std::move(result_);
    }

private:
    struct Column {
        ReplayRow counts{};
        double exchange = 0;
        std::vector<double> there;  ///< GB over each resource
        std::vector<double> back;
    };

    bool spend(std::uint64_t work) {
        work_ += work;
        if (work_ > limits_.work || (++asked_ % 1024 == 0 && limits_.stop && limits_.stop())) {
            result_.why = "the work of the check is used up before all sets of stages are tried";
        }
        return result_.why.empty();
    }

    /// Every stage that the kinds allow.
    bool columns(std::size_t a, int missing, ReplayRow& row) {
        if (missing == 0) {
            add_column(row);
            if (columns_.size() > kMostTableColumns) {
                result_.why = "more stages are possible than the check can list";
            }
            return spend(1);
        }
        if (a == model_.classes()) {
            return true;
        }
        const int most = std::min(missing, model_.sizes()[a]);
        for (int count = 0; count <= most; ++count) {
            row[a] = count;
            if (!columns(a + 1, missing - count, row)) {
                return false;
            }
        }
        row[a] = 0;
        return true;
    }

    void add_column(const ReplayRow& row) {
        Column column{row, 0, std::vector<double>(shared_, 0), std::vector<double>(shared_, 0)};
        std::vector<int> group;
        for (std::size_t a = 0; a < model_.classes(); ++a) {
            group.insert(group.end(), members_[a].begin(), members_[a].begin() + row[a]);
        }
        column.exchange = problem_.exchange ? exchange_.seconds(group) : model_.exchange(row);
        if (shared_ > 0) {
            const ExchangePlan plan = problem_.exchange->plan(group);
            for (const Flow& flow : plan.flows) {
                add_flow(plan.group[static_cast<std::size_t>(flow.from)],
                         plan.group[static_cast<std::size_t>(flow.to)],
                         flow.gb,
                         column);
            }
        }
        columns_.push_back(std::move(column));
    }

    void add_flow(int from, int to, double gb, Column& column) const {
        for (std::size_t r = 0; r < shared_; ++r) {
            const std::vector<int>& side = problem_.shared.sides()[r];
            const int a = side[static_cast<std::size_t>(from)];
            const int b = side[static_cast<std::size_t>(to)];
            column.there[r] += a == 1 && b == 2 ? gb : 0;
            column.back[r] += a == 2 && b == 1 ? gb : 0;
        }
    }

    /// Sets of stages, columns in rising order.
    bool sets(std::size_t from, const ReplayRow& rest) {
        if (chosen_.size() == static_cast<std::size_t>(problem_.shape.pp)) {
            ++result_.sets;
            settle();
            return spend(chosen_.size() * chosen_.size() * chosen_.size());
        }
        for (std::size_t c = from; c < columns_.size(); ++c) {
            ReplayRow left = rest;
            bool fits = true;
            for (std::size_t a = 0; a < model_.classes(); ++a) {
                left[a] -= columns_[c].counts[a];
                fits = fits && left[a] >= 0;
            }
            if (!spend(1)) {
                return false;
            }
            if (!fits || columns_[c].exchange + compute_ >= result_.least) {
                continue;  // what is dearer than the least is not needed
            }
            chosen_.push_back(c);
            const bool good = sets(c, left);
            chosen_.pop_back();
            if (!good) {
                return false;
            }
        }
        return true;
    }

    void settle() {
        double seconds = exchange();
        if (seconds + compute_ >= result_.least) {
            return;
        }
        seconds += compute();
        core::Grid<double> edges(chosen_.size(), chosen_.size(), 0.0);
        std::vector<std::pair<int, int>> order;
        for (std::size_t a = 0; a < chosen_.size(); ++a) {
            order.emplace_back(static_cast<int>(a), 1);
            for (std::size_t b = a + 1; b < chosen_.size(); ++b) {
                edges(a, b) = edge(chosen_[a], chosen_[b]);
                edges(b, a) = edge(chosen_[b], chosen_[a]);
            }
        }
        result_.least = std::min(result_.least, seconds + shortest_order(edges, order));
    }

    [[nodiscard]] double gbps_seconds(std::size_t r, double there, double back) const {
        std::vector<Load> loads(shared_);
        loads[r] = {there, back};
        return problem_.shared.slowest(loads).seconds;
    }

    [[nodiscard]] double exchange() const {
        double worst = 0;
        for (const std::size_t c : chosen_) {
            worst = std::max(worst, columns_[c].exchange);
        }
        for (std::size_t r = 0; r < shared_; ++r) {
            double there = 0;
            double back = 0;
            for (const std::size_t c : chosen_) {
                there += columns_[c].there[r];
                back += columns_[c].back[r];
            }
            worst = std::max(worst, gbps_seconds(r, there, back));
        }
        return worst;
    }

    [[nodiscard]] double compute() const {
        if (problem_.workload.layers.empty() || problem_.speed.empty()) {
            return compute_;
        }
        std::vector<double> speeds;
        for (const std::size_t c : chosen_) {
            double slowest = std::numeric_limits<double>::infinity();
            for (std::size_t a = 0; a < model_.classes(); ++a) {
                if (columns_[c].counts[a] > 0) {
                    slowest = std::min(
                        slowest, problem_.speed[static_cast<std::size_t>(members_[a].front())]);
                }
            }
            speeds.push_back(slowest);
        }
        return std::max(compute_, replay_step_of_layers(problem_, std::move(speeds)));
    }

    /// From stage a to stage b: rates and payloads may differ by direction.
    double edge(std::size_t a, std::size_t b) {
        const std::pair<std::size_t, std::size_t> key(a, b);
        const auto known = edges_.find(key);
        if (known != edges_.end()) {
            return known->second;
        }
        double seconds = model_.edge(columns_[a].counts, columns_[b].counts);
        for (std::size_t r = 0; r < shared_; ++r) {
            seconds = std::max(seconds, crossing(r, columns_[a].counts, columns_[b].counts));
        }
        edges_.emplace(key, seconds);
        return seconds;
    }

    /// Devices on a side that cannot all find partners off the other side.
    [[nodiscard]] double crossing(std::size_t r, const ReplayRow& a, const ReplayRow& b) const {
        const auto on = [&](const ReplayRow& row, int which) {
            int devices = 0;
            for (std::size_t k = 0; k < model_.classes(); ++k) {
                const auto first = static_cast<std::size_t>(members_[k].front());
                devices += problem_.shared.sides()[r][first] == which ? row[k] : 0;
            }
            return devices;
        };
        const int dp = problem_.shape.dp;
        const int there = std::max(0, on(a, 1) + on(b, 2) - dp);
        const int back = std::max(0, on(a, 2) + on(b, 1) - dp);
        // Forward, then backward the other way.
        const workload::Workload& workload = problem_.workload;
        const double forward = workload.c_pp.value();
        const double backward = workload.c_pp_backward.value_or(workload.c_pp).value();
        return gbps_seconds(r, there * forward, back * forward) +
               gbps_seconds(r, back * backward, there * backward);
    }

    const Problem& problem_;
    ReplayModel model_;
    ReplayExchange exchange_;
    const ReplayLimits& limits_;
    std::size_t shared_;
    std::vector<std::vector<int>> members_;
    std::vector<Column> columns_;
    std::map<std::pair<std::size_t, std::size_t>, double> edges_;
    std::vector<std::size_t> chosen_;
    double compute_ = 0;
    std::uint64_t work_ = 0;
    std::uint64_t asked_ = 0;
    TablesReplay result_;
};

}  // namespace

std::string kinds_difference(const Problem& problem, std::span<const int> classes) {
    std::map<int, std::size_t> first;
    const auto pair_differs = [&](std::size_t a, std::size_t b, std::size_t j) {
        const Costs& costs = problem.costs;
        return !alike(costs.pipeline(a, j), costs.pipeline(b, j)) ||
               !alike(costs.exchange(a, j), costs.exchange(b, j)) ||
               (!problem.links.slowness.empty() &&
                (!alike(problem.links.slowness(a, j), problem.links.slowness(b, j)) ||
                 !alike(problem.links.latency_s(a, j), problem.links.latency_s(b, j))));
    };
    for (std::size_t i = 0; i < classes.size(); ++i) {
        const std::size_t twin = first.emplace(classes[i], i).first->second;
        bool differs = has_compute(problem) && values_differ(problem.speed, i, twin);
        if (problem.exchange) {
            differs = differs || problem.exchange->region()[i] != problem.exchange->region()[twin];
        }
        for (const std::vector<int>& side : problem.shared.sides()) {
            differs = differs || side[i] != side[twin];
        }
        for (std::size_t j = 0; j < classes.size() && !differs; ++j) {
            differs = j != i && j != twin && pair_differs(i, twin, j);
        }
        if (differs) {
            return fmt::format("devices {} and {} are of one kind, but differ", twin, i);
        }
    }
    return "";
}

TablesReplay replay_tables(const Problem& problem,
                           std::span<const int> class_of_device,
                           double enough,
                           const ReplayLimits& limits) {
    TablesReplay refused;
    if (problem.terms.objective != Objective::kAdditive ||
        class_of_device.size() != problem.devices()) {
        refused.why = "tables count additive problems, with a kind for each device";
        return refused;
    }
    if (std::ranges::max(class_of_device) >= static_cast<int>(kMostReplayClasses)) {
        refused.why = "there are too many kinds of devices";
        return refused;
    }
    refused.why = kinds_difference(problem, class_of_device);
    return refused.why.empty() ? TablesReplayer(problem, class_of_device, enough, limits).run()
                               : refused;
}

}  // namespace longhaul::placement
