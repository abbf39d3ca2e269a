#include "longhaul/placement/phase.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "longhaul/core/pool.hpp"
#include "longhaul/placement/prove.hpp"

namespace longhaul::placement {
namespace {

constexpr double kMaxGigabytes = 1e9;
constexpr int kMaxValues = 1000;
constexpr double kTie = 1e-9;              // relative: sums of equal costs in another order
constexpr std::size_t kCoarse = 4;         // of so many values one is searched from scratch
constexpr std::uint64_t kQuickProof = 20;  // share of the proof where a placement is known
constexpr std::size_t kCompetitors = 64;   // placements that compete in every cell

std::vector<std::string_view> split(std::string_view text, char at) {
    std::vector<std::string_view> parts;
    while (true) {
        const std::size_t end = text.find(at);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos) {
            return parts;
        }
        text.remove_prefix(end + 1);
    }
}

template <class Number>
bool read_number(std::string_view text, Number& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

bool plausible(double low, double high, int n, bool logarithmic) {
    return std::isfinite(low) && std::isfinite(high) && n >= 1 && n <= kMaxValues &&
           (logarithmic ? low > 0 : low >= 0) && high <= kMaxGigabytes &&
           (n == 1 ? low == high : low < high);
}

/// A placement that competes in all cells.
struct Candidate {
    Structure structure;
    Stages stages;
};

class Mapper {
public:
    Mapper(const ProblemAt& problem_at, const fabric::Fabric& fabric, const PhaseOptions& options)
        : problem_at_(problem_at),
          options_(options),
          hosts_(fabric.host_of_device()),
          labels_(fabric.labels()) {
        const Problem any = problem_at(core::Gigabytes(0), core::Gigabytes(0));
        tp_ = any.shape.tp;
        cells_needed_ = any.shape.cells();
        if (tp_ > 1) {
            set_groups();
        }
        label_of_ = fabric::index_of_labels(labels_);
        names_ = distinct_labels(labels_);
    }

    core::Result<PhaseResult> run(const std::vector<double>& c_pp_gb,
                                  const std::vector<double>& c_dp_gb) {
        if (tp_ > 1 && groups_.members.size() < cells_needed_) {
            return core::fail(
                {"",
                 "tp",
                 fmt::format("the hosts hold {} groups of {} devices", groups_.members.size(), tp_),
                 fmt::format("pp x dp needs {}; lower pp, dp or tp, or name the host "
                             "of every device in the fabric",
                             cells_needed_)});
        }
        for (const double c_dp : c_dp_gb) {
            for (const double c_pp : c_pp_gb) {
                result_.cells.push_back({c_pp, c_dp, {}, {}, 0, {}});
            }
        }
        pp_values_ = c_pp_gb.size();
        settle([&](std::size_t i) { return coarse(i); }, {});
        settle([&](std::size_t i) { return !coarse(i); }, candidates());
        if (!failure_.empty()) {
            return tl::unexpected(failure_);
        }
        compete();
        number_structures();
        return std::move(result_);
    }

private:
    /// Tensor groups stand for devices, with the host and label of their first one.
    void set_groups() {
        groups_ = make_tensor_groups(hosts_, tp_);
        std::vector<int> hosts;
        std::vector<std::string> labels;
        for (const std::vector<int>& group : groups_.members) {
            hosts.push_back(hosts_[static_cast<std::size_t>(group.front())]);
            labels.push_back(labels_[static_cast<std::size_t>(group.front())]);
        }
        hosts_ = std::move(hosts);
        labels_ = std::move(labels);
    }

    [[nodiscard]] Problem problem_of(const PhaseCell& cell) const {
        Problem problem = problem_at_(core::Gigabytes(cell.c_pp_gb), core::Gigabytes(cell.c_dp_gb));
        return tp_ > 1 ? grouped(problem, groups_) : std::move(problem);
    }

    [[nodiscard]] Structure structure_of_cell(const PhaseCell& cell) const {
        return structure_of(cell.stages, label_of_, names_, options_.word);
    }

    /// Every fourth value of both payloads, and the last ones.
    [[nodiscard]] bool coarse(std::size_t i) const {
        const auto chosen = [](std::size_t at, std::size_t values) {
            return at % kCoarse == 0 || at + 1 == values;
        };
        return chosen(i % pp_values_, pp_values_) &&
               chosen(i / pp_values_, result_.cells.size() / pp_values_);
    }

    /// Gives the chosen cells that have no placement yet the best one: a known one where that is
    /// proved to be the best, else what a search of their own finds.
    void settle(const std::function<bool(std::size_t)>& chosen,
                const std::vector<Candidate>& known) {
        std::vector<std::size_t> which;
        for (std::size_t i = 0; i < result_.cells.size(); ++i) {
            if (chosen(i)) {
                which.push_back(i);
            }
        }
        std::vector<core::Diagnostics> failures(which.size());
        std::vector<std::uint64_t> evaluations(which.size());
        core::parallel_for(which.size(), options_.solve.search.threads, [&](std::size_t k) {
            PhaseCell& cell = result_.cells[which[k]];
            const Problem problem = problem_of(cell);
            if (!settled_by(problem, known, cell)) {
                failures[k] = search(problem, cell, evaluations[k]);
            }
        });
        for (std::size_t k = 0; k < which.size(); ++k) {
            result_.evaluations += evaluations[k] + known.size();
            failure_ = failure_.empty() ? failures[k] : failure_;
        }
    }

    bool settled_by(const Problem& problem,
                    const std::vector<Candidate>& known,
                    PhaseCell& cell) const {
        for (const Candidate& candidate : known) {
            offer(problem, candidate.stages, cell);
        }
        if (known.empty()) {
            return false;
        }
        ProofOptions proof = options_.solve.proof;
        proof.work /= kQuickProof;
        bound_cell(problem, proof, cell);
        return gap_between(cell.score.total(), cell.bound.value).optimal;
    }

    /// Takes the better of what is there and a search of its own.
    core::Diagnostics search(const Problem& problem, PhaseCell& cell, std::uint64_t& work) const {
        SolveOptions options = options_.solve;
        options.baseline_samples = 0;
        options.search.threads = 1;
        const core::Result<Plan> plan = solve(problem, hosts_, labels_, options);
        if (!plan) {
            return plan.error();
        }
        work = plan->search.evaluations;
        if (cell.stages.empty() || plan->score.total() < cell.score.total()) {
            cell.score = plan->score;
            cell.stages = plan->placement.stages();
        }
        if (plan->bound.value > cell.bound.value || cell.bound.method.empty()) {
            cell.bound = plan->bound;
        }
        return {};
    }

    static void offer(const Problem& problem, const Stages& stages, PhaseCell& cell) {
        const Solved solved = solve_inner(problem, stages);
        if (cell.stages.empty() || solved.score.total() < cell.score.total()) {
            cell.score = solved.score;
            cell.stages = in_order(stages, solved.order);
        }
    }

    /// One placement a structure, those of most cells first.
    [[nodiscard]] std::vector<Candidate> candidates() const {
        std::map<std::vector<std::vector<int>>, std::pair<std::size_t, std::size_t>> seen;
        for (std::size_t i = 0; i < result_.cells.size(); ++i) {
            if (result_.cells[i].stages.empty()) {
                continue;
            }
            ++seen.try_emplace(structure_of_cell(result_.cells[i]).counts, i, 0)
                  .first->second.second;
        }
        std::vector<std::pair<std::size_t, std::size_t>> order;
        for (const auto& [counts, entry] : seen) {
            order.push_back(entry);
        }
        std::ranges::sort(order, [](const auto& a, const auto& b) {
            return a.second != b.second ? a.second > b.second : a.first < b.first;
        });
        order.resize(std::min(order.size(), kCompetitors));
        std::vector<Candidate> found;
        for (const auto& [cell, count] : order) {
            found.push_back({structure_of_cell(result_.cells[cell]), result_.cells[cell].stages});
        }
        return found;
    }

    /// The most frequent structure that ties with the best one takes the cell.
    void compete() {
        const std::vector<Candidate> all = candidates();
        core::parallel_for(result_.cells.size(), options_.solve.search.threads, [&](std::size_t i) {
            PhaseCell& cell = result_.cells[i];
            const Problem problem = problem_of(cell);
            std::vector<Solved> solved;
            double best = cell.score.total();
            for (const Candidate& candidate : all) {
                solved.push_back(solve_inner(problem, candidate.stages));
                best = std::min(best, solved.back().score.total());
            }
            const bool better = best < cell.score.total() * (1 - kTie);
            for (std::size_t k = 0; k < all.size(); ++k) {
                if (solved[k].score.total() <= best * (1 + kTie)) {
                    cell.score = solved[k].score;
                    cell.stages = in_order(all[k].stages, solved[k].order);
                    break;
                }
            }
            if (better) {
                bound_cell(problem, options_.solve.proof, cell);
            }
            cell.bound.value = std::min(cell.bound.value, cell.score.total());
        });
    }

    static void bound_cell(const Problem& problem, const ProofOptions& proof, PhaseCell& cell) {
        const Certificate certificate = prove(problem, cell.score.total(), proof);
        if (certificate.bound.value > cell.bound.value || cell.bound.method.empty()) {
            cell.bound = certificate.bound;
        }
        if (certificate.better) {
            offer(problem, *certificate.better, cell);
        }
        // The same sums in another order may differ in their last digits.
        cell.bound.value = std::min(cell.bound.value, cell.score.total());
    }

    void number_structures() {
        struct Entry {
            Structure structure;
            std::vector<std::size_t> cells;
        };
        std::vector<Entry> entries;
        for (std::size_t i = 0; i < result_.cells.size(); ++i) {
            Structure structure = structure_of_cell(result_.cells[i]);
            auto known = std::ranges::find(entries, structure, &Entry::structure);
            if (known == entries.end()) {
                entries.push_back({std::move(structure), {}});
                known = entries.end() - 1;
            }
            known->cells.push_back(i);
        }
        std::ranges::stable_sort(
            entries, std::greater<>(), [](const Entry& entry) { return entry.cells.size(); });
        for (std::size_t k = 0; k < entries.size(); ++k) {
            for (const std::size_t i : entries[k].cells) {
                result_.cells[i].structure = k;
            }
            result_.structures.push_back(std::move(entries[k].structure));
            result_.share.push_back(entries[k].cells.size());
        }
    }

    const ProblemAt& problem_at_;
    const PhaseOptions& options_;
    std::vector<int> hosts_;           // of devices, or of tensor groups
    std::vector<std::string> labels_;  // the same
    TensorGroups groups_;              // with tp > 1
    int tp_ = 1;
    std::size_t cells_needed_ = 0;
    std::vector<int> label_of_;
    std::vector<std::string> names_;
    std::size_t pp_values_ = 1;
    core::Diagnostics failure_;
    PhaseResult result_;
};

/// A field of a CSV line (RFC 4180).
std::string csv_field(const std::string& text) {
    std::string quoted = "\"";
    for (const char byte : text) {
        quoted += byte == '"' ? "\"\"" : std::string(1, byte);
    }
    return quoted + "\"";
}

}  // namespace

core::Result<PhaseAxisValues> parse_axis(std::string_view text, const std::string& where) {
    const std::vector<std::string_view> parts = split(text, ':');
    const bool linear = parts.size() == 4 && parts[3] == "lin";
    double low = 0;
    double high = 0;
    int n = 0;
    if ((parts.size() != 3 && !linear) || !read_number(parts[0], low) ||
        !read_number(parts[1], high) || !read_number(parts[2], n) ||
        !plausible(low, high, n, !linear)) {
        return core::fail({"",
                           where,
                           "found " + core::shown(text),
                           "it must be LOW:HIGH:N in GB with 0 < LOW < HIGH <= 1e9 and N from 1 to "
                           "1000, such as 0.03:1:20; :lin behind it spaces the values evenly"});
    }
    PhaseAxisValues axis{{}, !linear};
    const double ratio = high / low;  // infinite from 1e-300 to 1e9
    const double steps = std::isfinite(ratio) ? std::log(ratio) : std::log(high) - std::log(low);
    for (int i = 0; i < n; ++i) {
        const double t = n == 1 ? 0 : static_cast<double>(i) / (n - 1);
        const double value = linear ? low + t * (high - low) : std::exp(std::log(low) + t * steps);
        axis.gigabytes.push_back(i == 0 ? low : i == n - 1 ? high : value);
    }
    return axis;
}

core::Result<PhaseResult> phase_map(const ProblemAt& problem_at,
                                    const fabric::Fabric& fabric,
                                    const std::vector<double>& c_pp_gb,
                                    const std::vector<double>& c_dp_gb,
                                    const PhaseOptions& options) {
    return Mapper(problem_at, fabric, options).run(c_pp_gb, c_dp_gb);
}

std::string phase_csv(const PhaseResult& result) {
    std::string text =
        "c_pp_gb,c_dp_gb,score,data_parallel,pipeline,compute,bound,gap,structure,"
        "structure_id,signature\n";
    for (const PhaseCell& cell : result.cells) {
        const Gap gap = gap_between(cell.score.total(), cell.bound.value);
        const Structure& structure = result.structures[cell.structure];
        text += fmt::format("{},{},{},{},{},{},{},{},{},{},{}\n",
                            cell.c_pp_gb,
                            cell.c_dp_gb,
                            cell.score.total(),
                            cell.score.data_parallel,
                            cell.score.pipeline,
                            cell.score.compute,
                            cell.bound.value,
                            gap.known ? fmt::format("{}", gap.value) : "",
                            csv_field(structure.name),
                            cell.structure + 1,
                            csv_field(structure.signature));
    }
    return text;
}

}  // namespace longhaul::placement
