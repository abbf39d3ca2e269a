// How much disagreement must still come after a start, by what its first rounds have done.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "longhaul/schedule/detail/distinct.hpp"
#include "longhaul/schedule/detail/rounds_on_rows.hpp"

namespace longhaul::schedule::detail {

/// For one start, whatever comes: lower bounds of rho e(1) + rho^2 e(2) + ... over all sequences of
/// rounds. Products are looked at one round after the other, each once, as long as their sum and
/// the floors behind it stay below a cap; then bounds are carried back to where they came from.
/// Weights of islands of one side are added up, so that there are fewer products; e of a product is
/// at least that of the sums and at least its floor.
class StartBounds {
public:
    using Node = std::uint32_t;  ///< a product of the first rounds
    static constexpr Node kUnknown = UINT32_MAX;
    static constexpr Node kRoot = 0;  ///< no round yet

    /// Floors of rho^h e(h), h = 0 and more, zero beyond. `table` must outlive it.
    StartBounds(const RoundTable& table,
                const Sides& sides,
                const std::vector<double>& floors,
                double forgetting);

    /// Looks again, with a higher cap. `work` (rounds tried behind a product) is lowered by what
    /// was used; where it ends, bounds stay what floors say.
    void look(double cap, double& work, const std::function<bool()>& stop);
    /// Looks at all products of as many rounds as the work allows, without a cap.
    void look_at_all(double& work, const std::function<bool()>& stop) {
        look(std::numeric_limits<double>::infinity(), work, stop);
    }

    [[nodiscard]] double least() const { return left(kRoot); }
    /// At least what is still to come.
    [[nodiscard]] double left(Node node) const {
        return static_cast<double>(left_[node]) - kGrainsInError;
    }
    /// After one more round. Unknown: the sum of the start, what is to come included, is at least
    /// cap().
    [[nodiscard]] Node after(Node node, std::size_t round) const {
        return edges_[node] == kUnknown ? kUnknown : to_[edges_[node] * rounds_.size() + round];
    }
    [[nodiscard]] bool looked_behind(Node node) const {
        return node != kUnknown && edges_[node] != kUnknown;
    }
    [[nodiscard]] double cap() const { return cap_ - kGrainsInError; }

private:
    void look_behind(std::size_t length,
                     const float* rows,
                     Node node,
                     Node first,
                     Distinct& distinct,
                     std::vector<float>& next);
    void carry_back();

    RoundsOnRows rounds_;
    RoundsOnRows child_;
    std::vector<double> floors_;
    std::vector<double> behind_;  ///< sums of all floors after h
    std::vector<double> worth_;   ///< rho^h
    double cap_ = 0;
    std::vector<float> sum_;  ///< least of all ways to the product
    std::vector<float> left_;
    std::vector<float> last_;  ///< rho^h e(h) of the product itself
    std::vector<Node> edges_;  ///< index of its edges, or unknown
    std::vector<float> cut_;   ///< of each with edges: the least behind the unknown ones
    std::vector<Node> to_;     ///< [edges][round]
};

}  // namespace longhaul::schedule::detail
