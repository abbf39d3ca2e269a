#include "judge.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "longhaul/core/statistics.hpp"

namespace longhaul::bench {
namespace {

constexpr double kPublishedDigits = 1e-6;  // published optima have six decimals
constexpr double kRounding = 1e-9;         // sums of equal costs in another order

core::Summary summary_of(std::span<const Measurement> runs, double Measurement::* field) {
    std::vector<double> values;
    for (const Measurement& run : runs) {
        values.push_back(run.*field);
    }
    return core::summarise(std::move(values));
}

class Judge {
public:
    Judge(RowResult& result, const BestKnownTable& table)
        : result_(result), bar_(result.row.bar), table_(table) {}

    void run() {
        judge_score();
        judge_gap();
        judge_time();
    }

private:
    void ask(std::string what, bool reached) {
        result_.verdicts.push_back({std::move(what), reached});
    }

    void judge_score() {
        if (bar_.optimum) {
            result_.best = *bar_.optimum;
            ask(fmt::format("{:.6f}", *bar_.optimum),
                std::abs(result_.score_min - *bar_.optimum) <= kPublishedDigits &&
                    std::abs(result_.score_max - *bar_.optimum) <= kPublishedDigits);
        }
        double least = 0;  // nothing below a proved optimum can be right
        if (const auto found = table_.find(result_.row.id); found != table_.end()) {
            result_.best = found->second.score;
            least = found->second.proved ? result_.best * (1 - kRounding) : 0;
        }
        const double limit = result_.best * (1 + kRounding);
        if (bar_.best_known) {
            ask(result_.best > 0 ? fmt::format("best known {:.6f}", result_.best) : "best known",
                result_.best > 0 && result_.score_max <= limit && result_.score_min >= least);
        }
        if (bar_.best_within_s > 0) {
            ask(fmt::format("best known in {:g} s", bar_.best_within_s),
                result_.best > 0 && result_.early_max <= limit);
        }
        if (bar_.beats_seeds) {
            ask(fmt::format("below {:.4f} of the seeds", result_.seed_score),
                result_.score_max < result_.seed_score * (1 - kRounding));
        }
    }

    void judge_gap() {
        if (bar_.proved) {
            ask("proved", result_.proved);
        }
        if (bar_.gap) {
            ask(fmt::format("gap {:g} %", 100 * *bar_.gap), result_.gap <= *bar_.gap + kRounding);
        }
    }

    void judge_time() {
        if (bar_.first_s > 0) {
            ask(fmt::format("first plan {:g} s", bar_.first_s),
                result_.first_cpu_s <= bar_.first_s);
        }
        if (bar_.final_s > 0) {
            ask(fmt::format("{:g} s", bar_.final_s), result_.final_cpu_s <= bar_.final_s);
        }
        if (bar_.memory_gb > 0) {
            ask(fmt::format("{:g} GB", bar_.memory_gb), result_.peak_mb <= 1000 * bar_.memory_gb);
        }
    }

    RowResult& result_;
    const Bar& bar_;
    const BestKnownTable& table_;
};

}  // namespace

bool RowResult::passed() const {
    return std::ranges::all_of(verdicts, &Verdict::reached);
}

RowResult judge(const Instance& row,
                std::span<const Measurement> runs,
                const BestKnownTable& best_known) {
    RowResult result;
    result.row = row;
    result.runs = static_cast<int>(runs.size());
    const core::Summary score = summary_of(runs, &Measurement::score);
    result.score_min = score.min;
    result.score_median = score.median;
    result.score_max = score.max;
    result.bound = summary_of(runs, &Measurement::bound).min;
    result.proved = summary_of(runs, &Measurement::optimal).min == 1;
    for (const Measurement& run : runs) {
        result.gap = std::max(result.gap, run.score / run.bound - 1);
    }
    result.nodes = summary_of(runs, &Measurement::nodes).median;
    result.evaluations = summary_of(runs, &Measurement::evaluations).median;
    result.first_cpu_s = summary_of(runs, &Measurement::first_cpu_s).median;
    result.final_cpu_s = summary_of(runs, &Measurement::final_cpu_s).median;
    result.final_wall_s = summary_of(runs, &Measurement::final_wall_s).median;
    result.early_max = summary_of(runs, &Measurement::early_score).max;
    result.peak_mb = summary_of(runs, &Measurement::peak_mb).max;
    result.seed_score = summary_of(runs, &Measurement::seed_score).min;
    Judge(result, best_known).run();
    return result;
}

}  // namespace longhaul::bench
