// Points of the streamed program that the network can bear.
#pragma once

#include <optional>

#include "longhaul/schedule/detail/stream_model.hpp"

namespace longhaul::schedule::detail {

/// The least score with links as they come: no point that fits has a lower one. Nothing when a
/// clique cannot be aligned.
[[nodiscard]] std::optional<StreamPoint> relaxed_score(const StreamModel& model);

/// A point whose memories and links are never too full, looked at exactly: streams that meet where
/// a link is too full are put one after the other, the pair that overlaps least first; or all
/// rounds share every link, whichever scores less. `latest`: send as late as the score allows.
/// Nothing when a clique cannot be aligned.
[[nodiscard]] std::optional<StreamPoint> fit(const StreamModel& model, bool latest);

}  // namespace longhaul::schedule::detail
