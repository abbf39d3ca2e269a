#include <algorithm>
#include <cmath>

#include "longhaul/schedule/detail/common.hpp"
#include "longhaul/schedule/detail/stream_model.hpp"

namespace longhaul::schedule::detail {

namespace {

/// Streams that end where others start do not meet: less than this, ms, is rounding.
constexpr double kTouch = 1e-6;

/// A stream on a link as it is in the first period.
struct Stay {
    std::size_t clique = 0;
    std::size_t use = 0;
    double start = 0;
    double length = 0;
    double load = 0;
};

/// Periods by which a stay must be shifted so that it covers `moment`; nothing when none does.
bool covers(const Stay& stay, double moment, double period_ms, long& shift) {
    shift = static_cast<long>(std::floor((moment - stay.start + kTouch) / period_ms));
    const double since = moment - stay.start - static_cast<double>(shift) * period_ms;
    return since < stay.length - kTouch;
}

}  // namespace

Fullest fullest_link(const StreamModel& model, const StreamPoint& point) {
    std::vector<std::vector<Stay>> on_link(model.stream_ms.size());
    for (std::size_t c = 0; c < model.cliques.size(); ++c) {
        const StreamClique& clique = model.cliques[c];
        for (std::size_t u = 0; u < clique.uses.size(); ++u) {
            const LinkUse& use = clique.uses[u];
            const double start = static_cast<double>(clique.round) * point.interval_ms +
                                 point.offset_ms[clique.first_post + use.sender] + use.delay_ms;
            const double length = point.sending_ms[c];
            on_link[use.link].push_back({c, u, start, length, model.stream_ms[use.link] / length});
        }
    }
    const double period_ms = static_cast<double>(model.period) * point.interval_ms;
    Fullest found;
    for (const std::vector<Stay>& stays : on_link) {
        // The load rises only where a stream starts.
        double whole = 0;
        for (const Stay& stay : stays) {
            whole += stay.load;
        }
        if (whole <= found.load) {
            continue;
        }
        for (const Stay& at : stays) {
            double load = 0;
            std::vector<Instance> streams;
            for (const Stay& stay : stays) {
                long shift = 0;
                if (covers(stay, at.start, period_ms, shift)) {
                    load += stay.load;
                    const auto round = static_cast<long>(model.cliques[stay.clique].round);
                    streams.push_back(
                        {stay.clique, stay.use, round + shift * static_cast<long>(model.period)});
                }
            }
            if (load > found.load + 1e-12) {
                found = {load, std::move(streams)};
            }
        }
    }
    return found;
}

std::vector<double> peak_shares(const StreamModel& model,
                                const StreamPoint& point,
                                std::size_t islands) {
    // What one round holds, as a part of the payload: it grows while first bytes arrive and falls
    // while sums leave, so the sum over rounds is largest at one of these four moments of a round.
    struct Round {
        double first = 0;
        double last = 0;
        double sending = 0;
        [[nodiscard]] double held(double moment) const {
            const double in = std::clamp((moment - first) / sending, 0.0, 1.0);
            return in - std::clamp((moment - last) / sending, 0.0, 1.0);
        }
    };
    std::vector<std::vector<Round>> rounds(islands);
    for (std::size_t q = 0; q < model.posts.size(); ++q) {
        const Post& post = model.posts[q];
        const StreamClique& clique = model.clique_of(post);
        const double start = static_cast<double>(clique.round) * point.interval_ms;
        rounds[slot(post.island)].push_back({start + point.first_ms[q],
                                             start + point.last_ms[q] + model.guard_of(post),
                                             point.sending_ms[post.clique]});
    }
    const double period_ms = static_cast<double>(model.period) * point.interval_ms;
    std::vector<double> peak(islands, 0);
    for (std::size_t r = 0; r < islands; ++r) {
        for (const Round& at : rounds[r]) {
            for (const double moment :
                 {at.first, at.last, at.first + at.sending, at.last + at.sending}) {
                double held = 0;
                for (const Round& other : rounds[r]) {
                    const double span = other.last + other.sending - other.first;
                    const auto back = static_cast<long>(std::floor(span / period_ms)) + 1;
                    const auto near =
                        static_cast<long>(std::floor((moment - other.first) / period_ms));
                    for (long shift = near - back; shift <= near; ++shift) {
                        held += other.held(moment - static_cast<double>(shift) * period_ms);
                    }
                }
                peak[r] = std::max(peak[r], held);
            }
        }
    }
    return peak;
}

}  // namespace longhaul::schedule::detail
