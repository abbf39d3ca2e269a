#include "skyplane.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "longhaul/core/random.hpp"
#include "longhaul/fabric/read.hpp"
#include "csv.hpp"

namespace longhaul::bench {
namespace {

using core::Result;
using core::Value;
using Pair = std::pair<std::string, std::string>;
using PairTable = std::map<Pair, double>;

constexpr double kInsideDelayMs = 0.5;
constexpr double kInsideRateGbps = 10;

/// value * factor of every premium pair of two regions that has a positive number.
Result<PairTable> read_pairs(std::string_view text,
                             std::string_view file,
                             std::initializer_list<std::string_view> value_names,
                             double factor) {
    const Result<Csv> csv = parse_csv(text, file);
    if (!csv) {
        return tl::unexpected(csv.error());
    }
    const auto from = csv->column({"src_region"}, file);
    const auto to = csv->column({"dst_region"}, file);
    const auto from_tier = csv->column({"src_tier"}, file);
    const auto to_tier = csv->column({"dst_tier"}, file);
    const auto value = csv->column(value_names, file);
    for (const auto* column : {&from, &to, &from_tier, &to_tier, &value}) {
        if (!*column) {
            return tl::unexpected(column->error());
        }
    }
    const auto success = csv->column({"success"}, file);
    PairTable pairs;
    for (const auto& row : csv->rows) {
        const std::optional<double> number = number_in(row[*value]);
        const bool premium = row[*from_tier] == "PREMIUM" && row[*to_tier] == "PREMIUM";
        if (premium && number && *number > 0 && row[*from] != row[*to] &&
            (!success || row[*success] == "True")) {
            pairs[{std::string(row[*from]), std::string(row[*to])}] = *number * factor;
        }
    }
    return pairs;
}

/// Drops regions until every ordered pair is in both tables.
std::vector<std::string> dense_regions(std::set<std::string> names,
                                       const PairTable& rates,
                                       const PairTable& delays) {
    while (true) {
        std::string worst;
        std::size_t most = 0;
        for (const std::string& a : names) {
            std::size_t missing = 0;
            for (const std::string& b : names) {
                const bool there = rates.contains({a, b}) && rates.contains({b, a}) &&
                                   delays.contains({a, b}) && delays.contains({b, a});
                missing += a != b && !there ? 1 : 0;
            }
            if (missing > 0 && missing >= most) {
                most = missing;
                worst = a;
            }
        }
        if (most == 0) {
            return {names.begin(), names.end()};
        }
        names.erase(worst);
    }
}

std::vector<std::size_t> region_of_devices(int regions,
                                           int devices,
                                           bool uneven,
                                           core::Random& random) {
    std::vector<std::size_t> region;
    for (int device = 0; device < devices; ++device) {
        const bool drawn = uneven && device >= regions;
        region.push_back(drawn ? random.index(static_cast<std::size_t>(regions))
                               : static_cast<std::size_t>(device % regions));
    }
    std::ranges::sort(region);
    return region;
}

}  // namespace

Result<MeasuredRegions> read_regions(std::string_view throughput, std::string_view latency) {
    const Result<PairTable> rates =
        read_pairs(throughput, "throughput", {"throughput_received", "throughput_recieved"}, 1e-9);
    const Result<PairTable> delays = read_pairs(latency, "latency", {"avg_rtt"}, 0.5);
    if (!rates || !delays) {
        return tl::unexpected(rates ? delays.error() : rates.error());
    }
    std::set<std::string> names;
    for (const auto& [pair, rate] : *rates) {
        names.insert(pair.first);
        names.insert(pair.second);
    }
    MeasuredRegions measured;
    measured.names = dense_regions(names, *rates, *delays);
    const std::size_t n = measured.names.size();
    measured.dropped = static_cast<int>(names.size() - n);
    if (n < 2) {
        return core::fail({"throughput", "", "no two regions have all measurements", ""});
    }
    measured.delay_ms = measured.rate_gbps = core::Grid<double>(n, n, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            if (i != j) {
                const Pair pair{measured.names[i], measured.names[j]};
                measured.rate_gbps(i, j) = rates->at(pair);
                measured.delay_ms(i, j) = delays->at(pair);
            }
        }
    }
    return measured;
}

Result<fabric::Fabric> draw_fabric(
    const MeasuredRegions& measured, int regions, int devices, bool uneven, std::uint64_t seed) {
    core::Random random(seed);
    std::vector<std::size_t> all(measured.names.size());
    std::iota(all.begin(), all.end(), 0);
    random.shuffle(std::span<std::size_t>(all));
    if (static_cast<std::size_t>(regions) > all.size()) {
        return core::fail({"", "", fmt::format("{} regions are measured", all.size()), ""});
    }
    std::sort(all.begin(), all.begin() + regions);
    const auto region_of = region_of_devices(regions, devices, uneven, random);
    Value counts = Value::array();
    Value names = Value::array();
    Value pairs = Value::array();
    for (int a = 0; a < regions; ++a) {
        const std::size_t i = all[static_cast<std::size_t>(a)];
        names.append(measured.names[i]);
        counts.append(
            static_cast<double>(std::ranges::count(region_of, static_cast<std::size_t>(a))));
        for (int b = 0; b < regions; ++b) {
            const std::size_t j = all[static_cast<std::size_t>(b)];
            if (a != b) {
                pairs.append(Value::object()
                                 .set("a", measured.names[i])
                                 .set("b", measured.names[j])
                                 .set("delay_ms", measured.delay_ms(i, j))
                                 .set("bandwidth_gbps", measured.rate_gbps(i, j)));
            }
        }
    }
    Value root = Value::object();
    root.set("regions", names).set("gpus_per_region", counts).set("directed", true);
    root.set(
        "intra_region",
        Value::object().set("delay_ms", kInsideDelayMs).set("bandwidth_gbps", kInsideRateGbps));
    root.set("pairs", pairs);
    return fabric::read_fabric(core::write_json(root), "measured regions");
}

std::vector<SubsetCase> subset_cases() {
    return {{4, false, {4, 2}},
            {8, false, {4, 4}},
            {8, false, {8, 4}},
            {8, false, {8, 8}},
            {10, true, {8, 8}},
            {16, false, {16, 4}},
            {16, false, {8, 16}},
            {24, true, {16, 8}},
            {32, false, {16, 16}},
            {32, false, {16, 32}},
            {48, true, {16, 32}}};
}

}  // namespace longhaul::bench
