#include "longhaul/schedule/detail/stream_model.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "longhaul/core/assert.hpp"
#include "longhaul/schedule/detail/common.hpp"

namespace longhaul::schedule::detail {

namespace {

/// Moments closer than this, ms, are equal.
constexpr double kRounding = 1e-8;

/// Receivers of a member: the others, in order.
topology::Stream stream_of(const std::vector<int>& members, std::size_t sender) {
    topology::Stream stream;
    stream.source = members[sender];
    for (const int member : members) {
        if (member != stream.source) {
            stream.receivers.push_back(member);
        }
    }
    return stream;
}

/// Trees, latencies and links of one clique.
void route(StreamClique& clique,
           const topology::StreamNetwork& network,
           const std::vector<int>& members) {
    const std::size_t k = members.size();
    std::vector<topology::Stream> streams;
    for (std::size_t i = 0; i < k; ++i) {
        streams.push_back(stream_of(members, i));
    }
    if (clique.trees.empty()) {
        clique.trees = topology::shortest_trees(network, streams);
    }
    clique.latency_ms = core::Grid<double>(k, k, 0);
    for (std::size_t i = 0; i < k; ++i) {
        const auto far = topology::stream_latencies(network, streams[i], clique.trees[i]);
        for (std::size_t r = 0; r < far.size(); ++r) {
            clique.latency_ms(i, r < i ? r : r + 1) = far[r];
        }
        std::map<topology::NodeId, double> reached;
        for (const std::uint32_t link : clique.trees[i].links) {
            const topology::Link& wire = network.links[link];
            clique.uses.push_back({link, i, reached[wire.from]});
            reached[wire.to] = reached[wire.from] + wire.latency_ms;
        }
    }
}

/// Equal parts of every link among the streams of a round.
void share_links(StreamModel& model, std::size_t first, const Islands& islands, double payload_gb) {
    std::vector<double> streams(model.stream_ms.size(), 0);
    for (std::size_t c = first; c < model.cliques.size(); ++c) {
        for (const LinkUse& use : model.cliques[c].uses) {
            streams[use.link] += 1;
        }
    }
    for (std::size_t c = first; c < model.cliques.size(); ++c) {
        StreamClique& clique = model.cliques[c];
        for (const int member : members_of(clique.members)) {
            const Island& island = islands.islands[slot(member)];
            const double access = std::min(island.egress_gbps, island.ingress_gbps);
            clique.access_ms = std::max(clique.access_ms, 8000 * payload_gb / access);
        }
        clique.least_ms = clique.access_ms;
        for (const LinkUse& use : clique.uses) {
            clique.least_ms =
                std::max(clique.least_ms, streams[use.link] * model.stream_ms[use.link]);
        }
    }
}

/// The post of each island in each round: its own, or that of its next round when it is alone.
core::Grid<std::size_t> link_posts(StreamModel& model, std::size_t islands) {
    const std::size_t period = model.period;
    constexpr std::size_t kNone = ~std::size_t{0};
    core::Grid<std::size_t> at(islands, period, kNone);
    for (std::size_t q = 0; q < model.posts.size(); ++q) {
        const Post& post = model.posts[q];
        at(slot(post.island), model.clique_of(post).round) = q;
    }
    core::Grid<std::size_t> alias = at;
    for (std::size_t r = 0; r < islands; ++r) {
        for (std::size_t k = 0; k < period; ++k) {
            std::size_t steps = 0;
            while (steps < period && at(r, (k + steps) % period) == kNone) {
                ++steps;
            }
            LONGHAUL_ASSERT(steps < period);  // else it would never mix
            alias(r, k) = at(r, (k + steps) % period);
        }
        for (std::size_t k = 0; k < period; ++k) {
            if (at(r, k) != kNone) {
                Post& post = model.posts[at(r, k)];
                post.next = alias(r, (k + 1) % period);
                const std::size_t then = model.clique_of(model.posts[post.next]).round;
                post.steps = static_cast<int>(then > k ? then - k : then + period - k);
            }
        }
    }
    return alias;
}

void weigh(StreamModel& model, const RowWeights& weights) {
    const std::size_t islands = weights.start.size();
    model.weights = weights;
    model.post_of = link_posts(model, islands);
    const core::Grid<std::size_t>& alias = model.post_of;
    const auto period = static_cast<double>(model.period);
    model.interval_weight = 0.5;
    for (std::size_t r = 0; r < islands; ++r) {
        for (std::size_t k = 0; k < model.period; ++k) {
            Post& now = model.posts[alias(r, k)];
            Post& before = model.posts[alias(r, (k + model.period - 1) % model.period)];
            model.interval_weight += weights.gap(r, k);
            now.mixed += weights.gap(r, k) + weights.start[r] / period;
            now.sent -= weights.start[r] / period;
            before.mixed -= weights.gap(r, k);
        }
    }
}

}  // namespace

RowWeights row_weights(const std::vector<MixingMatrix>& period, const MixingOptions& options) {
    const std::size_t n = period.front().rows();
    const std::size_t rounds = period.size();
    RowWeights found;
    const Survival whole = survival(period, options);
    found.mixes = whole.mixes;
    found.area = whole.area;
    std::vector<double> target = options.target;
    if (target.empty()) {
        target.assign(n, 1);
    }
    double sum = 0;
    for (const double part : target) {
        sum += part;
    }
    double start = 0;
    for (double& part : target) {
        part /= sum;
        start += 2 * part * (1 - part);
    }
    for (const double part : target) {
        found.start.push_back(start == 0 ? 0 : 2 * part * (1 - part) / start);
    }
    found.gap = core::Grid<double>(n, rounds, 0);
    found.born = core::Grid<double>(n, n, 0);
    found.spread = core::Grid<double>(n * rounds, n * rounds, 0);
    if (!found.mixes || start == 0) {
        return found;
    }
    for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t r = 0; r < n; ++r) {
            found.born(j, r) = target[r] * (r == j ? 1 - target[j] : target[j]) / start;
        }
    }
    for (std::size_t phase = 0; phase < rounds; ++phase) {
        MixingMatrix phi(n, n, 0);
        MixingMatrix next(n, n, 0);
        for (std::size_t i = 0; i < n; ++i) {
            phi(i, i) = 1;
        }
        double worth = 1;
        // The curve of phase p starts with round p + 1; here round `phase` comes first.
        const std::size_t longest = whole.curves[(phase + rounds - 1) % rounds].size();
        for (std::size_t h = 1; h < longest; ++h) {
            const MixingMatrix& weights = period[(phase + h - 1) % rounds];
            worth *= options.forgetting;
            for (std::size_t i = 0; i < n; ++i) {
                const auto to = next.row(i);
                std::ranges::fill(to, 0.0);
                for (std::size_t j = 0; j < n; ++j) {
                    if (weights(i, j) == 0) {
                        continue;
                    }
                    const auto from = phi.row(j);
                    for (std::size_t x = 0; x < n; ++x) {
                        to[x] += weights(i, j) * from[x];
                    }
                }
                const std::size_t next_round = (phase + h) % rounds;
                double error = 0;
                for (std::size_t j = 0; j < n; ++j) {
                    const double part = worth * target[i] * std::abs(to[j] - target[j]) / start;
                    found.spread(j * rounds + phase, i * rounds + next_round) += part;
                    error += part;
                }
                found.gap(i, next_round) += error / static_cast<double>(rounds);
            }
            std::swap(phi, next);
        }
    }
    return found;
}

