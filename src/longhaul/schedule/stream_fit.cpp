#include "longhaul/schedule/detail/stream_fit.hpp"

#include <algorithm>
#include <cmath>

#include "longhaul/core/assert.hpp"
#include "longhaul/schedule/detail/common.hpp"
#include "longhaul/schedule/detail/stream_program.hpp"

namespace longhaul::schedule::detail {

namespace {

/// Rows that are added before all rounds share all links.
constexpr int kRepairs = 80;
/// Programs that the exact score is lowered by, and what each must gain.
constexpr int kSteps = 12;
constexpr double kGain = 1e-6;

double start_of(const StreamModel& model, const StreamPoint& point, const Instance& instance) {
    const StreamClique& clique = model.cliques[instance.clique];
    const LinkUse& use = clique.uses[instance.use];
    return static_cast<double>(instance.round) * point.interval_ms +
           point.offset_ms[clique.first_post + use.sender] + use.delay_ms;
}

class Fit {
public:
    Fit(const StreamModel& model, bool latest)
        : model_(model), program_(model), latest_(latest), ordered_(model.posts.size(), 0) {
        for (const Post& post : model.posts) {
            islands_ = std::max(islands_, slot(post.island) + 1);
        }
    }

    std::optional<StreamPoint> run() {
        for (int repair = 0; repair <= kRepairs; ++repair) {
            const auto found = latest_ ? program_.solve_latest() : program_.solve();
            if (!found) {
                return std::nullopt;
            }
            if (!keep_memory(*found) && !keep_links(*found)) {
                return latest_ ? descend(*found) : *found;
            }
        }
        return std::nullopt;
    }

    [[nodiscard]] bool links_were_full() const { return full_; }

    /// Loads of all rounds of the period at once are at most the capacity.
    void share_all_links() {
        std::vector<double> needed(model_.stream_ms.size(), 0);
        for (const StreamClique& clique : model_.cliques) {
            for (const LinkUse& use : clique.uses) {
                needed[use.link] += model_.stream_ms[use.link];
            }
        }
        for (std::size_t c = 0; c < model_.cliques.size(); ++c) {
            for (const LinkUse& use : model_.cliques[c].uses) {
                program_.send_slower(c, needed[use.link]);
            }
        }
    }

private:
    /// From the least score of evenly spaced snapshots down the exact one: towards the point that
    /// its slopes favour, as far as that helps (Frank and Wolfe, 1956). Points in between keep all
    /// rows; links and memories are looked at again.
    [[nodiscard]] StreamPoint descend(StreamPoint now) const {
        for (int step = 0; model_.period > 1 && step < kSteps; ++step) {
            const auto to = program_.solve(score_slopes(model_, now), now);
            if (!to) {
                return now;
            }
            StreamPoint best = now;
            for (int part = 16; part > 0; --part) {
                StreamPoint next = between(now, *to, part / 16.0);
                if (next.score_ms < best.score_ms && bears(next)) {
                    best = std::move(next);
                }
            }
            if (best.score_ms > now.score_ms * (1 - kGain)) {
                return now;
            }
            now = std::move(best);
        }
        return now;
    }

    [[nodiscard]] StreamPoint between(const StreamPoint& a, const StreamPoint& b, double t) const {
        // Whole picoseconds, as the program's.
        const auto mix = [t](double x, double y) {
            return std::round((x + t * (y - x)) * 1e9) / 1e9;
        };
        StreamPoint point = a;
        point.interval_ms = mix(a.interval_ms, b.interval_ms);
        for (std::size_t c = 0; c < a.sending_ms.size(); ++c) {
            point.sending_ms[c] = mix(a.sending_ms[c], b.sending_ms[c]);
        }
        for (std::size_t q = 0; q < a.offset_ms.size(); ++q) {
            point.offset_ms[q] = mix(a.offset_ms[q], b.offset_ms[q]);
        }
        evaluate(model_, point);
        return point;
    }

    [[nodiscard]] bool bears(const StreamPoint& point) const {
        if (worst_violation(model_, point) > kStreamTolerance ||
            fullest_link(model_, point).load > 1 + kStreamTolerance) {
            return false;
        }
        const std::vector<double> peak = peak_shares(model_, point, islands_);
        return std::ranges::all_of(model_.posts, [&](const Post& post) {
            return peak[slot(post.island)] <=
                   model_.clique_of(post).share[post.position] + kStreamTolerance;
        });
    }

    bool keep_memory(const StreamPoint& exact) {
        const std::vector<double> peak = peak_shares(model_, exact, islands_);
        bool added = false;
        for (std::size_t q = 0; q < model_.posts.size(); ++q) {
            const Post& post = model_.posts[q];
            const StreamClique& clique = model_.clique_of(post);
            const bool too_much =
                peak[slot(post.island)] > clique.share[post.position] + kStreamTolerance;
            if (too_much && ordered_[q] < 2) {
                program_.order_arrivals(q, ordered_[q] == 1);
                ++ordered_[q];
                added = true;
            }
        }
        return added;
    }

    bool keep_links(const StreamPoint& exact) {
        const Fullest fullest = fullest_link(model_, exact);
        if (fullest.load <= 1 + kStreamTolerance) {
            return false;
        }
        full_ = true;
        const Instance* first = nullptr;
        const Instance* second = nullptr;
        double least = kNever;
        for (const Instance& a : fullest.streams) {
            const double end = start_of(model_, exact, a) + exact.sending_ms[a.clique];
            for (const Instance& b : fullest.streams) {
                const double overlap = end - start_of(model_, exact, b);
                if (a.round < b.round && overlap < least - 1e-9) {
                    least = overlap;
                    first = &a;
                    second = &b;
                }
            }
        }
        LONGHAUL_ASSERT(first != nullptr);  // streams of one round share links
        program_.separate(*first, *second);
        return true;
    }

    const StreamModel& model_;
    StreamProgram program_;
    bool latest_;
    bool full_ = false;
    std::size_t islands_ = 0;
    std::vector<int> ordered_;  ///< a post: rows of order_arrivals
};

}  // namespace

std::optional<StreamPoint> relaxed_score(const StreamModel& model) {
    return StreamProgram(model).solve();
}

std::optional<StreamPoint> fit(const StreamModel& model, bool latest) {
    Fit apart(model, latest);
    std::optional<StreamPoint> found = apart.run();
    if (!apart.links_were_full()) {
        return found;
    }
    Fit shared(model, latest);
    shared.share_all_links();
    const std::optional<StreamPoint> other = shared.run();
    return !found || (other && other->score_ms < found->score_ms) ? other : found;
}

}  // namespace longhaul::schedule::detail
