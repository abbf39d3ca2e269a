#include "longhaul/schedule/comparators.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "longhaul/core/random.hpp"
#include "longhaul/schedule/detail/common.hpp"
#include "longhaul/schedule/detail/exchange_graphs.hpp"

namespace longhaul::schedule {

using detail::Edges;
using detail::kNever;
using detail::slot;

namespace {

std::string counted(std::size_t count, std::string_view what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

class Comparison {
public:
    Comparison(RoundTimes& times, const ComparatorOptions& options)
        : times_(times), options_(options), n_(static_cast<int>(times.islands().size())) {
        by_target_ = with_targets(options_.mixing, times_.islands());
        options_.mixing.target.clear();
        options_.mixing.precision = 1e-5;
        options_.mixing.longest = 1000;
        by_target_.precision = options_.mixing.precision;
        by_target_.longest = options_.mixing.longest;
    }

    std::vector<Comparator> run() {
        MixingOptions exact = by_target_;  // as score_schedule() scores them alone
        exact.precision = MixingOptions().precision;
        exact.longest = MixingOptions().longest;
        for (const NamedSchedule& named : times_.islands().schedules) {
            add_cliques(named.name, "of the network file", by_cliques(named.schedule, exact));
        }
        if (n_ > 1) {
            const Clique all = n_ == 64 ? ~Clique{0} : (Clique{1} << n_) - 1;
            const Schedule everyone{{make_round({all}, n_)}};
            if (std::ranges::none_of(times_.islands().schedules, [&](const NamedSchedule& named) {
                    return named.schedule == everyone;
                })) {
                add_cliques("all to all", "one clique", by_cliques(everyone, by_target_));
            }
            random_pairs();
            grid_groups();
            base_graphs();
            exponential();
            matcha();
            ring();
            static_weights();
            two_level();
            serial();
        }
        return std::move(found_);
    }

private:
    Comparator by_cliques(const Schedule& schedule, const MixingOptions& mixing) {
        const ScheduleScore score = score_schedule(schedule, times_, options_.pace, mixing);
        Comparator one;
        one.feasible = score.feasible;
        one.reason = score.feasible ? "" : why_never(times_.miss(schedule), score.mixing.mixes);
        one.area = score.area;
        one.round_ms = *std::ranges::max_element(score.round_ms);
        one.score_ms = score.score_ms;
        one.schedule = schedule;
        keep_curves(one, score.mixing, score.round_ms);
        return one;
    }

    static std::string why_never(const std::optional<Miss>& miss, bool mixes) {
        return miss    ? fmt::format("apart by {:.3f} ms, needs {:.4f} GB or more",
                                  miss->apart_ms,
                                  miss->needed_gb)
               : mixes ? "a round in which all are alone takes no time"
                       : "it does not join all islands";
    }

    void add_cliques(std::string name, std::string detail, Comparator one) {
        one.name = std::move(name);
        one.detail = std::move(detail);
        found_.push_back(std::move(one));
    }

    /// Steps that are no partitions.
    Comparator by_graphs(std::vector<MixingMatrix> steps) {
        if (options_.pace == Pace::kOwn && steps.size() > 1) {
            // A step that sends nothing takes no time, and nothing is forgotten in it.
            const MixingMatrix first = steps.front();
            std::erase_if(steps, [](const MixingMatrix& step) {
                return std::ranges::count(detail::senders_of(step).cells(), 1) == 0;
            });
            if (steps.empty()) {
                steps.push_back(first);
            }
        }
        Comparator one;
        one.equal_shares = !by_target_.target.empty();
        std::vector<double> round_ms;
        std::optional<Miss> miss;
        for (const MixingMatrix& step : steps) {
            const core::Grid<char> sends = detail::senders_of(step);
            round_ms.push_back(times_.graph_ms(sends));
            if (round_ms.back() == kNever && !miss) {
                miss = times_.graph_miss(sends);
            }
        }
        one.round_ms = *std::ranges::max_element(round_ms);
        if (one.round_ms == kNever && steps.size() > 8) {
            one.area = kNever;  // long to compute, and of no use
            one.score_ms = kNever;
            one.reason = why_never(miss, true);
            return one;
        }
        const Survival mixing = survival(steps, options_.mixing);
        one.area = mixing.area;
        one.feasible = one.round_ms != kNever && mixing.mixes;
        if (!one.feasible) {
            one.reason = why_never(miss, mixing.mixes);
        }
        one.score_ms = one.feasible
                           ? score_of(round_ms, mixing, options_.pace, options_.mixing.forgetting)
                           : kNever;
        keep_curves(one, mixing, round_ms);
        return one;
    }

    void keep_curves(Comparator& one,
                     const Survival& mixing,
                     const std::vector<double>& round_ms) const {
        if (one.feasible) {
            one.curves = mixing.curves;
            one.lengths_ms = options_.pace == Pace::kOwn
                                 ? round_ms
                                 : std::vector<double>(round_ms.size(), one.round_ms);
        }
    }

    /// Keeps the best of several settings of one method.
    void add_best(const std::string& name, std::vector<std::pair<std::string, Comparator>> tried) {
        if (tried.empty()) {
            return;
        }
        const auto best = std::ranges::min_element(
            tried, {}, [](const auto& entry) { return entry.second.score_ms; });
        best->second.name = name;
        best->second.detail = best->first;
        if (best->second.equal_shares) {
            best->second.detail += best->first.empty() ? "equal shares" : ", equal shares";
        }
        found_.push_back(std::move(best->second));
    }

    std::vector<int> shuffled(core::Random& random) const {
        std::vector<int> order(slot(n_));
        std::iota(order.begin(), order.end(), 0);
        random.shuffle(std::span(order));
        return order;
    }

    void random_pairs() {
        core::Random random(options_.seed, 1);
        Schedule schedule;
        for (int k = 0; k < options_.sampled_rounds; ++k) {
            const std::vector<int> order = shuffled(random);
            std::vector<Clique> pairs;
            for (std::size_t at = 0; at + 1 < order.size(); at += 2) {
                pairs.push_back(Clique{1} << order[at] | Clique{1} << order[at + 1]);
            }
            schedule.rounds.push_back(make_round(std::move(pairs), n_));
        }
        add_cliques("random pairs",
                    fmt::format("{} rounds drawn", options_.sampled_rounds),
                    by_cliques(schedule, by_target_));
    }

    /// Rows, then columns (then layers) of a grid that the islands fill in a random order.
    void grid_groups() {
        std::vector<std::pair<std::string, Comparator>> tried;
        for (int dimensions = 2; dimensions <= 3; ++dimensions) {
            const int side = static_cast<int>(
                std::ceil(std::pow(static_cast<double>(n_), 1.0 / dimensions) - 1e-9));
            if (side < 2) {
                continue;
            }
            std::vector<Comparator> draws;
            for (std::uint64_t draw = 0; draw < 5; ++draw) {
                core::Random random(options_.seed, 100 + draw);
                const std::vector<int> order = shuffled(random);
                Schedule schedule;
                std::size_t stride = 1;
                for (int d = 0; d < dimensions; ++d) {
                    std::vector<Clique> groups(order.size(), 0);
                    for (std::size_t at = 0; at < order.size(); ++at) {
                        const std::size_t digit = at / stride % slot(side);
                        groups[at - digit * stride] |= Clique{1} << order[at];
                    }
                    schedule.rounds.push_back(make_round(std::move(groups), n_));
                    stride *= slot(side);
                }
                draws.push_back(by_cliques(schedule, by_target_));
            }
            // Its order knows nothing of the network: the median of the draws is what one gets.
            std::ranges::sort(draws, {}, &Comparator::score_ms);
            tried.emplace_back(fmt::format("{}, groups of {}, median of 5 draws",
                                           dimensions == 2 ? "square" : "cube",
                                           side),
                               draws[2]);
        }
        add_best("grid groups", std::move(tried));
    }

    void base_graphs() {
        std::vector<std::pair<std::string, Comparator>> tried;
        for (int degree = 1; degree <= std::min(5, n_ - 1); ++degree) {
            tried.emplace_back(fmt::format("k = {}", degree),
                               by_graphs(detail::base_graph(n_, degree)));
        }
        add_best("Base-(k+1)", std::move(tried));
    }

    void exponential() {
        std::vector<MixingMatrix> steps;
        for (int hop = 1; hop < n_; hop *= 2) {
            MixingMatrix step(slot(n_), slot(n_), 0);
            for (int i = 0; i < n_; ++i) {
                step(slot(i), slot(i)) += 0.5;
                step(slot(i), slot((i + hop) % n_)) += 0.5;
            }
            steps.push_back(std::move(step));
        }
        add_best("one-peer exponential", {{"", by_graphs(steps)}});
    }

    void matcha() {
        const Edges edges = detail::underlay(times_);
        const std::vector<Edges> parts = detail::matchings(edges, n_);
        std::vector<std::pair<std::string, Comparator>> tried;
        for (const double budget : {0.25, 0.5, 0.75, 1.0}) {
            const std::vector<double> odds = detail::matching_odds(parts, n_, budget);
            core::Random random(options_.seed, 2);
            std::vector<Edges> active;
            const int rounds = budget == 1 ? 1 : options_.sampled_rounds;
            for (int k = 0; k < rounds; ++k) {
                Edges& now = active.emplace_back();
                for (std::size_t m = 0; m < parts.size(); ++m) {
                    if (random.uniform() < odds[m]) {
                        now.insert(now.end(), parts[m].begin(), parts[m].end());
                    }
                }
            }
            const double alpha = detail::matching_alpha(parts, odds, n_);
            std::vector<MixingMatrix> steps;
            for (const Edges& now : active) {
                steps.push_back(detail::laplacian_step(now, n_, alpha));
            }
            tried.emplace_back(fmt::format("{}, budget {}, alpha {:.2f}",
                                           counted(parts.size(), "matching"),
                                           budget,
                                           alpha),
                               by_graphs(steps));
        }
        add_best("MATCHA", std::move(tried));
    }

    void ring() {
        const std::vector<int> tour = detail::short_tour(times_.latency_ms());
        Edges edges;
        for (std::size_t at = 0; at < tour.size() && tour.size() > 1; ++at) {
            edges.emplace_back(tour[at], tour[(at + 1) % tour.size()]);
        }
        if (tour.size() == 2) {
            edges.pop_back();
        }
        add_best("ring of least latency",
                 {{"weights 1/3", by_graphs({detail::metropolis(edges, n_)})}});
    }

    void static_weights() {
        add_best("static Metropolis",
                 {{"on the links", by_graphs({detail::metropolis(detail::underlay(times_), n_)})}});
    }

    /// Sums inside groups, between their heads, and back: three exchanges, then all agree.
    void two_level() {
        const std::vector<Clique> groups = detail::groups_of(times_);
        Clique heads = 0;
        double back = 0;
        for (const Clique group : groups) {
            const std::vector<int> members = members_of(group);
            const auto farthest = [&](int head) {
                double most = 0;
                for (const int other : members) {
                    most = std::max(most, times_.latency_ms()(slot(head), slot(other)));
                }
                return most;
            };
            const int head = *std::ranges::min_element(members, {}, farthest);
            heads |= Clique{1} << head;
            back = std::max(back, members.size() > 1 ? access_ms() + farthest(head) : 0);
        }
        Comparator one;
        one.area = 1.5;
        const Round groups_round = make_round(groups, n_);
        const Round heads_round = make_round({heads}, n_);
        one.round_ms = times_.time_ms(groups_round) + times_.time_ms(heads_round) + back;
        one.feasible = one.round_ms != kNever;
        one.reason =
            one.feasible ? "" : why_never(times_.miss({{groups_round, heads_round}}), true);
        one.score_ms = one.area * one.round_ms;
        keep_curves(one, {{{1}}, true, one.area}, {one.round_ms});
        add_best("two-level all-reduce", {{counted(groups.size(), "group"), one}});
    }

    [[nodiscard]] double access_ms() const {
        double slowest = 0;
        for (const Island& island : times_.islands().islands) {
            slowest = std::max(slowest,
                               8000 * times_.capabilities().payload_gb /
                                   std::min(island.ingress_gbps, island.egress_gbps));
        }
        return slowest;
    }

    /// Without multicast and aggregation.
    void serial() {
        const auto cells = times_.latency_ms().cells();
        Edges all;
        for (int from = 0; from < n_; ++from) {
            for (int to = 0; to < n_; ++to) {
                if (from != to) {
                    all.emplace_back(from, to);
                }
            }
        }
        Comparator copies;
        copies.feasible = true;
        copies.area = 1.5;
        copies.round_ms = detail::unicast_ms(times_, all) + *std::ranges::max_element(cells);
        copies.score_ms = 1.5 * copies.round_ms;
        keep_curves(copies, {{{1}}, true, 1.5}, {copies.round_ms});
        add_best("copies to each", {{"unicast", copies}});
        Comparator around = copies;
        around.round_ms = detail::fast_ring_ms(times_);
        around.score_ms = 1.5 * around.round_ms;
        keep_curves(around, {{{1}}, true, 1.5}, {around.round_ms});
        add_best("ring all-reduce", {{"unicast", around}});
    }

    RoundTimes& times_;
    ComparatorOptions options_;
    MixingOptions by_target_;  ///< of cliques; those of graphs are without targets
    int n_;
    std::vector<Comparator> found_;
};

}  // namespace

std::vector<Comparator> compare_schedules(RoundTimes& times, const ComparatorOptions& options) {
    return Comparison(times, options).run();
}

}  // namespace longhaul::schedule
