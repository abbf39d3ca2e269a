#include "longhaul/schedule/detail/contrasting.hpp"

#include <algorithm>
#include <functional>

namespace longhaul::schedule::detail {

namespace {

constexpr std::size_t kContrastsKeptAtFirst = 64;
constexpr std::size_t kContrastsKeptOfEach = 4;  ///< one of so many after each length

/// One of each pair that differs in its sign only.
std::vector<Contrast> all_contrasts(const Twins& twins) {
    const std::size_t classes = std::size_t{std::ranges::max(twins)} + 1;
    std::vector<Contrast> all;
    std::vector<std::int8_t> number(classes, -1);
    const std::function<void(std::size_t, bool, bool)> choose =
        [&](std::size_t k, bool more, bool less) {
            if (k == classes) {
                if (more && less) {
                    Contrast& contrast = all.emplace_back();
                    for (const std::uint8_t of : twins) {
                        contrast.push_back(number[of]);
                    }
                }
                return;
            }
            for (const std::int8_t with : {std::int8_t{0}, std::int8_t{1}, std::int8_t{-1}}) {
                if (with >= 0 || more) {
                    number[k] = with;
                    choose(k + 1, more || with > 0, less || with < 0);
                }
            }
        };
    choose(0, false, false);
    return all;
}

struct JudgedContrast {
    ContrastFloors floors;
    double floor = 0;
};

}  // namespace

std::vector<Contrast> promising_contrasts(const RoundTable& table,
                                          const Twins& twins,
                                          std::size_t count,
                                          double& work,
                                          const std::function<bool()>& stop) {
    std::vector<JudgedContrast> left;
    for (Contrast& contrast : all_contrasts(twins)) {
        left.push_back({ContrastFloors(table, twins, std::move(contrast))});
    }
    std::size_t kept = std::max(count, kContrastsKeptAtFirst);
    for (std::size_t length = 2; !left.empty(); length += 2) {
        const double part = work / 2 / static_cast<double>(left.size());
        bool known = true;
        for (JudgedContrast& of : left) {
            double mine = part;
            const double least = of.floors.least(length, mine, stop);
            work -= part - mine;
            // Nothing may be left of one, or there is no work for it.
            known = known && (least > 0 || mine > 0);
            of.floor = mine > 0 ? least : of.floor;
        }
        std::ranges::stable_sort(left, std::greater<>(), &JudgedContrast::floor);
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(std::min(left.size(), kept)),
                   left.end());
        std::erase_if(left, [](const JudgedContrast& of) { return of.floor == 0; });
        if (!known || left.size() <= count) {
            break;
        }
        kept = std::max(count, left.size() / kContrastsKeptOfEach);
    }
    std::vector<Contrast> chosen;
    for (std::size_t k = 0; k < std::min(left.size(), count); ++k) {
        chosen.push_back(left[k].floors.contrast());
    }
    return chosen;
}

}  // namespace longhaul::schedule::detail
