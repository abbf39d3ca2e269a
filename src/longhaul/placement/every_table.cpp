#include "longhaul/placement/every_table.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "longhaul/placement/group_terms.hpp"
#include "longhaul/placement/least_compute.hpp"
#include "longhaul/placement/pipelined.hpp"
#include "longhaul/placement/spare_bound.hpp"

namespace longhaul::placement {
namespace {

constexpr std::size_t kMostColumns = 3'000;
constexpr std::uint64_t kSetsBetweenLooks = 64;
constexpr std::size_t kMostStages = 12;  // of Held-Karp, once a set

class EveryTable {
public:
    EveryTable(const Problem& problem,
               double incumbent,
               std::uint64_t most,
               const std::function<bool()>& stop)
        : problem_(problem), incumbent_(incumbent), most_(most), stop_(stop) {
        for (const int kind : kinds_of_devices(problem)) {
            members_.resize(std::max(members_.size(), static_cast<std::size_t>(kind) + 1));
            members_[kind].push_back(static_cast<int>(of_kind_.size()));
            of_kind_.push_back(kind);
        }
        for (const std::vector<int>& members : members_) {
            left_.push_back(static_cast<int>(members.size()));
        }
    }

    std::optional<Certificate> run() {
        std::vector<int> row(left_.size(), 0);
        if (problem_.shape.pp > static_cast<int>(kMostStages) ||
            !list_columns(row, 0, problem_.shape.dp)) {
            return std::nullopt;
        }
        edges_ = core::Grid<double>(columns_.size(), columns_.size(), -1.0);
        compute_ = least_compute_seconds(problem_);
        bound_ = incumbent_;
        if (!choose(0, problem_.shape.pp)) {
            return std::nullopt;
        }
        Certificate certificate;
        certificate.bound = spare_bound(problem_);
        certificate.bound.value = std::min(bound_, incumbent_);
        certificate.bound.method = fmt::format("every table of {} kinds of devices", left_.size());
        certificate.bound.nodes = sets_;
        certificate.better = better_;
        return certificate;
    }

private:
    struct Column {
        std::vector<int> counts;
        double exchange = 0;
        std::vector<Load> loads;
    };

    /// Devices for a column, after the first `skipped` of each kind.
    [[nodiscard]] std::vector<int> devices(const std::vector<int>& counts,
                                           const std::vector<int>& skipped) const {
        std::vector<int> group;
        for (std::size_t k = 0; k < counts.size(); ++k) {
            const auto first = members_[k].begin() + skipped[k];
            group.insert(group.end(), first, first + counts[k]);
        }
        return group;
    }

    bool list_columns(std::vector<int>& row, std::size_t k, int left) {
        if (left == 0) {
            return columns_.size() < kMostColumns && add_column(row);
        }
        if (k == row.size()) {
            return true;
        }
        for (int count = std::min(left, left_[k]); count >= 0; --count) {
            row[k] = count;
            if (!list_columns(row, k + 1, left - count)) {
                return false;
            }
        }
        row[k] = 0;
        return true;
    }

    bool add_column(const std::vector<int>& row) {
        const std::vector<int> group = devices(row, std::vector<int>(row.size(), 0));
        Column column{row, group_seconds(problem_, group), {}};
        if (problem_.exchange) {
            const ExchangePlan plan = problem_.exchange->plan(group);
            if (!plan.exact) {
                return false;
            }
            problem_.shared.add(plan, column.loads);
        }
        columns_.push_back(std::move(column));
        return true;
    }

    /// Columns in rising order, so that every set is met once.
    bool choose(std::size_t from, int stages) {
        if (stages == 0) {
            const bool look = sets_ % kSetsBetweenLooks == 0;
            return ++sets_ <= most_ && !(look && stop_ && stop_()) && leaf();
        }
        for (std::size_t i = from; i < columns_.size(); ++i) {
            const std::vector<int>& counts = columns_[i].counts;
            bool fits = true;
            for (std::size_t k = 0; k < left_.size(); ++k) {
                fits = fits && counts[k] <= left_[k];
            }
            if (!fits || ++steps_ > most_ * kStepsASet) {
                if (fits) {
                    return false;
                }
                continue;
            }
            take(counts, 1);
            chosen_.push_back(i);
            const bool done = columns_[i].exchange + compute_ >= bound_ || choose(i, stages - 1);
            chosen_.pop_back();
            take(counts, -1);
            if (!done) {
                return false;
            }
        }
        return true;
    }