StreamModel stream_model(const Schedule& schedule,
                         const RoundTimes& times,
                         const RowWeights& weights,
                         const std::vector<TimedRound>& trees) {
    const Islands& islands = times.islands();
    const Capabilities& can = times.capabilities();
    StreamModel model;
    model.period = schedule.period();
    model.guard_ms = can.guard_ms;
    for (const topology::Link& link : islands.network.links) {
        model.stream_ms.push_back(8000 * can.payload_gb / link.gbps);
    }
    for (std::size_t k = 0; k < schedule.period(); ++k) {
        const std::size_t first = model.cliques.size();
        for (std::size_t c = 0; c < schedule.rounds[k].cliques.size(); ++c) {
            const std::vector<int> members = members_of(schedule.rounds[k].cliques[c]);
            if (members.size() < 2) {
                continue;
            }
            StreamClique clique;
            clique.round = k;
            clique.members = schedule.rounds[k].cliques[c];
            clique.first_post = model.posts.size();
            if (!trees.empty() && !trees[k].cliques.empty()) {
                clique.trees = trees[k].cliques[c].trees;
            }
            route(clique, islands.network, members);
            for (std::size_t i = 0; i < members.size(); ++i) {
                clique.share.push_back(can.memory_gb[slot(members[i])] / can.payload_gb);
                model.posts.push_back({model.cliques.size(), i, members[i], 0, 1, 0, 0});
            }
            model.cliques.push_back(std::move(clique));
        }
        share_links(model, first, islands, can.payload_gb);
    }
    weigh(model, weights);
    return model;
}

