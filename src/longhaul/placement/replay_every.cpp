#include "longhaul/placement/replay_every.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "longhaul/placement/replay_order.hpp"
#include "longhaul/placement/replay_rows.hpp"
#include "longhaul/placement/replay_stages.hpp"
#include "longhaul/placement/replay_tables.hpp"

namespace longhaul::placement {
namespace {

constexpr std::uint64_t kWorkOfStage = 8;

/// What the stages so far cost.
struct Prefix {
    double beside = 0;    ///< worst exchange
    double before = 0;    ///< edges
    double slowness = 0;  ///< of the slowest pair
    std::vector<Load> loads{};
};

class EveryReplayer {
public:
    EveryReplayer(const Problem& problem,
                  std::span<const int> kinds,
                  double enough,
                  const ReplayLimits& limits)
        : problem_(problem),
          apart_(apart_of(problem)),
          pipelined_(problem.terms.objective == Objective::kPipelined),
          stages_(problem, kinds),
          limits_(limits),
          compute_(replay_compute(problem)),
          edges_left_(problem.shape.pp > 1 ? stages_.cheapest_pair() : 0),
          highest_(stages_.sizes().size(), problem.shape.dp) {
        result_.least = enough;
    }

    EveryReplay run() {
        Prefix none;
        none.loads.resize(problem_.shared.size());
        if (!pipelined_ || apart_ == Apart::kMaps || problem_.shape.pp == 1) {
            (void)go_on(0, stages_.sizes(), highest_, none);
            return std::move(result_);
        }
        for (const double slowness : stages_.slownesses()) {
            interval_ = slowness;
            stages_.set_limit(slowness);
            if (floor_of(0, 0, 0) >= result_.least || !go_on(0, stages_.sizes(), highest_, none)) {
                break;
            }
        }
        return std::move(result_);
    }

private:
    bool spend(std::uint64_t work) {
        work_ += work;
        if (work_ > limits_.work || (++asked_ % 1024 == 0 && limits_.stop && limits_.stop())) {
            result_.why = "the work of the check is used up before every placement is tried";
        }
        return result_.why.empty();
    }

    /// No placement that begins with this many stages scores less.
    [[nodiscard]] double floor_of(std::size_t stages, double beside, double before) const {
        const std::size_t edges =
            static_cast<std::size_t>(problem_.shape.pp) - std::max<std::size_t>(1, stages);
        return beside + before + static_cast<double>(edges) * edges_left_ + compute_.sum +
               replay_repeats(problem_, compute_, interval_);
    }

    /// All stages that may come next; false: the work is used up.
    bool go_on(std::size_t stage,
               const KindCounts& left,
               const KindCounts& highest,
               const Prefix& prefix) {
        if (stage == static_cast<std::size_t>(problem_.shape.pp)) {
            settle(prefix);
            return spend(kWorkOfStage + stage * stage * stage);
        }
        const int spare = static_cast<int>(problem_.devices() - problem_.shape.devices());
        const auto take = [&](const KindCounts& row) {
            if (!spend(kWorkOfStage)) {
                return false;
            }
            const int number = stages_.number_of(row);
            Prefix next = prefix;
            next.beside = std::max(prefix.beside, stages_.exchange(number));
            const std::size_t known = apart_ == Apart::kSets ? 0 : stage;  // whose edges are
            if (floor_of(known, next.beside, next.before) >= result_.least) {
                return true;
            }
            chosen_.push_back(number);
            const bool more = place(stage, without(left, row), row, next);
            chosen_.pop_back();
            return more;
        };
        const Rows rows(
            left, problem_.shape.dp, apart_ == Apart::kSets ? &highest : nullptr, spare, take);
        return result_.why.empty();
    }

    /// The stage that was chosen last, in every way that counts.
    bool place(std::size_t stage, const KindCounts& left, const KindCounts& row, Prefix& next) {
        if (apart_ == Apart::kMaps) {
            return words(stage, left, row, next);
        }
        if (apart_ == Apart::kSequences && stage > 0) {
            next.before += stages_.edge(chosen_[stage - 1], chosen_[stage]);
            if (floor_of(stage + 1, next.beside, next.before) >= result_.least) {
                return true;
            }
        }
        return go_on(stage + 1, left, row, next);
    }

    /// Every order of its devices, but of the first stage's.
    bool words(std::size_t stage,
               const KindCounts& left,
               const KindCounts& highest,
               const Prefix& so_far) {
        KindWord word = stages_.word(chosen_[stage]);
        do {
            Prefix next = so_far;
            if (stage > 0) {
                const ReplayEdge edge = stages_.mapped_edge(words_.back(), word);
                next.before += edge.seconds;
                next.slowness = std::max(next.slowness, edge.slowness);
                for (std::size_t r = 0; r < next.loads.size(); ++r) {
                    next.loads[r].there += edge.loads[r].there;
                    next.loads[r].back += edge.loads[r].back;
                }
            }
            if (!spend(kWorkOfStage)) {
                return false;
            }
            if (floor_of(stage + 1, next.beside, next.before) >= result_.least) {
                continue;
            }
            words_.push_back(word);
            const bool more = go_on(stage + 1, left, highest, next);
            words_.pop_back();
            if (!more) {
                return false;
            }
        } while (stage > 0 && std::ranges::next_permutation(word).found);
        return true;
    }

