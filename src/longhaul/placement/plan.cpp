#include "longhaul/placement/plan.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "longhaul/core/cursor.hpp"
#include "longhaul/core/own_formats.hpp"
#include "longhaul/placement/group_terms.hpp"

namespace longhaul::placement {
namespace {

using core::Cursor;
using core::Value;

constexpr int kMaxDegree = 1'000'000;
constexpr int kMaxTensor = 4'096;
constexpr double kMaxSeconds = 1e100;  // sums stay finite
constexpr double kMaxNodes = 1e18;     // fits in 64 bits
constexpr std::string_view kKnownKeys[] = {"format",
                                           "fabric",
                                           "workload",
                                           "shape",
                                           "objective",
                                           "score",
                                           "data_parallel",
                                           "pipeline",
                                           "bound",
                                           "gap",
                                           "optimal",
                                           "bound_method",
                                           "rank_map",
                                           "stages",
                                           "pipelines",
                                           "baseline",
                                           "search",
                                           "provenance",
                                           "unused_devices",
                                           "bound_data_parallel",
                                           "bound_pipeline",
                                           "bound_nodes",
                                           "terms",
                                           "compute",
                                           "first_layers",
                                           "exchange_orders",
                                           "shared_bottleneck",
                                           "pipeline_bottleneck",
                                           "devices",
                                           "device_hosts"};

/// Seconds; null where layers fit no memory.
Value seconds_value(double seconds) {
    return seconds >= kDoesNotFit ? Value() : Value(seconds);
}

Value summary_value(const core::Summary& summary) {
    return Value::object()
        .set("min", seconds_value(summary.min))
        .set("p10", seconds_value(summary.p10))
        .set("median", seconds_value(summary.median))
        .set("p90", seconds_value(summary.p90))
        .set("max", seconds_value(summary.max));
}

Value baselines_value(const Baselines& baselines) {
    return Value::object()
        .set("samples", baselines.samples)
        .set("seed", static_cast<double>(baselines.seed))
        .set("host_order", seconds_value(baselines.host_order.total()))
        .set("host_order_solved", seconds_value(baselines.host_order_solved))
        .set("label_per_stage", seconds_value(baselines.label_per_stage.total()))
        .set("labels_fit", baselines.labels_fit)
        .set("partitions", baselines.samples > 0 ? summary_value(baselines.partitions) : Value())
        .set("maps", baselines.samples > 0 ? summary_value(baselines.maps) : Value());
}

Value list_value(const std::vector<int>& numbers) {
    return std::vector<double>(numbers.begin(), numbers.end());
}

Value table_value(const std::vector<std::vector<int>>& rows) {
    Value table = Value::array();
    for (const std::vector<int>& row : rows) {
        table.append(list_value(row));
    }
    return table;
}

Value search_value(const SearchRecord& search) {
    return Value::object()
        .set("seed", static_cast<double>(search.seed))
        .set("budget", static_cast<double>(search.budget))
        .set("restarts", search.restarts)
        .set("evaluations", static_cast<double>(search.evaluations))
        .set("wall_s", search.wall_s)
        .set("threads", search.threads)
        .set("stopped_by", search.stopped_by)
        .set("found_by", search.found_by);
}

Value shape_value(Shape shape) {
    Value value = Value::object();
    value.set("pp", shape.pp).set("dp", shape.dp);
    if (shape.tp > 1) {
        value.set("tp", shape.tp);
    }
    return value;
}

Value terms_value(const Terms& terms) {
    return Value::object()
        .set("exchange", std::string(name_of(terms.exchange)))
        .set("count_shared", terms.count_shared)
        .set("schedule", std::string(name_of(terms.schedule)))
        .set("forward_share", terms.forward_share);
}

Value unused_value(const Plan& plan) {
    Value list = Value::array();
    for (const int device : plan.placement.unused()) {
        Value entry = Value::object();
        entry.set("device", device);
        const auto reason = std::ranges::find(plan.left_out, device, &LeftOut::device);
        if (reason != plan.left_out.end()) {
            if (reason->instead_of >= 0) {
                entry.set("score_if_used", seconds_value(reason->score))
                    .set("instead_of", reason->instead_of);
            }
        }
        list.append(std::move(entry));
    }
    return list;
}

std::string text_of(const std::optional<Cursor>& parent, std::string_view key) {
    const auto child = parent ? parent->find(key) : std::nullopt;
    return child ? child->string().value_or("") : std::string();
}

double seconds_of(const Cursor& parent, std::string_view key) {
    const auto child = parent.find(key);
    return child ? child->number_in(0, kMaxSeconds).value_or(0) : 0;
}

/// The score must be the sum of its terms, up to the rounding of another program.
void check_sum(const Cursor& root, const Score& score) {
    const auto total = root.find("score");
    const auto found = total ? total->number_in(0, kMaxSeconds) : std::nullopt;
    if (found && root.find("data_parallel") && root.find("pipeline") &&
        std::abs(*found - score.total()) > 1e-6 * score.total()) {
        total->report(fmt::format("found {}", *found),
                      fmt::format("data_parallel + pipeline{} is {}",
                                  score.compute > 0 ? " + compute" : "",
                                  score.total()));
    }
}

void read_fabric_reference(const Cursor& root, Plan& plan) {
    const auto fabric = root.find("fabric");
    if (!fabric || !fabric->is_object()) {
        return;
    }
    plan.fabric_path = text_of(fabric, "path");
    plan.fabric_sha256 = text_of(fabric, "sha256");
    const auto n = fabric->find("n");
    const auto devices = n ? n->number() : std::nullopt;
    const std::size_t ranks = plan.placement.devices();
    if (devices && ranks > 0 && *devices != static_cast<double>(ranks)) {
        n->report(fmt::format("found {}", *devices), fmt::format("rank_map has {}", ranks));
    }
}

std::optional<Shape> read_shape(const Cursor& root) {
    const auto object = root.require("shape", "{\"pp\": stages, \"dp\": replicas}");
    if (!object || !object->is_object()) {
        return std::nullopt;
    }
    const auto pp = object->require("pp", "the number of stages");
    const auto dp = object->require("dp", "the number of replicas");
    const auto stages = pp ? pp->integer(1, kMaxDegree) : std::nullopt;
    const auto replicas = dp ? dp->integer(1, kMaxDegree) : std::nullopt;
    const auto tp = object->find("tp");
    const auto tensor = tp ? tp->integer(1, kMaxTensor) : std::optional(1);
    return stages && replicas && tensor ? std::optional(Shape{*stages, *replicas, *tensor})
                                        : std::nullopt;
}

void read_rank_map(const Cursor& root, const std::optional<Shape>& shape, Plan& plan) {
    const auto list = root.require("rank_map", "the rank of every device");
    if (!list || !list->is_array() || !shape) {
        return;
    }
    std::vector<int> ranks;
    for (std::size_t i = 0; i < list->value().size(); ++i) {
        ranks.push_back(list->item(i).integer(-1, kMaxDegree).value_or(-1));
    }
    core::Result<Placement> placement = Placement::from_rank_map(*shape, ranks);
    if (placement) {
        plan.placement = std::move(*placement);
        return;
    }
    for (const core::Diagnostic& problem : placement.error()) {
        list->report(
            problem.where == "rank_map" ? problem.what : problem.where + ": " + problem.what,
            problem.fix);
    }
}

/// A text that names something; what it is not is reported with the names that it may have.
template <class T, class Parse>
T named(const std::optional<Cursor>& text, T absent, Parse parse, std::string_view names) {
    const auto name = text ? text->string() : std::nullopt;
    const auto known = name ? parse(*name) : std::nullopt;
    if (name && !known) {
        text->report("found " + core::shown(*name), fmt::format("it must be one of {}", names));
    }
    return known.value_or(absent);
}

Terms read_terms(const Cursor& root) {
    Terms terms;
    terms.objective = named(
        root.find("objective"), terms.objective, objective_of_name, "\"additive\", \"pipelined\"");
    const auto object = root.find("terms");
    if (!object || !object->is_object()) {
        return terms;
    }
    terms.exchange = named(object->find("exchange"),
                           terms.exchange,
                           exchange_of_name,
                           "\"sharded\", \"ring\", \"central\", \"tree\", \"hierarchical\"");
    terms.schedule =
        named(object->find("schedule"), terms.schedule, schedule_of_name, "\"gpipe\", \"1f1b\"");
    if (const auto shared = object->find("count_shared")) {
        terms.count_shared = shared->boolean().value_or(true);
    }
    if (const auto share = object->find("forward_share")) {
        terms.forward_share = share->number_in(0, 1).value_or(terms.forward_share);
    }
    return terms;
}

std::vector<std::vector<int>> read_orders(const Cursor& root) {
    std::vector<std::vector<int>> orders;
    const auto table = root.find("exchange_orders");
    for (std::size_t s = 0; table && table->is_array() && s < table->value().size(); ++s) {
        const Cursor row = table->item(s);
        orders.emplace_back();
        for (std::size_t i = 0; row.is_array() && i < row.value().size(); ++i) {
            orders.back().push_back(row.item(i).integer(0, kMaxDegree).value_or(0));
        }
    }
    return orders;
}

void read_record(const Cursor& root, Plan& plan) {
    plan.terms = read_terms(root);
    if (const auto first = root.find("first_layers"); first && first->is_array()) {
        for (std::size_t i = 0; i < first->value().size(); ++i) {
            plan.first_layers.push_back(first->item(i).integer(0, kMaxDegree).value_or(0));
        }
    }
    plan.exchange_orders = read_orders(root);
    if (const auto name = root.find("pipeline_bottleneck")) {
        plan.pipeline_bottleneck = name->string().value_or("");
    }
    if (const auto name = root.find("shared_bottleneck")) {
        plan.shared_bottleneck = name->string().value_or("");
    }
    plan.score = {seconds_of(root, "data_parallel"),
                  seconds_of(root, "pipeline"),
                  seconds_of(root, "compute")};
    check_sum(root, plan.score);
    const auto nodes = root.find("bound_nodes");
    plan.bound = {
        seconds_of(root, "bound"),
        text_of(root, "bound_method"),
        seconds_of(root, "bound_data_parallel"),
        seconds_of(root, "bound_pipeline"),
        static_cast<std::uint64_t>(nodes ? nodes->number_in(0, kMaxNodes).value_or(0) : 0)};
    const auto provenance = root.find("provenance");
    if (provenance && provenance->is_object()) {
        plan.version = text_of(provenance, "version");
        plan.command = text_of(provenance, "command");
        plan.time = text_of(provenance, "time");
    }
}

}  // namespace

Value to_value(const Plan& plan) {
    const Gap gap = gap_between(plan.score.total(), plan.bound.value);
    const Shape shape = plan.placement.shape();
    Value root = Value::object();
    root.set("format", "longhaul.plan/1")
        .set("fabric",
             Value::object()
                 .set("path", plan.fabric_path)
                 .set("sha256", plan.fabric_sha256)
                 .set("n", static_cast<double>(plan.placement.devices())))
        .set("workload", workload::to_value(plan.workload))
        .set("shape", shape_value(shape))
        .set("objective", std::string(name_of(plan.terms.objective)))
        .set("terms", terms_value(plan.terms))
        .set("score", plan.score.total())
        .set("data_parallel", plan.score.data_parallel)
        .set("pipeline", plan.score.pipeline)
        .set("compute", plan.score.compute)
        .set("bound", plan.bound.value)
        .set("bound_method", plan.bound.method)
        .set("bound_nodes", static_cast<double>(plan.bound.nodes))
        .set("bound_data_parallel", plan.bound.data_parallel)
        .set("bound_pipeline", plan.bound.pipeline)
        .set("gap", gap.known ? Value(gap.value) : Value())
        .set("optimal", gap.optimal)
        .set("rank_map", list_value(plan.placement.rank_map()))
        .set("stages", table_value(plan.placement.stages()))
        .set("pipelines", table_value(plan.placement.pipelines()))
        .set("unused_devices", unused_value(plan));
    if (!plan.first_layers.empty()) {
        root.set("first_layers", list_value(plan.first_layers));
    }
    if (!plan.exchange_orders.empty()) {
        root.set("exchange_orders", table_value(plan.exchange_orders));
    }
    if (!plan.pipeline_bottleneck.empty()) {
        root.set("pipeline_bottleneck", plan.pipeline_bottleneck);
    }
    if (!plan.shared_bottleneck.empty()) {
        root.set("shared_bottleneck", plan.shared_bottleneck);
    }
    if (plan.baselines) {
        root.set("baseline", baselines_value(*plan.baselines));
    }
    if (!plan.devices.empty()) {
        Value names = Value::array();
        for (const std::string& name : plan.devices) {
            names.append(name);
        }
        root.set("devices", std::move(names));
    }
    if (!plan.places.empty()) {
        root.set("device_hosts", to_value(plan.places));
    }
    root.set("search", search_value(plan.search))
        .set("provenance",
             Value::object()
                 .set("version", plan.version)
                 .set("command", plan.command)
                 .set("time", plan.time));
    for (const core::Member& member : plan.unknown.members) {
        root.set(member.key, member.value);
    }
    return root;
}

core::Result<Plan> read_plan(std::string_view text, std::string_view name) {
    if (const auto own = core::refuse_other_format(text, name, {"longhaul.plan"}); !own) {
        return tl::unexpected(own.error());
    }
    const core::Result<core::Document> document = core::parse_json(text, name);
    if (!document) {
        return tl::unexpected(document.error());
    }
    core::Diagnostics problems;
    const Cursor root(*document, problems);
    Plan plan;
    core::check_format(root, "longhaul.plan", 1, true);
    if (const auto workload = root.require("workload", "the payloads and message counts")) {
        plan.workload = workload::read_workload(*workload);
    }
    const std::optional<Shape> shape = read_shape(root);
    read_rank_map(root, shape, plan);
    plan.devices = read_device_names(root);
    plan.places = read_places(root, plan.devices);
    read_fabric_reference(root, plan);
    read_record(root, plan);
    for (const core::Member& member : document->root.members) {
        if (std::find(std::begin(kKnownKeys), std::end(kKnownKeys), member.key) ==
            std::end(kKnownKeys)) {
            plan.unknown.members.push_back(member);
        }
    }
    if (!problems.empty()) {
        return tl::unexpected(std::move(problems));
    }
    return plan;
}

}  // namespace longhaul::placement
