#include "longhaul/placement/certificate.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "longhaul/core/cursor.hpp"
#include "longhaul/core/own_formats.hpp"

namespace longhaul::placement {
namespace {

using core::Cursor;
using core::Value;

constexpr int kMostDegree = 1'000'000;
constexpr double kMostSeconds = 1e100;  // sums stay finite
constexpr std::pair<ProofKind, std::string_view> kProofKinds[] = {
    {ProofKind::kElementary, "elementary"},
    {ProofKind::kBreaks, "breaks"},
    {ProofKind::kTree, "tree"}};

Value numbers_value(const std::vector<int>& numbers) {
    return std::vector<double>(numbers.begin(), numbers.end());
}

Value proof_value(const BoundProof& proof) {
    Value object = Value::object();
    object.set("kind", name_of(proof.kind));
    if (proof.kind == ProofKind::kElementary) {
        return object;
    }
    object.set("exact", proof.exact).set("class_of_device", numbers_value(proof.class_of_device));
    if (proof.kind == ProofKind::kBreaks) {
        return object;
    }
    Value columns = Value::array();
    for (const std::vector<int>& column : proof.log.columns) {
        columns.append(numbers_value(column));
    }
    Value slices = Value::array();
    for (const SliceLog& slice : proof.log.slices) {
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
    return object;
}

double seconds_at(const Cursor& parent, std::string_view key, std::string_view meaning) {
    const auto child = parent.require(key, meaning);
    return child ? child->number_in(0, kMostSeconds).value_or(0) : 0;
}

std::string text_at(const std::optional<Cursor>& parent, std::string_view key) {
    const auto child = parent ? parent->find(key) : std::nullopt;
    return child ? child->string().value_or("") : std::string();
}

/// An array of whole numbers; empty after a report.
std::vector<int> whole_numbers(const std::optional<Cursor>& list, int least, int most) {
    std::vector<int> numbers;
    if (!list || !list->is_array()) {
        return numbers;
    }
    for (std::size_t i = 0; i < list->value().size(); ++i) {
        const auto number = list->item(i).integer(least, most);
        if (!number) {
            return {};
        }
        numbers.push_back(*number);
    }
    return numbers;
}

void read_identity(const Cursor& root, CertificateFile& file) {
    const auto fabric = root.require("fabric", "the fabric that the certificate is about");
    if (fabric && fabric->is_object()) {
        file.fabric_path = text_at(fabric, "path");
        const auto hash = fabric->require("sha256", "the SHA-256 of the fabric file");
        file.fabric_sha256 = hash ? hash->string().value_or("") : "";
    }
    if (const auto workload = root.require("workload", "the payloads and message counts")) {
        file.workload = workload::read_workload(*workload);
    }
    const auto objective = root.require("objective", "what the score counts, \"additive\"");
    file.objective = objective ? objective->string().value_or("additive") : "additive";
    if (file.objective != "additive") {
        objective->report("found " + core::shown(file.objective),
                          "certificates are of the objective \"additive\"");
    }
    const auto provenance = root.find("provenance");
    if (provenance && provenance->is_object()) {
        file.version = text_at(provenance, "version");
        file.command = text_at(provenance, "command");
        file.time = text_at(provenance, "time");
    }
}

void read_map(const Cursor& root, CertificateFile& file) {
    const auto object = root.require("shape", "{\"pp\": stages, \"dp\": replicas}");
    const auto map = root.require("rank_map", "the rank of every device");
    if (!object || !object->is_object() || !map || !map->is_array()) {
        return;
    }
    const auto pp = object->require("pp", "the number of stages");
    const auto dp = object->require("dp", "the number of replicas");
    const auto stages = pp ? pp->integer(1, kMostDegree) : std::nullopt;
    const auto replicas = dp ? dp->integer(1, kMostDegree) : std::nullopt;
    if (!stages || !replicas) {
        return;
    }
    core::Result<Placement> placement =
        Placement::from_rank_map({*stages, *replicas}, whole_numbers(map, 0, kMostDegree));
    if (placement) {
        file.placement = std::move(*placement);
        return;
    }
    for (const core::Diagnostic& problem : placement.error()) {
        map->report(problem.where + ": " + problem.what, problem.fix);
    }
}

/// Classes are numbered from 0 without a hole; returns how many there are, 0 after a report.
int read_classes(const Cursor& object, const CertificateFile& file, BoundProof& proof) {
    const auto exact = object.require("exact", "whether members of a class cannot be told apart");
    proof.exact = exact && exact->boolean().value_or(false);
    const auto list = object.require("class_of_device", "the class of every device");
    const std::size_t devices = file.placement.shape().devices();
    if (list && list->is_array() && list->value().size() != devices) {
        list->report(fmt::format("holds {} classes", list->value().size()),
                     fmt::format("there are {} devices", devices));
        return 0;
    }
    proof.class_of_device = whole_numbers(list, 0, kMostCertificateClasses - 1);
    if (proof.class_of_device.empty()) {
        return 0;
    }
    const int classes = std::ranges::max(proof.class_of_device) + 1;
    for (int k = 0; k < classes; ++k) {
        if (std::ranges::find(proof.class_of_device, k) == proof.class_of_device.end()) {
            list->report(fmt::format("no device is of class {}", k),
                         "classes are numbered from 0 without a hole");
            return 0;
        }
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
    constexpr std::size_t kMostSlices = 10'000;
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

void read_proof(const Cursor& root, CertificateFile& file) {
    const auto object = root.require("proof", "how the bound is proved");
    if (!object || !object->is_object()) {
        return;
    }
    const auto kind = object->require("kind", "\"elementary\", \"breaks\" or \"tree\"");
    const auto name = kind ? kind->string() : std::nullopt;
    if (!name) {
        return;
    }
    const auto* known =
        std::ranges::find(kProofKinds, *name, &std::pair<ProofKind, std::string_view>::second);
    if (known == std::end(kProofKinds)) {
        kind->report("found " + core::shown(*name),
                     R"(it must be "elementary", "breaks" or "tree")");
        return;
    }
    file.proof.kind = known->first;
    if (file.proof.kind == ProofKind::kElementary) {
        return;
    }
    const int classes = read_classes(*object, file, file.proof);
    if (classes == 0 || file.proof.kind == ProofKind::kBreaks) {
        return;
    }
    const Shape shape = file.placement.shape();
    read_columns(*object, classes, shape.dp, file.proof.log);
    read_slices(*object, shape, classes, file.proof.log);
}

}  // namespace

std::string_view name_of(ProofKind kind) {
    return std::ranges::find(kProofKinds, kind, &std::pair<ProofKind, std::string_view>::first)
        ->second;
}

Value to_value(const CertificateFile& file) {
    const Shape shape = file.placement.shape();
    return Value::object()
        .set("format", "longhaul.certificate/1")
        .set("fabric",
             Value::object()
                 .set("path", file.fabric_path)
                 .set("sha256", file.fabric_sha256)
                 .set("n", static_cast<double>(shape.devices())))
        .set("workload", workload::to_value(file.workload))
        .set("shape", Value::object().set("pp", shape.pp).set("dp", shape.dp))
        .set("objective", file.objective)
        .set("score", file.score)
        .set("bound", file.bound)
        .set("optimal", file.optimal)
        .set("plan_bound", file.plan_bound)
        .set("plan_bound_method", file.plan_bound_method)
        .set("rank_map", numbers_value(file.placement.rank_map()))
        .set("proof", proof_value(file.proof))
        .set("provenance",
             Value::object()
                 .set("version", file.version)
                 .set("command", file.command)
                 .set("time", file.time));
}

core::Result<CertificateFile> read_certificate(std::string_view text, std::string_view name) {
    if (const auto own = core::refuse_other_format(text, name, {"longhaul.certificate"}); !own) {
        return tl::unexpected(own.error());
    }
    const core::Result<core::Document> document = core::parse_json(text, name);
    if (!document) {
        return tl::unexpected(document.error());
    }
    core::Diagnostics problems;
    const Cursor root(*document, problems);
    CertificateFile file;
    core::check_format(root, "longhaul.certificate", 1, true);
    read_identity(root, file);
    read_map(root, file);
    file.score = seconds_at(root, "score", "the seconds that the rank map takes");
    file.bound = seconds_at(root, "bound", "the seconds that no placement goes below");
    const auto optimal = root.require("optimal", "whether the score meets the bound");
    file.optimal = optimal && optimal->boolean().value_or(false);
    if (root.find("plan_bound")) {
        file.plan_bound = seconds_at(root, "plan_bound", "");
    }
    file.plan_bound_method = text_at(root, "plan_bound_method");
    if (problems.empty()) {
        read_proof(root, file);
    }
    if (!problems.empty()) {
        return tl::unexpected(std::move(problems));
    }
    return file;
}

}  // namespace longhaul::placement
