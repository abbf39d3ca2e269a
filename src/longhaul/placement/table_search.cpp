#include "longhaul/placement/table_search.hpp"

#include <algorithm>
#include <limits>

#include "longhaul/placement/long_path.hpp"

namespace longhaul::placement {
namespace {

constexpr std::uint64_t kBoundWork = 5;  // a bound: this and one for each level
constexpr std::uint64_t kLeafWork = 100;
constexpr std::size_t kNarrowAgain = 8;       // longer lists are narrowed a second time
constexpr std::uint64_t kLeafPathNodes = 50;  // of branch and bound, for paths beyond Held-Karp

/// Edges of a minimum spanning tree, ascending (Prim).
std::vector<double> tree_edges(const core::Grid<double>& edges) {
    const std::size_t n = edges.rows();
    std::vector<double> nearest(edges.row(0).begin(), edges.row(0).end());
    std::vector<char> inside(n, 0);
    inside[0] = 1;
    std::vector<double> tree;
    for (std::size_t step = 1; step < n; ++step) {
        std::size_t next = 0;
        for (std::size_t i = 0; i < n; ++i) {
            if (inside[i] == 0 && (inside[next] != 0 || nearest[i] < nearest[next])) {
                next = i;
            }
        }
        inside[next] = 1;
        tree.push_back(nearest[next]);
        for (std::size_t i = 0; i < n; ++i) {
            nearest[i] = std::min(nearest[i], edges(next, i));
        }
    }
    std::ranges::sort(tree);
    return tree;
}

}  // namespace

TableSearch::TableSearch(TableModel& model,
                         const StageList& stages,
                         Shape shape,
                         const std::vector<int>& sizes)
    : model_(model),
      stages_(stages),
      shape_(shape),
      sizes_(sizes),
      k_(sizes.size()),
      bounds_(model, shape, sizes),
      nodes_(static_cast<std::size_t>(shape.pp) + 1),
      struck_(stages.size(), 0) {}

SliceResult TableSearch::run(const Slice& slice, double target, const SliceLimits& limits) {
    slice_ = slice;
    target_ = target;
    limits_ = &limits;
    result_ = {};
    stopped_ = false;
    const bool top = slice.first || !model_.exact();
    if (bounds_.root() < budget() && begin() &&
        possible(nodes_[0].census, bounds_.all(), shape_.pp, top)) {
        visit(0, bounds_.all(), shape_.pp, top);
    }
    result_.complete = !stopped_;
    result_.value = target_;
    return std::move(result_);
}

/// Stages of the slice whose path stays below the budget.
bool TableSearch::begin() {
    std::vector<Candidate>& candidates = nodes_[0].candidates;
    candidates.clear();
    const int levels = static_cast<int>(model_.levels().size());
    for (std::size_t i = 0; i < stages_.up_to(slice_.cap); ++i) {
        candidates.push_back({static_cast<int>(i), levels});
    }
    result_.work += candidates.size();
    nodes_[0].census = census(candidates);
    return !candidates.empty();
}

TableSearch::Census TableSearch::census(const std::vector<Candidate>& candidates) const {
    Census all;
    all.least.fill(std::numeric_limits<std::uint8_t>::max());
    for (const Candidate& candidate : candidates) {
        const StageCounts& counts = stages_.counts(candidate.stage);
        for (std::size_t a = 0; a < kMaxPackedClasses; ++a) {
            all.most[a] = std::max(all.most[a], counts[a]);
            all.least[a] = std::min(all.least[a], counts[a]);
            all.holders[a] += counts[a] > 0 ? 1 : 0;
        }
    }
    // Candidates are in the order of exchanges.
    const auto first_top =
        std::ranges::partition_point(candidates, [&](const Candidate& candidate) {
            return stages_.exchange(candidate.stage) <= slice_.floor;
        });
    all.tops = static_cast<std::uint32_t>(candidates.end() - first_top);
    return all;
}

/// Whether `left` such stages may hold the rest.
bool TableSearch::possible(const Census& census, const Profile& rest, int left, bool top) const {
    if (!top && census.tops == 0) {
        return false;
    }
    for (std::size_t a = 0; a < k_; ++a) {
        if (left * census.most[a] < rest[a] || left * census.least[a] > rest[a]) {
            return false;
        }
    }
    return true;
}

bool TableSearch::give_up() {
    if (result_.work > limits_->work ||
        (result_.nodes % 16 == 0 && limits_->stop && limits_->stop())) {
        stopped_ = true;
    }
    return stopped_;
}

void TableSearch::log_choice(int stage, int times) {
    if (limits_->log != nullptr) {
        std::vector<SliceLog::Node>& nodes = limits_->log->nodes;
        nodes.push_back({static_cast<int>(bounds_.chosen().size()), stage, times, -1});
        stopped_ = stopped_ || nodes.size() > limits_->most_nodes;
    }
}

/// The node that was logged last is the one at hand, or none is logged at the root.
void TableSearch::log_cover(std::size_t k) {
    if (limits_->log != nullptr) {
        std::vector<SliceLog::Node>& nodes = limits_->log->nodes;
        (nodes.empty() ? limits_->log->covers : nodes.back().covers) = static_cast<int>(k);
    }
}

void TableSearch::visit(std::size_t depth, const Profile& rest, int left, bool top) {
    ++result_.nodes;
    if (give_up()) {
        return;
    }
    if (left == 0) {
        leaf();
        return;
    }
    const std::size_t k = scarcest(nodes_[depth].census, rest);
    log_cover(k);
    const std::vector<Branch> all = branches(nodes_[depth], rest, left, k);
    for (const Branch& branch : all) {
        const int stage = branch.candidate.stage;
        struck_[stage] = 1;
        for (const Choice& choice : branch.choices) {
            if (stopped_ || choice.bound >= budget()) {
                continue;
            }
            const Profile after = without(rest, stage, choice.times);
            const bool has_top = top || stages_.exchange(stage) > slice_.floor;
            bounds_.choose(stages_, stage, choice.times);
            log_choice(stage, choice.times);
            if (narrow(depth, after, left - choice.times, has_top)) {
                visit(depth + 1, after, left - choice.times, has_top);
            }
            bounds_.unchoose();
        }
    }
    for (const Branch& branch : all) {
        struck_[branch.candidate.stage] = 0;
    }
}

/// The class that the fewest candidates hold.
std::size_t TableSearch::scarcest(const Census& census, const Profile& rest) const {
    std::size_t best = 0;
    std::uint32_t fewest = std::numeric_limits<std::uint32_t>::max();
    for (std::size_t a = 0; a < k_; ++a) {
        if (rest[a] > 0 && census.holders[a] < fewest) {
            fewest = census.holders[a];
            best = a;
        }
    }
    return best;
}

std::vector<TableSearch::Branch> TableSearch::branches(const Node& node,
                                                       const Profile& rest,
                                                       int left,
                                                       std::size_t k) {
    std::vector<Branch> all;
    for (const Candidate& candidate : node.candidates) {
        const StageCounts& counts = stages_.counts(candidate.stage);
        if (counts[k] == 0) {
            continue;
        }
        int most = left;
        for (std::size_t a = 0; a < k_; ++a) {
            most = counts[a] > 0 ? std::min<int>(most, rest[a] / counts[a]) : most;
        }
        Branch branch{candidate, {}};
        for (int times = 1; times <= most; ++times) {
            result_.work += kBoundWork + model_.levels().size();
            result_.work += times > 1 ? model_.exchange_work() : 0;
            if (times > 1 && !model_.exact() && model_.exchange(counts, times) > slice_.cap) {
                break;
            }
            bounds_.choose(stages_, candidate.stage, times);
            const double bound =
                bounds_.path(without(rest, candidate.stage, times), left - times, budget());
            bounds_.unchoose();
            if (bound < budget()) {
                branch.choices.push_back({bound, times});
            }
        }
        std::ranges::stable_sort(branch.choices, {}, &Choice::bound);
        all.push_back(std::move(branch));
    }
    // A stage that no table below the target holds comes first: it is only struck.
    std::ranges::stable_sort(all, {}, [](const Branch& branch) {
        return branch.choices.empty() ? 0 : branch.choices.front().bound;
    });
    return all;
}

Profile TableSearch::without(const Profile& rest, int stage, int times) const {
    Profile after = rest;
    const StageCounts& counts = stages_.counts(stage);
    for (std::size_t a = 0; a < k_; ++a) {
        after[a] = static_cast<std::uint16_t>(after[a] - times * counts[a]);
    }
    return after;
}

/// The list of the node below: candidates that still fit. False when no table is left.
bool TableSearch::narrow(std::size_t depth, const Profile& rest, int left, bool top) {
    Node& node = nodes_[depth + 1];
    node.candidates.clear();
    if (left == 0) {
        return true;
    }
    const int last = bounds_.chosen().back().stage;
    const int largest = bounds_.largest_join(budget());
    const Node* from = &nodes_[depth];
    std::vector<Candidate> kept;
    while (true) {
        StageCounts most{};
        StageCounts least{};
        for (std::size_t a = 0; a < k_; ++a) {
            const int others = left - 1;
            most[a] = static_cast<std::uint8_t>(
                std::clamp(rest[a] - others * from->census.least[a], 0, kMaxStageDevices));
            least[a] = static_cast<std::uint8_t>(
                std::clamp(rest[a] - others * from->census.most[a], 0, kMaxStageDevices));
        }
        const PackedCounts packed_most(most);
        const PackedCounts packed_least(least);
        kept.clear();
        result_.work += from->candidates.size();
        for (const Candidate& candidate : from->candidates) {
            const PackedCounts& counts = stages_.packed(candidate.stage);
            if (!counts.within(packed_most) || !packed_least.within(counts) ||
                struck_[candidate.stage] != 0) {
                continue;
            }
            const int join = std::min(candidate.join, stages_.join(candidate.stage, last));
            if (join <= largest) {
                kept.push_back({candidate.stage, join});
            }
        }
        const bool same = kept.size() == from->candidates.size();
        node.candidates.swap(kept);
        node.census = census(node.candidates);
        if (node.candidates.empty() || !possible(node.census, rest, left, top)) {
            return false;
        }
        if (same || node.candidates.size() < kNarrowAgain || from == &node) {
            return true;
        }
        from = &node;
    }
}

core::Grid<double> TableSearch::chosen_edges() {
    const auto& chosen = bounds_.chosen();
    core::Grid<double> between(chosen.size(), chosen.size(), 0.0);
    for (std::size_t a = 0; a < chosen.size(); ++a) {
        for (std::size_t b = a; b < chosen.size(); ++b) {
            if (a != b || chosen[a].times > 1) {
                between(a, b) = between(b, a) = model_.edge(chosen[a].counts, chosen[b].counts);
            }
        }
    }
    return between;
}

/// All devices are in chosen stages: what is left is the order.
void TableSearch::leaf() {
    // Dealing out all devices takes some times as many exchanges as one of them has steps.
    result_.work += kLeafWork + 4 * model_.exchange_work() * model_.exchange_work();
    std::vector<StageUse> uses;
    std::vector<int> of_row;
    for (const TableBounds::Chosen& chosen : bounds_.chosen()) {
        uses.push_back({chosen.counts, chosen.times});
        of_row.insert(of_row.end(), chosen.times, static_cast<int>(uses.size()) - 1);
    }
    const double exchange = model_.exchange_of(uses);
    if (exchange > slice_.cap) {
        return;
    }
    const core::Grid<double> between = chosen_edges();
    core::Grid<double> edges(of_row.size(), of_row.size(), 0.0);
    for (std::size_t s = 0; s < of_row.size(); ++s) {
        for (std::size_t t = 0; t < of_row.size(); ++t) {
            edges(s, t) = s == t ? 0 : between(of_row[s], of_row[t]);
        }
    }
    accept(std::max(slice_.floor, exchange), edges, of_row);
}

void TableSearch::accept(double exchange,
                         const core::Grid<double>& edges,
                         const std::vector<int>& of_row) {
    const double least = bounds_.path_with(tree_edges(edges));
    if (exchange + least >= target_) {
        return;
    }
    const std::uint64_t subsets = std::uint64_t{1} << std::min<std::size_t>(edges.rows(), 16);
    result_.work += edges.rows() * subsets / 8;
    BoundedPath found;
    if (edges.rows() <= static_cast<std::size_t>(kMaxExactStages)) {
        found.path = held_karp(edges);
        found.bound = found.path.length;
    } else {
        found = bounded_path(edges, {0, kLeafPathNodes, 7});
        if (!model_.exact()) {
            found.path.length = found.bound;
        } else if (exchange + found.bound < target_ && !found.optimal) {
            stopped_ = true;  // a path that may still be shortened leaves the slice open
        }
    }
    const double value = exchange + std::max(least, found.path.length);
    if (value >= target_) {
        return;
    }
    target_ = value;
    result_.counts = Counts(edges.rows(), k_);
    for (std::size_t s = 0; s < edges.rows(); ++s) {
        const StageCounts& counts = bounds_.chosen()[of_row[found.path.order[s]]].counts;
        std::copy_n(counts.begin(), k_, result_.counts.row(s).begin());
    }
}

}  // namespace longhaul::placement
