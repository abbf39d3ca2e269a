// Proofs over classes of devices with a log.
#include <algorithm>
#include <map>
#include <memory>
#include <numeric>

#include "longhaul/placement/check_proof.hpp"
#include "longhaul/placement/classes.hpp"
#include "longhaul/placement/different_stages.hpp"
#include "longhaul/placement/make_proof.hpp"
#include "longhaul/placement/proof_classes.hpp"
#include "longhaul/placement/table_proof.hpp"

namespace longhaul::placement {
namespace {

constexpr double kSameSums = 1e-12;  // equal costs summed in another order may differ by this
constexpr double kCheckShare = 1e-9;
constexpr double kLogTargets[] = {0.5, 0.7, 0.8, 0.9, 0.95};  // of the way from root to goal
constexpr int kLogSlices = 20;
constexpr std::size_t kMostLogStages = 1'500'000;
constexpr std::uint64_t kCheckFactor = 10;  // a log that takes longer to check is not handed out
constexpr std::uint64_t kWorkOfDifferentNode = 2'500;
constexpr std::uint64_t kMostDifferentNodes = 4'000;
constexpr std::uint64_t kLeastWorkOfDifferent = 1'000'000;
constexpr std::size_t kMostClassifiedDevices = 60'000;
constexpr std::size_t kManyToBranch = 256;  // devices: branch and bound is hopeless then

/// Classes of links that no exchange can tell apart.
Classes classes_of_exchange(const Problem& problem) {
    std::map<int, int> numbers;
    Classes classes;
    classes.exact = true;
    for (const int name : problem.exchange->class_of_point()) {
        numbers.emplace(name, 0);
    }
    int next = 0;
    for (auto& [name, number] : numbers) {
        number = next++;
    }
    classes.members.resize(numbers.size());
    for (std::size_t device = 0; device < problem.devices(); ++device) {
        const int k = numbers.at(problem.exchange->class_of_point()[device]);
        classes.of_device.push_back(k);
        classes.members[static_cast<std::size_t>(k)].push_back(static_cast<int>(device));
    }
    return classes;
}

class LogMaker {
public:
    LogMaker(const Problem& problem,
             const ProofAim& aim,
             const ProofOptions& options,
             std::uint64_t work,
             std::size_t& most_nodes)
        : problem_(problem),
          options_(options),
          goal_(aim.bound),
          score_(aim.score),
          work_(work),
          most_nodes_(most_nodes) {}

    MadeProof pairs() && {
        carry(replay_elementary(problem_), {});
        const bool many = problem_.shape.devices() > kManyToBranch;
        if (many) {
            different();
        }
        if (!reached()) {
            prove_classes();
        }
        if (!many && !reached()) {
            different();
        }
        return std::move(made_);
    }

    MadeProof over(const Classes& classes) && {
        prove_over(classes, work_);
        return std::move(made_);
    }

    MadeProof groups() && {
        const Classes classes = classes_of_exchange(problem_);
        sizes_ = sizes_of_classes(classes);
        if (work_ == 0 || !TableProof::applicable(problem_.shape, sizes_)) {
            return std::move(made_);
        }
        ClassCosts costs = class_costs(problem_.costs, classes);
        costs.group = [&](std::span<const int> row) {
            std::vector<int> group;
            for (std::size_t k = 0; k < row.size(); ++k) {
                group.insert(
                    group.end(), classes.members[k].begin(), classes.members[k].begin() + row[k]);
            }
            return problem_.exchange->seconds(group);
        };
        for (const std::vector<int>& members : classes.members) {
            std::vector<int> others(problem_.devices());
            std::iota(others.begin(), others.end(), 0);
            others.erase(others.begin() + members.front());
            costs.least_of_class.push_back(
                problem_.exchange->member_bound(members.front(), others, problem_.shape.dp));
        }
        ExactTable model(std::move(costs), problem_.shape, sizes_);
        TableBounds bounds(model, problem_.shape, sizes_);
        root_path_ = bounds.root();
        BoundProof base;
        base.exact = true;
        base.groups = true;
        base.class_of_device = classes.of_device;
        logs(model, base, model.root_exchange() + root_path_);
        return std::move(made_);
    }

private:
    [[nodiscard]] bool reached() const { return made_.bound >= goal_ * (1 - kSameSums); }

