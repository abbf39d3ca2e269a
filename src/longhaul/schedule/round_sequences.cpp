#include "longhaul/schedule/detail/round_sequences.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "longhaul/core/assert.hpp"
#include "longhaul/schedule/detail/common.hpp"
#include "longhaul/schedule/detail/rounds_on_rows.hpp"

namespace longhaul::schedule::detail {

namespace {

/// Products of the rounds from each start on that has not faded, the oldest first.
using Products = std::vector<float>;

constexpr double kSequenceClasses = 24;
/// Rounds that an update waits and that its own takes, of a score.
constexpr double kBeforeMixing = 1.5;
/// Rounds of a sequence beyond the longest period: so many before it is as if it had always run.
constexpr std::size_t kWarmUp = 10;
/// A start whose disagreement is less has faded.
constexpr float kFaded = 0.004F;
constexpr std::size_t kMostStarts = 24;
constexpr double kTypicalStarts = 12;
/// What disagreement of today costs later, in times of itself: about that of a series that halves.
constexpr double kToCome = 1.5;
/// Numbers added, for each class, for each of the best ones, and the widths between which that is.
constexpr double kNarrowWork = 5e7;
constexpr double kWideWork = 4e8;
constexpr std::size_t kBestClasses = 3;
constexpr std::size_t kLeastWidth = 10;
constexpr std::size_t kOfOnePrint = 4;  ///< steps looked at for each that is kept
constexpr std::size_t kNarrowWidth = 200;
constexpr std::size_t kWideWidth = 2000;  ///< at any effort: memory grows with it
/// Sequences of each length that are closed, and the periods that are scored, besides the most
/// promising one of every length.
constexpr std::size_t kClosed = 64;
constexpr std::size_t kScored = 16;

/// The cliques of a round average rows of a product.
void average(const RoundTable& table, std::size_t round, float* rows) {
    for (const std::uint32_t id : table.cliques_of(round)) {
        const std::vector<std::size_t>& members = table.members[id];
        if (members.size() < 2) {
            continue;
        }
        for (std::size_t column = 0; column < table.n; ++column) {
            float sum = 0;
            for (const std::size_t member : members) {
                sum += static_cast<float>(table.share[member]) * rows[member * table.n + column];
            }
            sum /= static_cast<float>(table.mass[id]);
            for (const std::size_t member : members) {
                rows[member * table.n + column] = sum;
            }
        }
    }
}

float disagreement(const RoundTable& table, const float* rows) {
    float sum = 0;
    for (std::size_t i = 0; i < table.n; ++i) {
        float row = 0;
        for (std::size_t j = 0; j < table.n; ++j) {
            row += std::abs(rows[i * table.n + j] - static_cast<float>(table.share[j]));
        }
        sum += static_cast<float>(table.share[i]) * row;
    }
    return sum / static_cast<float>(table.start);
}

/// Sequences that have done the same have the same.
std::uint64_t print_of(const std::vector<float>& products) {
    constexpr float kSteps = 1U << 14U;
    std::uint64_t print = products.size();
    for (const float number : products) {
        print ^= static_cast<std::uint64_t>(std::lround(number * kSteps));
        print *= 0x9E3779B97F4A7C15U;
        print ^= print >> 29U;
    }
    return print;
}

/// The steps with the least keys of many.
class BestSteps {
public:
    explicit BestSteps(std::size_t most) : most_(most) {}

    [[nodiscard]] bool wants(double key) const { return key < bar_; }
    void add(const SequenceStep& step) {
        steps_.push_back(step);
        if (steps_.size() >= 2 * most_) {
            shorten();
            bar_ = std::ranges::max_element(steps_, {}, &SequenceStep::key)->key;
        }
    }
    /// Ascending.
    [[nodiscard]] std::vector<SequenceStep> take() {
        shorten();
        std::ranges::sort(steps_, before);
        return std::move(steps_);
    }

private:
    static bool before(const SequenceStep& a, const SequenceStep& b) {
        return std::tie(a.key, a.before, a.round) < std::tie(b.key, b.before, b.round);
    }
    void shorten() {
        if (steps_.size() > most_) {
            std::ranges::nth_element(
                steps_, steps_.begin() + static_cast<std::ptrdiff_t>(most_), before);
            steps_.resize(most_);
        }
    }

