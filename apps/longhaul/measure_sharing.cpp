#include "longhaul/measure_sharing.hpp"

#include <set>

#include <fmt/format.h>

#include "longhaul/command.hpp"
#include "longhaul/measure/links_shared.hpp"
#include "longhaul/measure_text.hpp"

namespace longhaul::app {
namespace {

constexpr std::string_view kByHand =
    "when it matters, add a rate under \"shared\" by hand (docs/formats/fabric.md)";

/// What is known of a resource, and why a fabric does not state it.
std::string why_left_out(const std::string& resource,
                         const measure::SharedResource& found,
                         const measure::SharedInput& input) {
    if (found.rule == measure::Rule::kRate) {
        return resource + ", which no other pairs leave or which another one holds already";
    }
    return fmt::format(
        "{}, which adds up the times that its transfers have alone and not their bytes (about "
        "{:.3g} Gbit/s where its pairs are alike)",
        resource,
        measure::usual_gbps(found, input));
}

bool one_transport(const measure::LinkFits& fits, const measure::FabricOptions& options) {
    std::set<std::string> transports;
    for (const measure::LinkFit& fit : fits.pairs) {
        transports.insert(fit.transport);
    }
    return !options.transport.empty() || transports.size() == 1;
}

}  // namespace

FoundSharing add_shared(const measure::Raw& raw,
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
    FoundSharing found{measure::places_in_fabric(fits, measure::shared_capacities(*model, input)),
                       {}};
    const auto summary = measure::shared_summary(fits);
    for (const std::size_t index : measure::not_in_fabric(*model, input)) {
        if (summary && index < summary->resources.size()) {
            found.left_out.push_back(
                why_left_out(summary->resources[index], model->resources[index], input));
        }
    }
    return found;
}

std::string sharing_text(const measure::LinkFits& fits, const FoundSharing& found) {
    std::string text;
    std::vector<std::string> stated;
    for (const fabric::SharedCapacity& capacity : found.capacities) {
        stated.push_back(capacity.name);
    }
    if (!stated.empty()) {
        text +=
            fmt::format("shared capacity of {}: a fabric (--fabric) states it\n", some_of(stated));
    }
    for (const std::string& resource : found.left_out) {
        text += fmt::format("shared {}: a fabric cannot state it; {}\n", resource, kByHand);
    }
    std::set<std::string> groups;
    for (const measure::HostRecord& host : fits.hosts) {
        groups.insert(host.groups.begin(), host.groups.end());
    }
    if (!groups.empty() && fits.unknown.find("shared") == nullptr && fits.fans.empty() &&
        fits.both_ways.empty() && fits.relays.empty()) {
        const std::vector<std::string> names(groups.begin(), groups.end());
        text += fmt::format(
            "what hosts share ({}) was not measured; --patterns crossing, fan-in, fan-out or both "
            "of "
            "measure plan would tell\n",
            some_of(names));
    }
    return text;
}

void warn_left_out(const FoundSharing& found) {
    for (const std::string& resource : found.left_out) {
        warn(fmt::format("shared {} was found and is NOT in the fabric; {}", resource, kByHand));
    }
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
