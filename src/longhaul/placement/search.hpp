// The search behind a small interface: a problem in, stage groups and what was done out.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "longhaul/placement/evaluate.hpp"

namespace longhaul::placement {

struct SearchOptions {
    std::uint64_t seed = 7;
    std::uint64_t budget = 2'400'000;  ///< evaluations (scored candidates) over all restarts
    std::uint64_t run = 0;  ///< which of several searches under one seed: other random streams
    int restarts = 8;       ///< independent descents, each with a random stream of its own
    int threads = 1;        ///< never changes the result
    /// Asked now and then from every thread; true ends the search early. Empty: never. This is
    /// the only way in which time enters, and the caller owns the clock.
    std::function<bool()> stop;
};

struct SearchResult {
    Stages stages;       ///< in path order
    double score = 0;    ///< inner problems solved exactly
    std::string origin;  ///< what found it
    std::uint64_t evaluations = 0;
    std::string stopped_by;  ///< "budget", "time limit", "exhausted"; of a plan also "proof"
};

/// A way to look for a good partition into stage groups. Implementations are pure: equal problem
/// and options give equal results, unless `stop` cuts them short.
class Search {
public:
    Search() = default;
    Search(const Search&) = delete;
    Search& operator=(const Search&) = delete;
    virtual ~Search() = default;
    /// Problem with 1 <= pp <= kMaxExactStages.
    [[nodiscard]] virtual SearchResult run(const Problem& problem,
                                           const SearchOptions& options) const = 0;
};

enum class SearchKind {
    kHostOrder,   ///< no search: device i at rank i, stages as they come
    kExhaustive,  ///< every partition; for n up to about 12
    kPortfolio,   ///< structural seeds, annealing over counts, refinement over devices
};

/// The one place that knows the implementations.
[[nodiscard]] std::unique_ptr<Search> make_search(SearchKind kind);

}  // namespace longhaul::placement
