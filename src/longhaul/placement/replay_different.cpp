#include "longhaul/placement/replay_different.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

namespace longhaul::placement {
namespace {

constexpr double kNoStage = std::numeric_limits<double>::infinity();

class DifferentReplay {
public:
    DifferentReplay(const Costs& costs, std::span<const int> class_of_device, Shape shape)
        : shape_(shape),
          sizes_(static_cast<std::size_t>(1 + std::ranges::max(class_of_device)), 0) {
        for (const int k : class_of_device) {
            ++sizes_[static_cast<std::size_t>(k)];
        }
        pipeline_ = least_of(costs.pipeline, class_of_device);
        exchange_ = least_of(costs.exchange, class_of_device);
        for (std::size_t a = 0; a < sizes_.size(); ++a) {
            any_ = std::min(any_, pipeline_(a, a));
            for (std::size_t b = 0; b < a; ++b) {
                across_ = std::min(across_, pipeline_(a, b));
            }
        }
        any_ = std::min(any_, across_);
    }

    std::string run(const DifferentLog& log, double target) {
        if (equal_stages() < target) {
            return fmt::format(
                "equal stages may score {:.9f} s, below {:.9f}", equal_stages(), target);
        }
        for (int c = 2; c <= shape_.pp; ++c) {
            const double path = (shape_.pp - c) * any_ + (c - 1) * across_;
            if (path >= target) {
                continue;
            }
            const auto number = std::ranges::find(log.numbers, c, &DifferentLog::Number::different);
            if (number == log.numbers.end()) {
                return fmt::format("{} different stages are not excluded", c);
            }
            need_ = target - path;
            const int times = (shape_.pp + c - 1) / c;
            most_.clear();
            for (const int size : sizes_) {
                most_.push_back(std::min(shape_.dp, size / times));
            }
            if (std::string why = tree(number->nodes); !why.empty()) {
                return fmt::format("{} different stages: {}", c, why);
            }
        }
        return {};
    }

private:
    enum class Holds : char { kMay, kMust, kNot };

    static core::Grid<double> least_of(const PairMatrix& costs, std::span<const int> classes) {
        const auto k = static_cast<std::size_t>(1 + std::ranges::max(classes));
        core::Grid<double> least(k, k, kNoStage);
        for (std::size_t i = 0; i < classes.size(); ++i) {
            for (std::size_t j = 0; j < classes.size(); ++j) {
                double& cell = least(static_cast<std::size_t>(classes[i]),
                                     static_cast<std::size_t>(classes[j]));
                cell = i == j ? cell : std::min(cell, costs(i, j));
            }
        }
        return least;
    }

    /// A class of one device has no pair inside: it stands in a stage at most once.
    [[nodiscard]] double inside(std::size_t a) const {
        return exchange_(a, a) == kNoStage ? 0 : exchange_(a, a);
    }

    /// Every stage holds the same share of every class; infinite where that does not come out even.
    [[nodiscard]] double equal_stages() const {
        double worst = 0;
        double edge = 0;
        for (std::size_t a = 0; a < sizes_.size(); ++a) {
            if (sizes_[a] % shape_.pp != 0) {
                return kNoStage;
            }
            double sum = 0;
            double nearest = kNoStage;
            for (std::size_t b = 0; b < sizes_.size(); ++b) {
                const int peers = sizes_[b] / shape_.pp - (a == b ? 1 : 0);
                sum += peers > 0 ? peers * exchange_(a, b) : 0;
                nearest = std::min(nearest, pipeline_(a, b));
            }
            worst = std::max(worst, sum);
            edge = std::max(edge, nearest);
        }
        return worst + (shape_.pp - 1) * edge;
    }

    /// All trees, one for each first class.
    std::string tree(const std::vector<DifferentLog::Node>& nodes) {
        nodes_ = &nodes;
        at_ = 0;
        std::vector<Holds> state(sizes_.size(), Holds::kMay);
        for (std::size_t k = 0; k < sizes_.size(); ++k) {
            state[k] = Holds::kMust;
            if (std::string why = visit(state); !why.empty()) {
                return why;
            }
            state[k] = Holds::kNot;
        }
        return at_ == nodes.size() ? "" : "nodes are left at the end of the log";
    }

