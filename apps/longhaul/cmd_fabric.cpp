// fabric: checks a fabric file, shows what is in it, and expands tables.
#include <algorithm>
#include <cmath>

#include <fmt/ranges.h>

#include "longhaul/command.hpp"
#include "longhaul/core/hash.hpp"
#include "longhaul/fabric/read.hpp"
#include "longhaul/fabric/subset.hpp"
#include "longhaul/inputs.hpp"

namespace longhaul::app {
namespace {

struct FabricOptions {
    std::string file;
    std::string output;
    std::vector<std::string> drop;
    std::vector<std::string> keep;
    bool json = false;
};

/// What is left of the fabric, with the hash of the file that it comes from or will be.
core::Result<LoadedFabric> load(const FabricOptions& options) {
    core::Result<LoadedFabric> loaded = load_fabric(options.file);
    if (!loaded || (options.drop.empty() && options.keep.empty())) {
        return loaded;
    }
    const bool keep = options.drop.empty();
    const std::vector<std::string>& places = keep ? options.keep : options.drop;
    auto devices = fabric::devices_at(loaded->fabric, places, keep);
    if (!devices) {
        for (core::Diagnostic& problem : devices.error()) {
            problem.file = input_name(options.file);
        }
        return tl::unexpected(devices.error());
    }
    fabric::Fabric left = fabric::subset(loaded->fabric,
                                         *devices,
                                         fmt::format("{} of {} devices, {} {}",
                                                     devices->size(),
                                                     loaded->fabric.size(),
                                                     keep ? "those of" : "without those of",
                                                     fmt::join(places, ", ")));
    std::string sha256 = core::sha256_hex(core::write_json(fabric::to_value(left)));
    return LoadedFabric{std::move(left), std::move(sha256)};
}

/// Order statistics of the values of all pairs of devices, and the largest ratio of both directions
/// of a pair.
struct MatrixFacts {
    double min = 0, median = 0, max = 0;
    double asymmetry = 1;
};

/// A value and how many pairs of devices have it.
using Weighted = std::pair<double, double>;

/// The value at a place of the sorted list of all pairs.
double value_at(const std::vector<Weighted>& sorted, double place) {
    for (const auto& [value, pairs] : sorted) {
        if (place < pairs) {
            return value;
        }
        place -= pairs;
    }
    return sorted.back().first;
}

/// O(kinds^2 log kinds).
MatrixFacts facts_of(const fabric::PairMatrix& matrix) {
    const std::vector<int> devices =
        fabric::devices_of_kinds(matrix.kind_of_device(), matrix.kinds());
    MatrixFacts facts;
    std::vector<Weighted> values;
    double all = 0;
    for (std::size_t i = 0; i < matrix.kinds(); ++i) {
        for (std::size_t j = 0; j < matrix.kinds(); ++j) {
            const double pairs = static_cast<double>(devices[i]) * (devices[j] - (i == j ? 1 : 0));
            if (pairs <= 0) {
                continue;
            }
            const double value = matrix.table()(i, j);
            values.emplace_back(value, pairs);
            all += pairs;
            const double low = std::min(value, matrix.table()(j, i));
            if (low > 0) {
                facts.asymmetry = std::max(facts.asymmetry, value / low);
            }
        }
    }
    if (values.empty()) {
        return facts;
    }
    std::ranges::sort(values);
    const double middle = (all - 1) / 2;
    facts.min = values.front().first;
    facts.median = (value_at(values, std::floor(middle)) + value_at(values, std::ceil(middle))) / 2;
    facts.max = values.back().first;
    return facts;
}

std::string line(std::string_view name, const MatrixFacts& facts) {
    const std::string directions =
        facts.asymmetry == 1
            ? "both directions equal"
            : fmt::format("directions of a pair differ up to {:.3g}x", facts.asymmetry);
    return fmt::format("{:<14} min {:.6g}, median {:.6g}, max {:.6g}; {}\n",
                       name,
                       facts.min,
                       facts.median,
                       facts.max,
                       directions);
}

/// "Oregon 0-7, Virginia 8-15": runs of devices of one label; long lists are cut.
std::string label_runs(const fabric::Fabric& fabric) {
    constexpr int kShown = 12;
    const std::vector<std::string>& labels = fabric.labels();
    std::string text;
    int runs = 0;
    for (std::size_t first = 0; first < labels.size();) {
        std::size_t last = first;
        while (last + 1 < labels.size() && labels[last + 1] == labels[first]) {
            ++last;
        }
        if (++runs <= kShown) {
            text += fmt::format("{}{} {}", runs == 1 ? "" : ", ", labels[first], first);
            text += last == first ? "" : fmt::format("-{}", last);
        }
        first = last + 1;
    }
    return runs > kShown ? text + fmt::format(", and {} more", runs - kShown) : text;
}

core::Value facts_value(const MatrixFacts& facts) {
    return core::Value::object()
        .set("min", facts.min)
        .set("median", facts.median)
        .set("max", facts.max)
        .set("asymmetry", facts.asymmetry);
}

core::Result<void> show(const FabricOptions& options) {
    if (auto alone = check_json_alone(options.json, {options.output}); !alone) {
        return alone;
    }
    const core::Result<LoadedFabric> loaded = load(options);
    if (!loaded) {
        return tl::unexpected(loaded.error());
    }
    const fabric::Fabric& fabric = loaded->fabric;
    if (!options.output.empty()) {
        const core::Result<void> written =
            write_file(options.output, core::write_json(fabric::to_value(fabric)));
        if (!written || options.output == "-") {
            return written;
        }
    }
    const std::vector<int> labels = fabric::index_of_labels(fabric.labels());
    const int count = *std::ranges::max_element(labels) + 1;
    const MatrixFacts alpha = facts_of(fabric.parts().alpha_ms);
    const MatrixFacts beta = facts_of(fabric.parts().beta_gbps);
    if (options.json) {
        core::Value root = core::Value::object();
        root.set("devices", static_cast<double>(fabric.size()))
            .set("labels", count)
            .set("sha256", loaded->sha256)
            .set("alpha_ms", facts_value(alpha))
            .set("beta_gbps", facts_value(beta));
        print(core::write_json(root));
        return {};
    }
    print(fmt::format(
        "devices        {} under {} label{}\n", fabric.size(), count, count == 1 ? "" : "s"));
    print(fmt::format("labels         {}\n", label_runs(fabric)));
    print(line("alpha ms", alpha));
    print(line("beta Gbit/s", beta));
    print(fmt::format("sha256         {}\n", loaded->sha256));
    if (!fabric.parts().provenance.empty()) {
        print(fmt::format("provenance     {}\n", fabric.parts().provenance));
    }
    return {};
}

}  // namespace

void add_fabric(CLI::App& parent, Session& session) {
    CLI::App* command = parent.add_subcommand(
        "fabric", "Checks a fabric file, shows what is in it, and expands tables into matrices");
    example(*command, "longhaul fabric fabrics/dtfm-regional.json -o fabric.json");
    auto options = std::make_shared<FabricOptions>();
    command
        ->add_option(
            "file", options->file, "matrices, region table or host-group table; - for stdin")
        ->type_name("FILE")
        ->required();
    command
        ->add_option(
            "-o,--output", options->output, "write the matrices (longhaul.fabric/1); - for stdout")
        ->type_name("FILE");
    auto* drop = command
                     ->add_option("--drop",
                                  options->drop,
                                  "leave out the devices of these hosts or labels, separated by "
                                  "commas")
                     ->type_name("NAME")
                     ->delimiter(',');
    command->add_option("--keep", options->keep, "leave out all other devices")
        ->type_name("NAME")
        ->delimiter(',')
        ->excludes(drop);
    command->add_flag("--json", options->json, "print one JSON object");
    command->callback([options, &session] {
        session.run = [options] {
            const core::Result<void> done = show(*options);
            return done ? kDone : report(done.error());
        };
    });
}

}  // namespace longhaul::app
