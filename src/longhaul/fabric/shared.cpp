#include "longhaul/fabric/shared.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace longhaul::fabric {
namespace {

using core::Cursor;
using core::Value;

constexpr double kMinSharedGbps = 1e-9;
constexpr double kMaxSharedGbps = 1e9;

std::vector<std::string> read_places(const Cursor& list) {
    std::vector<std::string> places;
    for (std::size_t i = 0; list.is_array() && i < list.value().size(); ++i) {
        places.push_back(list.item(i).string().value_or(""));
    }
    return places;
}

/// `gbps` for both directions, or one a direction.
void read_rates(const Cursor& object, SharedCapacity& resource) {
    const auto rate = [&](std::string_view key) {
        const auto found = object.find(key);
        return found ? found->number_in(kMinSharedGbps, kMaxSharedGbps).value_or(1)
                     : SharedCapacity::kNoLimit;
    };
    const auto duplex = object.find("duplex");
    resource.duplex = !duplex || duplex->boolean().value_or(true);
    const bool both = object.find("gbps").has_value();
    const bool each = object.find("gbps_there") || object.find("gbps_back");
    resource.there_gbps = rate(both ? "gbps" : "gbps_there");
    resource.back_gbps = both ? resource.there_gbps : rate("gbps_back");
    if (both == each) {
        object.report(both ? "has both gbps and a rate of one direction" : "has no gbps",
                      "give \"gbps\" for both directions, or \"gbps_there\" and \"gbps_back\" (a "
                      "direction that is left out has no limit)");
    } else if (!resource.duplex && each) {
        object.report("is half duplex and has a rate of one direction",
                      "half duplex is one rate: give \"gbps\"");
    }
}

SharedCapacity read_capacity(const Cursor& object) {
    SharedCapacity resource;
    if (!object.is_object()) {
        return resource;
    }
    if (const auto name = object.require("name", "a text that messages use")) {
        resource.name = name->name().value_or("");
    }
    read_rates(object, resource);
    const auto between = object.find("between");
    const auto of = object.find("of");
    if (between.has_value() == of.has_value()) {
        object.report(between ? "has both between and of" : "has neither between nor of",
                      "give \"between\": [place, place] or \"of\": [places]");
    } else if (between) {
        resource.between = read_places(*between);
        if (between->is_array() && between->value().size() != 2) {
            between->report(fmt::format("has {} entries", between->value().size()),
                            "name two places, each a label or a host");
        }
    } else {
        resource.of = read_places(*of);
        if (of->is_array() && of->value().size() == 0) {
            of->report("has no entries", "name one place or more, each a label or a host");
        }
    }
    for (const core::Member& member : object.value().members) {
        const std::set<std::string_view> known{
            "name", "gbps", "gbps_there", "gbps_back", "duplex", "between", "of"};
        if (!known.contains(member.key)) {
            resource.unknown.members.push_back(member);
        }
    }
    return resource;
}

void set_rates(const SharedCapacity& resource, Value& object) {
    if (resource.there_gbps == resource.back_gbps) {
        object.set("gbps", resource.there_gbps);
    } else {
        for (const auto& [key, gbps] : {std::pair{"gbps_there", resource.there_gbps},
                                        std::pair{"gbps_back", resource.back_gbps}}) {
            if (gbps != SharedCapacity::kNoLimit) {
                object.set(key, gbps);
            }
        }
    }
    if (!resource.duplex) {
        object.set("duplex", false);
    }
}

Value places_value(const std::vector<std::string>& places) {
    Value list = Value::array();
    for (const std::string& place : places) {
        list.append(place);
    }
    return list;
}

template <class Report>
void check_rates(const SharedCapacity& resource, const Report& report) {
    const std::string range = fmt::format("from {} to {}", kMinSharedGbps, kMaxSharedGbps);
    for (const double gbps : {resource.there_gbps, resource.back_gbps}) {
        const bool limit = gbps >= kMinSharedGbps && gbps <= kMaxSharedGbps;
        if (!limit && gbps != SharedCapacity::kNoLimit) {
            report(".gbps", fmt::format("found {}", gbps), "it must be " + range);
        }
    }
    if (resource.there_gbps == SharedCapacity::kNoLimit &&
        resource.back_gbps == SharedCapacity::kNoLimit) {
        report("", "limits no direction", "give a rate " + range);
    }
    if (!resource.duplex && resource.there_gbps != resource.back_gbps) {
        report("", "is half duplex with two rates", "half duplex is one rate: give \"gbps\"");
    }
}

bool is_at(std::size_t device,
           const std::string& place,
           const std::vector<std::string>& labels,
           const std::vector<std::string>& hosts) {
    return labels[device] == place || (!hosts.empty() && hosts[device] == place);
}

/// Problems of one resource.
class ResourceChecker {
public:
    ResourceChecker(const std::vector<std::string>& labels, const std::vector<std::string>& hosts)
        : labels_(labels), hosts_(hosts) {}