    std::string visit(std::vector<Holds>& state) {
        // Without recursion deeper than the number of classes: every branch settles one.
        if (at_ >= nodes_->size()) {
            return "the log ends before all sets of classes are excluded";
        }
        const std::size_t here = at_++;
        const DifferentLog::Node& node = (*nodes_)[here];
        if (node.branch < 0) {
            const double bound = mean(state, node.weights);
            return bound >= need_ ? ""
                                  : fmt::format(
                                        "leaf {} gives {:.9f} s of exchange, {:.9f} are "
                                        "needed",
                                        here + 1,
                                        bound,
                                        need_);
        }
        const auto k = static_cast<std::size_t>(node.branch);
        if (k >= state.size() || state[k] != Holds::kMay) {
            return fmt::format("node {} branches on a class that is settled", here + 1);
        }
        for (const Holds half : {Holds::kMust, Holds::kNot}) {
            state[k] = half;
            if (std::string why = visit(state); !why.empty()) {
                return why;
            }
        }
        state[k] = Holds::kMay;
        return {};
    }

    /// The least weighted mean of the sums of the classes over all stages of the set.
    [[nodiscard]] double mean(const std::vector<Holds>& state,
                              const std::vector<std::pair<int, double>>& weights) const {
        int room = 0;
        int held = 0;
        for (std::size_t k = 0; k < state.size(); ++k) {
            if (state[k] == Holds::kMust && most_[k] == 0) {
                return kNoStage;
            }
            held += state[k] == Holds::kMust ? 1 : 0;
            room += state[k] == Holds::kNot ? 0 : most_[k];
        }
        if (room < shape_.dp || held > shape_.dp) {
            return kNoStage;
        }
        double all = 0;
        for (const auto& [k, weight] : weights) {
            const auto at = static_cast<std::size_t>(k);
            if (at >= state.size() || state[at] != Holds::kMust || !(weight >= 0)) {
                return 0;  // only what the stage holds counts
            }
            all += weight;
        }
        if (!(all > 0)) {
            return 0;
        }
        std::vector<double> price(state.size(), 0);
        double value = 0;
        for (const auto& [k, weight] : weights) {
            const auto a = static_cast<std::size_t>(k);
            value -= weight / all * inside(a);
            for (std::size_t b = 0; b < price.size(); ++b) {
                price[b] += weight / all * (a == b ? inside(a) : exchange_(a, b));
            }
        }
        return value + cheapest_fill(state, price);
    }

    /// One device of each class that must be there, then the cheapest.
    [[nodiscard]] double cheapest_fill(const std::vector<Holds>& state,
                                       const std::vector<double>& price) const {
        double value = 0;
        int missing = shape_.dp;
        std::vector<std::pair<double, int>> offers;
        for (std::size_t k = 0; k < state.size(); ++k) {
            const int must = state[k] == Holds::kMust ? 1 : 0;
            value += must * price[k];
            missing -= must;
            if (state[k] != Holds::kNot && most_[k] > must) {
                offers.emplace_back(price[k], most_[k] - must);
            }
        }
        std::ranges::sort(offers);
        for (const auto& [seconds, devices] : offers) {
            const int taken = std::min(devices, missing);
            value += taken * seconds;
            missing -= taken;
        }
        return value;
    }

    Shape shape_;
    std::vector<int> sizes_;
    core::Grid<double> pipeline_;
    core::Grid<double> exchange_;
    double any_ = kNoStage;     ///< the cheapest pair
    double across_ = kNoStage;  ///< of two classes
    double need_ = 0;           ///< seconds of exchange that a leaf must give
    std::vector<int> most_;     ///< devices of each class in the stage that stands most often
    const std::vector<DifferentLog::Node>* nodes_ = nullptr;
    std::size_t at_ = 0;
};

}  // namespace

std::string replay_different(const Costs& costs,
                             std::span<const int> class_of_device,
                             Shape shape,
                             const DifferentLog& log,
                             double target) {
    if (class_of_device.size() != shape.devices()) {
        return "different stages are counted where every device is in use";
    }
    return DifferentReplay(costs, class_of_device, shape).run(log, target);
}

}  // namespace longhaul::placement
