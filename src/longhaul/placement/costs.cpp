#include "longhaul/placement/costs.hpp"

#include <fmt/format.h>

namespace longhaul::placement {

Costs make_costs(const fabric::Links& links, const workload::Workload& workload, Shape shape) {
    const core::Gigabytes backward = workload.c_pp_backward.value_or(workload.c_pp);
    const int backward_messages = workload.pp_backward_messages.value_or(workload.pp_messages);
    return {fabric::transfer_seconds(links,
                                     workload.c_pp + backward,
                                     static_cast<double>(workload.pp_messages) + backward_messages),
            fabric::transfer_seconds(
                links, workload.c_dp * (2.0 / shape.dp), 2.0 * workload.dp_messages)};
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
    fabric::Links links = fabric::make_links(fabric);
    Costs costs = make_costs(links, workload, shape);
    return Problem{shape, std::move(costs), std::move(links)};
}

}  // namespace longhaul::placement
