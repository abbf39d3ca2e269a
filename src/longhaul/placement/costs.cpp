#include "longhaul/placement/costs.hpp"

#include <fmt/format.h>

#include "longhaul/placement/path.hpp"

namespace longhaul::placement {
namespace {

core::Grid<double> sum(core::Grid<double> a, const core::Grid<double>& b) {
    for (std::size_t i = 0; i < a.cells().size(); ++i) {
        a.cells()[i] += b.cells()[i];
    }
    return a;
}

}  // namespace

Costs make_costs(const fabric::Fabric& fabric, const workload::Workload& workload, Shape shape) {
    const core::Grid<double> forward =
        fabric::transfer_seconds(fabric, workload.c_pp, workload.pp_messages);
    const bool same = !workload.c_pp_backward && !workload.pp_backward_messages;
    const core::Grid<double> shard =
        fabric::transfer_seconds(fabric, workload.c_dp / shape.dp, workload.dp_messages);
    return {sum(forward,
                same ? forward
                     : fabric::transfer_seconds(
                           fabric,
                           workload.c_pp_backward.value_or(workload.c_pp),
                           workload.pp_backward_messages.value_or(workload.pp_messages))),
            sum(shard, shard)};
}

core::Result<Problem> make_problem(const fabric::Fabric& fabric,
                                   const std::string& name,
                                   const workload::Workload& workload,
                                   Shape shape) {
    if (fabric.size() != shape.devices()) {
        return core::fail({name,
                           "",
                           fmt::format("has {} devices", fabric.size()),
                           fmt::format("pp {} x dp {} places exactly {}; choose pp and dp whose "
                                       "product is {}",
                                       shape.pp,
                                       shape.dp,
                                       shape.devices(),
                                       fabric.size())});
    }
    if (shape.pp > kMaxExactStages) {
        return core::fail({"", "pp", too_many_stages(shape.pp), too_many_stages_fix()});
    }
    return Problem{shape, make_costs(fabric, workload, shape)};
}

}  // namespace longhaul::placement
