#include "longhaul/inputs.hpp"
#include "longhaul/command.hpp"
#include "longhaul/core/cursor.hpp"
#include "longhaul/core/hash.hpp"
#include "longhaul/core/own_formats.hpp"
#include "longhaul/fabric/names.hpp"
#include "longhaul/fabric/read.hpp"
#include "longhaul/workload/reshape.hpp"
#include "longhaul/workload/size.hpp"
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <thread>
#include <fmt/ranges.h>

namespace longhaul::app {
namespace {

constexpr std::time_t kLastSecond = 253'402'300'799;  // 9999-12-31T23:59:59Z

/// A file with the list `layers`.
core::Result<std::vector<workload::Layer>> load_layers(const std::string& path) {
    const core::Result<std::string> text = read_file(path);
    if (!text) {
        return tl::unexpected(text.error());
    }
    if (const auto own = core::refuse_other_format(*text, input_name(path), {"longhaul.layers"});
        !own) {
        return tl::unexpected(own.error());
    }
    const core::Result<core::Document> document = core::parse_document(*text, input_name(path));
    if (!document) {
        return tl::unexpected(document.error());
    }
    core::Diagnostics problems;
    const core::Cursor root(*document, problems);
    core::check_format(root, "longhaul.layers", 1, false);
    root.only_keys({"format", "layers", "provenance"});
    std::vector<workload::Layer> layers;
    if (const auto list = root.require("layers", "a list of objects with seconds")) {
        layers = workload::read_layers(*list);
        for (std::size_t i = 0;
             list->value().kind == core::Value::Kind::kArray && i < list->value().items.size();
             ++i) {
            if (list->item(i).value().kind == core::Value::Kind::kObject) {
                list->item(i).only_keys({"seconds", "static_gb", "activation_gb", "count"});
            }
        }
        if (problems.empty() && layers.empty()) {
            list->report("holds no layers", "give at least one");
        }
    }
    return problems.empty() ? core::Result<std::vector<workload::Layer>>(std::move(layers))
                            : tl::unexpected(std::move(problems));
}
}  // namespace

void warn_of_memory(const workload::Sizing& sizing, const workload::Job& job) {
    const auto too_large = [&](const workload::StageSize& stage) {
        return job.memory && stage.total() > *job.memory;
    };
    const auto count = std::ranges::count_if(sizing.stages, too_large);
    if (count == 0) {
        return;
    }
    const auto worst = std::ranges::max_element(
        sizing.stages, {}, [](const workload::StageSize& stage) { return stage.total(); });
    warn(fmt::format("{} of {} stages do not fit: stage {} needs {:.3f} GB of {} GB ({})",
                     count,
                     sizing.stages.size(),
                     worst - sizing.stages.begin(),
                     worst->total().value(),
                     job.memory->value(),
                     job.memory_source));
}

workload::Job on_devices_of(const fabric::Fabric& fabric,
                            const PlacementInputs& inputs,
                            workload::Job job) {
    std::optional<double> least;
    for (const fabric::Device& device : fabric.parts().devices) {
        if (device.memory_gb && inputs.layers.empty()) {
            least = std::min(*device.memory_gb, least.value_or(*device.memory_gb));
        }
    }
    return workload::limited(std::move(job), least);
}

core::Result<LoadedFabric> load_fabric(const std::string& path) {
    const core::Result<std::string> text = read_file(path);
    if (!text) {
        return tl::unexpected(text.error());
    }
    core::Result<fabric::Fabric> fabric = fabric::read_fabric(*text, input_name(path));
    if (!fabric) {
        return tl::unexpected(fabric.error());
    }
    return LoadedFabric{std::move(*fabric), core::sha256_hex(*text)};
}

core::Result<LoadedFabric> load_named_fabric(const std::string& path) {
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    if (path == "-" ||
        (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))) {
        return core::fail({input_name(path),
                           "",
                           "the fabric that the plan names is no plain file",
                           "give --fabric with a file that holds the same fabric"});
    }
    return load_fabric(path);
}

