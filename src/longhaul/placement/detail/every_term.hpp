// Every combination of terms on random small fabrics, and the definition of the best placement.
#pragma once

#include <limits>

#include "longhaul/placement/detail/term_cases.hpp"

namespace longhaul::placement::testing {

/// The definition: the least score as mapped over all rank maps, replicas in one order.
inline double best_of_all_maps(const Problem& problem) {
    const Shape shape = problem.shape;
    std::vector<int> order = counted(problem.devices());
    double best = std::numeric_limits<double>::infinity();
    do {
        // The unused devices once, and the first stage once.
        const auto used = order.begin() + static_cast<std::ptrdiff_t>(shape.devices());
        if (!std::is_sorted(used, order.end()) ||
            !std::is_sorted(order.begin(), order.begin() + shape.dp)) {
            continue;
        }
        Stages stages(static_cast<std::size_t>(shape.pp));
        for (auto it = order.begin(); it != used; ++it) {
            stages[static_cast<std::size_t>((it - order.begin()) / shape.dp)].push_back(*it);
        }
        const Placement map = Placement::from_stages(stages, problem.devices());
        best = std::min(best, score_as_mapped(problem, map).total());
    } while (std::ranges::next_permutation(order).found);
    return best;
}

/// Every objective with every exchange, with and without shared capacity, speeds and each kind of
/// compute.
inline std::vector<TermChoice> all_choices() {
    std::vector<TermChoice> all;
    for (const Objective objective : {Objective::kAdditive, Objective::kPipelined}) {
        for (const Exchange exchange : {Exchange::kSharded,
                                        Exchange::kRing,
                                        Exchange::kCentral,
                                        Exchange::kTree,
                                        Exchange::kHierarchical}) {
            for (int bits = 0; bits < 16; ++bits) {
                TermChoice choice{"", objective, exchange};
                choice.shared = (bits & 1) != 0;
                choice.speeds = (bits & 2) != 0;
                choice.equal_seconds = bits / 4 == 1;
                choice.stage_seconds = bits / 4 == 2;
                choice.layers = bits / 4 == 3;
                all.push_back(choice);
            }
        }
    }
    return all;
}

inline std::string text_of(const TermChoice& choice, const Problem& problem) {
    return std::string(name_of(choice.objective)) + " " + std::string(name_of(choice.exchange)) +
           (choice.shared ? " shared" : "") + (choice.speeds ? " speeds" : "") +
           (choice.equal_seconds ? " equal times" : "") + (choice.stage_seconds ? " times" : "") +
           (choice.layers ? " layers" : "") + " spare " + std::to_string(choice.spare) + " pp " +
           std::to_string(problem.shape.pp);
}

#ifdef __SANITIZE_ADDRESS__
inline constexpr std::size_t kEveryNth = 5;  // they take long under it, and go the same ways
#else
inline constexpr std::size_t kEveryNth = 1;
#endif

/// f(problem, fabric, what it is) for every choice of terms, with 0, 1 and 2 devices to spare, on a
/// random small fabric each.
template <class F>
void for_all_terms(std::uint64_t stream, F f) {
    constexpr Shape kShapes[] = {{2, 2}, {1, 3}, {3, 1}, {4, 1}};
    core::Random random(7, stream);
    std::size_t number = 0;
    for (TermChoice choice : all_choices()) {
        for (choice.spare = 0; choice.spare < 3; ++choice.spare) {
            const Shape shape = kShapes[number++ % std::size(kShapes)];
            if (number % kEveryNth != 0) {
                continue;
            }
            const TermCase made = number % 2 == 0 ? few_kinds(choice, shape.pp, shape.dp, random)
                                                  : term_case(choice, shape.pp, shape.dp, random);
            const Problem problem = made.problem();
            f(problem, made.fabric, text_of(choice, problem));
        }
    }
}

}  // namespace longhaul::placement::testing
