// Proofs of certificates, read and written.
#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "longhaul/placement/certificate.hpp"
#include "longhaul/placement/certificate_values.hpp"

namespace longhaul::placement {
namespace {

using core::Cursor;
using core::Value;

constexpr int kMostDifferentOfFile = 64;
constexpr int kMostPlacementsOfFile = 1'000'000'000;
constexpr std::size_t kMostParts = 20'000;
constexpr std::size_t kMostSlices = 10'000;
constexpr std::size_t kMostLevelsOfFile = 64;
constexpr std::pair<ProofKind, std::string_view> kProofKinds[] = {
    {ProofKind::kElementary, "elementary"},
    {ProofKind::kBreaks, "breaks"},
    {ProofKind::kTree, "tree"},
    {ProofKind::kDifferent, "different"},
    {ProofKind::kTables, "tables"},
    {ProofKind::kCrossing, "crossing"},
    {ProofKind::kSum, "sum"},
    {ProofKind::kLimits, "limits"},
    {ProofKind::kChoices, "choices"},
    {ProofKind::kEvery, "every"}};

bool has_classes(ProofKind kind) {
    return kind == ProofKind::kBreaks || kind == ProofKind::kTree ||
           kind == ProofKind::kDifferent || kind == ProofKind::kTables ||
           kind == ProofKind::kChoices || kind == ProofKind::kEvery;
}

void set_log(const ProofLog& log, Value& object) {
    Value columns = Value::array();
    for (const std::vector<int>& column : log.columns) {
        columns.append(numbers_value(column));
    }
    Value slices = Value::array();
    for (const SliceLog& slice : log.slices) {
        std::vector<double> nodes;
        for (const SliceLog::Node& node : slice.nodes) {
            for (const int number : {node.depth, node.column, node.times, node.covers}) {
                nodes.push_back(number);
            }
        }
        slices.append(Value::object()
                          .set("floor", slice.floor)
                          .set("cap", slice.cap)
                          .set("covers", slice.covers)
                          .set("nodes", std::move(nodes)));
    }
    object.set("columns", std::move(columns)).set("slices", std::move(slices));
}

/// Classes are numbered from 0 without a hole; returns how many there are, 0 after a report.
int read_classes(const Cursor& object, int points, int most, BoundProof& proof) {
    const auto list = object.require("class_of_device", "the class of every device");
    if (list && list->is_array() && points >= 0 &&
        list->value().size() != static_cast<std::size_t>(points)) {
        list->report(fmt::format("holds {} classes", list->value().size()),
                     fmt::format("there are {} devices", points));
        return 0;
    }
    proof.class_of_device = whole_numbers(list, 0, most - 1);
    if (proof.class_of_device.empty()) {
        if (list && list->is_array() && list->value().items.empty()) {
            list->report("is empty", "give the class of every device");
        }
        return 0;
    }
    const int classes = std::ranges::max(proof.class_of_device) + 1;
    std::vector<char> seen(static_cast<std::size_t>(classes), 0);
    for (const int k : proof.class_of_device) {
        seen[static_cast<std::size_t>(k)] = 1;
    }
    const auto hole = std::ranges::find(seen, 0);
    if (hole != seen.end()) {
        list->report(fmt::format("no device is of class {}", hole - seen.begin()),
                     "classes are numbered from 0 without a hole");
        return 0;
    }
    return classes;
}

void read_columns(const Cursor& object, int classes, int dp, ProofLog& log) {
    const auto list = object.require("columns", "devices of each class, one list a column");
    for (std::size_t i = 0; list && list->is_array() && i < list->value().size(); ++i) {
        const Cursor entry = list->item(i);
        std::vector<int> column = whole_numbers(entry, 0, dp);
        if (column.size() != static_cast<std::size_t>(classes) ||
            std::accumulate(column.begin(), column.end(), std::int64_t{0}) != dp) {
            entry.report("is no stage",
                         fmt::format("it must hold {} counts whose sum is {}", classes, dp));
            return;
        }
        log.columns.push_back(std::move(column));
    }
}

void read_nodes(const Cursor& object, int pp, int classes, int columns, SliceLog& slice) {
    const auto list = object.require("nodes", "depth, column, stages and class of every node");
    if (!list || !list->is_array()) {
        return;
    }
    const std::size_t numbers = list->value().size();
    if (numbers % 4 != 0 || numbers / 4 > kMostCertificateNodes) {
        list->report(
            fmt::format("holds {} numbers", numbers),
            fmt::format("it must hold four a node, and at most {} nodes", kMostCertificateNodes));
        return;
    }
    for (std::size_t i = 0; i < numbers; i += 4) {
        const int deepest = slice.nodes.empty() ? 1 : slice.nodes.back().depth + 1;
        const auto depth = list->item(i).integer(1, std::min(deepest, pp));
        const auto column = list->item(i + 1).integer(0, columns - 1);
        const auto times = list->item(i + 2).integer(1, pp);
        const auto covers = list->item(i + 3).integer(-1, classes - 1);
        if (!depth || !column || !times || !covers) {
            return;
        }
        slice.nodes.push_back({*depth, *column, *times, *covers});
    }
}

void read_slices(const Cursor& object, Shape shape, int classes, ProofLog& log) {
    const auto list = object.require("slices", "the slices of the data-parallel term");
    if (!list || !list->is_array()) {
        return;
    }
    if (list->value().size() > kMostSlices) {
        list->report(fmt::format("holds {} slices", list->value().size()),
                     fmt::format("at most {} make sense", kMostSlices));
        return;
    }
    for (std::size_t i = 0; i < list->value().size(); ++i) {
        const Cursor entry = list->item(i);
        if (!entry.is_object()) {
            return;
        }
        SliceLog slice;
        slice.floor = seconds_at(entry, "floor", "the least data-parallel term in seconds");
        slice.cap = seconds_at(entry, "cap", "the largest data-parallel term in seconds");
        const auto covers = entry.require("covers", "the class that its first columns hold");
        slice.covers = covers ? covers->integer(-1, classes - 1).value_or(-1) : -1;
        if (slice.cap < slice.floor) {
            entry.report(fmt::format("its cap is {}", slice.cap),
                         fmt::format("it must be its floor of {} at least", slice.floor));
        }
        read_nodes(entry, shape.pp, classes, static_cast<int>(log.columns.size()), slice);
        log.slices.push_back(std::move(slice));
    }
}

/// Parts of a proof, each with what is said about it.
void read_parts(const Cursor& object, Shape shape, int points, int depth, BoundProof& proof) {
    const auto list = object.require("parts", "proofs of the parts");
    if (!list || !list->is_array()) {
        return;
    }
    if (depth <= 0 || list->value().size() > kMostParts) {
        list->report(
            fmt::format("holds {} proofs", list->value().size()),
            fmt::format("at most {}, and {} inside each other", kMostParts, kMostProofDepth));
        return;
    }
    for (std::size_t i = 0; i < list->value().size(); ++i) {
        const Cursor entry = list->item(i);
        if (!entry.is_object()) {
            return;
        }
        proof.parts.push_back(read_proof(entry, shape, points, depth - 1));
    }
}

void read_what_is_left_out(const Cursor& object, BoundProof& proof) {
    const auto list = object.require("left_out", "devices of each class that are left out");
    for (std::size_t i = 0; list && list->is_array() && i < list->value().size(); ++i) {
        proof.left_out.push_back(whole_numbers(list->item(i), 0, 1'000'000));
    }
}

bool flag_at(const Cursor& object, std::string_view key) {
    const auto flag = object.find(key);
    return flag && flag->boolean().value_or(false);
}

/// Two costs a level, rising.
void read_levels(const Cursor& object, BoundProof& proof) {
    const auto list = object.require("levels", "the costs where each level begins and ends");
    if (!list || !list->is_array()) {
        return;
    }
    const std::size_t numbers = list->value().size();
    if (numbers % 2 != 0 || numbers / 2 > kMostLevelsOfFile) {
        list->report(
            fmt::format("holds {} numbers", numbers),
            fmt::format("it must hold two a level, and at most {} levels", kMostLevelsOfFile));
        return;
    }
    for (std::size_t i = 0; i < numbers; ++i) {
        const double least = proof.levels.empty() ? 0 : proof.levels.back();
        const auto cost = list->item(i).number_in(least, kMostSeconds);
        if (!cost) {
            return;
        }
        proof.levels.push_back(*cost);
    }
}

std::optional<ProofKind> read_kind(const Cursor& object) {
    constexpr std::string_view kNames =
        R"("elementary", "breaks", "tree", "different", "tables", "crossing", "sum", "limits", )"
        R"("choices" or "every")";
    const auto kind = object.require("kind", kNames);
    const auto name = kind ? kind->string() : std::nullopt;
    if (!name) {
        return std::nullopt;
    }
    const auto* known =
        std::ranges::find(kProofKinds, *name, &std::pair<ProofKind, std::string_view>::second);
    if (known == std::end(kProofKinds)) {
        kind->report("found " + core::shown(*name), "it must be " + std::string(kNames));
        return std::nullopt;
    }
    return known->first;
}

}  // namespace

std::size_t BoundProof::nodes() const {
    std::size_t sum = kind == ProofKind::kTree ? log.nodes() + log.slices.size() : 0;
    for (const DifferentLog::Number& number : different.numbers) {
        sum += number.nodes.size();
    }
    for (const BoundProof& part : parts) {
        sum += part.nodes();
    }
    return sum;
}

std::string_view name_of(ProofKind kind) {
    return std::ranges::find(kProofKinds, kind, &std::pair<ProofKind, std::string_view>::first)
        ->second;
}

Value to_value(const BoundProof& proof) {
    Value object = Value::object();
    object.set("kind", name_of(proof.kind));
    if (proof.kind == ProofKind::kBreaks || proof.kind == ProofKind::kTree) {
        object.set("exact", proof.exact);
    }
    if (proof.members) {
        object.set("members", true).set("levels", proof.levels);
    }
    if (has_classes(proof.kind)) {
        object.set("class_of_device", numbers_value(proof.class_of_device));
    }
    if (proof.kind == ProofKind::kTree) {
        if (proof.groups) {
            object.set("groups", true);
        }
        set_log(proof.log, object);
    } else if (proof.kind == ProofKind::kDifferent) {
        object.set("numbers", different_value(proof.different));
    } else if (proof.kind == ProofKind::kSum) {
        object.set("compute", proof.compute).set("exchange", proof.exchange);
    } else if (proof.kind == ProofKind::kLimits) {
        object.set("limits", proof.limits);
    } else if (proof.kind == ProofKind::kChoices) {
        Value left_out = Value::array();
        for (const std::vector<int>& counts : proof.left_out) {
            left_out.append(numbers_value(counts));
        }
        object.set("left_out", std::move(left_out));
    } else if (proof.kind == ProofKind::kEvery) {
        object.set("placements", proof.placements);
    }
    if (!proof.parts.empty()) {
        Value parts = Value::array();
        for (const BoundProof& part : proof.parts) {
            parts.append(to_value(part));
        }
        object.set("parts", std::move(parts));
    }
    return object;
}

BoundProof read_proof(const Cursor& object, Shape shape, int points, int depth) {
    BoundProof proof;
    const std::optional<ProofKind> kind = read_kind(object);
    if (!kind) {
        return proof;
    }
    proof.kind = *kind;
    int classes = 0;
    if (has_classes(proof.kind)) {
        const bool few =
            *kind == ProofKind::kBreaks || *kind == ProofKind::kTree || *kind == ProofKind::kTables;
        if (*kind == ProofKind::kBreaks || *kind == ProofKind::kTree) {
            const auto exact =
                object.require("exact", "whether members of a class cannot be told apart");
            proof.exact = exact && exact->boolean().value_or(false);
            proof.members = flag_at(object, "members");
            if (proof.members) {
                read_levels(object, proof);
            }
        }
        classes = read_classes(
            object, points, few ? kMostCertificateClasses : kMostDifferentOfFile, proof);
        if (classes == 0) {
            return proof;
        }
    }
    switch (proof.kind) {
        case ProofKind::kTree:
            proof.groups = flag_at(object, "groups");
            read_columns(object, classes, shape.dp, proof.log);
            read_slices(object, shape, classes, proof.log);
            break;
        case ProofKind::kDifferent:
            read_different(object, shape.pp, classes, proof.different);
            break;
        case ProofKind::kCrossing:
            if (object.find("parts")) {
                read_parts(object, shape, points, depth, proof);
            }
            break;
        case ProofKind::kSum:
            proof.compute = flag_at(object, "compute");
            proof.exchange = flag_at(object, "exchange");
            read_parts(object, shape, points, depth, proof);
            break;
        case ProofKind::kLimits:
            if (const auto list = object.require("limits", "slowness in seconds a GB, rising")) {
                for (std::size_t i = 0; list->is_array() && i < list->value().size(); ++i) {
                    proof.limits.push_back(list->item(i).number_in(0, kMostSeconds).value_or(0));
                }
            }
            read_parts(object, shape, points, depth, proof);
            break;
        case ProofKind::kChoices:
            read_what_is_left_out(object, proof);
            read_parts(object, shape, -1, depth, proof);
            break;
        case ProofKind::kEvery:
            if (const auto count = object.require("placements", "how many placements there are")) {
                proof.placements = count->integer(1, kMostPlacementsOfFile).value_or(0);
            }
            break;
        default:
            break;
    }
    return proof;
}

}  // namespace longhaul::placement
