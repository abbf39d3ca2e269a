// What the score counts besides payloads and links: chosen by the user, kept in plans.
#pragma once

#include <optional>
#include <string_view>

namespace longhaul::placement {

/// How the transfers of a pipeline add up. Additive: every edge moves its whole payload, one after
/// another (DT-FM). Pipelined: micro-batches follow each other over first-in-first-out links.
enum class Objective { kAdditive, kPipelined };

/// "additive", "pipelined".
[[nodiscard]] std::string_view name_of(Objective objective);
[[nodiscard]] std::optional<Objective> objective_of_name(std::string_view name);

struct Terms {
    Objective objective = Objective::kAdditive;
    double forward_share = 1.0 / 3;  ///< of stage_seconds; backward takes twice as long as forward
    friend bool operator==(const Terms&, const Terms&) = default;
};

}  // namespace longhaul::placement
