// evaluate: what a given rank map costs.
#include <algorithm>
#include <sstream>

#include "longhaul/command.hpp"
#include "longhaul/core/cursor.hpp"
#include "longhaul/inputs.hpp"
#include "longhaul/placement/bounds.hpp"
#include "longhaul/placement/plan.hpp"

namespace longhaul::app {
namespace {

struct EvaluateOptions {
    PlacementInputs inputs;
    std::string rank_map;
    bool json = false;
};

using Ranks = std::vector<int>;

/// A JSON list, or an object with the key "rank_map", such as a plan.
core::Result<Ranks> json_ranks(std::string_view text, const std::string& name, bool list) {
    constexpr int kMaxRank = 20'000;
    const std::string wrapped =
        list ? "{\"rank_map\":" + std::string(text) + "}" : std::string(text);
    const core::Result<core::Document> document = core::parse_json(wrapped, name);
    if (!document) {
        return tl::unexpected(document.error());
    }
    core::Diagnostics problems;
    const core::Cursor root(*document, problems);
    Ranks ranks;
    const auto array = root.require("rank_map", "the rank of every device");
    for (std::size_t i = 0; array && array->is_array() && i < array->value().size(); ++i) {
        ranks.push_back(array->item(i).integer(0, kMaxRank).value_or(0));
    }
    return problems.empty() ? core::Result<Ranks>(std::move(ranks))
                            : tl::unexpected(std::move(problems));
}

/// What stands in the brackets of "rank_map=(...)", alone or at the end of all that `place` prints;
/// else the whole text.
std::string bare_ranks(std::string text) {
    const auto line = text.rfind("rank_map=(");
    const auto open = text.find('(', line == std::string::npos ? 0 : line);
    if (open != std::string::npos) {
        text.erase(0, open + 1);
        text.erase(std::min(text.find(')'), text.size()));
    }
    std::ranges::replace(text, ',', ' ');
    return text;
}

/// Whole numbers between blanks or commas.
core::Result<Ranks> plain_ranks(std::string_view text, const std::string& name) {
    constexpr std::size_t kMaxDigits = 6;
    std::istringstream words(bare_ranks(std::string(text)));
    Ranks ranks;
    for (std::string word; words >> word;) {
        if (word.size() > kMaxDigits || word.find_first_not_of("0123456789") != std::string::npos) {
            return core::fail({name,
                               fmt::format("entry {}", ranks.size()),
                               "found " + core::shown(word),
                               "ranks are whole numbers from 0"});
        }
        ranks.push_back(std::stoi(word));
    }
    if (ranks.empty()) {
        return core::fail({name, "", "holds no ranks", "give one rank a device, such as 0 1 2 3"});
    }
    return ranks;
}

core::Result<Ranks> parse_rank_map(std::string_view text, const std::string& name) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    const char begin = first == std::string_view::npos ? ' ' : text[first];
    return begin == '[' || begin == '{' ? json_ranks(text, name, begin == '[')
                                        : plain_ranks(text, name);
}

core::Result<void> evaluate(const EvaluateOptions& options) {
    const PlacementInputs& inputs = options.inputs;
    if (auto once = read_once({inputs.fabric, inputs.job, options.rank_map}); !once) {
        return once;
    }
    const core::Result<LoadedProblem> loaded = load_problem(inputs);
    if (!loaded) {
        return tl::unexpected(loaded.error());
    }
    const core::Result<std::string> text = read_file(options.rank_map);
    if (!text) {
        return tl::unexpected(text.error());
    }
    const core::Result<std::vector<int>> ranks =
        parse_rank_map(*text, input_name(options.rank_map));
    if (!ranks) {
        return tl::unexpected(ranks.error());
    }
    core::Result<placement::Placement> placement =
        placement::Placement::from_rank_map(loaded->problem.shape, *ranks);
    if (!placement) {
        for (core::Diagnostic& problem : placement.error()) {
            problem.file = input_name(options.rank_map);
        }
        return tl::unexpected(placement.error());
    }
    const placement::Score mapped = placement::score_as_mapped(loaded->problem, *placement);
    const placement::Solved solved = placement::solve_inner(loaded->problem, placement->stages());
    const placement::Bound bound = placement::elementary_bound(loaded->problem);
    if (options.json) {
        core::Value root = core::Value::object();
        root.set("data_parallel", solved.score.data_parallel)
            .set("pipeline", solved.score.pipeline)
            .set("score", solved.score.total())
            .set("data_parallel_mapped", mapped.data_parallel)
            .set("pipeline_mapped", mapped.pipeline)
            .set("score_mapped", mapped.total())
            .set("bound", bound.value)
            .set("bound_method", bound.method)
            .set("fabric_sha256", loaded->fabric_sha256);
        print(core::write_json(root));
        return {};
    }
    print(fmt::format(
        "{:<24} {:>14} {:>14} {:>14}\n", "seconds", "data_parallel", "pipeline", "score"));
    print(fmt::format("{:<24} {:>14.6f} {:>14.6f} {:>14.6f}\n",
                      "best pairs and order",
                      solved.score.data_parallel,
                      solved.score.pipeline,
                      solved.score.total()));
    print(fmt::format("{:<24} {:>14.6f} {:>14.6f} {:>14.6f}\n",
                      "as mapped",
                      mapped.data_parallel,
                      mapped.pipeline,
                      mapped.total()));
    print(fmt::format("{:<24} {:>14.6f} {:>14.6f} {:>14.6f}\n",
                      "bound (" + bound.method + ")",
                      bound.data_parallel,
                      bound.pipeline,
                      bound.value));
    return {};
}

}  // namespace

void add_evaluate(CLI::App& parent, Session& session) {
    CLI::App* command = parent.add_subcommand(
        "evaluate", "Scores a rank map: as it stands, and with best pairs and order of stages");
    example(*command,
            "seq 0 63 | longhaul evaluate --fabric fabrics/dtfm-table2-worldwide.json "
            "--pp 8 --dp 8 --c-pp 0.512 --c-dp 0.650 --rank-map -");
    auto options = std::make_shared<EvaluateOptions>();
    add_placement_inputs(*command, options->inputs);
    command
        ->add_option("--rank-map",
                     options->rank_map,
                     "ranks in device order: text, JSON list, or a plan; - for standard input")
        ->type_name("FILE")
        ->required();
    command->add_flag("--json", options->json, "print one JSON object");
    command->callback([options, &session] {
        session.run = [options] {
            const core::Result<void> done = evaluate(*options);
            return done ? kDone : report(done.error());
        };
    });
}

}  // namespace longhaul::app
