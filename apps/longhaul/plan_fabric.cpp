#include "longhaul/plan_fabric.hpp"

#include <algorithm>
#include <filesystem>

#include "longhaul/command.hpp"

namespace longhaul::app {
namespace {

namespace fs = std::filesystem;

/// Where to look, in this order, each once.
std::vector<std::string> places_of(const FabricOfPlan& plan) {
    std::vector<std::string> places{plan.path};
    const fs::path path(plan.path);
    const fs::path folder = fs::path(plan.plan).parent_path();
    for (const fs::path& other : {folder / path, folder / path.filename()}) {
        const std::string text = other.lexically_normal().string();
        if (plan.path != "-" && std::ranges::find(places, text) == places.end()) {
            places.push_back(text);
        }
    }
    return places;
}

bool exists(const std::string& path) {
    std::error_code error;
    return path == "-" || fs::exists(fs::status(path, error));
}

}  // namespace

core::Result<FoundFabric> fabric_of_plan(const FabricOfPlan& plan, const std::string& given) {
    if (given.empty() && plan.path.empty()) {
        return core::fail({plan.plan, "fabric", "names no fabric file", "give --fabric FILE"});
    }
    if (!given.empty()) {
        core::Result<LoadedFabric> loaded = load_fabric(given);
        return loaded ? core::Result<FoundFabric>(FoundFabric{given, std::move(*loaded)})
                      : tl::unexpected(loaded.error());
    }
    std::string other;  // a fabric that is there, and another
    for (const std::string& place : places_of(plan)) {
        if (!exists(place)) {
            continue;
        }
        core::Result<LoadedFabric> loaded = load_named_fabric(place);
        if (!loaded) {
            return tl::unexpected(loaded.error());
        }
        if (plan.sha256.empty() || plan.sha256 == loaded->sha256) {
            return FoundFabric{place, std::move(*loaded)};
        }
        other = other.empty() ? place : other;
    }
    if (!other.empty()) {
        return core::fail(
            {plan.plan,
             "fabric",
             fmt::format("was made from another fabric than the one that is now at {} (its SHA-256 "
                         "differs)",
                         core::shown(other)),
             "give --fabric with the original, or with this one to take it all the same"});
    }
    return core::fail({plan.plan,
                       "fabric",
                       fmt::format("wants the fabric {}, which is neither in the current folder "
                                   "nor beside the {}",
                                   core::shown(plan.path),
                                   plan.kind),
                       "give --fabric with that file"});
}

}  // namespace longhaul::app
