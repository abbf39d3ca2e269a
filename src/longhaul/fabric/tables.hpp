// Tables that people have before they have matrices, as the parts of a fabric. Devices that a table
// does not tell apart are of one kind, so that a table stays as small as it is.
#pragma once

#include "longhaul/core/cursor.hpp"
#include "longhaul/fabric/fabric.hpp"

namespace longhaul::fabric {

/// Region table: `regions` (names), `gpus_per_region` (one number, or one a region), `intra_region`
/// ({delay_ms, bandwidth_gbps}, or one a region), `pairs` ({a, b, delay_ms, bandwidth_gbps}, every
/// unordered pair once; with `directed` = true every ordered pair a -> b once). Optional, each one
/// value or one a region: `gpus_per_host`, `speed`, `memory_gb`. Devices come region by region,
/// labelled with the region, hosts filled one after another. Problems go to the cursor.
[[nodiscard]] FabricParts expand_regions(const core::Cursor& root);

/// Host-group table: `groups` of {instances, gpus_per_instance}, or these two keys at the top;
/// `delay_ms`, `intra_gbps` between devices of an instance, `inter_gbps` between instances,
/// optional `intra_delay_ms`. Devices come instance by instance; the instance is label and host.
[[nodiscard]] FabricParts expand_host_groups(const core::Cursor& root);

}  // namespace longhaul::fabric
