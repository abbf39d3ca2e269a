#include "longhaul/measure_sharing.hpp"

#include <set>

#include <fmt/format.h>

#include "longhaul/command.hpp"
#include "longhaul/measure/links_shared.hpp"

namespace longhaul::app {
namespace {

bool one_transport(const measure::LinkFits& fits, const measure::FabricOptions& options) {
    std::set<std::string> transports;
    for (const measure::LinkFit& fit : fits.pairs) {
        transports.insert(fit.transport);
    }
    return !options.transport.empty() || transports.size() == 1;
}

}  // namespace

std::vector<fabric::SharedCapacity> add_shared(const measure::Raw& raw,
                                               const measure::FabricOptions& options,
                                               measure::LinkFits& fits) {
    if (!one_transport(fits, options)) {
        return {};
    }
    const measure::SharedInput input = measure::shared_input(raw, fits, options);
    if (input.samples.empty()) {
        return {};
    }
    const core::Result<measure::SharedModel> model = measure::fit_shared(input);
    if (!model) {
        return {};
    }
    measure::set_shared(fits, *model, input);
    if (!model->trusted) {
        warn(
            fmt::format("shared resources predict fans to x{:.3g} only (x{:.3g} would do); the "
                        "fabric states none",
                        model->left_out_factor,
                        measure::kTrustedFactor));
        return {};
    }
    return measure::shared_capacities(*model, input);
}

core::Result<void> add_completion(const measure::LinkFits& fits, measure::FabricOptions& options) {
    core::Result<measure::LinkCompletion> completed = measure::complete_links(fits, options);
    if (!completed) {
        return tl::unexpected(std::move(completed.error()));
    }
    const measure::Completion& sites = completed->beta.sites;
    warn(fmt::format("{} pairs are estimated; {}",
                     fits.missing.size(),
                     sites.model == "measured"
                         ? "all pairs of sites were measured"
                         : fmt::format("of measured pairs of sites estimates are off by {:.0f} % "
                                       "(median), {:.0f} % (p90)",
                                       100 * sites.median_error,
                                       100 * sites.p90_error)));
    options.completed = std::move(completed->pairs);
    return {};
}

}  // namespace longhaul::app