    template <class Report>
    void run(const SharedCapacity& resource, const Report& report) const {
        const std::string key = resource.of.empty() ? "between" : "of";
        const std::vector<std::string>& places =
            resource.of.empty() ? resource.between : resource.of;
        bool known = true;
        for (std::size_t i = 0; i < places.size(); ++i) {
            if (count(places[i]) == 0) {
                report(fmt::format(".{}[{}]", key, i),
                       "no device has the label or host " + core::shown(places[i]),
                       "name a label or a host of this fabric");
                known = false;
            }
        }
        if (!known) {
            return;
        }
        if (key == "of" && all_inside(places)) {
            report(".of", "every device is inside", "leave a place outside, or no pair loads it");
        }
        if (key == "between" && places.size() == 2 && overlap(places[0], places[1])) {
            report(".between",
                   fmt::format(
                       "{} and {} share devices", core::shown(places[0]), core::shown(places[1])),
                   "name two places without a device in common");
        }
    }

private:
    [[nodiscard]] bool at(std::size_t i, const std::string& place) const {
        return is_at(i, place, labels_, hosts_);
    }
    [[nodiscard]] std::size_t count(const std::string& place) const {
        std::size_t found = 0;
        for (std::size_t i = 0; i < labels_.size(); ++i) {
            found += at(i, place) ? 1 : 0;
        }
        return found;
    }
    [[nodiscard]] bool overlap(const std::string& a, const std::string& b) const {
        for (std::size_t i = 0; i < labels_.size(); ++i) {
            if (at(i, a) && at(i, b)) {
                return true;
            }
        }
        return false;
    }
    [[nodiscard]] bool all_inside(const std::vector<std::string>& places) const {
        for (std::size_t i = 0; i < labels_.size(); ++i) {
            if (std::ranges::none_of(places, [&](const auto& place) { return at(i, place); })) {
                return false;
            }
        }
        return true;
    }

    const std::vector<std::string>& labels_;
    const std::vector<std::string>& hosts_;
};

}  // namespace

std::vector<SharedCapacity> read_shared(const Cursor& root) {
    std::vector<SharedCapacity> shared;
    const auto list = root.find("shared");
    for (std::size_t i = 0; list && list->is_array() && i < list->value().size(); ++i) {
        shared.push_back(read_capacity(list->item(i)));
    }
    return shared;
}

Value to_value(const std::vector<SharedCapacity>& shared) {
    Value list = Value::array();
    for (const SharedCapacity& resource : shared) {
        Value object = Value::object().set("name", resource.name);
        set_rates(resource, object);
        if (!resource.between.empty()) {
            object.set("between", places_value(resource.between));
        }
        if (!resource.of.empty()) {
            object.set("of", places_value(resource.of));
        }
        for (const core::Member& member : resource.unknown.members) {
            object.set(member.key, member.value);
        }
        list.append(std::move(object));
    }
    return list;
}

std::vector<int> sides_of(const SharedCapacity& resource,
                          const std::vector<std::string>& labels,
                          const std::vector<std::string>& hosts) {
    std::vector<int> sides(labels.size(), 0);
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const auto here = [&](const std::string& place) { return is_at(i, place, labels, hosts); };
        if (!resource.of.empty()) {
            sides[i] = std::ranges::any_of(resource.of, here) ? 1 : 2;
        } else {
            sides[i] = here(resource.between[0]) ? 1 : here(resource.between[1]) ? 2 : 0;
        }
    }
    return sides;
}

core::Diagnostics check_shared(const std::vector<SharedCapacity>& shared,
                               const std::vector<std::string>& labels,
                               const std::vector<std::string>& hosts,
                               const std::string& file) {
    core::Diagnostics problems;
    std::set<std::string> names;
    const ResourceChecker checker(labels, hosts);
    for (std::size_t r = 0; r < shared.size(); ++r) {
        const auto report = [&](const std::string& place, std::string what, std::string fix) {
            problems.push_back(
                {file, fmt::format("shared[{}]{}", r, place), std::move(what), std::move(fix)});
        };
        if (!names.insert(shared[r].name).second) {
            report(".name",
                   core::shown(shared[r].name) + " is used twice",
                   "give every resource a name of its own");
        }
        check_rates(shared[r], report);
        if (shared[r].of.empty() == (shared[r].between.size() != 2)) {
            report("", "names no two sides", "give between (two places) or of (one or more)");
            continue;
        }
        checker.run(shared[r], report);
    }
    return problems;
}

}  // namespace longhaul::fabric
