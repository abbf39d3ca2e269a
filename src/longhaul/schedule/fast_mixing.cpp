#include "longhaul/schedule/detail/fast_mixing.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "longhaul/schedule/detail/common.hpp"

namespace longhaul::schedule::detail {

FastMixing::FastMixing(int islands, const MixingOptions& options, double precision)
    : n_(slot(islands)),
      share_(options.target),
      equal_(options.target.empty()),
      forgetting_(options.forgetting),
      precision_(precision),
      start_(0),
      phi_(n_ * n_, 0),
      mean_(n_, 0) {
    share_.resize(n_, 1);
    const double sum = std::accumulate(share_.begin(), share_.end(), 0.0);
    for (double& part : share_) {
        part /= sum;
        start_ += part * 2 * (1 - part);
    }
}

void FastMixing::start() {
    std::ranges::fill(phi_, 0.0);
    for (std::size_t i = 0; i < n_; ++i) {
        phi_[i * n_ + i] = 1;
    }
}

void FastMixing::apply(const Round& round) {
    for (const Clique clique : round.cliques) {
        if ((clique & (clique - 1)) == 0) {
            continue;
        }
        std::ranges::fill(mean_, 0.0);
        double sum = 0;
        for (Clique left = clique; left != 0; left &= left - 1) {
            const auto j = static_cast<std::size_t>(std::countr_zero(left));
            const double weight = equal_ ? 1 : share_[j];
            const double* row = &phi_[j * n_];
            for (std::size_t x = 0; x < n_; ++x) {
                mean_[x] += weight * row[x];
            }
            sum += weight;
        }
        const double scale = 1 / sum;
        for (double& value : mean_) {
            value *= scale;
        }
        for (Clique left = clique; left != 0; left &= left - 1) {
            const auto j = static_cast<std::size_t>(std::countr_zero(left));
            std::ranges::copy(mean_, phi_.begin() + static_cast<std::ptrdiff_t>(j * n_));
        }
    }
}

double FastMixing::error() const {
    if (start_ == 0) {
        return 0;
    }
    double sum = 0;
    for (std::size_t i = 0; i < n_; ++i) {
        const double* row = &phi_[i * n_];
        double off = 0;
        for (std::size_t j = 0; j < n_; ++j) {
            off += std::abs(row[j] - share_[j]);
        }
        sum += share_[i] * off;
    }
    return sum / start_;
}

bool FastMixing::joined(const Schedule& schedule) const {
    const Clique all = n_ == 64 ? ~Clique{0} : (Clique{1} << n_) - 1;
    Clique reached = 1;
    for (bool grown = true; grown && reached != all;) {
        grown = false;
        for (const Round& round : schedule.rounds) {
            for (const Clique clique : round.cliques) {
                if ((clique & reached) != 0 && (clique & ~reached) != 0) {
                    reached |= clique;
                    grown = true;
                }
            }
        }
    }
    return reached == all;
}

template <class Weight>
double FastMixing::phase_sum(const Schedule& schedule,
                             std::size_t phase,
                             const Weight& weight,
                             double most) {
    const std::size_t period = schedule.rounds.size();
    double weight_mean = 0;
    for (std::size_t at = 0; at < period; ++at) {
        weight_mean += weight(at) / static_cast<double>(period);
    }
    start();
    double sum = weight((phase + 1) % period);
    double worth = 1;
    std::vector<double> errors = {1};
    for (std::size_t h = 1; h < 100000; ++h) {
        apply(schedule.rounds[(phase + h) % period]);
        const double now = error();
        worth *= forgetting_;
        if (now * worth < 1e-14) {
            break;
        }
        sum += worth * now * weight((phase + 1 + h) % period);
        errors.push_back(now);
        if (sum > most) {
            break;
        }
        if (h >= period) {
            const double decay = now / errors[h - period] * std::pow(forgetting_, double(period));
            const double tail = static_cast<double>(period) * now * worth * decay;
            if (decay < 1 && tail / (1 - decay) * weight_mean < precision_ * sum) {
                // Of the rest the geometric series is a good guess.
                sum += tail / (1 - decay) * weight_mean;
                break;
            }
        }
    }
    return sum;
}

double FastMixing::area(const Schedule& schedule, double most) {
    if (!joined(schedule)) {
        return kNever;
    }
    double sum = 0;
    for (std::size_t phase = 0; phase < schedule.rounds.size() && sum <= most; ++phase) {
        sum += phase_sum(schedule, phase, [](std::size_t) { return 1.0; }, most - sum);
    }
    return sum;
}

double FastMixing::own_score(const Schedule& schedule, const std::vector<double>& round_ms) {
    if (!joined(schedule)) {
        return kNever;
    }
    double weighted = 0;
    double total = 0;
    for (std::size_t k = 0; k < round_ms.size(); ++k) {
        const double lifetime =
            round_ms[k] / 2 +
            phase_sum(schedule, k, [&](std::size_t at) { return round_ms[at]; }, kNever);
        weighted += round_ms[k] * lifetime;
        total += round_ms[k];
    }
    return total == 0 ? 0 : weighted / total;
}

double FastMixing::error_after(const std::vector<const Round*>& rounds) {
    start();
    for (const Round* round : rounds) {
        apply(*round);
    }
    return error();
}

}  // namespace longhaul::schedule::detail
