// What the checker of certificates knows of a problem over classes of devices: costs, columns and
// lower bounds. Plain code of its own: it shares nothing with the proof that it checks.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "longhaul/placement/costs.hpp"
#include "longhaul/placement/replay_members.hpp"

namespace longhaul::placement {

/// How the devices hang together by pairs that cost less than `to`: edges that cost as much or more
/// are breaks.
struct ReplayLevel {
    double from = 0;
    double to = 0;            ///< the next cost at which more hangs together
    std::vector<int> part;    ///< connected part of each class
    int parts = 0;            ///< their number
    std::vector<char> alone;  ///< classes whose devices have no pair below `to` at all
    /// Devices of each class that can have partners in pairs below `to` when they stand in one
    /// stage: the partners are other devices, in a neighbouring stage.
    std::vector<int> reach;
    /// Chains of devices, joined by such pairs, that cover each part at least: one, or one for
    /// every device without a pair; more where members are known.
    std::vector<int> chains;
    int fewest_breaks = 0;  ///< breaks of any path of stages
};

/// Chosen stages under one level.
struct ReplayGroups {
    std::vector<ReplayRow> profiles;  ///< different ones, of stages that can have neighbours
    int lone_stages = 0;              ///< stages that cannot
    ReplayRow begun{};                ///< chains of each part that these blocks begin
};

/// A node: the columns chosen so far and the devices that are left.
struct ReplayState {
    ReplayRow rest{};
    int left = 0;                             ///< stages still to fill
    double exchange = 0;                      ///< worst chosen column
    std::vector<ReplayGroups> groups;         ///< by level
    std::vector<std::pair<int, int>> chosen;  ///< column of the log, stages
};

class ReplayModel {
public:
    /// Least cost between any two members of the classes: no placement costs less than its counts
    /// do under them. O(n^2).
    ReplayModel(const Costs& costs, std::span<const int> class_of_device, Shape shape);

    /// Another exchange than sums of pairs: seconds of a stage, and of any that holds a class.
    void set_groups(std::function<double(const ReplayRow&)> seconds, std::vector<double> least) {
        group_seconds_ = std::move(seconds);
        least_of_class_ = std::move(least);
    }
    /// Classes whose members differ: what is known of them, and the levels to be told apart, two
    /// costs each. Returns why these are no levels; empty: they are. The members must outlive it.
    [[nodiscard]] std::string set_members(const ReplayMembers& members,
                                          std::span<const double> levels);
    [[nodiscard]] const ReplayMembers* members() const { return members_; }
    /// Whether a stage takes no less than a part of it.
    [[nodiscard]] bool exchange_grows() const { return !group_seconds_; }

    [[nodiscard]] std::size_t classes() const { return sizes_.size(); }
    [[nodiscard]] Shape shape() const { return shape_; }
    [[nodiscard]] const std::vector<int>& sizes() const { return sizes_; }
    [[nodiscard]] double cheapest_pair() const { return cheapest_; }

    /// Worst device of a stage, or of a part of it, at least costs between classes.
    [[nodiscard]] double exchange(const ReplayRow& row) const;
    /// Worst device of `times` such stages, at least.
    [[nodiscard]] double exchange(const ReplayRow& row, int times) const;
    /// Worst device of the rest with its dp - 1 cheapest peers there.
    [[nodiscard]] double exchange_of_rest(const ReplayRow& rest) const;
    /// Worst device of any placement with its dp - 1 cheapest peers.
    [[nodiscard]] double least_exchange() const;
    /// Bottleneck of pairing two stages: the least threshold that meets Hall's condition.
    [[nodiscard]] double edge(const ReplayRow& a, const ReplayRow& b) const;

    [[nodiscard]] ReplayState root() const;
    /// The state after a column is taken for exactly `times` stages.
    [[nodiscard]] ReplayState after(const ReplayState& state,
                                    const ReplayRow& column,
                                    int times) const;
    /// Path of all sets that go on from the state, at least. Sums stop once they reach `enough`.
    [[nodiscard]] double path_bound(const ReplayState& state, double enough);
    /// The same with a column taken for exactly `times` stages more, where no other set of stages
    /// holds a column that is chosen already.
    [[nodiscard]] double path_bound(const ReplayState& state,
                                    const ReplayRow& column,
                                    int times,
                                    double enough);
    /// Path, at least, of the chosen columns with this one more, or one unlike all of them, and
    /// whatever the rest is.
    [[nodiscard]] double path_with(const ReplayState& state, const ReplayRow& column) const;
    [[nodiscard]] double path_with_another(const ReplayState& state) const;
    /// Path, at least, when all stages are chosen and these are the edges of a tree of least weight
    /// over them: of any cost, as many edges are dearer as in the tree, and as many as breaks say.
    [[nodiscard]] double path_with_tree(const ReplayState& state, std::vector<double> tree);

private:
    struct Key {
        ReplayRow total;
        int stages;
        friend bool operator==(const Key&, const Key&) = default;
    };
    struct KeyHash {
        std::size_t operator()(const Key& key) const;
    };
    void find_levels();
    void join(ReplayLevel& level, double below) const;
    void find_partners(ReplayLevel& level) const;
    void count_fewest_breaks(ReplayLevel& level);
    [[nodiscard]] ReplayRow profile(const ReplayLevel& level, const ReplayRow& row) const;
    [[nodiscard]] int lone_devices(const ReplayLevel& level, const ReplayRow& row) const;
    [[nodiscard]] bool stands_alone(const ReplayLevel& level, const ReplayRow& row) const;
    [[nodiscard]] int uncovered(const ReplayLevel& level,
                                const ReplayGroups& groups,
                                const ReplayRow* column,
                                const ReplayRow& begun,
                                const ReplayRow& total,
                                int left) const;
    [[nodiscard]] double path(const ReplayState& state,
                              const ReplayRow* column,
                              int times,
                              const ReplayRow& rest,
                              double enough);
    int breaks(std::size_t l,
               const ReplayGroups& groups,
               const ReplayRow* column,
               int times,
               const ReplayRow& rest,
               int left);
    int new_profiles(const ReplayLevel& level,
                     const std::vector<ReplayRow>& known,
                     const ReplayRow* column,
                     const ReplayRow& total,
                     const ReplayRow& rest,
                     int left);
    int fewest_profiles(const ReplayRow& total, std::size_t entries, int stages);

    Shape shape_;
    std::vector<int> sizes_;
    core::Grid<double> pipeline_;
    core::Grid<double> exchange_;
    std::function<double(const ReplayRow&)> group_seconds_;
    std::vector<double> least_of_class_;
    const ReplayMembers* members_ = nullptr;
    double cheapest_ = 0;
    std::vector<std::vector<int>> nearest_;  ///< classes by exchange from each
    std::vector<ReplayLevel> levels_;
    std::unordered_map<Key, int, KeyHash> fewest_;
};

}  // namespace longhaul::placement
