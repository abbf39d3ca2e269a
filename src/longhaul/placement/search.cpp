#include "longhaul/placement/search.hpp"

#include <algorithm>
#include <numeric>

#include "longhaul/placement/portfolio.hpp"

namespace longhaul::placement {
namespace {

class HostOrderSearch : public Search {
public:
    [[nodiscard]] SearchResult run(const Problem& problem,
                                   const SearchOptions& /*options*/) const override {
        std::vector<int> ranks(problem.shape.devices());
        std::iota(ranks.begin(), ranks.end(), 0);
        const Stages stages = Placement(problem.shape, ranks).stages();
        const Solved solved = solve_inner(problem, stages);
        return {in_order(stages, solved.order), solved.score.total(), "host order", 1, "exhausted"};
    }
};

/// Tries every partition into stage groups, the lowest open device always opening the next group.
class Exhaustion {
public:
    explicit Exhaustion(const Problem& problem)
        : problem_(problem), stages_(problem.shape.pp), used_(problem.shape.devices(), 0) {}

    SearchResult run() && {
        place(0, 0);
        best_.origin = "exhaustive search";
        best_.stopped_by = "exhausted";
        return std::move(best_);
    }

private:
    void place(std::size_t stage, int from) {
        if (stage == stages_.size()) {
            score();
            return;
        }
        std::vector<int>& group = stages_[stage];
        if (static_cast<int>(group.size()) == problem_.shape.dp) {
            place(stage + 1, 0);
            return;
        }
        for (int device = from; device < static_cast<int>(used_.size()); ++device) {
            if (used_[device] != 0) {
                continue;
            }
            used_[device] = 1;
            group.push_back(device);
            place(stage, device + 1);
            group.pop_back();
            used_[device] = 0;
            if (group.empty()) {
                return;
            }
        }
    }

    void score() {
        ++best_.evaluations;
        const Solved solved = solve_inner(problem_, stages_);
        if (best_.stages.empty() || solved.score.total() < best_.score) {
            best_.score = solved.score.total();
            best_.stages = in_order(stages_, solved.order);
        }
    }

    const Problem& problem_;
    Stages stages_;
    std::vector<char> used_;
    SearchResult best_;
};

class ExhaustiveSearch : public Search {
public:
    [[nodiscard]] SearchResult run(const Problem& problem,
                                   const SearchOptions& /*options*/) const override {
        return Exhaustion(problem).run();
    }
};

}  // namespace

std::unique_ptr<Search> make_search(SearchKind kind) {
    switch (kind) {
        case SearchKind::kHostOrder:
            return std::make_unique<HostOrderSearch>();
        case SearchKind::kExhaustive:
            return std::make_unique<ExhaustiveSearch>();
        case SearchKind::kPortfolio:
            return std::make_unique<PortfolioSearch>();
    }
    return nullptr;
}

}  // namespace longhaul::placement
