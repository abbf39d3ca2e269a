// How much disagreement must still come after a start, by what its first rounds have done.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "longhaul/schedule/detail/distinct.hpp"
#include "longhaul/schedule/detail/later_products.hpp"
#include "longhaul/schedule/detail/rounds_on_rows.hpp"
#include "longhaul/schedule/detail/symmetries.hpp"

namespace longhaul::schedule::detail {

/// A product of the first rounds of a start, by what it is in a graph of such products.
struct StartProduct {
    using Node = std::uint32_t;
    static constexpr Node kUnknown = UINT32_MAX;

    Node node = kUnknown;
    Symmetries::Index turn = 0;  ///< makes it the product of the node

    [[nodiscard]] bool known() const { return node != kUnknown; }
};

/// For one start, whatever comes: lower bounds of rho e(1) + rho^2 e(2) + ... over all sequences of
/// rounds. Products are looked at one round after the other, each once, as long as their sum and
/// the floors behind it stay below a cap; then bounds are carried back to where they came from.
/// Weights of islands of one side are added up, so that there are fewer products; e of a product is
/// at least that of the sums and at least its floor. A first round leaves at least what a coarser
/// one leaves, whatever follows, and shares its node.
class StartBounds {
public:
    using Node = StartProduct::Node;  ///< products of the first rounds that are equal but for names
    static constexpr Node kUnknown = StartProduct::kUnknown;
    static constexpr Node kRoot = 0;  ///< no round yet

    /// A product of the first rounds.
    using Product = StartProduct;
    static constexpr Product kNoRound{kRoot, 0};

    /// Floors of rho^h e(h), h = 0 and more, zero beyond. `table` must outlive it.
    StartBounds(const RoundTable& table,
                const Sides& sides,
                const std::vector<double>& floors,
                double forgetting);

    /// [j - 1] all products of j rounds, of each island by itself: what they leave of a product is
    /// looked at, too, before rounds are tried behind it. They must outlive it.
    void look_ahead_with(std::vector<LaterProducts>& later) { later_ = &later; }

    /// Products that these make equal are looked at once; islands must be sides of equal shares. It
    /// must outlive them.
    void merge_with(const Symmetries& symmetries);

    /// Looks again, with a higher cap. `work` (rounds tried behind a product) is lowered by what
    /// was used; where it ends, bounds stay what floors say.
    void look(double cap, double& work, const std::function<bool()>& stop);
    /// Looks at all products of as many rounds as the work allows, without a cap.
    void look_at_all(double& work, const std::function<bool()>& stop) {
        look(std::numeric_limits<double>::infinity(), work, stop);
    }

    [[nodiscard]] double least() const { return left(kNoRound); }
    /// At least what is still to come.
    [[nodiscard]] double left(Product of) const {
        return static_cast<double>(left_[of.node]) - kGrainsInError;
    }
    /// After one more round. Unknown: the sum of the start, what is to come included, is at least
    /// cap().
    [[nodiscard]] Product after(Product before, std::size_t round) const;
    [[nodiscard]] bool looked_behind(Product of) const {
        return of.known() && edges_[of.node] != kUnknown;
    }
    [[nodiscard]] double cap() const { return cap_ - kGrainsInError; }

private:
    static constexpr std::size_t kMostAhead = 6;
    /// [j] at least e after j + 1 rounds more.
    using Ahead = std::array<float, kMostAhead>;

    /// A round, and what makes the product behind it that of a node.
    struct Edge {
        static constexpr std::uint32_t kTurns = 1U << 6U;

        [[nodiscard]] std::uint32_t round() const { return code / kTurns; }
        [[nodiscard]] Symmetries::Index turn() const {
            return static_cast<Symmetries::Index>(code % kTurns);
        }

        std::uint32_t code;
        Node to;
    };
    static_assert(Symmetries::kMost <= Edge::kTurns);

    /// Gives islands the names that make the least print; returns the permutation.
    Symmetries::Index turn(float* rows) const;
    [[nodiscard]] std::span<const Edge> edges_of(Node node) const;
    void look_behind(std::size_t length,
                     const float* rows,
                     Node node,
                     const Ahead& ahead,
                     Node first,
                     Distinct& distinct,
                     std::vector<float>& next);
    /// Raises what is left behind a product by what more rounds at once can do.
    void look_ahead(std::size_t length,
                    std::size_t lists,
                    const float* rows,
                    Node node,
                    Ahead& ahead,
                    double& work);
    [[nodiscard]] std::size_t lists_for(double products, double work) const;
    [[nodiscard]] double left_by(std::size_t length, const Ahead& ahead) const;
    void carry_back();

    RoundsOnRows rounds_;
    RoundsOnRows child_;
    std::vector<LaterProducts>* later_ = nullptr;
    const Symmetries* symmetries_ = nullptr;
    /// Updates of islands with equal shares may change their names: e of all further products stays
    /// the same, so that columns are kept in a fixed order.
    bool equal_columns_;
    std::vector<double> floors_;
    std::vector<double> behind_;  ///< sums of all floors after h
    std::vector<double> worth_;   ///< rho^h
    double cap_ = 0;
    std::vector<Ahead> ahead_;       ///< of the products of the level
    std::vector<Ahead> next_ahead_;  ///< of those of the next one
    std::vector<float> sum_;         ///< least of all ways to the product
    std::vector<float> left_;
    std::vector<float> last_;  ///< rho^h e(h) of the product itself
    std::vector<Node> edges_;  ///< index of its edges, or unknown
    std::vector<float> cut_;   ///< of each with edges: the least behind the unknown ones
    std::vector<std::size_t> first_edge_;
    std::vector<Edge> to_;  ///< of one node after the other, by round
};

}  // namespace longhaul::schedule::detail
