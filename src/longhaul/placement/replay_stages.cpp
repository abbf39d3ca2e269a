#include "longhaul/placement/replay_stages.hpp"

#include <algorithm>

#include "longhaul/placement/replay_layers.hpp"

namespace longhaul::placement {
namespace {

constexpr double kOutOfUse = std::numeric_limits<double>::infinity();

/// Whether every row finds a column of its own among the open ones: rows look for a free one, or
/// for one whose row can move on (Kuhn).
class KindPairing {
public:
    KindPairing(const core::Grid<double>& costs, double threshold)
        : costs_(costs), threshold_(threshold), row_of_(costs.columns(), -1) {}

    bool all() {
        for (std::size_t row = 0; row < costs_.rows(); ++row) {
            seen_.assign(costs_.columns(), 0);
            if (!place(row)) {
                return false;
            }
        }
        return true;
    }

private:
    bool place(std::size_t row) {
        for (std::size_t column = 0; column < costs_.columns(); ++column) {
            if (costs_(row, column) > threshold_ || seen_[column] != 0) {
                continue;
            }
            seen_[column] = 1;
            if (row_of_[column] < 0 || place(static_cast<std::size_t>(row_of_[column]))) {
                row_of_[column] = static_cast<int>(row);
                return true;
            }
        }
        return false;
    }