namespace {

/// Workload and shape: from the job file, or as typed.
struct Demand {
    workload::Workload workload;
    placement::Shape shape;
    double share = 1;                                    ///< see apply_options
    std::optional<workload::PipelineSchedule> schedule;  ///< of the job file
};

core::Result<void> check_degrees(const PlacementInputs& inputs) {
    for (const auto& [name, degree] : {std::pair{"--pp", inputs.pp}, {"--dp", inputs.dp}}) {
        if (degree == kAuto) {
            return core::fail({"",
                               name,
                               "found auto",
                               inputs.job.empty()
                                   ? "payloads depend on the shape: give --job too"
                                   : "give a number: shapes are chosen by place alone, without "
                                     "--from, --phase and --robust"});
        }
    }
    return {};
}

/// The shape of the job file but for --pp and --dp.
core::Result<Demand> demand_of_job(const PlacementInputs& inputs, const fabric::Fabric& fabric) {
    const core::Result<std::string> text = read_file(inputs.job);
    if (!text) {
        return tl::unexpected(text.error());
    }
    const core::Result<workload::Job> job = workload::read_job(*text, input_name(inputs.job));
    if (!job) {
        return tl::unexpected(job.error());
    }
    const core::Result<workload::Job> shaped =
        workload::regridded(on_devices_of(fabric, inputs, *job),
                            inputs.pp > 0 ? inputs.pp : job->pp,
                            inputs.dp > 0 ? inputs.dp : job->dp);
    if (!shaped) {
        return tl::unexpected(shaped.error());
    }
    const workload::Sizing sizing = workload::size(*shaped, inputs.tp);
    warn_of_memory(sizing, *shaped);
    Demand demand{sizing.workload,
                  {sizing.pp, sizing.dp},
                  shaped->sequences_per_replica / job->sequences_per_replica,
                  job->schedule};
    demand.workload.stage_seconds = stage_seconds_of(inputs, *shaped);
    return demand;
}

core::Result<Demand> demand_as_typed(const PlacementInputs& inputs) {
    if (inputs.pp == 0 || inputs.dp == 0) {
        return core::fail({"",
                           inputs.pp == 0 ? "--pp" : "--dp",
                           "is missing",
                           "give --pp, --dp, --c-pp and --c-dp, or --job"});
    }
    if (!inputs.c_pp || !inputs.c_dp) {
        return core::fail({"",
                           inputs.c_pp ? "--c-dp" : "--c-pp",
                           "is missing",
                           "give the payload in decimal GB, or --job"});
    }
    Demand demand;
    demand.workload.c_pp = core::Gigabytes(*inputs.c_pp);
    demand.workload.c_dp = core::Gigabytes(*inputs.c_dp);
    demand.workload.pp_messages = inputs.pp_messages;
    demand.workload.dp_messages = inputs.dp_messages;
    demand.shape = {inputs.pp, inputs.dp};
    return demand;
}

}  // namespace

core::Result<void> apply_options(const PlacementInputs& inputs,
                                 double share,
                                 workload::Workload& workload) {
    if (inputs.c_pp_backward) {
        workload.c_pp_backward = core::Gigabytes(*inputs.c_pp_backward);
    }
    if (inputs.pp_backward_messages) {
        workload.pp_backward_messages = inputs.pp_backward_messages;
    }
    if (inputs.microbatches) {
        workload.microbatches = inputs.microbatches;
    }
    if (!inputs.stage_seconds.empty()) {
        workload.stage_seconds = inputs.stage_seconds;
    }
    if (!inputs.layers.empty()) {
        auto layers = load_layers(inputs.layers);
        if (!layers) {
            return tl::unexpected(layers.error());
        }
        workload.layers = std::move(*layers);
    } else if (!inputs.old_layers.empty()) {
        workload.layers = inputs.old_layers;
    }
    for (workload::Layer& layer : workload.layers) {
        layer.seconds *= share;
    }
    return {};
}

