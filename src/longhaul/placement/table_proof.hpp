// Proves that no placement is below a bound, from tables of counts: the data-parallel term is cut
// into slices, and the bound is the least that is proved of any slice.
#pragma once

#include <memory>

#include "longhaul/placement/table_search.hpp"

namespace longhaul::placement {

struct TableProofResult {
    double bound = 0;  ///< no placement scores less
    double best = 0;   ///< of an exact model: the least score known, the incumbent or below
    Counts counts;  ///< what has it, in path order; empty when nothing below the incumbent was met
    std::uint64_t nodes = 0;
    std::uint64_t work = 0;
};

class TableProof {
public:
    /// Classes of these sizes.
    TableProof(std::unique_ptr<TableModel> model, Shape shape, std::vector<int> sizes);

    /// Whether the number of classes and devices can be handled at all. Stages of more than
    /// kMaxStageDevices devices have the bound of the root only.
    [[nodiscard]] static bool applicable(Shape shape, const std::vector<int>& sizes);

    /// Bound without branching. Milliseconds at most.
    [[nodiscard]] double root_bound();

    /// Raises the bound towards the incumbent as far as the work goes.
    [[nodiscard]] TableProofResult run(double incumbent, const SliceLimits& limits);

private:
    struct Part {
        Slice slice;
        double excluded = 0;  // no placement of the slice scores less
        bool closed = false;  // cannot be raised any more
    };
    [[nodiscard]] std::vector<Part> cut(double incumbent) const;
    [[nodiscard]] std::optional<StageList> list(std::vector<Part>& parts);
    bool raise(TableSearch& search, Part& part, double target, std::uint64_t work);

    std::unique_ptr<TableModel> model_;
    Shape shape_;
    std::vector<int> sizes_;
    TableBounds bounds_;
    double root_path_ = 0;

    TableProofResult result_;
    const SliceLimits* limits_ = nullptr;
    std::uint64_t left_ = 0;  // work
};

}  // namespace longhaul::placement
