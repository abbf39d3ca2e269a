#include "longhaul/placement/crossover.hpp"

#include <algorithm>

#include "longhaul/placement/assignment.hpp"

namespace longhaul::placement {
namespace {

/// Stage of every device.
std::vector<int> stage_of_device(const Stages& stages) {
    std::vector<int> stage_of(stages.size() * stages.front().size());
    for (std::size_t s = 0; s < stages.size(); ++s) {
        for (const int device : stages[s]) {
            stage_of[device] = static_cast<int>(s);
        }
    }
    return stage_of;
}

}  // namespace

std::vector<int> aligned_stages(const Stages& one, const Stages& two) {
    const std::vector<int> in_two = stage_of_device(two);
    core::Grid<LexCost> apart(one.size(), two.size());
    for (std::size_t s = 0; s < one.size(); ++s) {
        for (const int device : one[s]) {
            apart(s, in_two[device]).part[0] -= 1;
        }
    }
    return least_assignment(apart);
}

Stages crossover(const Stages& one, const Stages& two, core::Random& random) {
    const std::vector<int> partner = aligned_stages(one, two);
    std::vector<int> stage_here(two.size());  // stage of `one` for each stage of `two`
    for (std::size_t s = 0; s < partner.size(); ++s) {
        stage_here[partner[s]] = static_cast<int>(s);
    }
    const std::vector<int> in_one = stage_of_device(one);
    const std::vector<int> in_two = stage_of_device(two);
    const std::size_t dp = one.front().size();
    Stages child(one.size());
    std::vector<int> open;
    for (std::size_t d = 0; d < in_one.size(); ++d) {
        if (in_one[d] == stage_here[in_two[d]]) {
            child[in_one[d]].push_back(static_cast<int>(d));
        } else {
            open.push_back(static_cast<int>(d));
        }
    }
    random.shuffle(std::span<int>(open));
    std::vector<int> homeless;
    for (const int d : open) {
        int first = in_one[d];
        int second = stage_here[in_two[d]];
        if (random.below(2) == 0) {
            std::swap(first, second);
        }
        if (child[first].size() < dp) {
            child[first].push_back(d);
        } else if (child[second].size() < dp) {
            child[second].push_back(d);
        } else {
            homeless.push_back(d);
        }
    }
    std::size_t stage = 0;
    for (const int d : homeless) {
        while (child[stage].size() == dp) {
            ++stage;
        }
        child[stage].push_back(d);
    }
    return child;
}

}  // namespace longhaul::placement
