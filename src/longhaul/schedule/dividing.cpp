#include "longhaul/schedule/detail/dividing.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace longhaul::schedule::detail {

namespace {

constexpr std::size_t kFinestChosen = 6;
constexpr std::size_t kDividedFurther = 3;
constexpr std::size_t kKeptOfEach = 4;  ///< one of so many after each length

/// A division and the floor of its longest products that were looked at.
struct Judged {
    Sides sides;
    double floor = 0;
};

/// Keeps the best by their floors of more and more rounds, while work is left.
void judge(const RoundTable& table,
           std::vector<Judged>& all,
           double& work,
           const std::function<bool()>& stop) {
    std::vector<ProductFloors> floors;
    for (const Judged& of : all) {
        floors.emplace_back(table, of.sides);
    }
    std::vector<std::size_t> left(all.size());
    std::iota(left.begin(), left.end(), std::size_t{0});
    for (std::size_t length = 2; left.size() > kDividedFurther; length += 2) {
        const double part = work / 2 / static_cast<double>(left.size());
        bool known = true;
        for (const std::size_t k : left) {
            double mine = part;
            const double least = floors[k].least(length, mine, stop);
            work -= part - mine;
            known = known && least > 0;
            if (least > 0) {
                all[k].floor = least;
            }
        }
        if (!known && length > 2) {
            left.resize(std::min(left.size(), kDividedFurther));
            break;
        }
        std::ranges::stable_sort(
            left, std::greater<>(), [&](std::size_t k) { return all[k].floor; });
        left.resize(std::min(left.size(), std::max(kDividedFurther, left.size() / kKeptOfEach)));
    }
    std::vector<Judged> best;
    for (const std::size_t k : left) {
        best.push_back({std::move(all[k].sides)});
    }
    all = std::move(best);
}

void all_cuts(std::size_t islands, std::vector<Judged>& cuts) {
    for (std::size_t set = 1; set < std::size_t{1} << (islands - 1); ++set) {
        Sides sides(islands);
        for (std::size_t i = 0; i < islands; ++i) {
            sides[i] = static_cast<std::uint8_t>((set >> i) & 1U);
        }
        cuts.push_back({std::move(sides)});
    }
}

/// Divides one side once more, in every way.
void refine(const Sides& sides, std::vector<Judged>& finer) {
    const std::size_t count = count_sides(sides);
    for (std::size_t divided = 0; divided < count; ++divided) {
        std::vector<std::size_t> members;
        for (std::size_t i = 0; i < sides.size(); ++i) {
            if (sides[i] == divided) {
                members.push_back(i);
            }
        }
        const std::size_t half = std::size_t{1} << (members.size() - 1);
        for (std::size_t set = 1; set < half; ++set) {
            Sides with = sides;
            for (std::size_t k = 0; k < members.size(); ++k) {
                if (((set >> k) & 1U) != 0) {
                    with[members[k]] = static_cast<std::uint8_t>(count);
                }
            }
            finer.push_back({std::move(with)});
        }
    }
}

}  // namespace

std::vector<Sides> promising_sides(const RoundTable& table,
                                   double& work,
                                   const std::function<bool()>& stop) {
    std::vector<Sides> chosen;
    std::vector<Judged> best;
    const std::size_t finest = std::min(kFinestChosen, table.n - 1);
    for (std::size_t count = 2; count <= finest; ++count) {
        std::vector<Judged> finer;
        if (best.empty()) {
            all_cuts(table.n, finer);
        }
        for (const Judged& of : best) {
            refine(of.sides, finer);
        }
        double part = work / static_cast<double>(finest + 1 - count);
        work -= part;
        judge(table, finer, part, stop);
        work += part;
        best = std::move(finer);
        chosen.push_back(best.front().sides);
    }
    std::ranges::reverse(chosen);
    return chosen;
}

}  // namespace longhaul::schedule::detail
