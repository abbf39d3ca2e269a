#include "longhaul/schedule/detail/start_bounds.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "longhaul/core/assert.hpp"
#include "longhaul/schedule/detail/common.hpp"

namespace longhaul::schedule::detail {

namespace {

/// Ways out of products that are kept.
constexpr std::size_t kMostEdges = 60'000'000;
constexpr std::size_t kMostInLevel = 2'000'000;
/// Of a number added when more rounds at once are looked at, in rounds tried.
constexpr double kLookWork = 0.002;
constexpr double kLookPart = 0.2;  ///< of the work, for one level and one number of rounds

}  // namespace

StartBounds::StartBounds(const RoundTable& table,
                         const Sides& sides,
                         const std::vector<double>& floors,
                         double forgetting)
    : rounds_(table, sides),
      child_(table, sides),
      equal_columns_(table.equal && count_sides(sides) == table.n),
      floors_(floors) {
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
    first_edge_ = {0};
}

void StartBounds::merge_with(const Symmetries& symmetries) {
    if (equal_columns_ && symmetries.size() > 1) {
        symmetries_ = &symmetries;
    }
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
    first_edge_.assign(1, 0);
    std::vector<float> level = rounds_.unit();
    Node first = kRoot;
    ahead_.assign(1, {});
    const std::size_t width = rounds_.width();
    for (std::size_t length = 0; length + 2 < floors_.size() && !level.empty(); ++length) {
        const auto end = static_cast<Node>(sum_.size());
        std::vector<float> next;
        next_ahead_.clear();
        const std::size_t lists = lists_for(static_cast<double>(end - first), work);
        Distinct distinct(width);
        for (Node node = first; node < end; ++node) {
            if (static_cast<double>(sum_[node] + left_[node]) >= cap) {
                continue;
            }
            if (work <= 0 || to_.size() > kMostEdges || sum_.size() - end > kMostInLevel ||
                (stop && stop())) {
                work = std::min(work, 0.0);
                break;
            }
            Ahead& ahead = ahead_[node - first];
            look_ahead(length, lists, &level[(node - first) * width], node, ahead, work);
            if (static_cast<double>(sum_[node] + left_[node]) >= cap) {
                continue;
            }
            look_behind(length, &level[(node - first) * width], node, ahead, end, distinct, next);
            work -= static_cast<double>(rounds_.size());
        }
        level = std::move(next);
        ahead_ = std::move(next_ahead_);
        first = end;
    }
    carry_back();
}

void StartBounds::look_ahead(std::size_t length,
                             std::size_t lists,
                             const float* rows,
                             Node node,
                             Ahead& ahead,
                             double& work) {
    if (lists == 0) {
        return;
    }
    const std::size_t n = rounds_.table().n;
    std::array<float, RoundTable::kMostIslands * RoundTable::kMostIslands> columns{};
    for (std::size_t i = 0; i < n; ++i) {
        std::copy_n(rows + i * n, n - 1, &columns[i * (n - 1)]);
    }
    for (std::size_t j = 0; j < lists && length + j + 1 < floors_.size(); ++j) {
        // What would be enough for the cap.
        const double others = left_by(length, ahead) -
                              std::max(worth_[length + j + 1] * static_cast<double>(ahead[j]),
                                       floors_[length + j + 1]);
        const double enough =
            (cap_ - static_cast<double>(sum_[node]) - others) / worth_[length + j + 1];
        float least = static_cast<float>(std::min(1.0, enough + 2 * kGrainsInError));
        (*later_)[j].lower(columns.data(), least);
        work -= kLookWork * (*later_)[j].looked();
        ahead[j] = std::max(ahead[j], least - static_cast<float>(kGrainsInError));
        left_[node] = std::max(left_[node], static_cast<float>(left_by(length, ahead)));
        if (static_cast<double>(sum_[node] + left_[node]) >= cap_) {
            return;
        }
    }
}

/// How many of the lists may be met with so many products.
std::size_t StartBounds::lists_for(double products, double work) const {
    std::size_t lists = 0;
    while (later_ != nullptr && lists < later_->size() &&
           kLookWork * (*later_)[lists].numbers() * products < kLookPart * work) {
        ++lists;
    }
    return lists;
}

/// At least what is left behind a product of so many rounds.
double StartBounds::left_by(std::size_t length, const Ahead& ahead) const {
    double left = 0;
    const std::size_t known = std::min(kMostAhead, floors_.size() - 1 - length);
    for (std::size_t j = 1; j <= known; ++j) {
        left +=
            std::max(worth_[length + j] * static_cast<double>(ahead[j - 1]), floors_[length + j]);
    }
    return left + behind_[length + known];
}

void StartBounds::look_behind(std::size_t length,
                              const float* rows,
                              Node node,
                              const Ahead& ahead,
                              Node first,
                              Distinct& distinct,
                              std::vector<float>& next) {
    const std::size_t width = rounds_.width();
    const std::size_t h = length + 1;
    rounds_.take(rows);
    const RoundTable& table = rounds_.table();
    edges_[node] = static_cast<Node>(cut_.size());
    // What is known of j + 1 rounds behind the product is known of j behind each further one.
    Ahead shifted{};
    std::copy(ahead.begin() + 1, ahead.end(), shifted.begin());
    const double behind = left_by(h, shifted);
    auto cut = static_cast<float>(kNever);
    for (std::size_t round = 0; round < rounds_.size(); ++round) {
        if (node == kRoot && !table.coarsest(round)) {
            continue;
        }
        const double error = std::max(worth_[h] * rounds_.error_after(round), floors_[h]);
        const double sum = static_cast<double>(sum_[node]) + error;
        if (sum + behind >= cap_) {
            cut = std::min(cut, static_cast<float>(error + behind));
            continue;
        }
        next.resize(next.size() + width);
        float* product = &next[next.size() - width];
        rounds_.apply(round, product);
        const Symmetries::Index turned = turn(product);
        if (equal_columns_) {
            sort_columns(product, table.n, table.n);
        }
        const std::size_t before = next.size();
        const auto child = first + static_cast<Node>(distinct.keep_last(next));
        if (next.size() < before) {
            sum_[child] = std::min(sum_[child], static_cast<float>(sum));
            left_[child] = std::max(left_[child], static_cast<float>(behind));
            Ahead& of_child = next_ahead_[child - first];
            for (std::size_t j = 0; j < kMostAhead; ++j) {
                of_child[j] = std::max(of_child[j], shifted[j]);
            }
            to_.push_back({static_cast<std::uint32_t>(round) * Edge::kTurns + turned, child});
            continue;
        }
        child_.take(&next[next.size() - width]);
        Ahead of_child = shifted;
        of_child[0] =
            std::max(of_child[0], static_cast<float>(child_.least_after() - kGrainsInError));
        const double left = left_by(h, of_child);
        if (sum + left >= cap_) {
            cut = std::min(cut, static_cast<float>(error + left));
            distinct.forget_last(next);
            continue;
        }
        sum_.push_back(static_cast<float>(sum));
        last_.push_back(static_cast<float>(error));
        left_.push_back(static_cast<float>(left));
        next_ahead_.push_back(of_child);
        edges_.push_back(kUnknown);
        to_.push_back({static_cast<std::uint32_t>(round) * Edge::kTurns + turned, child});
    }
    cut_.push_back(cut);
    first_edge_.push_back(to_.size());
}

std::span<const StartBounds::Edge> StartBounds::edges_of(Node node) const {
    const std::size_t first = first_edge_[edges_[node]];
    return std::span(to_).subspan(first, first_edge_[edges_[node] + 1] - first);
}

StartBounds::Product StartBounds::after(Product before, std::size_t round) const {
    if (edges_[before.node] == kUnknown) {
        return {};
    }
    auto with = static_cast<std::uint32_t>(round);
    if (before.node == kRoot) {
        with = rounds_.table().coarser[round];
    } else if (symmetries_ != nullptr) {
        with = symmetries_->round(before.turn, round);
    }
    const std::span<const Edge> edges = edges_of(before.node);
    const auto edge = std::ranges::lower_bound(edges, with, {}, &Edge::round);
    if (edge == edges.end() || edge->round() != with) {
        return {};
    }
    return {edge->to,
            symmetries_ == nullptr ? edge->turn() : symmetries_->then(before.turn, edge->turn())};
}

Symmetries::Index StartBounds::turn(float* rows) const {
    if (symmetries_ == nullptr) {
        return 0;
    }
    constexpr float kSteps = 1U << 20U;
    const std::size_t n = rounds_.table().n;
    const auto mix = [](std::uint64_t print) {
        print = (print ^ print >> 29U) * 0x9E3779B97F4A7C15U;
        return print ^ print >> 32U;
    };
    // A column's print is a sum over islands, that of the product a sum over columns: neither the
    // order of islands within a sum nor that of columns matters.
    std::array<std::array<std::uint64_t, RoundTable::kMostIslands>, RoundTable::kMostIslands> of{};
    std::array<std::uint64_t, RoundTable::kMostIslands> salt{};
    for (std::size_t i = 0; i < n; ++i) {
        salt[i] = mix((i + 1) * 0xD6E8FEB86659FD93U) | 1U;
        for (std::size_t b = 0; b < n; ++b) {
            of[i][b] = mix((static_cast<std::uint64_t>(std::lround(rows[i * n + b] * kSteps)) + 1) *
                           0xBF58476D1CE4E5B9U);
        }
    }
    std::uint64_t least = UINT64_MAX;
    Symmetries::Index best = 0;
    for (std::size_t g = 0; g < symmetries_->size(); ++g) {
        const auto images = symmetries_->images(static_cast<Symmetries::Index>(g));
        std::array<std::uint64_t, RoundTable::kMostIslands> sum{};
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint64_t with = salt[images[i]];
            for (std::size_t b = 0; b < RoundTable::kMostIslands; ++b) {
                sum[b] += with * of[i][b];
            }
        }
        std::uint64_t print = 0;
        for (std::size_t b = 0; b < n; ++b) {
            print += mix(sum[b]);
        }
        if (print < least) {
            least = print;
            best = static_cast<Symmetries::Index>(g);
        }
    }
    if (best == 0) {
        return best;
    }
    std::array<float, RoundTable::kMostIslands * RoundTable::kMostIslands> before{};
    std::copy_n(rows, n * n, before.begin());
    const auto images = symmetries_->images(best);
    for (std::size_t i = 0; i < n; ++i) {
        std::copy_n(&before[i * n], n, rows + images[i] * n);
    }
    return best;
}

void StartBounds::carry_back() {
    for (std::size_t node = sum_.size(); node-- > 0;) {
        if (edges_[node] == kUnknown) {
            continue;
        }
        float least = cut_[edges_[node]];
        for (const Edge& edge : edges_of(static_cast<Node>(node))) {
            least = std::min(least, last_[edge.to] + left_[edge.to]);
        }
        left_[node] = std::max(left_[node], least);
    }
}

}  // namespace longhaul::schedule::detail
