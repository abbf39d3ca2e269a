// Files that hold whole matrices: the plain fabric, DT-FM's dictionary of regions, SimGrid's
// calibration of one link.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "longhaul/core/cursor.hpp"
#include "longhaul/fabric/read.hpp"
#include "longhaul/interchange/detail/readers.hpp"

namespace longhaul::interchange::detail {
namespace {

using core::Cursor;
using core::Grid;

constexpr double kGibit = 1.073741824;  // Gbit of a Gibit
constexpr int kMostRegions = 2000;

/// Factor on bandwidths; reports units that make no sense here.
std::optional<double> fabric_unit(const ImportOptions& options,
                                  const std::string& file,
                                  core::Diagnostics& problems) {
    if (options.unit.empty() || options.unit == "gbit") {
        return 1;
    }
    if (options.unit == "gibit") {
        return kGibit;
    }
    problems.push_back({file,
                        "--unit",
                        fmt::format("found {}", core::shown(options.unit)),
                        "this format has gbit (10^9 bit/s) or gibit (2^30 bit/s)"});
    return std::nullopt;
}

/// "Oregon-Virginia": (67, 0.79) of Python source.
struct DtfmPair {
    std::string a, b;
    double delay_ms = 0, gbps = 0;
    int line = 0;
};

/// Text of a quoted name at the start; empty when there is none.
std::string_view quoted(std::string_view text) {
    if (text.size() < 2 || (text[0] != '"' && text[0] != '\'')) {
        return {};
    }
    const std::size_t end = text.find(text[0], 1);
    return end == std::string_view::npos ? std::string_view() : text.substr(1, end - 1);
}

/// Numbers inside the first parentheses.
std::vector<double> tuple_of(std::string_view text) {
    const std::size_t open = text.find('(');
    const std::size_t close = text.find(')', open == std::string_view::npos ? 0 : open);
    std::vector<double> numbers;
    if (open == std::string_view::npos || close == std::string_view::npos) {
        return numbers;
    }
    for (const std::string& cell : cells_of(text.substr(open + 1, close - open - 1), ',')) {
        if (const auto number = number_of(trimmed(cell))) {
            numbers.push_back(*number);
        }
    }
    return numbers;
}

std::vector<DtfmPair> dtfm_pairs(const SourceText& file, const Report& report) {
    std::vector<DtfmPair> pairs;
    bool inside = false;
    for (const Line& line : lines_of(file.text)) {
        const std::string_view text = trimmed(line.text);
        if (text.starts_with("delay_bandwidth_dict")) {
            inside = true;
            continue;
        }
        if (!inside || text.empty() || text.starts_with('#')) {
            continue;
        }
        if (text.starts_with('}')) {
            return pairs;
        }
        const std::string_view key = quoted(text);
        const std::size_t dash = key.find('-');
        const std::vector<double> tuple = tuple_of(text);
        if (dash == std::string_view::npos || tuple.size() != 2) {
            report.at(line.number,
                      "is no pair of regions with a delay and a bandwidth",
                      "it must be like \"Oregon-Virginia\": (67, 0.79),");
            continue;
        }
        pairs.push_back({std::string(key.substr(0, dash)),
                         std::string(key.substr(dash + 1)),
                         tuple[0],
                         tuple[1],
                         line.number});
    }
    if (inside) {
        report.whole("the dictionary has no end '}'", "give the whole file");
    } else {
        report.whole("has no delay_bandwidth_dict", "give DT-FM's scheduler config.py");
    }
    return pairs;
}

/// Regions in the order in which they appear.
std::vector<std::string> regions_of(const std::vector<DtfmPair>& pairs) {
    std::vector<std::string> regions;
    for (const DtfmPair& pair : pairs) {
        for (const std::string& name : {pair.a, pair.b}) {
            if (std::ranges::find(regions, name) == regions.end()) {
                regions.push_back(name);
            }
        }
    }
    return regions;
}

/// Fills both directions of every pair; a pair that is missing is a problem.
void fill_pairs(const std::vector<DtfmPair>& pairs,
                const std::vector<std::string>& regions,
                double factor,
                Grid<double>& alpha,
                Grid<double>& beta,
                const Report& report) {
    const std::size_t k = regions.size();
    Grid<char> seen(k, k, 0);
    for (const DtfmPair& pair : pairs) {
        const auto i =
            static_cast<std::size_t>(std::ranges::find(regions, pair.a) - regions.begin());
        const auto j =
            static_cast<std::size_t>(std::ranges::find(regions, pair.b) - regions.begin());
        if (i == j || seen(i, j) != 0) {
            report.at(
                pair.line,
                fmt::format(
                    "the pair {}-{} is listed twice or joins a region with itself", pair.a, pair.b),
                "list every pair of different regions once");
            continue;
        }
        seen(i, j) = seen(j, i) = 1;
        alpha(i, j) = alpha(j, i) = pair.delay_ms;
        beta(i, j) = beta(j, i) = pair.gbps * factor;
    }
    for (std::size_t i = 0; i < k; ++i) {
        for (std::size_t j = i + 1; j < k; ++j) {
            if (seen(i, j) == 0) {
                report.whole(fmt::format("the pair {}-{} is missing", regions[i], regions[j]),
                             "list every pair of different regions once");
            }
        }
    }
}

}  // namespace

core::Result<Imported> read_dtfm(const SourceText& file, const ImportOptions& options) {
    constexpr double kInsideMs = 5;  // DT-FM's own assumption inside a region: 5 ms, 2 Gbit/s
    constexpr double kInsideGbps = 2;
    core::Diagnostics problems;
    const Report report(file.name, problems);
    const auto factor = fabric_unit(options, file.name, problems);
    const std::vector<DtfmPair> pairs = dtfm_pairs(file, report);
    const std::vector<std::string> regions = regions_of(pairs);
    if (regions.size() > kMostRegions) {
        report.whole(fmt::format("has {} regions", regions.size()), "at most 2000 are read");
    }
    if (problems.empty() && regions.empty()) {
        report.whole("the dictionary is empty", "give at least one pair of regions");
    }
    if (!problems.empty()) {
        return tl::unexpected(std::move(problems));
    }
    Grid<double> alpha(regions.size(), regions.size(), kInsideMs);
    Grid<double> beta(regions.size(), regions.size(), kInsideGbps);
    fill_pairs(pairs, regions, *factor, alpha, beta, report);
    if (!problems.empty()) {
        return tl::unexpected(std::move(problems));
    }
    fabric::FabricParts parts;
    std::vector<int> kinds;
    for (std::size_t i = 0; i < regions.size(); ++i) {
        for (int d = 0; d < options.devices.value_or(1); ++d) {
            parts.labels.push_back(regions[i]);
            kinds.push_back(static_cast<int>(i));
        }
    }
    parts.alpha_ms = fabric::PairMatrix(kinds, std::move(alpha));
    parts.beta_gbps = fabric::PairMatrix(std::move(kinds), std::move(beta));
    parts.provenance = fmt::format("dictionary of DT-FM in {}{}",
                                   file.name,
                                   *factor == 1 ? "" : ", bandwidths taken as 2^30 bit/s");
    return as_fabric(std::move(parts),
                     file.name,
                     {"DT-FM's dictionary is symmetric; whether its delays are half or whole round "
                      "trips is not stated, they are taken as alpha",
                      "between devices of a region DT-FM's own 5 ms and 2 Gbit/s are taken"});
}

core::Result<Imported> read_plain_fabric(const SourceText& file, const ImportOptions& options) {
    core::Diagnostics problems;
    const auto factor = fabric_unit(options, file.name, problems);
    if (!factor) {
        return tl::unexpected(std::move(problems));
    }
    const auto fabric = fabric::read_fabric(file.text, file.name);
    if (!fabric) {
        return tl::unexpected(fabric.error());
    }
    fabric::FabricParts parts = fabric->parts();
    if (*factor != 1) {
        const auto scale = [&](fabric::PairMatrix& matrix) {
            for (double& value : matrix.table().cells()) {
                value *= *factor;
            }
        };
        scale(parts.beta_gbps);
        if (parts.beta_interval) {
            scale(parts.beta_interval->lower);
            scale(parts.beta_interval->upper);
        }
        parts.provenance +=
            fmt::format("{}bandwidths read as 2^30 bit/s", parts.provenance.empty() ? "" : "; ");
    }
    return as_fabric(std::move(parts), file.name, {});
}

core::Result<Imported> read_simgrid_calibration(const SourceText& file,
                                                const ImportOptions& options) {
    const auto document = core::parse_foreign_json(file.text, file.name);
    if (!document) {
        return tl::unexpected(document.error());
    }
    core::Diagnostics problems;
    const Report report(file.name, problems);
    const Cursor root(*document, problems);
    const auto rate = root.require("bandwidth_base", "bytes a second");
    const auto latency = root.require("latency_base", "seconds");
    const double bytes_s = rate ? rate->positive_number().value_or(0) : 0;
    const double seconds = latency ? latency->number_at_least(0).value_or(0) : 0;
    double least = seconds;
    double most = least;
    const auto segments = root.find("seg");
    for (std::size_t i = 0; segments && segments->is_array() && i < segments->value().size(); ++i) {
        const auto mean = segments->item(i).require("mean", "the latency of this mode, seconds");
        if (const auto value = mean ? mean->number_at_least(0) : std::nullopt) {
            least = std::min(least, *value);
            most = std::max(most, *value);
        }
    }
    const Ends ends = ends_of(options, "node0", "node1", report);
    if (!problems.empty()) {
        return tl::unexpected(std::move(problems));
    }
    const auto both = [](double value) {
        Grid<double> grid(2, 2, value);
        grid(0, 0) = grid(1, 1) = 0;
        return grid;
    };
    fabric::FabricParts parts;
    parts.labels = {ends.from, ends.to};
    parts.alpha_ms = both(seconds * 1000);
    parts.beta_gbps = both(bytes_s * 8 / 1e9);
    parts.alpha_interval = fabric::Interval{both(least * 1000), both(most * 1000)};
    parts.provenance = "SimGrid calibration " + file.name;
    return as_fabric(std::move(parts),
                     file.name,
                     {"one link, the same in both directions; the modes of its latency are kept as "
                      "an interval"});
}

}  // namespace longhaul::interchange::detail
