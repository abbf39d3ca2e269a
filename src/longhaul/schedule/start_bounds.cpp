#include "longhaul/schedule/detail/start_bounds.hpp"

#include <algorithm>

#include "longhaul/core/assert.hpp"
#include "longhaul/schedule/detail/common.hpp"

namespace longhaul::schedule::detail {

namespace {

/// Ways out of products that are kept; a number each.
constexpr std::size_t kMostEdges = 40'000'000;
constexpr std::size_t kMostInLevel = 2'000'000;

}  // namespace

StartBounds::StartBounds(const RoundTable& table,
                         const Sides& sides,
                         const std::vector<double>& floors,
                         double forgetting)
    : rounds_(table, sides), child_(table, sides), floors_(floors) {
    behind_.assign(floors_.size() + 1, 0);
    worth_.assign(floors_.size(), 1);
    for (std::size_t h = floors_.size(); h-- > 1;) {
        behind_[h - 1] = behind_[h] + floors_[h];
    }
    for (std::size_t h = 1; h < floors_.size(); ++h) {
        worth_[h] = worth_[h - 1] * forgetting;
    }
    sum_ = {0};
    last_ = {0};
    left_ = {static_cast<float>(behind_[0])};
    edges_ = {kUnknown};
}

void StartBounds::look(double cap, double& work, const std::function<bool()>& stop) {
    LONGHAUL_ASSERT(cap >= cap_);
    cap_ = cap;
    for (auto* list : {&sum_, &left_, &last_}) {
        list->resize(1);
    }
    edges_.assign(1, kUnknown);
    left_[kRoot] = static_cast<float>(behind_[0]);
    cut_.clear();
    to_.clear();
    std::vector<float> level = rounds_.unit();
    Node first = kRoot;
    const std::size_t width = rounds_.width();
    for (std::size_t length = 0; length + 2 < floors_.size() && !level.empty(); ++length) {
        const auto end = static_cast<Node>(sum_.size());
        std::vector<float> next;
        Distinct distinct(width);
        for (Node node = first; node < end; ++node) {
            if (static_cast<double>(sum_[node] + left_[node]) >= cap) {
                continue;
            }
            if (work <= 0 || to_.size() + rounds_.size() > kMostEdges ||
                sum_.size() - end > kMostInLevel || (stop && stop())) {
                work = std::min(work, 0.0);
                break;
            }
            look_behind(length, &level[(node - first) * width], node, end, distinct, next);
            work -= static_cast<double>(rounds_.size());
        }
        level = std::move(next);
        first = end;
    }
    carry_back();
}

void StartBounds::look_behind(std::size_t length,
                              const float* rows,
                              Node node,
                              Node first,
                              Distinct& distinct,
                              std::vector<float>& next) {
    const std::size_t width = rounds_.width();
    const std::size_t h = length + 1;
    rounds_.take(rows);
    edges_[node] = static_cast<Node>(cut_.size());
    auto cut = static_cast<float>(kNever);
    for (std::size_t round = 0; round < rounds_.size(); ++round) {
        const double error = std::max(worth_[h] * rounds_.error_after(round), floors_[h]);
        const double sum = static_cast<double>(sum_[node]) + error;
        to_.push_back(kUnknown);
        if (sum + behind_[h] >= cap_) {
            cut = std::min(cut, static_cast<float>(error + behind_[h]));
            continue;
        }
        next.resize(next.size() + width);
        rounds_.apply(round, &next[next.size() - width]);
        const std::size_t before = next.size();
        const auto child = first + static_cast<Node>(distinct.keep_last(next));
        if (next.size() < before) {
            sum_[child] = std::min(sum_[child], static_cast<float>(sum));
            to_.back() = child;
            continue;
        }
        child_.take(&next[next.size() - width]);
        const double left =
            std::max(worth_[h + 1] * child_.least_after(), floors_[h + 1]) + behind_[h + 1];
        if (sum + left >= cap_) {
            cut = std::min(cut, static_cast<float>(error + left));
            distinct.forget_last(next);
            continue;
        }
        sum_.push_back(static_cast<float>(sum));
        last_.push_back(static_cast<float>(error));
        left_.push_back(static_cast<float>(left));
        edges_.push_back(kUnknown);
        to_.back() = child;
    }
    cut_.push_back(cut);
}

void StartBounds::carry_back() {
    for (std::size_t node = sum_.size(); node-- > 0;) {
        if (edges_[node] == kUnknown) {
            continue;
        }
        float least = cut_[edges_[node]];
        const Node* to = &to_[edges_[node] * rounds_.size()];
        for (std::size_t round = 0; round < rounds_.size(); ++round) {
            if (to[round] != kUnknown) {
                least = std::min(least, last_[to[round]] + left_[to[round]]);
            }
        }
        left_[node] = std::max(left_[node], least);
    }
}

}  // namespace longhaul::schedule::detail