    void settle(const Prefix& prefix) {
        double interval = interval_;
        double beside = prefix.beside;
        if (apart_ == Apart::kMaps) {
            beside = std::max(beside, stages_.shared_exchange(chosen_));
            interval = pipelined_ ? std::max(prefix.slowness, stages_.steady(prefix.loads)) : 0;
        }
        double messages = std::numeric_limits<double>::infinity();
        for (const ReplayCompute& compute : stages_.compute(chosen_)) {
            messages =
                std::min(messages, compute.sum + replay_repeats(problem_, compute, interval));
        }
        const double fixed = beside + messages;
        if (fixed + prefix.before >= result_.least) {
            return;
        }
        const double path = apart_ == Apart::kSets ? order(result_.least - fixed) : prefix.before;
        result_.least = std::min(result_.least, fixed + path);
    }

    /// The shortest order of the chosen stages; infinite where none is below `enough`.
    double order(double enough) {
        const std::size_t n = chosen_.size();
        core::Grid<double> edges(n, n, 0.0);
        std::vector<std::pair<int, int>> alike;
        for (std::size_t a = 0; a < n; ++a) {
            for (std::size_t b = 0; b < a; ++b) {
                edges(a, b) = edges(b, a) = stages_.edge(chosen_[a], chosen_[b]);
            }
            if (a > 0 && chosen_[a] == chosen_[a - 1]) {
                ++alike.back().second;  // equal stages follow each other
            } else {
                alike.emplace_back(static_cast<int>(a), 1);
            }
        }
        if (spanning_weight(edges) >= enough) {
            return std::numeric_limits<double>::infinity();
        }
        core::Grid<double> kinds(alike.size(), alike.size(), 0.0);
        for (std::size_t a = 0; a < alike.size(); ++a) {
            for (std::size_t b = 0; b < alike.size(); ++b) {
                const auto from = static_cast<std::size_t>(alike[a].first);
                const auto to = static_cast<std::size_t>(alike[b].first);
                kinds(a, b) = from != to            ? edges(from, to)
                              : alike[a].second > 1 ? edges(from, from + 1)
                                                    : 0;
            }
        }
        return shortest_order(kinds, alike);
    }

    const Problem& problem_;
    Apart apart_;
    bool pipelined_;
    ReplayStages stages_;
    const ReplayLimits& limits_;
    ReplayCompute compute_;  // no placement has less
    double edges_left_;      // each, at least
    KindCounts highest_;
    double interval_ = 0;  // of messages after the first, seconds a GB
    std::vector<int> chosen_;
    std::vector<KindWord> words_;
    std::uint64_t work_ = 0;
    std::uint64_t asked_ = 0;
    EveryReplay result_;
};

std::string refusal(const Problem& problem, std::span<const int> kinds) {
    if (kinds.size() != problem.devices()) {
        return fmt::format(
            "it has kinds of {} devices, there are {}", kinds.size(), problem.devices());
    }
    if (problem.shape.tp != 1 || problem.shape.pp > kMostStagesOfReplay) {
        return fmt::format("every placement is tried up to {} stages", kMostStagesOfReplay);
    }
    if (!problem.shared.empty() && !problem.exchange) {
        return "it is about an exchange that nothing is known of";
    }
    return every_difference(problem, kinds);
}

}  // namespace

std::string every_difference(const Problem& problem, std::span<const int> kinds) {
    if (std::string why = kinds_difference(problem, kinds); !why.empty()) {
        return why;
    }
    std::map<int, std::size_t> first;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        const std::size_t twin = first.emplace(kinds[i], i).first->second;
        const bool memory = !problem.workload.layers.empty() && !problem.memory_gb.empty() &&
                            problem.memory_gb[i] != problem.memory_gb[twin];
        const bool order = problem.exchange && problem.exchange->class_of_point()[i] !=
                                                   problem.exchange->class_of_point()[twin];
        if (memory || order) {
            return fmt::format("devices {} and {} are of one kind, but differ in {}",
                               twin,
                               i,
                               memory ? "memory" : "their exchange");
        }
    }
    return "";
}

EveryReplay replay_every(const Problem& problem,
                         std::span<const int> kinds,
                         std::uint64_t claimed,
                         double enough,
                         const ReplayLimits& limits) {
    EveryReplay refused;
    refused.why = refusal(problem, kinds);
    if (!refused.why.empty()) {
        return refused;
    }
    refused.placements = replay_placements(problem, kinds);
    if (refused.placements > kMostReplayPlacements) {
        refused.why =
            fmt::format("there are more than {} placements to try", kMostReplayPlacements);
    } else if (refused.placements != claimed) {
        refused.why = fmt::format("there are {} placements, not {}", refused.placements, claimed);
    }
    if (!refused.why.empty()) {
        return refused;
    }
    EveryReplay found = EveryReplayer(problem, kinds, enough, limits).run();
    found.placements = refused.placements;
    return found;
}

}  // namespace longhaul::placement
