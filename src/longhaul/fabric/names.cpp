#include "longhaul/fabric/names.hpp"

#include <map>
#include <set>
#include <string_view>

#include <fmt/format.h>

namespace longhaul::fabric {
namespace {

/// The host, or else the label.
std::string_view base_of(const Fabric& fabric, std::size_t i) {
    const std::vector<Device>& devices = fabric.parts().devices;
    return devices.empty() || devices[i].host.empty() ? std::string_view(fabric.labels()[i])
                                                      : std::string_view(devices[i].host);
}

/// "host/local_rank", or "base#ordinal".
std::string plain_name(const Fabric& fabric, std::size_t i, int ordinal) {
    const std::vector<Device>& devices = fabric.parts().devices;
    return !devices.empty() && !devices[i].host.empty() && devices[i].local_rank
               ? fmt::format("{}/{}", devices[i].host, *devices[i].local_rank)
               : fmt::format("{}#{}", base_of(fabric, i), ordinal);
}

/// The first of "name", "name+1", ... that is free, which is taken.
std::string free_name(const std::string& plain, std::set<std::string>& taken) {
    std::string name = plain;
    for (int again = 1; !taken.insert(name).second; ++again) {
        name = fmt::format("{}+{}", plain, again);
    }
    return name;
}

}  // namespace

std::vector<std::string> device_names(const Fabric& fabric) {
    std::map<std::string_view, int> counted;
    std::set<std::string> taken;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < fabric.size(); ++i) {
        names.push_back(free_name(plain_name(fabric, i, counted[base_of(fabric, i)]++), taken));
    }
    return names;
}

std::string device_name_of(const Fabric& fabric, std::size_t device) {
    const std::string_view base = base_of(fabric, device);
    int ordinal = 0;
    std::set<std::string> taken;  // names of other bases differ, but for slashes and signs in them
    for (std::size_t i = 0; i < device; ++i) {
        if (base_of(fabric, i) == base) {
            free_name(plain_name(fabric, i, ordinal++), taken);
        }
    }
    return free_name(plain_name(fabric, device, ordinal), taken);
}

}  // namespace longhaul::fabric