    void take(const std::vector<int>& counts, int sign) {
        for (std::size_t k = 0; k < left_.size(); ++k) {
            left_[k] -= sign * counts[k];
        }
    }

    /// From column i to column j.
    double edge(std::size_t i, std::size_t j) {
        if (edges_(i, j) < 0) {
            const std::vector<int>& first = columns_[i].counts;
            const std::vector<int> none(first.size(), 0);
            const Stages pair{devices(first, none), devices(columns_[j].counts, first)};
            const core::Grid<double> ways = problem_.shared.empty()
                                                ? edge_matrix(problem_.costs.pipeline, pair)
                                                : contended_edges(problem_, pair, true);
            edges_(i, j) = ways(0, 1);
            edges_(j, i) = ways(1, 0);
        }
        return edges_(i, j);
    }

    [[nodiscard]] double exchange() const {
        double worst = 0;
        std::vector<Load> sum(problem_.shared.size());
        for (const std::size_t i : chosen_) {
            worst = std::max(worst, columns_[i].exchange);
            for (std::size_t r = 0; r < sum.size(); ++r) {
                sum[r].there += columns_[i].loads[r].there;
                sum[r].back += columns_[i].loads[r].back;
            }
        }
        return std::max(worst, problem_.shared.slowest(sum).seconds);
    }

    bool leaf() {
        core::Grid<double> edges(chosen_.size(), chosen_.size(), 0.0);
        for (std::size_t a = 0; a < chosen_.size(); ++a) {
            for (std::size_t b = a + 1; b < chosen_.size(); ++b) {
                edges(a, b) = edge(chosen_[a], chosen_[b]);
                edges(b, a) = edge(chosen_[b], chosen_[a]);
            }
        }
        const double least = exchange() + directed_held_karp(edges).length + compute();
        if (least >= bound_) {
            return true;
        }
        Stages stages;
        std::vector<int> used(left_.size(), 0);
        for (const std::size_t i : chosen_) {
            stages.push_back(devices(columns_[i].counts, used));
            for (std::size_t k = 0; k < used.size(); ++k) {
                used[k] += columns_[i].counts[k];
            }
        }
        const Solved solved = solve_inner(problem_, stages);
        if (solved.score.total() < incumbent_) {
            incumbent_ = solved.score.total();
            better_ = in_order(stages, solved.order);
        }
        bound_ = least;
        return true;
    }

    /// Compute of the chosen stages in the best order, at least.
    [[nodiscard]] double compute() const {
        if (problem_.workload.layers.empty() || problem_.speed.empty()) {
            return compute_;
        }
        std::vector<double> speeds;
        for (const std::size_t i : chosen_) {
            double slowest = std::numeric_limits<double>::infinity();
            for (std::size_t k = 0; k < left_.size(); ++k) {
                if (columns_[i].counts[k] > 0) {
                    slowest = std::min(slowest, problem_.speed[members_[k].front()]);
                }
            }
            speeds.push_back(slowest);
        }
        double work = 0;
        double longest = 0;
        for (const Layer& layer : problem_.workload.layers) {
            work += layer.seconds;
            longest = std::max(longest, layer.seconds);
        }
        return std::max(
            compute_,
            compute_bound(std::move(speeds),
                          problem_.shape.pp,
                          1,
                          work,
                          longest,
                          passes_of(problem_.workload, problem_.terms).units_together()));
    }

    static constexpr std::uint64_t kStepsASet = 20;

    const Problem& problem_;
    double incumbent_;
    std::uint64_t most_;
    const std::function<bool()>& stop_;
    std::vector<int> of_kind_;
    std::vector<std::vector<int>> members_;  // devices of each kind
    std::vector<int> left_;                  // of each kind
    std::vector<Column> columns_;
    core::Grid<double> edges_;  // between columns; below 0: not known yet
    std::vector<std::size_t> chosen_;
    double compute_ = 0;
    double bound_ = 0;
    std::uint64_t sets_ = 0;
    std::uint64_t steps_ = 0;
    std::optional<Stages> better_;
};

}  // namespace

std::optional<Certificate> bound_every_table(const Problem& problem,
                                             double incumbent,
                                             std::uint64_t most,
                                             const std::function<bool()>& stop) {
    return EveryTable(problem, incumbent, most, stop).run();
}

}  // namespace longhaul::placement
