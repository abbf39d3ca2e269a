// Reads what a resource does: rate_mbps, delay_ms and the like.
#pragma once

#include <initializer_list>
#include <optional>
#include <string_view>

#include "longhaul/core/cursor.hpp"
#include "longhaul/emulate/wan.hpp"

namespace longhaul::emulate {

/// The table under `key`, or nothing. Problems go to the cursor.
[[nodiscard]] std::optional<Shape> read_shape(const core::Cursor& parent, std::string_view key);

/// The keys of a shape in a table that has `others` as well (at most eight).
[[nodiscard]] Shape read_shape_keys(const core::Cursor& table,
                                    std::initializer_list<std::string_view> others);

/// Whether a key such as "net.ipv4.tcp_sack" is one of the network, and no way out of its folder.
[[nodiscard]] bool is_network_sysctl(std::string_view key);

}  // namespace longhaul::emulate
