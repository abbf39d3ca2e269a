#include "longhaul/schedule/detail/remainders.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "longhaul/schedule/detail/common.hpp"

namespace longhaul::schedule::detail {

namespace {

constexpr std::size_t kMostInLevel = 4'000'000;
/// Of a number added when more rounds at once are looked at, in rounds tried.
constexpr double kLookWork = 0.0005;
constexpr double kLookPart = 0.2;  ///< of the work, for one level and one number of rounds
/// Levels whose products are kept with what a search proved of them.
constexpr std::size_t kKeptLevels = 3;
/// The beam: products of each length, rounds, and what an error of today costs later.
constexpr std::size_t kBeamWidth = 24;
constexpr std::size_t kBeamRounds = 24;
constexpr double kBeamToCome = 2;
constexpr std::size_t kOfOneProduct = 3;  ///< steps looked at for each that is kept

}  // namespace

Remainders::Remainders(const RoundTable& table,
                       double forgetting,
                       std::vector<LaterProducts>& ahead,
                       const Symmetries& symmetries)
    : table_(table),
      rounds_(table),
      child_(table),
      forgetting_(forgetting),
      later_(ahead),
      symmetries_(symmetries),
      floors_(ErrorFloors::kMost + 1, 0),
      behind_(ErrorFloors::kMost + 1, 0),
      distinct_(table.n * table.n) {
    (void)find(rounds_.unit().data(), 0);
}

void Remainders::use_floors(const ErrorFloors& floors) {
    double worth = 1;
    for (std::size_t h = 0; h < floors_.size(); ++h) {
        floors_[h] = std::max(floors_[h], floors.of(h) / worth);
        worth *= forgetting_;
    }
    for (std::size_t h = floors_.size() - 1; h-- > 0;) {
        behind_[h] = forgetting_ * (floors_[h + 1] + behind_[h + 1]);
    }
    for (Known& known : known_) {
        known.at_least = std::max(known.at_least, behind(known.rounds, known.ahead));
        known.looked = false;
        known.tried_work = 0;
    }
}

Remainders::Product Remainders::find(const float* rows, std::size_t rounds) {
    const std::size_t width = rounds_.width();
    products_.insert(products_.end(), rows, rows + width);
    put_in_order(&products_[products_.size() - width]);
    const auto product = static_cast<Product>(distinct_.keep_last(products_));
    if (product == known_.size()) {
        Known& known = known_.emplace_back();
        known.rounds = rounds;
        known.at_least = behind(rounds, known.ahead);
    }
    return product;
}

double Remainders::reached(Product of) {
    Known& known = known_[of];
    if (known.reached >= 0) {
        return known.reached;
    }
    struct Step {
        double key;
        double sum;
        std::size_t before;
        std::size_t round;
    };
    const std::size_t width = rounds_.width();
    std::vector<float> kept(products_.begin() + static_cast<std::ptrdiff_t>(of * width),
                            products_.begin() + static_cast<std::ptrdiff_t>((of + 1) * width));
    std::vector<double> sums{0};
    std::vector<Step> steps;
    double worth = 1;
    for (std::size_t k = 0; k < kBeamRounds; ++k) {
        worth *= forgetting_;
        steps.clear();
        for (std::size_t s = 0; s < sums.size(); ++s) {
            rounds_.take(&kept[s * width]);
            for (std::size_t round = 0; round < rounds_.size(); ++round) {
                const double error = worth * rounds_.error_after(round);
                steps.push_back({sums[s] + (1 + kBeamToCome) * error, sums[s] + error, s, round});
            }
        }
        const std::size_t most = std::min(steps.size(), kOfOneProduct * kBeamWidth);
        std::ranges::partial_sort(
            steps, steps.begin() + static_cast<std::ptrdiff_t>(most), {}, &Step::key);
        std::vector<float> next;
        sums.clear();
        Distinct distinct(width);
        for (std::size_t s = 0; s < most && sums.size() < kBeamWidth; ++s) {
            rounds_.take(&kept[steps[s].before * width]);
            next.resize(next.size() + width);
            rounds_.apply(steps[s].round, &next[next.size() - width]);
            if (table_.equal) {
                sort_columns(&next[next.size() - width], table_.n, table_.n);
            }
            const std::size_t before = next.size();
            (void)distinct.keep_last(next);
            if (next.size() == before) {
                sums.push_back(steps[s].sum);
            }
        }
        kept = std::move(next);
    }
    known.reached = *std::ranges::min_element(sums);
    return known.reached;
}

void Remainders::look_ahead(Product of, double enough, double& work) {
    Known& known = known_[of];
    if (known.looked || known.at_least >= enough) {
        return;
    }
    known.looked = true;
    const std::size_t width = rounds_.width();
    child_.take(&products_[of * width]);
    known.ahead[0] =
        std::max(known.ahead[0], static_cast<float>(child_.least_after() - kGrainsInError));
    meet(&products_[of * width], known.rounds, later_.size(), enough, known.ahead, work);
    known.at_least = std::max(known.at_least, behind(known.rounds, known.ahead));
}

bool Remainders::raise(Product of, double to, double& work, const std::function<bool()>& stop) {
    const std::size_t width = rounds_.width();
    {
        const Known& known = known_[of];
        if (known.at_least >= to) {
            return true;
        }
        if (to >= known.tried_to && work <= known.tried_work) {
            return false;
        }
    }
    const double before = work;
    const std::size_t rounds = known_[of].rounds;
    std::vector<Level> levels(1);
    levels[0].products.assign(products_.begin() + static_cast<std::ptrdiff_t>(of * width),
                              products_.begin() + static_cast<std::ptrdiff_t>((of + 1) * width));
    levels[0].sums = {0};
    levels[0].ahead = {known_[of].ahead};
    if (!search(levels, rounds, to, work, stop)) {
        if (!(stop && stop())) {
            known_[of].tried_to = to;
            known_[of].tried_work = before;
        }
        return false;
    }
    for (std::size_t depth = 0; depth < std::min(kKeptLevels, levels.size()); ++depth) {
        keep(levels[depth], rounds + depth, to);
    }
    return true;
}

/// Adds the first levels, and the last one that is looked at.
bool Remainders::search(std::vector<Level>& levels,
                        std::size_t rounds,
                        double to,
                        double& work,
                        const std::function<bool()>& stop) {
    for (std::size_t depth = 0; rounds + depth + 2 < floors_.size(); ++depth) {
        Level next;
        next.worth = forgetting_ * levels.back().worth;
        if (!look_behind(levels.back(), rounds + depth, to, next, work, stop)) {
            return false;
        }
        if (next.sums.empty()) {
            return true;
        }
        if (depth >= kKeptLevels) {
            levels.pop_back();
        }
        levels.push_back(std::move(next));
    }
    return false;
}

/// All rounds behind the products of a level that leave hope; false when the work or `stop` end it.
bool Remainders::look_behind(Level& level,
                             std::size_t rounds,
                             double to,
                             Level& next,
                             double& work,
                             const std::function<bool()>& stop) {
    const std::size_t width = rounds_.width();
    Distinct distinct(width);
    const std::size_t lists = lists_for(static_cast<double>(level.sums.size()), work);
    for (std::size_t node = 0; node < level.sums.size(); ++node) {
        const double enough = (to - static_cast<double>(level.sums[node])) / level.worth;
        if (behind(rounds, level.ahead[node]) >= enough) {
            continue;
        }
        if (work <= 0 || next.sums.size() > kMostInLevel || (stop && stop())) {
            work = std::min(work, 0.0);
            return false;
        }
        const float* rows = &level.products[node * width];
        if (meet(rows, rounds, lists, enough, level.ahead[node], work) < enough) {
            extend(level, node, rounds, to, distinct, next);
            work -= static_cast<double>(rounds_.size());
        }
    }
    return true;
}

/// What a search proved of the products of a level.
void Remainders::keep(const Level& level, std::size_t rounds, double to) {
    const std::size_t width = rounds_.width();
    for (std::size_t node = 0; node < level.sums.size(); ++node) {
        const double left = (to - static_cast<double>(level.sums[node])) / level.worth;
        Known& known = known_[find(&level.products[node * width], rounds)];
        known.at_least = std::max(known.at_least, left - kGrainsInError);
    }
}

/// Meets the product with as many lists, until what is behind it is enough; returns that.
double Remainders::meet(const float* rows,
                        std::size_t rounds,
                        std::size_t lists,
                        double enough,
                        Ahead& ahead,
                        double& work) {
    double left = behind(rounds, ahead);
    if (lists == 0) {
        return left;
    }
    const std::size_t n = table_.n;
    std::array<float, RoundTable::kMostIslands * RoundTable::kMostIslands> columns{};
    for (std::size_t i = 0; i < n; ++i) {
        std::copy_n(rows + i * n, n - 1, &columns[i * (n - 1)]);
    }
    double worth = 1;
    float least = 1;
    for (std::size_t j = 0; j < lists && rounds + j + 1 < floors_.size() && left < enough; ++j) {
        worth *= forgetting_;
        const double floor = std::max(static_cast<double>(ahead[j]), floors_[rounds + j + 1]);
        // What would be enough; and a further round never adds disagreement.
        least = static_cast<float>(
            std::min(static_cast<double>(least), floor + (enough - left) / worth) +
            2 * kGrainsInError);
        later_[j].lower(columns.data(), least);
        work -= kLookWork * later_[j].looked();
        ahead[j] = std::max(ahead[j], least - static_cast<float>(kGrainsInError));
        left = behind(rounds, ahead);
    }
    return left;
}

/// How many of the lists may be met with so many products.
std::size_t Remainders::lists_for(double products, double work) const {
    std::size_t lists = 0;
    while (lists < std::min(kMostAhead, later_.size()) &&
           kLookWork * later_[lists].numbers() * products < kLookPart * work) {
        ++lists;
    }
    return lists;
}

/// At least what is behind a product of so many rounds.
double Remainders::behind(std::size_t rounds, const Ahead& ahead) const {
    double left = 0;
    double worth = 1;
    const std::size_t known = std::min(kMostAhead, floors_.size() - 1 - rounds);
    for (std::size_t j = 1; j <= known; ++j) {
        worth *= forgetting_;
        left += worth * std::max(static_cast<double>(ahead[j - 1]), floors_[rounds + j]);
    }
    return left + worth * behind_[rounds + known];
}

/// All rounds behind a product.
void Remainders::extend(const Level& level,
                        std::size_t node,
                        std::size_t rounds,
                        double to,
                        Distinct& distinct,
                        Level& next) {
    const std::size_t width = rounds_.width();
    rounds_.take(&level.products[node * width]);
    const double worth = next.worth;
    // What is known of j + 1 rounds behind the product is known of j behind each further one.
    Ahead shifted{};
    std::copy(level.ahead[node].begin() + 1, level.ahead[node].end(), shifted.begin());
    const double left = worth * behind(rounds + 1, shifted);
    for (std::size_t round = 0; round < rounds_.size(); ++round) {
        // A first round leaves at least what a coarser one leaves, whatever follows.
        if (rounds == 0 && !table_.coarsest(round)) {
            continue;
        }
        const double error = std::max(rounds_.error_after(round), floors_[rounds + 1]);
        const double sum = static_cast<double>(level.sums[node]) + worth * error;
        if (sum + left >= to) {
            continue;
        }
        next.products.resize(next.products.size() + width);
        float* product = &next.products[next.products.size() - width];
        rounds_.apply(round, product);
        put_in_order(product);
        const std::size_t before = next.products.size();
        const std::size_t child = distinct.keep_last(next.products);
        if (next.products.size() < before) {
            next.sums[child] = std::min(next.sums[child], static_cast<float>(sum));
            for (std::size_t j = 0; j < kMostAhead; ++j) {
                next.ahead[child][j] = std::max(next.ahead[child][j], shifted[j]);
            }
            continue;
        }
        child_.take(&next.products[next.products.size() - width]);
        Ahead ahead = shifted;
        ahead[0] = std::max(ahead[0], static_cast<float>(child_.least_after() - kGrainsInError));
        if (sum + worth * behind(rounds + 1, ahead) >= to) {
            distinct.forget_last(next.products);
            continue;
        }
        next.sums.push_back(static_cast<float>(sum));
        next.ahead.push_back(ahead);
    }
}

void Remainders::put_in_order(float* rows) const {
    if (!table_.equal) {
        return;
    }
    if (symmetries_.size() > 1) {
        turn(rows);
    }
    sort_columns(rows, table_.n, table_.n);
}

/// Gives islands the names that make the least print.
void Remainders::turn(float* rows) const {
    constexpr float kSteps = 1U << 20U;
    const std::size_t n = table_.n;
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
            of[i][b] = mix((std::uint64_t{nearest_step(rows[i * n + b], kSteps)} + 1) *
                           0xBF58476D1CE4E5B9U);
        }
    }
    std::uint64_t least = UINT64_MAX;
    Symmetries::Index best = 0;
    for (std::size_t g = 0; g < symmetries_.size(); ++g) {
        const auto images = symmetries_.images(static_cast<Symmetries::Index>(g));
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
        return;
    }
    std::array<float, RoundTable::kMostIslands * RoundTable::kMostIslands> before{};
    std::copy_n(rows, n * n, before.begin());
    const auto images = symmetries_.images(best);
    for (std::size_t i = 0; i < n; ++i) {
        std::copy_n(&before[i * n], n, rows + images[i] * n);
    }
}

}  // namespace longhaul::schedule::detail
