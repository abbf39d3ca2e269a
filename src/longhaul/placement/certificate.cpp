#include "longhaul/placement/certificate.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "longhaul/core/cursor.hpp"
#include "longhaul/core/own_formats.hpp"
#include "longhaul/placement/certificate_values.hpp"

namespace longhaul::placement {
namespace {

using core::Cursor;
using core::Value;

constexpr int kMostDegree = 1'000'000;
std::string text_at(const std::optional<Cursor>& parent, std::string_view key) {
    const auto child = parent ? parent->find(key) : std::nullopt;
    return child ? child->string().value_or("") : std::string();
}

template <class Kind, class Find>
Kind named(const Cursor& text, Kind otherwise, Find find, const std::string& names) {
    const auto name = text.string();
    const auto kind = name ? find(*name) : std::optional<Kind>();
    if (name && !kind) {
        text.report("found " + core::shown(*name), "it must be " + names);
    }
    return kind.value_or(otherwise);
}

void read_terms(const Cursor& object, Terms& terms) {
    if (const auto exchange = object.find("exchange")) {
        terms.exchange = named(*exchange,
                               terms.exchange,
                               exchange_of_name,
                               R"("sharded", "ring", "central", "tree" or "hierarchical")");
    }
    if (const auto schedule = object.find("schedule")) {
        terms.schedule = named(*schedule, terms.schedule, schedule_of_name, R"("gpipe" or "1f1b")");
    }
    if (const auto shared = object.find("count_shared")) {
        terms.count_shared = shared->boolean().value_or(true);
    }
    if (const auto share = object.find("forward_share")) {
        terms.forward_share = share->number_in(0, 1).value_or(terms.forward_share);
    }
}

Value terms_value(const Terms& terms) {
    return Value::object()
        .set("exchange", std::string(name_of(terms.exchange)))
        .set("count_shared", terms.count_shared)
        .set("schedule", std::string(name_of(terms.schedule)))
        .set("forward_share", terms.forward_share);
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
    if (objective) {
        file.terms.objective = named(
            *objective, file.terms.objective, objective_of_name, R"("additive" or "pipelined")");
    }
    if (const auto terms = root.find("terms"); terms && terms->is_object()) {
        read_terms(*terms, file.terms);
    }
    const auto provenance = root.find("provenance");
    if (provenance && provenance->is_object()) {
        file.version = text_at(provenance, "version");
        file.command = text_at(provenance, "command");
        file.time = text_at(provenance, "time");
    }
}

/// The fabric has as many devices as the rank map.
void check_devices(const Cursor& root, std::size_t devices) {
    const auto fabric = root.find("fabric");
    const auto number =
        fabric && fabric->value().kind == Value::Kind::kObject ? fabric->find("n") : std::nullopt;
    const auto n = number ? number->integer(1, kMostDegree) : std::nullopt;
    if (n && static_cast<std::size_t>(*n) != devices) {
        number->report(fmt::format("found {}", *n),
                       fmt::format("the rank map has {} devices", devices));
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
    const auto tp = object->find("tp");
    const int tensor = tp ? tp->integer(1, kMostDegree).value_or(1) : 1;
    core::Result<Placement> placement =
        Placement::from_rank_map({*stages, *replicas, tensor}, whole_numbers(map, -1, kMostDegree));
    if (placement) {
        file.placement = std::move(*placement);
        check_devices(root, file.placement.devices());
        return;
    }
    for (const core::Diagnostic& problem : placement.error()) {
        map->report(problem.where + ": " + problem.what, problem.fix);
    }
}

}  // namespace

Value to_value(const CertificateFile& file) {
    const Shape shape = file.placement.shape();
    Value grid = Value::object();
    grid.set("pp", shape.pp).set("dp", shape.dp);
    if (shape.tp > 1) {
        grid.set("tp", shape.tp);
    }
    Value root = Value::object();
    root.set("format", "longhaul.certificate/1")
        .set("fabric",
             Value::object()
                 .set("path", file.fabric_path)
                 .set("sha256", file.fabric_sha256)
                 .set("n", static_cast<double>(file.placement.devices())))
        .set("workload", workload::to_value(file.workload))
        .set("shape", std::move(grid))
        .set("objective", std::string(name_of(file.terms.objective)));
    Terms plain;
    plain.objective = file.terms.objective;
    if (file.terms != plain) {
        root.set("terms", terms_value(file.terms));
    }
    return root.set("score", file.score)
        .set("bound", file.bound)
        .set("optimal", file.optimal)
        .set("plan_bound", file.plan_bound)
        .set("plan_bound_method", file.plan_bound_method)
        .set("rank_map", numbers_value(file.placement.rank_map()))
        .set("proof", to_value(file.proof))
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
        const auto proof = root.require("proof", "how the bound is proved");
        const Shape shape = file.placement.shape();
        const bool all = shape.tp == 1 && file.placement.devices() == shape.devices();
        if (proof && proof->is_object()) {
            file.proof = read_proof(
                *proof, shape, all ? static_cast<int>(shape.devices()) : -1, kMostProofDepth);
        }
    }
    if (!problems.empty()) {
        return tl::unexpected(std::move(problems));
    }
    return file;
}

}  // namespace longhaul::placement