    /// Takes a bound when it is more than what there is and the check finds that it holds.
    void carry(double bound, BoundProof proof) {
        bound = std::min(bound, goal_);
        const ReplayLimits limits{std::max<std::uint64_t>(1'000'000, options_.work) * kCheckFactor,
                                  options_.stop};
        if (bound > made_.bound &&
            check_proof(problem_, proof, bound * (1 - kCheckShare), limits).holds()) {
            made_ = {bound, std::move(proof)};
        }
    }

    void different() {
        const Classes classes = exact_classes(problem_.costs);
        if (classes.size() > kMostDifferentClasses || work_ < kLeastWorkOfDifferent) {
            return;
        }
        BoundProof proof;
        proof.kind = ProofKind::kDifferent;
        proof.class_of_device = classes.of_device;
        const double bound =
            different_stages_bound(class_costs(problem_.costs, classes),
                                   problem_.shape,
                                   sizes_of_classes(classes),
                                   goal_,
                                   std::min(kMostDifferentNodes, work_ / kWorkOfDifferentNode),
                                   &proof.different);
        if (proof.nodes() <= most_nodes_) {
            carry(bound, std::move(proof));
        }
    }

    /// Exact classes where there are few; else those that the proof of the plan takes.
    void prove_classes() {
        const Classes exact = exact_classes(problem_.costs);
        if (TableProof::applicable(problem_.shape, sizes_of_classes(exact))) {
            prove_over(exact, work_);
            return;
        }
        if (problem_.shape.devices() > kMostClassifiedDevices) {
            return;
        }
        carry_leaders();
        if (reached()) {
            return;
        }
        const std::vector<RootedClasses> merged = merged_classes(problem_);
        for (auto one = merged.rbegin(); one != merged.rend() && !reached(); ++one) {
            prove_over(one->classes, one + 1 == merged.rend() ? work_ : 0);
        }
    }

    /// What the proof of a plan gives when its time is up.
    void carry_leaders() {
        LeaderBound found = leader_bound(problem_);
        BoundProof proof;
        proof.kind = ProofKind::kBreaks;
        proof.class_of_device = std::move(found.classes.of_device);
        carry(elementary_bound(problem_).data_parallel + found.path, std::move(proof));
    }

    /// Breaks, and logs as far as the work goes.
    void prove_over(const Classes& classes, std::uint64_t work) {
        sizes_ = sizes_of_classes(classes);
        const std::unique_ptr<TableModel> model = table_model(problem_, classes);
        TableBounds bounds(*model, problem_.shape, sizes_);
        root_path_ = bounds.root();
        BoundProof base;
        base.kind = ProofKind::kBreaks;
        base.exact = classes.exact;
        base.class_of_device = classes.of_device;
        base.members = tells_members(problem_, classes);
        for (const PathLevel& level : model->levels()) {
            if (base.members) {
                base.levels.push_back(level.structure.threshold);
                base.levels.push_back(level.structure.next);
            }
        }
        carry(model->root_exchange() + root_path_, base);
        if (!reached() && work > 0 && problem_.shape.dp <= kMaxStageDevices) {
            logs(*model, base, made_.bound);
        }
    }

    /// The goal, else lower targets as far as the work goes.
    void logs(TableModel& model, const BoundProof& base, double start) {
        const std::uint64_t again = work_ / 2;
        if (log_run(model, base, goal_, work_)) {
            return;
        }
        work_ = std::max(work_, again);
        for (const double part : kLogTargets) {
            if (!log_run(model, base, start + part * (goal_ - start), work_)) {
                return;
            }
        }
    }

