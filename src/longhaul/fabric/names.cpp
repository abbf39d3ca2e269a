#include "longhaul/fabric/names.hpp"

#include <map>
#include <set>

#include <fmt/format.h>

namespace longhaul::fabric {

std::vector<std::string> device_names(const Fabric& fabric) {
    const std::vector<Device>& devices = fabric.parts().devices;
    std::map<std::string, int> counted;
    std::set<std::string> taken;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < fabric.size(); ++i) {
        const bool known = !devices.empty() && !devices[i].host.empty();
        const std::string& base = known ? devices[i].host : fabric.labels()[i];
        const int ordinal = counted[base]++;
        const std::string plain = known && devices[i].local_rank
                                      ? fmt::format("{}/{}", base, *devices[i].local_rank)
                                      : fmt::format("{}#{}", base, ordinal);
        std::string name = plain;
        for (int again = 1; !taken.insert(name).second; ++again) {
            name = fmt::format("{}+{}", plain, again);
        }
        names.push_back(std::move(name));
    }
    return names;
}

}  // namespace longhaul::fabric
