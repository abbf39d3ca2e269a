#include "longhaul/placement/hosts_together.hpp"

#include <algorithm>
#include <numeric>

#include "longhaul/placement/evaluate.hpp"
#include "longhaul/placement/group_terms.hpp"

namespace longhaul::placement {
namespace {

using PipelineRows = std::vector<std::vector<int>>;  // devices of every pipeline

Placement placement_of(const Placement& like, const PipelineRows& rows) {
    std::vector<int> devices;
    for (const std::vector<int>& row : rows) {
        devices.insert(devices.end(), row.begin(), row.end());
    }
    return {like.shape(), std::move(devices), like.devices()};
}

int fewest_split(const Placement& placement,
                 std::span<const int> host_of,
                 std::optional<RankOrder> only) {
    if (only) {
        return split_hosts(placement, host_of, *only);
    }
    return std::min(split_hosts(placement, host_of, RankOrder::kByPipeline),
                    split_hosts(placement, host_of, RankOrder::kByStage));
}

/// Gives every place a device of its kind, host after host, in one order of the places.
void fill_places(PipelineRows& rows,
                 const std::vector<int>& kinds,
                 const std::vector<int>& by_host,
                 RankOrder order) {
    PipelineRows members(static_cast<std::size_t>(*std::ranges::max_element(kinds)) + 1);
    for (const int device : by_host) {
        members[kinds[device]].push_back(device);
    }
    std::vector<std::size_t> next(members.size(), 0);
    const auto give = [&](int& place) {
        const int kind = kinds[place];
        place = members[kind][next[kind]++];
    };
    if (order == RankOrder::kByPipeline) {
        for (std::vector<int>& row : rows) {
            std::ranges::for_each(row, give);
        }
        return;
    }
    for (std::size_t stage = 0; stage < rows.front().size(); ++stage) {
        for (std::vector<int>& row : rows) {
            give(row[stage]);
        }
    }
}

/// Pipelines as they are, and with equal kinds or equal hosts next to each other.
std::vector<PipelineRows> orders_of(const PipelineRows& rows,
                                    const std::vector<int>& kinds,
                                    std::span<const int> host_of) {
    std::vector<PipelineRows> all{rows};
    const auto sorted_by = [&](const auto& value) {
        PipelineRows sorted = rows;
        std::ranges::stable_sort(sorted, [&](const auto& a, const auto& b) {
            return std::ranges::lexicographical_compare(a, b, {}, value, value);
        });
        all.push_back(std::move(sorted));
    };
    sorted_by([&](int device) { return kinds[device]; });
    sorted_by([&](int device) { return host_of[device]; });
    return all;
}

}  // namespace

int split_hosts(const Placement& placement, std::span<const int> host_of, RankOrder order) {
    const Shape shape = placement.shape();
    const auto dp = static_cast<std::size_t>(shape.dp);
    const auto pp = static_cast<std::size_t>(shape.pp);
    const std::vector<int>& devices = placement.device_of_rank();
    struct Held {
        std::size_t first = 0;
        std::size_t last = 0;
        std::size_t ranks = 0;
    };
    std::vector<Held> held(host_of.empty() ? 0 : std::ranges::max(host_of) + 1);
    for (std::size_t rank = 0; rank < devices.size(); ++rank) {
        const std::size_t place =
            order == RankOrder::kByPipeline ? rank : rank % pp * dp + rank / pp;
        Held& host = held[host_of[devices[rank]]];
        host.first = host.ranks == 0 ? place : std::min(host.first, place);
        host.last = std::max(host.last, place);
        ++host.ranks;
    }
    return static_cast<int>(std::ranges::count_if(held, [](const Held& host) {
        return host.ranks > 0 && host.last - host.first + 1 != host.ranks;
    }));
}

Placement hosts_together(const Problem& problem,
                         const Placement& placement,
                         std::span<const int> host_of,
                         std::optional<RankOrder> only) {
    Placement best = placement;
    int fewest = fewest_split(placement, host_of, only);
    if (fewest == 0) {
        return best;
    }
    const double score = score_as_mapped(problem, placement).total();
    const std::vector<int> kinds = kinds_of_devices(problem);
    std::vector<int> by_host(problem.devices());
    std::iota(by_host.begin(), by_host.end(), 0);
    std::ranges::stable_sort(by_host, {}, [&](int device) { return host_of[device]; });
    const auto consider = [&](const PipelineRows& rows) {
        Placement other = placement_of(placement, rows);
        const int split = fewest_split(other, host_of, only);
        // Sums in another order may differ in their last digits.
        if (split < fewest && score_as_mapped(problem, other).total() <= score) {
            best = std::move(other);
            fewest = split;
        }
    };
    for (const PipelineRows& rows : orders_of(placement.pipelines(), kinds, host_of)) {
        consider(rows);
        for (const RankOrder order : {RankOrder::kByPipeline, RankOrder::kByStage}) {
            PipelineRows filled = rows;
            fill_places(filled, kinds, by_host, order);
            consider(filled);
        }
    }
    return best;
}

}  // namespace longhaul::placement