placement::Terms terms_of(const PlacementInputs& inputs,
                          const std::optional<workload::PipelineSchedule>& of_job) {
    placement::Terms terms;
    terms.objective = *placement::objective_of_name(inputs.objective);
    terms.forward_share = inputs.forward_share;
    terms.exchange = *placement::exchange_of_name(inputs.exchange);
    terms.count_shared = !inputs.ignore_shared;
    terms.schedule = *placement::schedule_of_name(inputs.schedule);
    if (of_job && !inputs.has("--schedule")) {
        terms.schedule = *of_job == workload::PipelineSchedule::kGpipe
                             ? placement::Schedule::kGpipe
                             : placement::Schedule::kOneForwardOneBackward;
    }
    return terms;
}

std::vector<double> stage_seconds_of(const PlacementInputs& inputs, const workload::Job& job) {
    std::vector<double> seconds;
    if (inputs.sequence_seconds > 0) {
        for (const int layers : job.stage_layers) {
            seconds.push_back(inputs.sequence_seconds * job.sequences_per_replica * layers /
                              job.model.layers / inputs.tp);
        }
    }
    return seconds;
}

core::Result<LoadedProblem> load_problem(const PlacementInputs& inputs) {
    if (auto once = read_once({inputs.fabric, inputs.job, inputs.layers}); !once) {
        return tl::unexpected(once.error());
    }
    if (auto good = check_degrees(inputs); !good) {
        return tl::unexpected(good.error());
    }
    core::Result<Demand> demand;
    if (inputs.job.empty()) {
        demand = demand_as_typed(inputs);
        if (!demand) {
            return tl::unexpected(demand.error());
        }
    }
    core::Result<LoadedFabric> loaded = load_fabric(inputs.fabric);
    if (!loaded) {
        return tl::unexpected(loaded.error());
    }
    if (!inputs.job.empty()) {
        demand = demand_of_job(inputs, loaded->fabric);
        if (!demand) {
            return tl::unexpected(demand.error());
        }
    }
    workload::Workload workload = demand->workload;
    if (auto applied = apply_options(inputs, demand->share, workload); !applied) {
        return tl::unexpected(applied.error());
    }
    placement::Shape shape = demand->shape;
    shape.tp = inputs.tp;
    core::Result<placement::Problem> problem =
        placement::make_problem(loaded->fabric,
                                input_name(inputs.fabric),
                                workload,
                                shape,
                                terms_of(inputs, demand->schedule));
    if (!problem) {
        return tl::unexpected(problem.error());
    }
    return LoadedProblem{inputs.fabric,
                         std::move(loaded->sha256),
                         std::move(loaded->fabric),
                         std::move(workload),
                         std::move(*problem)};
}
std::string device_name(const fabric::Fabric& fabric, int device) {
    const auto at = static_cast<std::size_t>(device);
    const std::string& label = fabric.labels()[at];
    const std::vector<fabric::Device>& devices = fabric.parts().devices;
    if (devices.empty() || devices[at].host.empty()) {
        return fmt::format("device {} ({})", device, label);
    }
    const std::string name = fabric::device_name_of(fabric, at);
    return fmt::format(
        "device {} ({}{})", device, name, name.starts_with(label) ? "" : ", " + label);
}

std::string rank_map_line(const std::vector<int>& rank_map) {
    return fmt::format("rank_map=({})\n", fmt::join(rank_map, " "));
}

core::Result<std::string> utc_now() {
    std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    if (const char* fixed = std::getenv("SOURCE_DATE_EPOCH")) {
        const std::string_view text = fixed;
        const auto [end, error] = std::from_chars(text.begin(), text.end(), now);
        if (error != std::errc() || end != text.end() || now < 0 || now > kLastSecond) {
            return core::fail({"",
                               "SOURCE_DATE_EPOCH",
                               "found " + core::shown(text),
                               fmt::format("it must be seconds from 0 to {}", kLastSecond)});
        }
    }
    std::tm parts{};
    ::gmtime_r(&now, &parts);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return text;
}

}  // namespace longhaul::app