void evaluate(const StreamModel& model, StreamPoint& point) {
    point.first_ms.assign(model.posts.size(), kNever);
    point.last_ms.assign(model.posts.size(), -kNever);
    point.even_ms = model.interval_weight * point.interval_ms;
    for (std::size_t q = 0; q < model.posts.size(); ++q) {
        const Post& post = model.posts[q];
        const StreamClique& clique = model.clique_of(post);
        for (std::size_t i = 0; i < clique.share.size(); ++i) {
            if (i != post.position) {
                const double arrival =
                    point.offset_ms[clique.first_post + i] + clique.latency_ms(i, post.position);
                point.first_ms[q] = std::min(point.first_ms[q], arrival);
                point.last_ms[q] = std::max(point.last_ms[q], arrival);
            }
        }
    }
    bool moved = true;
    for (std::size_t pass = 0; moved && pass <= model.period; ++pass) {
        moved = false;
        for (std::size_t q = 0; q < model.posts.size(); ++q) {
            const Post& post = model.posts[q];
            const double free =
                point.last_ms[q] + point.sending_ms[post.clique] - post.steps * point.interval_ms;
            if (free > point.last_ms[post.next] + kRounding) {
                point.last_ms[post.next] = free;
                moved = true;
            }
        }
    }
    point.mixed_ms.clear();
    for (std::size_t q = 0; q < model.posts.size(); ++q) {
        const Post& post = model.posts[q];
        const double half = point.sending_ms[post.clique] / 2;
        point.mixed_ms.push_back(std::max(point.last_ms[q], point.offset_ms[q]));
        point.even_ms += post.mixed * (point.mixed_ms[q] + half);
        point.even_ms += post.sent * (point.offset_ms[q] + half);
    }
    point.score_ms = exact_score(model, point);
}

double worst_violation(const StreamModel& model, const StreamPoint& point) {
    double worst = 0;
    const auto at_least = [&](double left, double right) { worst = std::max(worst, right - left); };
    for (std::size_t c = 0; c < model.cliques.size(); ++c) {
        at_least(point.sending_ms[c], model.cliques[c].least_ms);
    }
    for (std::size_t q = 0; q < model.posts.size(); ++q) {
        const Post& post = model.posts[q];
        const StreamClique& clique = model.clique_of(post);
        const double sending = point.sending_ms[post.clique];
        const double later = point.sending_ms[model.posts[post.next].clique];
        const double apart = post.steps * point.interval_ms;
        const double sent = apart + point.offset_ms[post.next];
        at_least(sent, point.mixed_ms[q]);
        at_least(sent + later, point.mixed_ms[q] + sending);
        at_least(sent, point.offset_ms[q] + sending);
        at_least(apart + point.last_ms[post.next], point.last_ms[q] + sending);
        at_least(clique.share[post.position] * sending,
                 point.last_ms[q] - point.first_ms[q] + model.guard_of(post));
    }
    return worst;
}

}  // namespace longhaul::schedule::detail
