// Times as files state them: UTC in ISO 8601, such as "2026-11-29T12:00:00Z".
#pragma once

#include <optional>
#include <string>

namespace longhaul::measure {

/// Whether a text is such a time. Seconds may be left out or have a fraction.
[[nodiscard]] bool is_utc(const std::string& text);

/// Days from one time to another; absent when either is none.
[[nodiscard]] std::optional<double> days_between(const std::string& from, const std::string& to);

}  // namespace longhaul::measure
