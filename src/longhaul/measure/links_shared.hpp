// From the fits of a campaign to what needs more than one link: shared resources, and the pairs
// that were not measured.
#pragma once

#include "longhaul/measure/fabric_of.hpp"
#include "longhaul/measure/sampling.hpp"
#include "longhaul/measure/shared_model.hpp"

namespace longhaul::measure {

/// What fit_shared takes: pairs of the state, transport and streams that the options ask for; fans,
/// both ways and relays of the same, medians over repetitions. Groups are those of the hosts and
/// their sites, where they hold some hosts but not all. Sizes whose start-up counts for more than a
/// quarter of the transfer are left out while there are larger ones, and so are samples over pairs
/// without a fit.
[[nodiscard]] SharedInput shared_input(const Raw& raw,
                                       const LinkFits& fits,
                                       const FabricOptions& options);

/// Writes the model under `shared` of the file of fits (LinkFits::unknown).
void set_shared(LinkFits& fits, const SharedModel& model, const SharedInput& input);

/// What a file of fits says of its shared model: absent when it has none.
struct SharedSummary {
    double left_out_factor = 1;
    bool trusted = false;
    std::vector<std::string> resources;  ///< "receiver occupancy 1.1", one each
};
[[nodiscard]] std::optional<SharedSummary> shared_summary(const LinkFits& fits);

/// Bandwidths and latencies of all pairs, with the sites that were used.
struct LinkCompletion {
    CompletedPairs pairs;
    Sites sites;
    HostCompletion beta;
};

/// Completes what has no fit: hosts of one site (declared, else round trips below `near_ms`) share
/// what was measured between sites. Latency is half the round trip. Needs round trips between all
/// sites (with gaps that the triangle inequality can fill).
[[nodiscard]] core::Result<LinkCompletion> complete_links(const LinkFits& fits,
                                                          const FabricOptions& options,
                                                          const CompletionOptions& completion = {},
                                                          double near_ms = 2);

}  // namespace longhaul::measure
