#include "longhaul/workload/workload.hpp"

#include <string_view>

namespace longhaul::workload {
namespace {

constexpr int kMaxMessages = 1'000'000'000;

core::Gigabytes payload(const core::Cursor& object,
                        std::string_view key,
                        std::string_view meaning) {
    const auto found = object.require(key, meaning);
    return core::Gigabytes(found ? found->number_in(0, kMostPayloadGb).value_or(0) : 0);
}

int messages(const core::Cursor& object, std::string_view key) {
    const auto found = object.find(key);
    return found ? found->integer(1, kMaxMessages).value_or(1) : 1;
}

constexpr int kMaxLayers = 10'000;

double amount(const core::Cursor& object, std::string_view key) {
    const auto found = object.find(key);
    return found ? found->number_in(0, kMostPayloadGb).value_or(0) : 0;
}

/// Equal layers one after another share an object.
core::Value layers_value(const std::vector<Layer>& layers) {
    core::Value list = core::Value::array();
    for (std::size_t i = 0; i < layers.size();) {
        std::size_t end = i + 1;
        while (end < layers.size() && layers[end] == layers[i]) {
            ++end;
        }
        core::Value object = core::Value::object();
        object.set("seconds", layers[i].seconds)
            .set("static_gb", layers[i].static_gb)
            .set("activation_gb", layers[i].activation_gb)
            .set("count", static_cast<int>(end - i));
        list.append(std::move(object));
        i = end;
    }
    return list;
}

}  // namespace

std::vector<Layer> read_layers(const core::Cursor& list) {
    std::vector<Layer> layers;
    for (std::size_t i = 0; list.is_array() && i < list.value().size(); ++i) {
        const core::Cursor object = list.item(i);
        if (!object.is_object()) {
            continue;
        }
        Layer layer;
        if (const auto seconds = object.require("seconds", "compute seconds of a step")) {
            layer.seconds = seconds->number_in(0, kMostComputeSeconds).value_or(0);
        }
        layer.static_gb = amount(object, "static_gb");
        layer.activation_gb = amount(object, "activation_gb");
        const auto count = object.find("count");
        layers.insert(
            layers.end(),
            static_cast<std::size_t>(count ? count->integer(1, kMaxLayers).value_or(1) : 1),
            layer);
        if (layers.size() > kMaxLayers) {
            list.report("has too many layers", "at most 10000 are supported");
            return {};
        }
    }
    return layers;
}

Workload read_workload(const core::Cursor& object) {
    Workload workload;
    if (!object.is_object()) {
        return workload;
    }
    workload.c_pp = payload(object, "c_pp_gb", "the activation payload of a stage boundary in GB");
    workload.pp_messages = messages(object, "pp_messages");
    workload.c_dp = payload(object, "c_dp_gb", "the gradient payload of a stage in GB");
    workload.dp_messages = messages(object, "dp_messages");
    if (const auto back = object.find("c_pp_backward_gb")) {
        workload.c_pp_backward = core::Gigabytes(back->number_in(0, kMostPayloadGb).value_or(0));
    }
    if (const auto back = object.find("pp_backward_messages")) {
        workload.pp_backward_messages = back->integer(1, kMaxMessages);
    }
    if (const auto count = object.find("microbatches")) {
        workload.microbatches = count->integer(1, kMaxMessages);
    }
    if (const auto times = object.find("stage_seconds"); times && times->is_array()) {
        for (std::size_t i = 0; i < times->value().size(); ++i) {
            workload.stage_seconds.push_back(
                times->item(i).number_in(0, kMostComputeSeconds).value_or(0));
        }
    }
    if (const auto layers = object.find("layers")) {
        workload.layers = read_layers(*layers);
    }
    return workload;
}

core::Value to_value(const Workload& workload) {
    core::Value object = core::Value::object();
    object.set("c_pp_gb", workload.c_pp.value())
        .set("pp_messages", workload.pp_messages)
        .set("c_dp_gb", workload.c_dp.value())
        .set("dp_messages", workload.dp_messages);
    if (workload.c_pp_backward) {
        object.set("c_pp_backward_gb", workload.c_pp_backward->value());
    }
    if (workload.pp_backward_messages) {
        object.set("pp_backward_messages", *workload.pp_backward_messages);
    }
    if (workload.microbatches) {
        object.set("microbatches", *workload.microbatches);
    }
    if (!workload.stage_seconds.empty()) {
        object.set("stage_seconds", workload.stage_seconds);
    }
    if (!workload.layers.empty()) {
        object.set("layers", layers_value(workload.layers));
    }
    return object;
}

}  // namespace longhaul::workload
