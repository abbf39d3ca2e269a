#include "longhaul/schedule/detail/bounds.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <queue>

#include "longhaul/core/assert.hpp"
#include "longhaul/schedule/detail/common.hpp"

namespace longhaul::schedule::detail {

SetErrors::SetErrors(int islands, const MixingOptions& options) : n_(slot(islands)) {
    std::vector<double> share = options.target;
    share.resize(n_, 1);
    const double sum = std::accumulate(share.begin(), share.end(), 0.0);
    for (double& part : share) {
        part /= sum;
        start_ += part * 2 * (1 - part);
    }
    if (n_ <= 16) {
        mass_.assign(std::size_t{1} << n_, 0);
        for (std::size_t set = 1; set < mass_.size(); ++set) {
            const auto low = static_cast<std::size_t>(std::countr_zero(set));
            mass_[set] = mass_[set & (set - 1)] + share[low];
        }
    }
    std::ranges::sort(share, std::greater<>());
    top_.assign(n_ + 1, 0);
    std::partial_sum(share.begin(), share.end(), top_.begin() + 1);
}

double SetErrors::one(const Round& round) const {
    double sum = 0;
    for (const Clique clique : round.cliques) {
        const double mass = mass_[clique];
        sum += 2 * mass * (1 - mass);
    }
    return start_ == 0 ? 0 : std::max(0.0, sum / start_);
}

double SetErrors::two(const Round& a, const Round& b) const {
    double sum = 0;
    for (const Clique x : a.cliques) {
        const double mass = mass_[x];
        for (const Clique y : b.cliques) {
            sum += std::abs(mass_[x & y] - mass * mass_[y]);
        }
    }
    return start_ == 0 || sum < 1e-14 ? 0 : sum / start_;
}

double SetErrors::at_least(double support) const {
    if (start_ == 0) {
        return 0;
    }
    const auto m = static_cast<std::size_t>(std::min(support, static_cast<double>(n_)));
    return std::max(0.0, 2 * (1 - top_[m]) / start_ - 1e-14);
}

std::optional<std::vector<ListedRound>> list_rounds(RoundTimes& times,
                                                    int largest,
                                                    const SetErrors& errors,
                                                    std::uint64_t most) {
    const int n = static_cast<int>(times.islands().size());
    std::vector<ListedRound> listed;
    std::vector<Clique> cliques;
    std::uint64_t looked = 0;
    // Cliques that cannot be aligned alone are left out early.
    const auto extend = [&](const auto& self, Clique left) -> bool {
        if (left == 0) {
            if (++looked > most) {
                return false;
            }
            Round round{cliques};
            const double time = times.time_ms(round);
            if (time != kNever) {
                int widest = 1;
                for (const Clique clique : cliques) {
                    widest = std::max(widest, clique_size(clique));
                }
                const double error = errors.one(round);
                listed.push_back({std::move(round), time, error, widest});
            }
            return true;
        }
        const Clique first = left & (~left + 1);
        const Clique rest = left ^ first;
        // Subsets of the rest, the empty one last.
        for (Clique with = rest;; with = (with - 1) & rest) {
            const Clique clique = first | with;
            if (clique_size(clique) <= largest && times.alone_ms(clique) != kNever) {
                cliques.push_back(clique);
                const bool go_on = self(self, left ^ clique);
                cliques.pop_back();
                if (!go_on) {
                    return false;
                }
            }
            if (with == 0) {
                return true;
            }
        }
    };
    if (!extend(extend, n == 64 ? ~Clique{0} : (Clique{1} << n) - 1)) {
        return std::nullopt;
    }
    std::ranges::sort(listed, [](const ListedRound& a, const ListedRound& b) {
        return std::tuple(a.time_ms, a.error, a.round) < std::tuple(b.time_ms, b.error, b.round);
    });
    return listed;
}

void prepare_for_bounds(std::vector<ListedRound>& rounds, int islands, Pace pace) {
    if (pace == Pace::kOwn) {
        std::erase_if(rounds, [](const ListedRound& round) { return round.widest == 1; });
        return;
    }
    std::vector<Clique> parts;
    for (int i = 0; i < islands; ++i) {
        parts.push_back(Clique{1} << i);
    }
    double joined = 0;
    for (const ListedRound& round : rounds) {
        if (parts.size() == 1) {
            break;
        }
        joined = round.time_ms;
        for (Clique clique : round.round.cliques) {
            std::erase_if(parts, [&](Clique part) {
                const bool touches = (part & clique) != 0;
                clique |= touches ? part : 0;
                return touches;
            });
            parts.push_back(clique);
        }
    }
    for (ListedRound& round : rounds) {
        round.time_ms = std::max(round.time_ms, joined);
    }
}

Pairs least_pairs(const std::vector<ListedRound>& rounds,
                  const SetErrors& errors,
                  double forgetting,
                  double above,
                  std::size_t keep,
                  std::uint64_t most) {
    using Entry = std::pair<double, std::pair<std::size_t, std::size_t>>;
    const double second = forgetting * forgetting;
    Pairs found;
    found.least = above;
    std::priority_queue<Entry> kept;
    // Earlier rounds by error and width: whole groups are passed over.
    std::map<std::pair<double, int>, std::vector<std::size_t>> groups;
    std::uint64_t looked = 0;
    for (std::size_t b = 0; b < rounds.size(); ++b) {
        const ListedRound& later = rounds[b];
        groups[{later.error, later.widest}].push_back(b);
        const double limit = kept.size() < keep ? above : kept.top().first;
        for (const auto& [key, members] : groups) {
            const double known = 1.5 + forgetting * (key.first + later.error) / 2;
            const double widest = static_cast<double>(key.second) * later.widest;
            if (later.time_ms * known >= limit) {
                break;
            }
            if (later.time_ms * (known + second * errors.at_least(widest)) >= limit) {
                continue;
            }
            looked += members.size();
            for (const std::size_t a : members) {
                const double value =
                    later.time_ms * (known + second * errors.two(rounds[a].round, later.round));
                if (value < above) {
                    found.least = std::min(found.least, value);
                    kept.push({value, {a, b}});
                    if (kept.size() > keep) {
                        kept.pop();
                    }
                }
            }
        }
        if (looked > most) {
            // Of pairs not looked at only what single rounds say is known.
            found.complete = false;
            double least_error = kNever;
            for (const ListedRound& round : rounds) {
                least_error = std::min(least_error, round.error);
            }
            for (std::size_t later_one = b + 1; later_one < rounds.size(); ++later_one) {
                const ListedRound& round = rounds[later_one];
                found.least =
                    std::min(found.least,
                             round.time_ms * (1.5 + forgetting * (least_error + round.error) / 2));
            }
            break;
        }
    }
    for (; !kept.empty(); kept.pop()) {
        found.best.push_back(kept.top());
    }
    std::ranges::reverse(found.best);
    return found;
}

double own_length_bound(const std::vector<ListedRound>& rounds,
                        const SetErrors& errors,
                        double forgetting,
                        double above) {
    struct Class {
        double error = 0;
        int widest = 1;
        double time_ms = 0;
    };
    std::vector<Class> classes;
    for (const ListedRound& round : rounds) {  // by time: the first of a class has its least
        const auto same = std::ranges::find_if(classes, [&](const Class& one) {
            return std::abs(one.error - round.error) < 1e-12 && one.widest == round.widest;
        });
        if (same == classes.end()) {
            classes.push_back({round.error, round.widest, round.time_ms});
        }
    }
    // Classes that are worse in every way than another one add nothing.
    std::vector<Class> kept;
    for (const Class& one : classes) {
        const bool beaten = std::ranges::any_of(kept, [&](const Class& other) {
            return other.error <= one.error && other.widest >= one.widest &&
                   other.time_ms <= one.time_ms;
        });
        if (!beaten) {
            kept.push_back(one);
        }
    }
    const double second = forgetting * forgetting;
    const double shortest = rounds.front().time_ms;
    // Whether no schedule of these classes is below `score`: the sum over a period of
    // T_k (lifetime - score) is a sum over windows of four rounds. Longer rounds only add to it
    // as long as three of the shortest outlast the score.
    const auto proved = [&](double score) {
        if (score > 3 * shortest) {
            return false;
        }
        for (const Class& a : kept) {
            for (const Class& b : kept) {
                for (const Class& c : kept) {
                    for (const Class& d : kept) {
                        const std::array<const Class*, 4> w = {&a, &b, &c, &d};
                        double own = 0;
                        for (const Class* one : w) {
                            own += one->time_ms * (one->time_ms / 2 - score) / 4;
                        }
                        const double next = (a.time_ms * b.time_ms + b.time_ms * c.time_ms +
                                             c.time_ms * d.time_ms) /
                                            3;
                        const double over_one =
                            forgetting *
                            (b.error * a.time_ms * c.time_ms + c.error * b.time_ms * d.time_ms) / 2;
                        const double support = static_cast<double>(b.widest) * c.widest;
                        const double over_two =
                            second * errors.at_least(support) * a.time_ms * d.time_ms;
                        if (own + next + over_one + over_two < 0) {
                            return false;
                        }
                    }
                }
            }
        }
        return true;
    };
    double low = 0;
    double high = above;
    for (int step = 0; step < 50 && high - low > 1e-9 * high; ++step) {
        const double middle = low + (high - low) / 2;
        (proved(middle) ? low : high) = middle;
    }
    return low;
}

}  // namespace longhaul::schedule::detail
