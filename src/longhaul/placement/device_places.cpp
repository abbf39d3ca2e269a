#include "longhaul/placement/device_places.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace longhaul::placement {
namespace {

using core::Cursor;
using core::Value;

constexpr int kMaxLocalRank = 1'000'000;

void check_size(const Cursor& root, const Cursor& list, std::string_view what) {
    const auto ranks = root.find("rank_map");
    if (ranks && ranks->value().size() != list.value().size()) {
        list.report(fmt::format("holds {} {}", list.value().size(), what),
                    fmt::format("rank_map holds {} devices", ranks->value().size()));
    }
}

std::string place_text(const Cursor& object, std::string_view key) {
    const auto text = object.find(key);
    return text ? text->string().value_or("") : std::string();
}

DevicePlace read_place(const Cursor& object) {
    DevicePlace place;
    if (!object.is_object()) {
        return place;
    }
    place.host = place_text(object, "host");
    place.address = place_text(object, "address");
    if (const auto rank = object.find("local_rank")) {
        place.local_rank = rank->integer(0, kMaxLocalRank);
    }
    return place;
}

/// "oregon/3" of fabric::device_names; other names count devices and may be labels.
DevicePlace place_of_name(const std::string& name) {
    const std::size_t slash = name.rfind('/');
    const std::string digits = slash == std::string::npos ? "" : name.substr(slash + 1);
    if (slash == 0 || digits.empty() || digits.size() > 6 ||
        digits.find_first_not_of("0123456789") != std::string::npos) {
        return {};
    }
    return {name.substr(0, slash), "", std::stoi(digits)};
}

std::vector<DevicePlace> or_none(std::vector<DevicePlace> places) {
    const bool any =
        std::ranges::any_of(places, [](const DevicePlace& place) { return !place.host.empty(); });
    return any ? std::move(places) : std::vector<DevicePlace>();
}

}  // namespace

std::vector<DevicePlace> places_of(const fabric::Fabric& fabric) {
    std::vector<DevicePlace> places;
    for (const fabric::Device& device : fabric.parts().devices) {
        places.push_back({device.host, device.address, device.local_rank});
    }
    return or_none(std::move(places));
}

Value to_value(const std::vector<DevicePlace>& places) {
    Value list = Value::array();
    for (const DevicePlace& place : places) {
        Value object = Value::object();
        if (!place.host.empty()) {
            object.set("host", place.host);
        }
        if (!place.address.empty()) {
            object.set("address", place.address);
        }
        if (place.local_rank) {
            object.set("local_rank", *place.local_rank);
        }
        list.append(std::move(object));
    }
    return list;
}

std::vector<DevicePlace> read_places(const Cursor& root, const std::vector<std::string>& names) {
    std::vector<DevicePlace> places;
    const auto list = root.find("device_hosts");
    if (!list) {
        std::ranges::transform(names, std::back_inserter(places), place_of_name);
        return or_none(std::move(places));
    }
    if (!list->is_array()) {
        return places;
    }
    for (std::size_t i = 0; i < list->value().size(); ++i) {
        places.push_back(read_place(list->item(i)));
    }
    check_size(root, *list, "devices");
    return or_none(std::move(places));
}

std::vector<std::string> read_device_names(const Cursor& root) {
    std::vector<std::string> names;
    const auto list = root.find("devices");
    if (!list || !list->is_array()) {
        return names;
    }
    std::set<std::string> seen;
    for (std::size_t i = 0; i < list->value().size(); ++i) {
        const Cursor item = list->item(i);
        const std::optional<std::string> name = item.string();
        if (name && !seen.insert(*name).second) {
            item.report("found " + core::shown(*name) + " again", "every device has its own name");
        }
        names.push_back(name.value_or(""));
    }
    check_size(root, *list, "names");
    return names;
}

}  // namespace longhaul::placement