    std::size_t most_;
    double bar_ = kNever;
    std::vector<SequenceStep> steps_;
};

std::vector<std::size_t> least_rotation(std::vector<std::size_t> period) {
    std::vector<std::size_t> least = period;
    for (std::size_t k = 1; k < period.size(); ++k) {
        std::ranges::rotate(period, period.begin() + 1);
        least = std::min(least, period);
    }
    return least;
}

/// All rounds behind a sequence. `worth`: rho^h.
void add_steps(RoundsOnRows& rows,
               const std::vector<double>& worth,
               const Products& products,
               double sum,
               std::size_t before,
               BestSteps& steps) {
    const RoundTable& table = rows.table();
    std::vector<double> errors(table.cliques.size(), 0);
    const std::size_t starts = products.size() / rows.width();
    for (std::size_t s = 0; s <= starts; ++s) {
        rows.take(s < starts ? &products[s * rows.width()] : rows.unit().data());
        for (std::size_t c = 0; c < errors.size(); ++c) {
            errors[c] += worth[starts - s + 1] * rows.errors()[c];
        }
    }
    for (std::size_t round = 0; round < table.size(); ++round) {
        double added = 0;
        for (const std::uint32_t id : table.cliques_of(round)) {
            added += errors[id];
        }
        const double key = sum + (1 + kToCome) * added;
        if (steps.wants(key)) {
            steps.add({key, sum + added, before, round});
        }
    }
}

}  // namespace

RoundSequences::RoundSequences(const std::vector<ListedRound>& rounds,
                               int islands,
                               const MixingOptions& mixing,
                               std::size_t longest)
    : rounds_(rounds),
      islands_(islands),
      mixing_(mixing),
      longest_(longest),
      deepest_(longest + kWarmUp) {
    LONGHAUL_ASSERT(!rounds.empty() && longest >= 1);
    double worth = 1;
    for (std::size_t h = 0; h <= kMostStarts + 1; ++h) {
        worth_.push_back(worth);
        worth *= mixing.forgetting;
    }
}

std::size_t RoundSequences::width_for(const RoundTable& table, double work) const {
    const auto n = static_cast<double>(table.n);
    const double one = static_cast<double>(deepest_) * n *
                       (kTypicalStarts * static_cast<double>(table.cliques.size()) +
                        static_cast<double>(table.size()));
    return static_cast<std::size_t>(work / one);
}

double RoundSequences::look(double above, double effort, const Calls& calls) {
    const std::vector<std::size_t> ends = ends_of_classes(rounds_, kSequenceClasses);
    std::vector<std::pair<double, std::size_t>> best;  // score, end of the class
    double least = above;
    std::size_t begin = 0;
    for (const std::size_t end : ends) {
        if (rounds_[begin].time_ms * kBeforeMixing >= least || (calls.stop && calls.stop())) {
            break;
        }
        const RoundTable table(std::span<const ListedRound>(rounds_).first(end), islands_, mixing_);
        const std::size_t width = width_for(table, effort * kNarrowWork);
        const double score = grow(table, std::min(width, kNarrowWidth), least, calls);
        best.emplace_back(score, end);
        least = std::min(least, score);
        begin = end;
    }
    std::ranges::sort(best);
    best.resize(std::min(best.size(), kBestClasses));
    for (const auto& [score, end] : best) {
        const RoundTable table(std::span<const ListedRound>(rounds_).first(end), islands_, mixing_);
        const std::size_t width = width_for(table, effort * kWideWork);
        if (score < kNever && !(calls.stop && calls.stop())) {
            least = std::min(least, grow(table, std::min(width, kWideWidth), least, calls));
        }
    }
    return least;
}

double RoundSequences::grow(const RoundTable& table,
                            std::size_t width,
                            double above,
                            const Calls& calls) {
    if (width < kLeastWidth) {
        return kNever;
    }
    RoundsOnRows rows(table);
    const std::vector<float> unit = rows.unit();
    const std::size_t size = unit.size();
    std::vector<Products> kept{{}};
    std::vector<std::vector<SequenceStep>> levels;
    double least = kNever;
    while (levels.size() < deepest_ && !(calls.stop && calls.stop())) {
        BestSteps steps(kOfOnePrint * width);
        for (std::size_t s = 0; s < kept.size(); ++s) {
            add_steps(rows, worth_, kept[s], levels.empty() ? 0 : levels.back()[s].sum, s, steps);
        }
        std::vector<Products> next;
        std::vector<SequenceStep> level;
        std::unordered_set<std::uint64_t> prints;
        for (const SequenceStep& step : steps.take()) {
            Products products = kept[step.before];
            products.insert(products.end(), unit.begin(), unit.end());
            for (std::size_t k = 0; k < products.size(); k += size) {
                average(table, step.round, &products[k]);
            }
            while (products.size() > kMostStarts * size ||
                   (!products.empty() && disagreement(table, products.data()) < kFaded)) {
                products.erase(products.begin(),
                               products.begin() + static_cast<std::ptrdiff_t>(size));
            }
            if (prints.insert(print_of(products)).second) {
                next.push_back(std::move(products));
                level.push_back(step);
            }
            if (next.size() == width) {
                break;
            }
        }
        kept = std::move(next);
        levels.push_back(std::move(level));
        least = std::min(least, close(table, levels, std::min(above, least), calls));
    }
    return least;
}

/// The last rounds of the best sequences as periods.
double RoundSequences::close(const RoundTable& table,
                             const std::vector<std::vector<SequenceStep>>& levels,
                             double above,
                             const Calls& calls) {
    struct Period {
        double guess;  ///< of its score
        std::size_t sequence;
        std::size_t length;
    };
    std::vector<Period> periods;
    const std::size_t depth = levels.size();
    for (std::size_t s = 0; s < std::min(kClosed, levels.back().size()); ++s) {
        double longest = 0;
        std::size_t at = s;
        for (std::size_t k = 1; k <= std::min(depth, longest_); ++k) {
            const SequenceStep& step = levels[depth - k][at];
            longest = std::max(longest, table.rounds[step.round].time_ms);
            at = step.before;
            const double before = k == depth ? 0 : levels[depth - k - 1][at].sum;
            const double mean = (levels.back()[s].sum - before) / static_cast<double>(k);
            periods.push_back({longest * (kBeforeMixing + mean), s, k});
        }
    }
    std::ranges::stable_sort(periods, {}, &Period::guess);
    double least = kNever;
    std::size_t scored = 0;
    std::vector<bool> of_length(longest_ + 1, false);
    for (const Period& period : periods) {
        if (period.guess >= above) {
            break;
        }
        if (scored >= kScored && of_length[period.length]) {
            continue;
        }
        std::vector<std::size_t> rounds;
        std::size_t at = period.sequence;
        for (std::size_t k = 1; k <= period.length; ++k) {
            rounds.push_back(levels[depth - k][at].round);
            at = levels[depth - k][at].before;
        }
        std::ranges::reverse(rounds);
        if (tried_.insert(least_rotation(rounds)).second) {
            ++scored;
            of_length[period.length] = true;
            least = std::min(least, calls.score(rounds));
        }
    }
    return least;
}

}  // namespace longhaul::schedule::detail
