// Which devices are most alike: classes for bounds where the fabric has too many exact ones.
#pragma once

#include "longhaul/placement/classes.hpp"

namespace longhaul::placement {

/// Kinds of devices joined one pair of groups after another, those first whose costs to third
/// devices differ least: the mean of |a - b| / max(a, b), averaged over the kinds of both groups
/// (average linkage, Sokal and Michener, 1958). At most 64 third kinds are compared. Above 1,500
/// kinds, those within a tolerance are one from the start. O(kinds^2) memory, about O(kinds^2)
/// time.
class ClassTree {
public:
    explicit ClassTree(const Costs& costs);

    /// Groups before any joining.
    [[nodiscard]] std::size_t leaves() const { return leaves_.size(); }
    /// The classes that are left when no more than `count` are.
    [[nodiscard]] Classes cut(std::size_t count) const;
    /// The number of classes from 2 to `most` after which the next joining is the dearest compared
    /// with the one before: the fabric falls apart there.
    [[nodiscard]] std::size_t natural(std::size_t most) const;

private:
    struct Join {
        std::size_t a;
        std::size_t b;
        double height;
    };
    void join_all(core::Grid<double> far);

    std::size_t devices_;
    std::vector<std::vector<int>> leaves_;
    std::vector<Join> joins_;
};

}  // namespace longhaul::placement