    const core::Grid<double>& costs_;
    double threshold_;
    std::vector<int> row_of_;
    std::vector<char> seen_;
};

}  // namespace

ReplayStages::ReplayStages(const Problem& problem, std::span<const int> kinds)
    : problem_(problem), exchange_(problem) {
    members_.resize(at(std::ranges::max(kinds)) + 1);
    for (std::size_t device = 0; device < kinds.size(); ++device) {
        members_[at(kinds[device])].push_back(static_cast<int>(device));
    }
    for (const std::vector<int>& members : members_) {
        sizes_.push_back(static_cast<int>(members.size()));
    }
}

int ReplayStages::number_of(const KindCounts& row) {
    const auto [found, fresh] = numbers_.try_emplace(row, static_cast<int>(stages_.size()));
    if (fresh) {
        stages_.push_back(made(row));
    }
    return found->second;
}

ReplayStages::Stage ReplayStages::made(const KindCounts& row) {
    Stage stage;
    for (std::size_t kind = 0; kind < row.size(); ++kind) {
        for (int i = 0; i < row[kind]; ++i) {
            stage.word.push_back(static_cast<int>(kind));
            stage.devices.push_back(members_[kind][at(i)]);
        }
    }
    if (problem_.exchange && problem_.terms.exchange != Exchange::kSharded) {
        stage.exchange = exchange_.seconds(stage.devices);
    } else {
        for (const int device : stage.devices) {
            double seconds = 0;
            for (const int peer : stage.devices) {
                seconds += peer == device ? 0 : problem_.costs.exchange(device, peer);
            }
            stage.exchange = std::max(stage.exchange, seconds);
        }
    }
    stage.loads = exchange_loads(stage.devices);
    stage.pace =
        paces_.try_emplace(pace_of(stage.devices), static_cast<int>(paces_.size())).first->second;
    return stage;
}

std::vector<Load> ReplayStages::exchange_loads(const std::vector<int>& group) const {
    std::vector<Load> loads(problem_.shared.size());
    if (loads.empty()) {
        return loads;
    }
    const ExchangePlan plan = problem_.exchange->plan(group);
    for (const Flow& flow : plan.flows) {
        for (std::size_t r = 0; r < loads.size(); ++r) {
            const std::vector<int>& side = problem_.shared.sides()[r];
            const int from = side[at(plan.group[at(flow.from)])];
            const int to = side[at(plan.group[at(flow.to)])];
            loads[r].there += from == 1 && to == 2 ? flow.gb : 0;
            loads[r].back += from == 2 && to == 1 ? flow.gb : 0;
        }
    }
    return loads;
}

std::pair<double, double> ReplayStages::pace_of(const std::vector<int>& devices) const {
    std::pair<double, double> pace{1, kOutOfUse};
    pace.first = problem_.speed.empty() ? 1 : kOutOfUse;
    for (const int device : devices) {
        if (!problem_.speed.empty()) {
            pace.first = std::min(pace.first, problem_.speed[at(device)]);
        }
        if (!problem_.memory_gb.empty()) {
            pace.second = std::min(pace.second, problem_.memory_gb[at(device)]);
        }
    }
    return pace;
}

double ReplayStages::shared_exchange(std::span<const int> stages) const {
    std::vector<Load> sum(problem_.shared.size());
    for (const int stage : stages) {
        for (std::size_t r = 0; r < sum.size(); ++r) {
            sum[r].there += stages_[at(stage)].loads[r].there;
            sum[r].back += stages_[at(stage)].loads[r].back;
        }
    }
    return problem_.shared.slowest(sum).seconds;
}

void ReplayStages::set_limit(double slowness) {
    limit_ = slowness;
    edges_.clear();
}

/// Two devices of these kinds.
std::pair<int, int> ReplayStages::pair_of(int a, int b) const {
    return {members_[at(a)].front(), a == b ? members_[at(b)][1] : members_[at(b)].front()};
}

double ReplayStages::pipeline(int a, int b) const {
    const auto [from, to] = pair_of(a, b);
    return problem_.costs.pipeline(from, to);
}

double ReplayStages::slowness(int a, int b) const {
    const auto [from, to] = pair_of(a, b);
    return problem_.links.slowness.empty() ? 0 : problem_.links.slowness(from, to);
}

double ReplayStages::bottleneck(const KindWord& left, const KindWord& right) const {
    core::Grid<double> costs(left.size(), right.size());
    std::vector<double> rising;
    for (std::size_t i = 0; i < left.size(); ++i) {
        for (std::size_t j = 0; j < right.size(); ++j) {
            const bool used = slowness(left[i], right[j]) <= limit_;
            costs(i, j) = used ? pipeline(left[i], right[j]) : kOutOfUse;
            if (used) {
                rising.push_back(costs(i, j));
            }
        }
    }
    std::ranges::sort(rising);
    const auto least = std::ranges::partition_point(
        rising, [&](double threshold) { return !KindPairing(costs, threshold).all(); });
    return least == rising.end() ? kOutOfUse : *least;
}

double ReplayStages::edge(int left, int right) {
    const auto [low, high] = std::minmax(left, right);
    const std::uint64_t key = static_cast<std::uint64_t>(low) << 32U | static_cast<unsigned>(high);
    const auto [found, fresh] = edges_.try_emplace(key, 0);
    if (fresh) {
        found->second = bottleneck(word(low), word(high));
    }
    return found->second;
}

/// Pairs cross forward, then the other way round, backward; the busiest resource takes longest.
double ReplayStages::busiest(const std::vector<Load>& pairs, double forward, double back) const {
    double worst = 0;
    for (std::size_t r = 0; r < pairs.size(); ++r) {
        std::vector<Load> alone(pairs.size());
        alone[r] = {forward * pairs[r].there, forward * pairs[r].back};
        double seconds = problem_.shared.slowest(alone).seconds;
        alone[r] = {back * pairs[r].back, back * pairs[r].there};
        seconds += problem_.shared.slowest(alone).seconds;
        worst = std::max(worst, seconds);
    }
    return worst;
}

ReplayEdge ReplayStages::mapped_edge(const KindWord& left, const KindWord& right) const {
    ReplayEdge edge;
    edge.loads.resize(problem_.shared.size());
    for (std::size_t r = 0; r < left.size(); ++r) {
        edge.seconds = std::max(edge.seconds, pipeline(left[r], right[r]));
        edge.slowness = std::max(edge.slowness, slowness(left[r], right[r]));
        const auto from = at(members_[at(left[r])].front());
        const auto to = at(members_[at(right[r])].front());
        for (std::size_t k = 0; k < edge.loads.size(); ++k) {
            const std::vector<int>& side = problem_.shared.sides()[k];
            edge.loads[k].there += side[from] == 1 && side[to] == 2 ? 1 : 0;
            edge.loads[k].back += side[from] == 2 && side[to] == 1 ? 1 : 0;
        }
    }
    const workload::Workload& workload = problem_.workload;
    double forward = workload.c_pp.value();
    double back = workload.c_pp_backward.value_or(workload.c_pp).value();
    if (problem_.terms.objective == Objective::kPipelined) {
        forward /= replay_messages(problem_, true);
        back /= replay_messages(problem_, false);
    }
    edge.seconds = std::max(edge.seconds, busiest(edge.loads, forward, back));
    return edge;
}

double ReplayStages::steady(const std::vector<Load>& sum) const {
    std::vector<Load> turned = sum;
    for (Load& load : turned) {
        std::swap(load.there, load.back);
    }
    return std::max(problem_.shared.slowest(sum).seconds, problem_.shared.slowest(turned).seconds);
}

const std::vector<ReplayCompute>& ReplayStages::compute(std::span<const int> stages) {
    std::vector<int> key;
    for (const int stage : stages) {
        key.push_back(stages_[at(stage)].pace);
    }
    const auto [found, fresh] = computes_.try_emplace(std::move(key));
    if (!fresh) {
        return found->second;
    }
    if (!has_compute(problem_)) {
        found->second = {{}};
        return found->second;
    }
    std::vector<ReplayPace> paces;
    for (const int stage : stages) {
        const auto [speed, memory_gb] = pace_of(stages_[at(stage)].devices);
        paces.push_back({speed, memory_gb});
    }
    if (!problem_.workload.layers.empty()) {
        found->second = replay_divisions(problem_, paces);
        return found->second;
    }
    double sum = 0;
    double slowest = 0;
    const std::vector<double>& given = problem_.workload.stage_seconds;
    for (std::size_t s = 0; s < stages.size(); ++s) {
        const double seconds = given[given.size() == 1 ? 0 : s] / paces[s].speed;
        sum += seconds;
        slowest = std::max(slowest, seconds);
    }
    found->second = {replay_one_message(problem_, sum, slowest)};
    return found->second;
}

std::vector<double> ReplayStages::slownesses() const {
    std::vector<double> all;
    for (std::size_t a = 0; a < sizes_.size(); ++a) {
        for (std::size_t b = a; b < sizes_.size(); ++b) {
            if (a != b || sizes_[a] > 1) {
                all.push_back(slowness(static_cast<int>(a), static_cast<int>(b)));
            }
        }
    }
    std::ranges::sort(all);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
}

double ReplayStages::cheapest_pair() const {
    double cheapest = kOutOfUse;
    for (std::size_t a = 0; a < sizes_.size(); ++a) {
        for (std::size_t b = a; b < sizes_.size(); ++b) {
            if (a != b || sizes_[a] > 1) {
                cheapest = std::min(cheapest, pipeline(static_cast<int>(a), static_cast<int>(b)));
            }
        }
    }
    return cheapest;
}

}  // namespace longhaul::placement
