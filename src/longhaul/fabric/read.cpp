#include "longhaul/fabric/read.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "longhaul/core/cursor.hpp"
#include "longhaul/core/own_formats.hpp"
#include "longhaul/fabric/limits.hpp"
#include "longhaul/fabric/tables.hpp"

namespace longhaul::fabric {
namespace {

using core::Cursor;
using core::Grid;
using core::Value;

constexpr int kMostSuspect = 1'000'000'000;  // pairs of hosts

/// Rows of numbers. Every ragged row and every entry that is no number is a problem.
Grid<double> read_matrix(const Cursor& matrix) {
    if (!matrix.is_array()) {
        return {};
    }
    const std::size_t rows = matrix.value().size();
    const std::size_t columns =
        matrix.value().items.empty() ? 0 : matrix.value().items.front().size();
    Grid<double> grid(rows, columns);
    for (std::size_t i = 0; i < rows; ++i) {
        const Cursor row = matrix.item(i);
        if (!row.is_array()) {
            continue;
        }
        if (row.value().size() != columns) {
            row.report(
                fmt::format("has {} entries, the first row has {}", row.value().size(), columns),
                "give all rows the same length");
            continue;
        }
        const std::vector<double>& numbers = row.value().numbers;
        for (std::size_t j = 0; j < columns; ++j) {
            grid(i, j) = numbers.empty() ? row.item(j).number().value_or(0) : numbers[j];
        }
    }
    return grid;
}

Grid<char> read_flags(const Cursor& matrix, std::size_t n) {
    Grid<char> grid(n, n, 0);
    if (!matrix.is_array()) {
        return grid;
    }
    if (matrix.value().size() != n) {
        matrix.report("is not n x n", fmt::format("it must be {} x {} booleans", n, n));
        return grid;
    }
    for (std::size_t i = 0; i < n; ++i) {
        const Cursor row = matrix.item(i);
        if (!row.is_array()) {
            continue;
        }
        if (row.value().size() != n) {
            row.report(fmt::format("has {} entries", row.value().size()),
                       fmt::format("it must have {}", n));
            continue;
        }
        for (std::size_t j = 0; j < n; ++j) {
            grid(i, j) = row.item(j).boolean().value_or(false) ? 1 : 0;
        }
    }
    return grid;
}

std::vector<std::string> read_strings(const Cursor& list) {
    std::vector<std::string> strings;
    for (std::size_t i = 0; list.is_array() && i < list.value().size(); ++i) {
        strings.push_back(list.item(i).name().value_or(""));
    }
    return strings;
}

/// Members of `object` that are not in `known`.
Value unknown_members(const Value& object, std::initializer_list<std::string_view> known) {
    Value rest = Value::object();
    for (const core::Member& member : object.members) {
        if (std::find(known.begin(), known.end(), member.key) == known.end()) {
            rest.members.push_back(member);
        }
    }
    return rest;
}

Device read_device(const Cursor& object) {
    Device device;
    if (!object.is_object()) {
        return device;
    }
    const auto text = [&](std::string_view key) {
        const auto found = object.find(key);
        return found ? found->name().value_or("") : std::string();
    };
    device.host = text("host");
    device.address = text("address");
    device.gpu = text("gpu");
    if (const auto rank = object.find("local_rank")) {
        device.local_rank = rank->integer(0, 1'000'000);
    }
    if (const auto memory = object.find("memory_gb")) {
        device.memory_gb = memory->positive_number();
    }
    if (const auto speed = object.find("speed")) {
        device.speed = speed->number_in(kMinSpeed, kMaxSpeed).value_or(1);
    }
    if (const auto groups = object.find("groups")) {
        device.groups = read_strings(*groups);
    }
    device.unknown = unknown_members(
        object.value(), {"host", "address", "local_rank", "gpu", "memory_gb", "speed", "groups"});
    return device;
}

/// Kind of every device; empty when there are none or they are refused.
std::vector<int> read_kinds(const Cursor& root, std::size_t devices) {
    const auto list = root.find("kinds");
    if (!list || !list->is_array()) {
        return {};
    }
    std::vector<int> kinds;
    for (std::size_t i = 0; i < list->value().size(); ++i) {
        kinds.push_back(list->item(i).integer(0, static_cast<int>(kMaxDevices) - 1).value_or(0));
    }
    if (kinds.size() != devices) {
        list->report(fmt::format("has {} entries", kinds.size()),
                     fmt::format("labels has {}: give the kind of every device", devices));
        return {};
    }
    return kinds;
}

/// A matrix of devices, or of their kinds where there are any.
template <class T>
PairTable<T> as_pairs(Grid<T> grid, const std::vector<int>& kinds) {
    return kinds.empty() ? PairTable<T>(std::move(grid)) : PairTable<T>(kinds, std::move(grid));
}

std::optional<Interval> read_interval(const Cursor& intervals,
                                      std::string_view key,
                                      const std::vector<int>& kinds) {
    const auto pair = intervals.find(key);
    if (!pair || !pair->is_object()) {
        return std::nullopt;
    }
    const auto lower = pair->require("lower", "the lower ends, n x n");
    const auto upper = pair->require("upper", "the upper ends, n x n");
    if (!lower || !upper) {
        return std::nullopt;
    }
    return Interval{as_pairs(read_matrix(*lower), kinds), as_pairs(read_matrix(*upper), kinds)};
}

FabricParts read_matrices(const Cursor& root) {
    FabricParts parts;
    core::check_format(root, "longhaul.fabric", 1, false);
    if (const auto labels = root.require("labels", "one locality label a device")) {
        parts.labels = read_strings(*labels);
    }
    const std::vector<int> kinds = read_kinds(root, parts.labels.size());
    if (const auto alpha = root.require("alpha_ms", "the n x n latencies in ms")) {
        parts.alpha_ms = as_pairs(read_matrix(*alpha), kinds);
    }
    if (const auto beta = root.require("beta_gbps", "the n x n bandwidths in Gbit/s")) {
        parts.beta_gbps = as_pairs(read_matrix(*beta), kinds);
    }
    if (const auto devices = root.find("devices"); devices && devices->is_array()) {
        for (std::size_t i = 0; i < devices->value().size(); ++i) {
            parts.devices.push_back(read_device(devices->item(i)));
        }
    }
    if (const auto estimated = root.find("estimated")) {
        const std::size_t rows = kinds.empty() ? parts.labels.size() : parts.alpha_ms.kinds();
        parts.estimated = as_pairs(read_flags(*estimated, rows), kinds);
    }
    if (const auto intervals = root.find("interval"); intervals && intervals->is_object()) {
        parts.alpha_interval = read_interval(*intervals, "alpha_ms", kinds);
        parts.beta_interval = read_interval(*intervals, "beta_gbps", kinds);
    }
    if (const auto suspect = root.find("suspect")) {
        parts.suspect = suspect->integer(0, kMostSuspect).value_or(0);
    }
    if (const auto provenance = root.find("provenance")) {
        parts.provenance = provenance->value().kind == Value::Kind::kString
                               ? provenance->value().string
                               : core::write_json(provenance->value());
    }
    parts.unknown = unknown_members(root.value(),
                                    {"format",
                                     "labels",
                                     "kinds",
                                     "alpha_ms",
                                     "beta_gbps",
                                     "devices",
                                     "estimated",
                                     "interval",
                                     "suspect",
                                     "shared",
                                     "provenance"});
    return parts;
}

/// Tables that people write (TOML) must not hold keys that nobody reads: `intra_dealy_ms` would
/// silently take no part.
void refuse_unknown_keys(const Cursor& root) {
    if (root.find("regions")) {
        root.only_keys({"format",
                        "provenance",
                        "regions",
                        "gpus_per_region",
                        "devices_per_region",
                        "gpus_per_host",
                        "devices_per_host",
                        "speed",
                        "memory_gb",
                        "intra_region",
                        "pairs",
                        "directed",
                        "shared"});
    } else if (root.find("instances") || root.find("groups")) {
        root.only_keys({"format",
                        "provenance",
                        "groups",
                        "instances",
                        "gpus_per_instance",
                        "delay_ms",
                        "intra_delay_ms",
                        "intra_gbps",
                        "inter_gbps",
                        "shared"});
    }
}

FabricParts read_parts(const Cursor& root) {
    if (root.find("alpha_ms") || root.find("beta_gbps") || root.find("labels")) {
        return read_matrices(root);
    }
    if (root.find("regions")) {
        return expand_regions(root);
    }
    if (root.find("instances") || root.find("groups")) {
        return expand_host_groups(root);
    }
    root.report(
        "holds neither matrices nor a table",
        "give labels, alpha_ms and beta_gbps; or regions and pairs; or groups of instances");
    return {};
}

}  // namespace

core::Result<Fabric> read_fabric(std::string_view text, std::string_view name) {
    if (const auto own = core::refuse_other_format(
            text, name, {"longhaul.fabric", "longhaul.regions", "longhaul.instances"});
        !own) {
        return tl::unexpected(own.error());
    }
    core::Result<core::Document> document = core::parse_document(text, name);
    if (!document) {
        return tl::unexpected(document.error());
    }
    core::Diagnostics problems;
    const Cursor root(*document, problems);
    if (name.ends_with(".toml")) {
        refuse_unknown_keys(root);
    }
    FabricParts parts = read_parts(root);
    parts.shared = read_shared(root);
    if (parts.labels.size() > kMaxDevices) {
        root.report(fmt::format("has {} devices", parts.labels.size()),
                    fmt::format("at most {} are supported", kMaxDevices));
    }
    if (!problems.empty()) {
        return tl::unexpected(std::move(problems));
    }
    return Fabric::make(std::move(parts), document->name);
}

}  // namespace longhaul::fabric
