#include "longhaul/schedule/detail/stream_program.hpp"

#include <algorithm>
#include <cmath>

#include "longhaul/core/assert.hpp"
#include "longhaul/schedule/detail/common.hpp"

namespace longhaul::schedule::detail {

namespace {

/// A row whose price is below this does not bind.
constexpr double kNoPrice = 1e-9;

/// Moments are whole picoseconds.
double whole_ps(double ms) {
    return std::round(ms * 1e9) / 1e9;
}

}  // namespace

StreamProgram::StreamProgram(const StreamModel& model) : model_(model) {
    int variables = 0;
    interval_ = variables++;
    cost_.push_back(model.interval_weight);
    for (const StreamClique& clique : model.cliques) {
        sending_.push_back(variables++);
        cost_.push_back(0);
        least_.push_back(clique.least_ms);
    }
    for (const Post& post : model.posts) {
        offset_.push_back(variables++);
        cost_.push_back(post.sent);
        first_.push_back(variables++);
        cost_.push_back(0);
        last_.push_back(variables++);
        cost_.push_back(0);
        mixed_.push_back(variables++);
        cost_.push_back(post.mixed);
        cost_[slot(sending_[post.clique])] += (post.mixed + post.sent) / 2;
    }
    for (std::size_t c = 0; c < model.cliques.size(); ++c) {
        add_clique(c);
    }
    for (std::size_t q = 0; q < model.posts.size(); ++q) {
        add_order(q);
    }
}

void StreamProgram::add(Terms terms, double bound) {
    rows_.push_back(std::move(terms));
    bounds_.push_back(bound);
}

void StreamProgram::add_clique(std::size_t c) {
    const StreamClique& clique = model_.cliques[c];
    const std::size_t k = clique.share.size();
    for (std::size_t r = 0; r < k; ++r) {
        const std::size_t q = clique.first_post + r;
        for (std::size_t i = 0; i < k; ++i) {
            if (i == r) {
                continue;
            }
            const int offset = offset_[clique.first_post + i];
            const double latency = clique.latency_ms(i, r);
            add({{last_[q], 1}, {offset, -1}}, latency);
            add({{offset, 1}, {first_[q], -1}}, -latency);
        }
        add({{mixed_[q], 1}, {offset_[q], -1}}, 0);
        add({{mixed_[q], 1}, {last_[q], -1}}, 0);
        add({{sending_[c], clique.share[r]}, {last_[q], -1}, {first_[q], 1}},
            model_.guard_of(model_.posts[q]));
    }
}

void StreamProgram::add_order(std::size_t q) {
    const Post& post = model_.posts[q];
    const std::size_t next = post.next;
    const int sending = sending_[post.clique];
    const int later = sending_[model_.posts[next].clique];
    const double steps = post.steps;
    add({{interval_, steps}, {offset_[next], 1}, {mixed_[q], -1}}, 0);
    if (later != sending) {
        add({{interval_, steps}, {offset_[next], 1}, {later, 1}, {mixed_[q], -1}, {sending, -1}},
            0);
    }
    if (next == q) {
        add({{interval_, steps}, {sending, -1}}, 0);
        return;
    }
    add({{interval_, steps}, {offset_[next], 1}, {offset_[q], -1}, {sending, -1}}, 0);
    add({{interval_, steps}, {last_[next], 1}, {last_[q], -1}, {sending, -1}}, 0);
}

void StreamProgram::separate(const Instance& first, const Instance& second) {
    const StreamClique& a = model_.cliques[first.clique];
    const StreamClique& b = model_.cliques[second.clique];
    const LinkUse& from = a.uses[first.use];
    const LinkUse& to = b.uses[second.use];
    add({{interval_, static_cast<double>(second.round - first.round)},
         {offset_[b.first_post + to.sender], 1},
         {offset_[a.first_post + from.sender], -1},
         {sending_[first.clique], -1}},
        from.delay_ms - to.delay_ms);
}

void StreamProgram::order_arrivals(std::size_t post, bool apart) {
    const Post& now = model_.posts[post];
    add({{interval_, static_cast<double>(now.steps)},
         {first_[now.next], 1},
         {apart ? last_[post] : first_[post], -1},
         {sending_[now.clique], -1}},
        apart ? model_.guard_of(now) : 0);
}

void StreamProgram::send_slower(std::size_t clique, double least_ms) {
    least_[clique] = std::max(least_[clique], least_ms);
}

LinearProgram StreamProgram::program(bool with_cost) const {
    LinearProgram program;
    for (std::size_t v = 0; v < cost_.size(); ++v) {
        double lower = -kFree;
        if (v == 0) {
            lower = 0;
        } else if (v <= sending_.size()) {
            lower = least_[v - 1];
        }
        // Moments count from the first sending: only differences matter.
        const bool origin = static_cast<int>(v) == offset_.front();
        program.add_variable(origin ? 0 : lower, with_cost ? cost_[v] : 0, origin ? 0 : kFree);
    }
    for (std::size_t row = 0; row < rows_.size(); ++row) {
        program.add_at_least(rows_[row], bounds_[row]);
    }
    return program;
}

StreamPoint StreamProgram::point_of(const Solution& solution) const {
    StreamPoint point;
    const auto value = [&](int variable) { return solution.values[slot(variable)]; };
    point.interval_ms = value(interval_);
    for (const int variable : sending_) {
        point.sending_ms.push_back(value(variable));
    }
    for (const int variable : offset_) {
        point.offset_ms.push_back(value(variable));
    }
    evaluate(model_, point);
    return point;
}

std::optional<StreamPoint> StreamProgram::solve() const {
    const auto solution = program(true).minimise();
    if (!solution) {
        return std::nullopt;
    }
    return point_of(*solution);
}

std::optional<StreamPoint> StreamProgram::solve(const ScoreSlopes& slopes,
                                                const StreamPoint& near) const {
    LinearProgram least = program(false);
    least.set_cost(interval_, slopes.interval);
    least.add_at_most({{interval_, 1}}, 2 * near.interval_ms);
    for (std::size_t c = 0; c < sending_.size(); ++c) {
        least.set_cost(sending_[c], slopes.sending[c]);
        least.add_at_most({{sending_[c], 1}}, 2 * near.sending_ms[c]);
    }
    for (std::size_t q = 0; q < offset_.size(); ++q) {
        least.set_cost(offset_[q], slopes.offset[q]);
        least.set_cost(mixed_[q], slopes.mixed[q]);
    }
    const auto solution = least.minimise();
    return solution ? std::optional(point_of(*solution)) : std::nullopt;
}

double StreamProgram::bound(double least_ms, double most_ms, double& interval_ms) const {
    const Unevenness uneven = unevenness(model_);
    // What gamma and delta, at most the interval less the times of sending, may take off. It is
    // convex in the interval, so it lies below its chord.
    const auto takes_off = [&](double interval) {
        double sum = 0;
        for (std::size_t j = 0; interval > 0 && j < uneven.product.rows(); ++j) {
            for (std::size_t r = 0; r < uneven.product.columns(); ++r) {
                sum += std::abs(uneven.product(j, r)) *
                       std::max(0.0, interval - uneven.least_ms[j]) *
                       std::max(0.0, interval - uneven.least_ms[r]) / interval;
            }
        }
        return sum;
    };
    const double from = takes_off(least_ms);
    const double slope =
        most_ms > least_ms ? (takes_off(most_ms) - from) / (most_ms - least_ms) : 0;
    std::vector<double> cost = cost_;
    cost[slot(interval_)] -= slope;
    for (std::size_t j = 0; model_.period == 2 && j < uneven.sent.size(); ++j) {
        for (const std::size_t k : {std::size_t{0}, std::size_t{1}}) {
            const std::size_t q = model_.post_of(j, k);
            const double weight = k == 0 ? uneven.sent[j] : -uneven.sent[j];
            cost[slot(offset_[q])] += weight;
            cost[slot(sending_[model_.posts[q].clique])] += weight / 2;
        }
    }
    LinearProgram least = program(false);
    for (std::size_t v = 0; v < cost.size(); ++v) {
        least.set_cost(static_cast<int>(v), cost[v]);
    }
    least.add_at_least({{interval_, 1}}, least_ms);
    least.add_at_most({{interval_, 1}}, most_ms);
    const auto solution = least.minimise();
    if (!solution) {
        return kNever;
    }
    interval_ms = solution->values[slot(interval_)];
    return solution->objective - from + slope * least_ms;
}

std::optional<StreamPoint> StreamProgram::solve_latest() const {
    const auto best = program(true).minimise();
    if (!best) {
        return std::nullopt;
    }
    // All points of least score: rows with a price bind in each of them.
    std::vector<char> tight;
    LinearProgram face = program(false);
    for (std::size_t row = 0; row < rows_.size(); ++row) {
        tight.push_back(best->prices[row] > kNoPrice ? 1 : 0);
        if (tight.back() != 0) {
            face.add_at_most(rows_[row], bounds_[row]);
        }
    }
    // Times of sending at their bounds that have a price stay there.
    std::vector<double> reduced = cost_;
    for (std::size_t row = 0; row < rows_.size(); ++row) {
        for (const auto& [variable, coefficient] : rows_[row]) {
            reduced[slot(variable)] -= best->prices[row] * coefficient;
        }
    }
    for (std::size_t c = 0; c < sending_.size(); ++c) {
        if (reduced[slot(sending_[c])] > kNoPrice) {
            face.add_at_most({{sending_[c], 1}}, least_[c]);
        }
    }
    face.set_cost(interval_, 1000);
    for (std::size_t c = 0; c < sending_.size(); ++c) {
        face.set_cost(sending_[c], 1 + static_cast<double>(c) / 64);
    }
    const auto fixed = face.minimise();
    if (!fixed) {
        return point_of(*best);
    }
    auto found = latest(*fixed, tight);
    const bool holds = found && worst_violation(model_, *found) <= kStreamTolerance &&
                       found->even_ms <= best->objective + kStreamTolerance;
    return holds ? found : point_of(*fixed);
}

std::optional<StreamPoint> StreamProgram::latest(const Solution& fixed,
                                                 const std::vector<char>& tight) const {
    // With interval and times of sending fixed each row says a - b >= c: latest moments are
    // shortest paths.
    struct Step {
        int from = 0;
        int to = 0;
        double length = 0;
    };
    std::vector<double> known(cost_.size(), 0);
    known[slot(interval_)] = whole_ps(fixed.values[slot(interval_)]);
    for (std::size_t c = 0; c < sending_.size(); ++c) {
        known[slot(sending_[c])] = whole_ps(fixed.values[slot(sending_[c])]);
    }
    const auto is_moment = [&](int v) { return v > static_cast<int>(sending_.size()); };
    std::vector<Step> steps;
    for (std::size_t row = 0; row < rows_.size(); ++row) {
        int plus = -1;
        int minus = -1;
        double bound = bounds_[row];
        for (const auto& [variable, coefficient] : rows_[row]) {
            if (!is_moment(variable)) {
                bound -= coefficient * known[slot(variable)];
            } else if (coefficient > 0) {
                plus = variable;
            } else {
                minus = variable;
            }
        }
        if (plus < 0 || plus == minus) {
            continue;
        }
        steps.push_back({plus, minus, -bound});
        if (tight[row] != 0) {
            steps.push_back({minus, plus, bound});
        }
    }
    std::vector<double> moment(cost_.size(), kNever);
    moment[slot(offset_.front())] = 0;
    bool moved = true;
    for (std::size_t pass = 0; moved && pass <= cost_.size(); ++pass) {
        moved = false;
        for (const Step& step : steps) {
            const double reached = moment[slot(step.from)] + step.length;
            if (reached < moment[slot(step.to)] - 1e-9) {
                moment[slot(step.to)] = reached;
                moved = true;
            }
        }
    }
    Solution solution{0, known, {}};
    for (std::size_t v = sending_.size() + 1; v < moment.size(); ++v) {
        if (moved || moment[v] == kNever) {
            return std::nullopt;
        }
        solution.values[v] = whole_ps(moment[v]);
    }
    return point_of(solution);
}

}  // namespace longhaul::schedule::detail
