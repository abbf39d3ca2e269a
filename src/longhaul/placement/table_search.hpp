// Branch and bound over tables of counts inside one slice of the data-parallel term.
#pragma once

#include <functional>

#include "longhaul/placement/proof_log.hpp"
#include "longhaul/placement/table_bounds.hpp"

namespace longhaul::placement {

/// Placements whose data-parallel term is above `floor` and up to `cap`.
struct Slice {
    double floor = 0;
    double cap = 0;
    bool first = false;  ///< the lowest slice: terms at the floor belong to it too
};

struct SliceLimits {
    std::uint64_t work = 0;      ///< stages passed over, about 10 ns each
    std::function<bool()> stop;  ///< see SearchOptions
    SliceLog* log = nullptr;     ///< nodes are added there, with stages of the list as columns
    std::size_t most_nodes = 0;  ///< the search stops when the log has more
};

struct SliceResult {
    bool complete = false;  ///< nothing below `value` was left out
    double value = 0;       ///< the target, or less: the least bound of a table that was met
    Counts counts;          ///< the table with that bound, in path order; empty when none was met
    std::uint64_t nodes = 0;
    std::uint64_t work = 0;
};

/// A table is a set of stages with multiplicities. Inside a slice the data-parallel term is known
/// up to the width of the slice, so that the path has a budget, and every choice of a stage strikes
/// all others from the list that no longer fit into the rest or whose break the budget cannot
/// bear. The class with the fewest stages left is covered next. Sets are met once: when all
/// multiplicities of a stage have been tried, it is struck for its later siblings. Source:
/// docs/mathematics/placement.md, "Branch and bound".
class TableSearch {
public:
    /// All must outlive the search.
    TableSearch(TableModel& model,
                const StageList& stages,
                Shape shape,
                const std::vector<int>& sizes);

    /// Everything in the slice with a score below the target.
    [[nodiscard]] SliceResult run(const Slice& slice, double target, const SliceLimits& limits);

private:
    struct Candidate {
        int stage;
        int join;  // with the chosen stages
    };
    /// What a list of candidates holds of each class.
    struct Census {
        std::array<std::uint8_t, kMaxPackedClasses> most{};
        std::array<std::uint8_t, kMaxPackedClasses> least{};
        std::array<std::uint32_t, kMaxPackedClasses> holders{};
        std::uint32_t tops = 0;  // stages with an exchange above the floor
    };
    struct Node {
        std::vector<Candidate> candidates;
        Census census;
    };
    struct Choice {
        double bound;
        int times;
    };
    struct Branch {
        Candidate candidate;
        std::vector<Choice> choices;
    };

    [[nodiscard]] double budget() const { return target_ - slice_.floor; }
    bool begin();
    [[nodiscard]] Census census(const std::vector<Candidate>& candidates) const;
    [[nodiscard]] bool possible(const Census& census,
                                const Profile& rest,
                                int left,
                                bool top) const;
    bool give_up();
    void log_choice(int stage, int times);
    void log_cover(std::size_t k);
    void visit(std::size_t depth, const Profile& rest, int left, bool top);
    [[nodiscard]] std::size_t scarcest(const Census& census, const Profile& rest) const;
    [[nodiscard]] std::vector<Branch> branches(const Node& node,
                                               const Profile& rest,
                                               int left,
                                               std::size_t k);
    [[nodiscard]] Profile without(const Profile& rest, int stage, int times) const;
    bool narrow(std::size_t depth, const Profile& rest, int left, bool top);
    void leaf();
    void accept(double exchange, const core::Grid<double>& edges, const std::vector<int>& of_row);
    [[nodiscard]] core::Grid<double> chosen_edges();

    TableModel& model_;
    const StageList& stages_;
    Shape shape_;
    std::vector<int> sizes_;
    std::size_t k_;
    TableBounds bounds_;

    Slice slice_;
    double target_ = 0;
    const SliceLimits* limits_ = nullptr;
    SliceResult result_;
    bool stopped_ = false;
    std::vector<Node> nodes_;   // by depth
    std::vector<char> struck_;  // stages that are done with at some node above
};

}  // namespace longhaul::placement
