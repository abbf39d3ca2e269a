#include "longhaul/schedule/detail/prefix_bound.hpp"

#include <algorithm>
#include <cmath>

#include "longhaul/core/assert.hpp"
#include "longhaul/schedule/detail/common.hpp"
#include "longhaul/schedule/detail/contrasting.hpp"
#include "longhaul/schedule/detail/dividing.hpp"

namespace longhaul::schedule::detail {

namespace {

constexpr double kMostClasses = 96;

/// Below this gap only so much more work is worth while.
constexpr double kCloseGap = 0.0499;
constexpr double kFinishing = 1e6;
/// Rows made from one island's times rounds, for each unit of work.
constexpr double kRowWork = 0.03;
/// Products of up to so many rounds are looked at; numbers added for each unit of work.
constexpr std::size_t kLongestProduct = 24;
constexpr double kProductWork = 1000;
constexpr double kExactPart = 0.2;     ///< of the work, for one length where nothing is coarser
constexpr double kProductPart = 0.4;   ///< of the work, for one length
constexpr double kLongerProduct = 12;  ///< times the work of one round less, at least
constexpr double kUnfinished = 0.5;    ///< of the work of one that was not finished counts
/// What a finer division must add to a floor for more to be tried, and for all of the work.
constexpr double kWorthWhile = 0.02;
constexpr double kFullyWorthWhile = 0.2;
constexpr double kChoosingSides = 0.1;  ///< of the work
constexpr double kLeastForSides = 5e8;  ///< numbers; sides are not worth while for less
constexpr std::size_t kContrasts = 3;
constexpr double kChoosingContrasts = 0.2;  ///< of the work
constexpr double kContrastWork = 400;       ///< numbers added for each unit of work
constexpr double kLeastForContrasts = 1e8;
constexpr double kContrastPart = 0.08;  ///< of the work, for one of them and one length
/// Numbers added to list what products are met with, and how much of it is met.
constexpr double kAheadWork = 1e9;
constexpr std::size_t kMostAhead = 3;
constexpr std::size_t kMostProductsAhead = 500'000;
constexpr double kMostNumbersAhead = 1e6;
/// Of a part of the work, for the remainder of one product.
constexpr double kRemainderPart = 0.05;
/// The first part of the work, and how much larger each further one is.
constexpr double kFirstPart = 1e5;
constexpr double kMoreWork = 8;
/// From this part on contrasts that took too much are tried again.
constexpr double kHardPart = 5e6;

}  // namespace

PrefixBound::PrefixBound(const std::vector<ListedRound>& rounds,
                         const SetErrors& errors,
                         int islands,
                         const MixingOptions& mixing,
                         double above)
    : forgetting_(mixing.forgetting) {
    LONGHAUL_ASSERT(islands >= 2 && islands <= 10 && !rounds.empty());
    const std::vector<std::size_t> ends = ends_of_classes(rounds, kMostClasses);
    const ErrorFloors* wider = nullptr;
    for (std::size_t c = ends.size(); c-- > 0;) {
        const double least_ms = rounds[c == 0 ? 0 : ends[c - 1]].time_ms;
        RoundTable table(std::span<const ListedRound>(rounds).first(ends[c]), islands, mixing);
        ErrorFloors floors(table, errors, forgetting_, wider);
        classes_.push_back(
            std::make_unique<Class>(Class{least_ms, std::move(table), std::move(floors)}));
        wider = &classes_.back()->floors;
    }
    // Longest rounds that leave too little time are in no better schedule.
    std::erase_if(classes_, [&](const std::unique_ptr<Class>& of) {
        return of->least_ms * (1.5 + of->floors.after(0)) >= above;
    });
    std::ranges::reverse(classes_);
}

void PrefixBound::divide(Class& of, double limit, const std::function<bool()>& stop) {
    if (of.divisions.empty()) {
        of.floors.look_at_rows(of.table, kRowWork / kProductWork * product_work_);
        of.divisions.push_back({ProductFloors(of.table, finest_sides(of.table.n))});
        return;
    }
    double work = std::min(kChoosingSides * product_work_, limit);
    product_work_ -= work;
    for (Sides& sides : promising_sides(of.table, work, stop)) {
        of.divisions.push_back({ProductFloors(of.table, std::move(sides))});
    }
    product_work_ += work;
}

double PrefixBound::least_product(Division& with,
                                  std::size_t length,
                                  double part,
                                  const std::function<bool()>& stop) {
    if (kLongerProduct * with.work > part) {
        return 0;
    }
    double work = part;
    const double least = with.floors.least(length, work, stop);
    product_work_ -= part - std::max(0.0, work);
    // An unfinished one may be tried again with a larger part.
    with.work = (least > 0 ? 1 : kUnfinished) * (part - std::max(0.0, work));
    return least;
}

double PrefixBound::least_by_sides(Class& of, double limit, const std::function<bool()>& stop) {
    if (of.divisions.size() == 1) {
        if (limit < kLeastForSides) {
            return 0;
        }
        divide(of, limit, stop);
    }
    // Coarse ones take little work; finer ones may take as much as they seem to be worth.
    double least = 0;
    double worth = 1;
    for (std::size_t k = of.divisions.size(); k-- > 0;) {
        const double part = worth * std::min(kProductPart * product_work_, limit);
        const double finer = least_product(of.divisions[k], of.next_length, part, stop);
        const double gain = least == 0 ? kFullyWorthWhile : finer / least - 1;
        least = std::max(least, finer);
        if (gain < kWorthWhile) {
            break;
        }
        worth = std::min(1.0, gain / kFullyWorthWhile);
    }
    return least;
}

void PrefixBound::look_at_contrasts(Class& of,
                                    double needed,
                                    double limit,
                                    const std::function<bool()>& stop) {
    if (of.next_contrast == 0) {
        if (limit < kLeastForContrasts) {
            return;
        }
        double work = std::min(kChoosingContrasts * contrast_work_, limit);
        contrast_work_ -= work;
        const Twins twins = find_twins(of.table);
        for (Contrast& contrast : promising_contrasts(of.table, twins, kContrasts, work, stop)) {
            of.contrasts.emplace_back(of.table, twins, std::move(contrast));
        }
        contrast_work_ += work;
        of.next_contrast = kFirstLength;
    }
    for (; of.next_contrast <= kLongestProduct && !of.contrasts.empty() &&
           of.floors.after(0) < needed;
         ++of.next_contrast) {
        double least = 0;
        std::erase_if(of.contrasts, [&](ContrastFloors& floors) {
            const double part = std::min(kContrastPart * contrast_work_, limit);
            double work = part;
            const double mine = floors.least(of.next_contrast, work, stop);
            contrast_work_ -= part - std::max(0.0, work);
            least = std::max(least, mine);
            return mine == 0;
        });
        of.floors.raise(of.next_contrast, least);
    }
}

void PrefixBound::look_at_products(Class& of,
                                   double needed,
                                   double limit,
                                   const std::function<bool()>& stop) {
    if (of.divisions.empty() && of.floors.after(0) < needed) {
        divide(of, limit, stop);
    }
    for (; of.exact <= kLongestProduct && of.floors.after(0) < needed; ++of.exact) {
        const double part = std::min(kExactPart * product_work_, limit);
        const double least = least_product(of.divisions.front(), of.exact, part, stop);
        if (least == 0) {
            break;
        }
        of.floors.raise(of.exact, least);
    }
    of.next_length = std::max(of.next_length, of.exact);
    for (; of.next_length <= kLongestProduct && of.floors.after(0) < needed; ++of.next_length) {
        look_at_contrasts(of, needed, kContrastWork / kProductWork * limit, stop);
        if (of.floors.after(0) >= needed) {
            return;
        }
        const double least = least_by_sides(of, limit, stop);
        if (least == 0) {
            return;
        }
        of.floors.raise(of.next_length, least);
    }
}

/// Products of few rounds, to be met with those of the starts.
void PrefixBound::prepare_search(Class& of, const std::function<bool()>& stop) const {
    if (!of.remainders) {
        double work = of.divisions.empty() ? 0 : kAheadWork;
        for (std::size_t length = 1; work > 0 && length <= kMostAhead; ++length) {
            std::optional<LaterProducts> products =
                of.divisions.front().floors.later(length, kMostProductsAhead, work, stop);
            if (!products || products->numbers() > kMostNumbersAhead) {
                break;
            }
            of.ahead.push_back(std::move(*products));
        }
        of.symmetries.emplace(of.table);
        of.remainders.emplace(of.table, forgetting_, of.ahead, *of.symmetries);
    }
    of.remainders->use_floors(of.floors);
}

bool PrefixBound::proves(Class& of, double score, double& work, const PrefixCalls& calls) {
    const double needed = score / of.least_ms - 1.5;
    bool proved = of.proved >= score || of.floors.after(0) >= needed;
    for (double part = kFirstPart; !proved; part *= kMoreWork) {
        if (work <= 0 || (calls.stop && calls.stop())) {
            return false;
        }
        // Disagreement lasts longest in the fastest class: there contrasts pay soon.
        const bool hard = &of == classes_.front().get() || part >= kHardPart;
        if (hard && !of.hard) {
            of.hard = true;
            of.next_contrast = 0;  // those that took too much may be tried again
            of.contrasts.clear();
        }
        look_at_products(of, needed, kProductWork * part, calls.stop);
        proved = of.floors.after(0) >= needed;
        if (proved) {
            break;
        }
        prepare_search(of, calls.stop);
        double left = std::min(part, work);
        work -= left;
        PrefixSearch search(of.table, of.floors, *of.remainders, forgetting_, calls);
        proved = search.proves(score, of.least_ms, left, kRemainderPart * part);
        work += std::max(0.0, left);
    }
    of.proved = std::max(of.proved, score);
    return true;
}

double PrefixBound::prove(double below, double above, double work, const PrefixCalls& calls) {
    if (classes_.empty()) {
        return above;
    }
    product_work_ = kProductWork * work;
    contrast_work_ = kContrastWork * work;
    for (const std::unique_ptr<Class>& of : classes_) {
        of->next_length = kFirstLength;
        of->next_contrast = 0;
        of->contrasts.clear();
        of->hard = false;
        while (of->divisions.size() > 1) {
            of->divisions.pop_back();  // more work chooses better ones
        }
    }
    double proved = below;
    for (const double gap : {0.3, 0.2, 0.15, 0.1, 0.07, kCloseGap, 0.04, 0.03, 0.02, 0.015, 0.01}) {
        const double score = above / (1 + gap);
        if (score <= proved) {
            continue;
        }
        work = gap < kCloseGap ? std::min(work, kFinishing) : work;
        for (const std::unique_ptr<Class>& of : classes_) {
            if (!proves(*of, score, work, calls)) {
                return proved;
            }
        }
        proved = score;
    }
    return proved;
}

}  // namespace longhaul::schedule::detail
