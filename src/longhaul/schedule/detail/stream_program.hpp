// The linear program of streamed rounds, and what is added to it until links and memories fit.
#pragma once

#include <optional>
#include <vector>

#include "longhaul/schedule/detail/linear_program.hpp"
#include "longhaul/schedule/detail/stream_model.hpp"

namespace longhaul::schedule::detail {

class StreamProgram {
public:
    /// The model must outlive it.
    explicit StreamProgram(const StreamModel& model);

    /// The least score; nothing when infeasible.
    [[nodiscard]] std::optional<StreamPoint> solve() const;

    /// Of all points with the least score: least interval, then short times of sending, then the
    /// latest sending, counted from the first island of the first round. Nothing when infeasible.
    [[nodiscard]] std::optional<StreamPoint> solve_latest() const;

    /// The least of a linear function, its interval and times of sending at most twice those of
    /// `near`. Nothing when infeasible or unbounded.
    [[nodiscard]] std::optional<StreamPoint> solve(const ScoreSlopes& slopes,
                                                   const StreamPoint& near) const;

    /// No exact score with an interval in between is below this, for periods of one and two rounds;
    /// infinite when there is no such point. `interval_ms`: of the point that was found.
    [[nodiscard]] double bound(double least_ms, double most_ms, double& interval_ms) const;

    /// The first stream leaves its link before the second comes.
    void separate(const Instance& first, const Instance& second);
    /// Consecutive rounds at the aggregator of a post: first bytes in order, or, `apart`, the first
    /// byte of the next round after the last of this one.
    void order_arrivals(std::size_t post, bool apart);
    /// A longer time of sending.
    void send_slower(std::size_t clique, double least_ms);

private:
    using Terms = LinearProgram::Terms;

    void add(Terms terms, double bound);
    void add_clique(std::size_t c);
    void add_order(std::size_t q);
    [[nodiscard]] StreamPoint point_of(const Solution& solution) const;
    [[nodiscard]] std::optional<StreamPoint> latest(const Solution& fixed,
                                                    const std::vector<char>& tight) const;

    const StreamModel& model_;
    std::vector<Terms> rows_;  ///< kept besides the program: the last stage reads them
    std::vector<double> bounds_;
    std::vector<double> cost_;
    int interval_ = 0;
    std::vector<int> sending_;  ///< a clique
    std::vector<int> offset_;   ///< a post
    std::vector<int> first_;
    std::vector<int> last_;
    std::vector<int> mixed_;
    std::vector<double> least_;  ///< a clique

    [[nodiscard]] LinearProgram program(bool with_cost) const;
};

}  // namespace longhaul::schedule::detail