    /// Excludes everything below the target, or below the optimum over the classes when that is
    /// less, slice by slice, and carries the log. False when no higher target can be reached.
    bool log_run(TableModel& model, const BoundProof& base, double target, std::uint64_t work) {
        BoundProof proof = base;
        proof.kind = ProofKind::kTree;
        const double low = model.root_exchange();
        const double high = target - root_path_;
        if (high < low) {
            return false;
        }
        const std::vector<double> borders = slice_borders(model, low, high);
        const std::optional<StageList> stages = StageList::list(
            model, sizes_, problem_.shape.dp, borders.back(), kMostLogStages, work / 4);
        if (!stages) {
            return false;
        }
        TableSearch search(model, *stages, problem_.shape, sizes_);
        const std::uint64_t end = work_ - std::min(work_, work);
        for (std::size_t i = 0; i + 1 < borders.size(); ++i) {
            SliceLog log;
            log.floor = borders[i];
            log.cap = borders[i + 1];
            SliceLimits limits;
            limits.work = work_ - std::min(work_, end);
            limits.stop = options_.stop;
            limits.log = &log;
            limits.most_nodes = most_nodes_ - std::min(most_nodes_, proof.log.nodes());
            const SliceResult result =
                search.run({log.floor, log.cap, i == 0}, target * (1 - kSameSums), limits);
            work_ -= std::min(work_, result.work);
            if (!result.complete) {
                return false;
            }
            if (!result.counts.empty()) {
                // The optimum over the classes is lower: no target above it can be excluded.
                if (result.value < target * (1 - 2 * kSameSums)) {
                    log_run(model, base, result.value, work_);
                }
                return false;
            }
            proof.log.slices.push_back(std::move(log));
        }
        number_columns(*stages, proof.log);
        const std::size_t nodes = proof.log.nodes();
        carry(target, std::move(proof));
        if (made_.proof.kind == ProofKind::kTree) {
            most_nodes_ -= std::min(most_nodes_, nodes);
        }
        return true;
    }

    /// Slices of equal width up to `high`. Where members differ the bound of a set of stages counts
    /// at least the floor of its slice, so these slices are cut as the proof of the plan cut them,
    /// from what its score left for the data-parallel term.
    [[nodiscard]] std::vector<double> slice_borders(const TableModel& model,
                                                    double low,
                                                    double high) const {
        const double most = model.exact() ? high : std::max(high, score_ - root_path_);
        std::vector<double> borders{low};
        for (int i = 1; i <= kLogSlices && (i == 1 || borders.back() < high); ++i) {
            borders.push_back(i == kLogSlices ? most : low + (most - low) * i / kLogSlices);
        }
        return borders;
    }

    /// From stages of a list to columns of the log.
    void number_columns(const StageList& stages, ProofLog& log) const {
        std::map<int, int> numbers;
        for (SliceLog& slice : log.slices) {
            for (SliceLog::Node& node : slice.nodes) {
                const auto [at, added] =
                    numbers.emplace(node.column, static_cast<int>(log.columns.size()));
                if (added) {
                    const StageCounts& counts = stages.counts(node.column);
                    log.columns.emplace_back(
                        counts.begin(),
                        counts.begin() + static_cast<std::ptrdiff_t>(sizes_.size()));
                }
                node.column = at->second;
            }
        }
    }

    const Problem& problem_;
    const ProofOptions& options_;
    double goal_;
    double score_;
    std::uint64_t work_;
    std::size_t& most_nodes_;
    std::vector<int> sizes_;  // of the classes
    double root_path_ = 0;
    MadeProof made_;
};

}  // namespace

MadeProof prove_pairs(const Problem& problem,
                      const ProofAim& aim,
                      const ProofOptions& options,
                      std::uint64_t work,
                      std::size_t& most_nodes) {
    return LogMaker(problem, aim, options, work, most_nodes).pairs();
}

MadeProof prove_over_classes(const Problem& problem,
                             const Classes& classes,
                             const ProofAim& aim,
                             const ProofOptions& options,
                             std::uint64_t work,
                             std::size_t& most_nodes) {
    return LogMaker(problem, aim, options, work, most_nodes).over(classes);
}

MadeProof prove_groups(const Problem& problem,
                       const ProofAim& aim,
                       const ProofOptions& options,
                       std::uint64_t work,
                       std::size_t& most_nodes) {
    return LogMaker(problem, aim, options, work, most_nodes).groups();
}

}  // namespace longhaul::placement
