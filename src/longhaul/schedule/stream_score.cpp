#include <algorithm>

#include "longhaul/schedule/detail/common.hpp"
#include "longhaul/schedule/detail/stream_model.hpp"

namespace longhaul::schedule::detail {

namespace {

/// a + b x, for element x of the payload, 0 <= x <= 1.
struct Line {
    double at = 0;
    double slope = 0;

    void add(double weight, const Line& other) {
        at += weight * other.at;
        slope += weight * other.slope;
    }
};

/// Of a function f of the element.
struct Moments {
    double mean = 0;   ///< of f(x)
    double first = 0;  ///< of x f(x)
};

Moments moments_of(const Line& f) {
    return {f.at + f.slope / 2, f.at / 2 + f.slope / 3};
}

/// Mean of the product over all elements.
double mean_product(const Line& f, const Moments& g) {
    return f.at * g.mean + f.slope * g.first;
}

void add(Moments& to, double weight, const Moments& other) {
    to.mean += weight * other.mean;
    to.first += weight * other.first;
}

/// The score as a sum, over islands and rounds, of products: how many updates enter, and for how
/// long they are disagreed about.
class Parts {
public:
    Parts(const StreamModel& model, const StreamPoint& point)
        : model_(model), point_(point), period_(model.period), islands_(model.post_of.rows()) {
        for (std::size_t r = 0; r < islands_; ++r) {
            for (std::size_t k = 0; k < period_; ++k) {
                Moments gap = moments_of(Line{point.interval_ms, 0});
                add(gap, 1, mixed(r, k));
                add(gap, -1, mixed(r, before(k)));
                mixing_.push_back(gap);
            }
        }
    }

    [[nodiscard]] double score() const {
        double sum = 0;
        for (std::size_t j = 0; j < islands_; ++j) {
            for (std::size_t p = 0; p < period_; ++p) {
                Moments lasts = later(j, p);
                add(lasts, model_.weights.start[j] / 2, moments_of(births(j, p)));
                sum += mean_product(births(j, p), lasts);
            }
        }
        return sum / (static_cast<double>(period_) * point_.interval_ms);
    }

    [[nodiscard]] ScoreSlopes slopes() const {
        ScoreSlopes found{0,
                          std::vector<double>(point_.sending_ms.size(), 0),
                          std::vector<double>(point_.offset_ms.size(), 0),
                          std::vector<double>(point_.offset_ms.size(), 0)};
        const double scale = 1 / (static_cast<double>(period_) * point_.interval_ms);
        const auto move =
            [&](std::vector<double>& moments, std::size_t q, double by, const Moments& change) {
                moments[q] += by * scale * change.mean;
                found.sending[model_.posts[q].clique] += by * scale * change.first;
            };
        for (std::size_t j = 0; j < islands_; ++j) {
            for (std::size_t p = 0; p < period_; ++p) {
                const Line born = births(j, p);
                Moments entering = later(j, p);
                add(entering, model_.weights.start[j], moments_of(born));
                const Moments lasting = moments_of(born);
                const std::size_t q = model_.post_of(j, p);
                move(found.offset, q, 1, entering);
                move(found.offset, model_.post_of(j, before(p)), -1, entering);
                move(found.offset, q, -model_.weights.start[j], lasting);
                found.interval += scale * entering.mean;
                const auto row = model_.weights.spread.row(j * period_ + p);
                for (std::size_t r = 0; r < islands_; ++r) {
                    move(found.mixed, model_.post_of(r, p), model_.weights.born(j, r), lasting);
                    for (std::size_t k = 0; k < period_; ++k) {
                        const double weight = row[r * period_ + k];
                        move(found.mixed, model_.post_of(r, k), weight, lasting);
                        move(found.mixed, model_.post_of(r, before(k)), -weight, lasting);
                        found.interval += scale * weight * lasting.mean;
                    }
                }
            }
        }
        found.interval -= score() / point_.interval_ms;
        return found;
    }

private:
    [[nodiscard]] std::size_t before(std::size_t k) const { return (k + period_ - 1) % period_; }
    [[nodiscard]] Line sent(std::size_t r, std::size_t k) const {
        const std::size_t q = model_.post_of(r, k);
        return {point_.offset_ms[q], point_.sending_ms[model_.posts[q].clique]};
    }
    [[nodiscard]] Moments mixed(std::size_t r, std::size_t k) const {
        const std::size_t q = model_.post_of(r, k);
        return moments_of(Line{point_.mixed_ms[q], point_.sending_ms[model_.posts[q].clique]});
    }
    /// The time from one round to the next.
    [[nodiscard]] Line since(Line now, const Line& last) const {
        now.add(-1, last);
        now.at += point_.interval_ms;
        return now;
    }
    /// Updates of island j enter round p: those since its snapshot before.
    [[nodiscard]] Line births(std::size_t j, std::size_t p) const {
        return since(sent(j, p), sent(j, before(p)));
    }
    /// Disagreement about them from the snapshot on.
    [[nodiscard]] Moments later(std::size_t j, std::size_t p) const {
        Moments lasts;
        for (std::size_t r = 0; r < islands_; ++r) {
            add(lasts, model_.weights.born(j, r), mixed(r, p));
        }
        add(lasts, -model_.weights.start[j], moments_of(sent(j, p)));
        const auto row = model_.weights.spread.row(j * period_ + p);
        for (std::size_t c = 0; c < mixing_.size(); ++c) {
            add(lasts, row[c], mixing_[c]);
        }
        return lasts;
    }

    const StreamModel& model_;
    const StreamPoint& point_;
    std::size_t period_;
    std::size_t islands_;
    std::vector<Moments> mixing_;  ///< an island and round: between the mixings of k - 1 and k
};

}  // namespace

double exact_score(const StreamModel& model, const StreamPoint& point) {
    return Parts(model, point).score();
}

ScoreSlopes score_slopes(const StreamModel& model, const StreamPoint& point) {
    return Parts(model, point).slopes();
}

Unevenness unevenness(const StreamModel& model) {
    const std::size_t n = model.post_of.rows();
    Unevenness found{std::vector<double>(n, 0), core::Grid<double>(n, n, 0), {}};
    const auto post = [&](std::size_t r, std::size_t k) -> const Post& {
        return model.posts[model.post_of(r, k)];
    };
    const std::size_t last = model.period - 1;
    for (std::size_t r = 0; r < n; ++r) {
        found.least_ms.push_back(std::min(model.clique_of(post(r, 0)).least_ms,
                                          model.clique_of(post(r, last)).least_ms));
    }
    // An island that is alone in a round has the same moments in both.
    const auto both = [&](std::size_t r) { return model.post_of(r, 0) != model.post_of(r, 1); };
    for (std::size_t j = 0; model.period == 2 && j < n; ++j) {
        for (std::size_t r = 0; both(j) && r < n; ++r) {
            const auto of = [&](std::size_t p, std::size_t k) {
                return model.weights.spread(j * 2 + p, r * 2 + k);
            };
            found.sent[j] += (of(0, 0) + of(0, 1) - of(1, 0) - of(1, 1)) / 2;
            if (both(r)) {
                found.product(j, r) =
                    (model.weights.born(j, r) + of(0, 0) - of(0, 1) - of(1, 0) + of(1, 1)) / 2;
            }
        }
    }
    return found;
}

}  // namespace longhaul::schedule::detail
