#include "longhaul/placement/terms.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace longhaul::placement {
namespace {

constexpr std::array<std::pair<Exchange, std::string_view>, 5> kExchangeNames{{
    {Exchange::kSharded, "sharded"},
    {Exchange::kRing, "ring"},
    {Exchange::kCentral, "central"},
    {Exchange::kTree, "tree"},
    {Exchange::kHierarchical, "hierarchical"},
}};

}  // namespace

std::string_view name_of(Exchange kind) {
    return std::ranges::find(kExchangeNames, kind, [](const auto& entry) { return entry.first; })
        ->second;
}

std::optional<Exchange> exchange_of_name(std::string_view name) {
    for (const auto& [kind, known] : kExchangeNames) {
        if (known == name) {
            return kind;
        }
    }
    return std::nullopt;
}

std::string_view name_of(Objective objective) {
    return objective == Objective::kAdditive ? "additive" : "pipelined";
}

std::optional<Objective> objective_of_name(std::string_view name) {
    for (const Objective objective : {Objective::kAdditive, Objective::kPipelined}) {
        if (name_of(objective) == name) {
            return objective;
        }
    }
    return std::nullopt;
}

}  // namespace longhaul::placement
