#include "longhaul/workload/reshape.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "longhaul/workload/size.hpp"

namespace longhaul::workload {
namespace {

tl::unexpected<core::Diagnostics> refuse(std::string what, std::string fix) {
    return core::fail({"", "shape", std::move(what), std::move(fix)});
}

}  // namespace

core::Result<Job> regridded(const Job& job, int pp, int dp) {
    const int layers = job.model.layers;
    if (pp > layers) {
        return refuse(fmt::format("{} stages for {} layers", pp, layers),
                      "every stage must have a layer");
    }
    Job shaped = job;
    shaped.pp = pp;
    shaped.dp = dp;
    shaped.sequences_per_replica = job.sequences_per_replica * job.dp / dp;
    const double flush = shaped.sequences_per_replica / job.accumulation_steps;
    if (job.micro_batch > flush * (1 + 1e-12)) {
        return refuse(fmt::format("a replica has {:.6g} sequences at once", flush),
                      fmt::format("a micro-batch holds {:.6g}", job.micro_batch));
    }
    if (pp != job.pp || std::ssize(shaped.stage_layers) != pp) {
        shaped.stage_layers.assign(pp, layers / pp);
        std::for_each_n(shaped.stage_layers.begin(), layers % pp, [](int& count) { ++count; });
    }
    return shaped;
}

core::Result<Job> reshaped(const Job& job, int pp, int dp, int tp) {
    core::Result<Job> shaped = regridded(job, pp, dp);
    if (!shaped || !job.memory) {
        return shaped;
    }
    const Sizing sizing = size(*shaped, tp);
    const auto worst = std::ranges::max_element(
        sizing.stages, {}, [](const StageSize& stage) { return stage.total(); });
    const double needed = worst->total().value();
    if (needed > job.memory->value()) {
        return refuse(
            fmt::format("stage {} needs {:.3f} GB a device", worst - sizing.stages.begin(), needed),
            fmt::format("a device has {:.6g} GB ({})", job.memory->value(), job.memory_source));
    }
    return shaped;
}

Job limited(Job job, std::optional<double> least_gb) {
    if (least_gb && (!job.memory || *least_gb < job.memory->value())) {
        job.memory = core::Gigabytes(*least_gb);
        job.memory_source = "least memory_gb of the devices of the fabric";
    }
    return job;
}

}  // namespace longhaul::workload
