// What the checker of certificates knows of exchanges: seconds of a stage group and least seconds
// of one that holds a device. Plain code of its own, straight from the formulas of exchange.hpp.
#pragma once

#include <vector>

#include "longhaul/placement/costs.hpp"

namespace longhaul::placement {

class ReplayExchange {
public:
    /// Kind, links, regions and classes (the order of sums) of a problem; tp = 1.
    explicit ReplayExchange(const Problem& problem);

    /// Seconds of a group: exact for sharded, central, rings of up to 12 members, trees of up to
    /// 10, and hierarchical as far as replay_owners is; else no more than that.
    [[nodiscard]] double seconds(std::vector<int> group) const;

    /// No group of dp devices with this one takes less. O(n log n), central O(n^2 log n).
    [[nodiscard]] double least_with(int device) const;

    /// The same of the device that has it best among as many as the shape uses: whatever is left
    /// out, one device that is used has at least this.
    [[nodiscard]] double least() const;

private:
    [[nodiscard]] double hop(int a, int b, double gb) const;
    [[nodiscard]] double nearest_sum(int device,
                                     const std::vector<int>& peers,
                                     int count,
                                     double gb) const;
    [[nodiscard]] double second_hops(const std::vector<int>& group, double gb) const;
    [[nodiscard]] double cheapest_hop(const std::vector<int>& group) const;
    [[nodiscard]] double ring(const std::vector<int>& group) const;
    [[nodiscard]] double tree(const std::vector<int>& group) const;
    [[nodiscard]] double regions(const std::vector<int>& group) const;
    [[nodiscard]] double worst_sum(const std::vector<int>& group, double gb) const;
    [[nodiscard]] double least_of_root(int device, const std::vector<int>& peers) const;
    [[nodiscard]] double least_of_regions(int device, const std::vector<int>& peers) const;

    const Problem& problem_;
    Exchange kind_;
    double gb_;
    int messages_;
    int size_;
};

}  // namespace longhaul::placement
