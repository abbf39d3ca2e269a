// Fabrics as files: the matrices, of all devices or by kind.
#include <cmath>
#include <utility>

#include "longhaul/fabric/read.hpp"

namespace longhaul::fabric {
namespace {

using core::Grid;
using core::Value;

constexpr std::size_t kMaxFullMatrix = 1'024;  // devices up to which files hold every pair

/// Kinds are written where full matrices would be large.
bool written_by_kind(const FabricParts& parts) {
    return parts.labels.size() > kMaxFullMatrix && parts.alpha_ms.kinds() < parts.labels.size();
}

/// The table of kinds, or the matrix of all devices.
template <class T>
Grid<T> as_written(const PairTable<T>& matrix, const FabricParts& parts) {
    return written_by_kind(parts) ? matrix.table() : matrix.full();
}

Value matrix_value(const Grid<double>& grid) {
    Value rows = Value::array();
    for (std::size_t i = 0; i < grid.rows(); ++i) {
        std::vector<double> row(grid.row(i).begin(), grid.row(i).end());
        if (i < row.size() && !std::isfinite(row[i])) {
            row[i] = 0;  // a diagonal may hold anything, but a file no infinity
        }
        rows.append(std::move(row));
    }
    return rows;
}

Value flags_value(const Grid<char>& grid) {
    Value rows = Value::array();
    for (std::size_t i = 0; i < grid.rows(); ++i) {
        Value row = Value::array();
        for (const char flag : grid.row(i)) {
            row.append(flag != 0);
        }
        rows.append(std::move(row));
    }
    return rows;
}

Value device_value(const Device& device) {
    Value object = Value::object();
    for (const auto& [key, text] :
         {std::pair{"host", &device.host}, {"address", &device.address}, {"gpu", &device.gpu}}) {
        if (!text->empty()) {
            object.set(key, *text);
        }
    }
    if (device.local_rank) {
        object.set("local_rank", *device.local_rank);
    }
    if (device.memory_gb) {
        object.set("memory_gb", *device.memory_gb);
    }
    if (device.speed != 1) {
        object.set("speed", device.speed);
    }
    if (!device.groups.empty()) {
        Value groups = Value::array();
        for (const std::string& group : device.groups) {
            groups.append(group);
        }
        object.set("groups", std::move(groups));
    }
    for (const core::Member& member : device.unknown.members) {
        object.set(member.key, member.value);
    }
    return object;
}

}  // namespace

Value to_value(const Fabric& fabric) {
    const FabricParts& parts = fabric.parts();
    Value root = Value::object();
    Value labels = Value::array();
    for (const std::string& label : parts.labels) {
        labels.append(label);
    }
    root.set("format", "longhaul.fabric/1").set("labels", std::move(labels));
    if (written_by_kind(parts)) {
        const std::vector<int>& kinds = parts.alpha_ms.kind_of_device();
        root.set("kinds", std::vector<double>(kinds.begin(), kinds.end()));
    }
    root.set("alpha_ms", matrix_value(as_written(parts.alpha_ms, parts)));
    root.set("beta_gbps", matrix_value(as_written(parts.beta_gbps, parts)));
    if (!parts.devices.empty()) {
        Value devices = Value::array();
        for (const Device& device : parts.devices) {
            devices.append(device_value(device));
        }
        root.set("devices", std::move(devices));
    }
    if (!parts.estimated.empty()) {
        root.set("estimated", flags_value(as_written(parts.estimated, parts)));
    }
    Value intervals = Value::object();
    for (const auto& [key, interval] :
         {std::pair{"alpha_ms", &parts.alpha_interval}, {"beta_gbps", &parts.beta_interval}}) {
        if (*interval) {
            intervals.set(key,
                          Value::object()
                              .set("lower", matrix_value(as_written((*interval)->lower, parts)))
                              .set("upper", matrix_value(as_written((*interval)->upper, parts))));
        }
    }
    if (!intervals.members.empty()) {
        root.set("interval", std::move(intervals));
    }
    if (parts.suspect) {
        root.set("suspect", *parts.suspect);
    }
    if (!parts.shared.empty()) {
        root.set("shared", to_value(parts.shared));
    }
    if (!parts.provenance.empty()) {
        root.set("provenance", parts.provenance);
    }
    for (const core::Member& member : parts.unknown.members) {
        root.set(member.key, member.value);
    }
    return root;
}

}  // namespace longhaul::fabric
