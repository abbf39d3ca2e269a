#include "longhaul/fabric/fabric.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "longhaul/fabric/limits.hpp"

namespace longhaul::fabric {
namespace {

/// Host names of all devices; empty when nothing is known of devices.
std::vector<std::string> host_names(const FabricParts& parts) {
    std::vector<std::string> names;
    for (const Device& device : parts.devices) {
        names.push_back(device.host);
    }
    return names;
}

/// Collects problems of one fabric.
class Checker {
public:
    Checker(const FabricParts& parts, const std::string& name) : parts_(parts), name_(name) {}

    core::Diagnostics run() && {
        if (parts_.labels.empty()) {
            report("labels", "the fabric has no devices", "give at least one label and row");
            return std::move(problems_);
        }
        count_kinds();
        if (square(parts_.alpha_ms, "alpha_ms")) {
            range(parts_.alpha_ms, "alpha_ms", 0, kMaxAlphaMs);
        }
        if (square(parts_.beta_gbps, "beta_gbps")) {
            range(parts_.beta_gbps, "beta_gbps", kMinBetaGbps, kMaxBetaGbps);
        }
        if (!parts_.devices.empty() && parts_.devices.size() != parts_.labels.size()) {
            report("devices",
                   fmt::format("has {} entries", parts_.devices.size()),
                   fmt::format("labels has {}: give one object a device", parts_.labels.size()));
        }
        if (!parts_.estimated.empty()) {
            square(parts_.estimated, "estimated");
        }
        interval(parts_.alpha_interval, "interval.alpha_ms");
        interval(parts_.beta_interval, "interval.beta_gbps");
        if (parts_.devices.empty() || parts_.devices.size() == parts_.labels.size()) {
            const core::Diagnostics shared =
                check_shared(parts_.shared, parts_.labels, host_names(parts_), name_);
            problems_.insert(problems_.end(), shared.begin(), shared.end());
        }
        return std::move(problems_);
    }

private:
    void report(std::string where, std::string what, std::string fix) {
        problems_.push_back({name_, std::move(where), std::move(what), std::move(fix)});
    }

    /// Devices of each kind. Without kinds every device is one.
    void count_kinds() {
        const std::vector<int>& kinds = parts_.alpha_ms.kind_of_device();
        devices_ = kinds.size() == parts_.labels.size() ? devices_of_kinds(kinds, kinds_in(kinds))
                                                        : std::vector<int>(parts_.labels.size(), 1);
    }

    static std::size_t kinds_in(const std::vector<int>& kind_of_device) {
        return static_cast<std::size_t>(*std::ranges::max_element(kind_of_device)) + 1;
    }

    template <class T>
    bool square(const PairTable<T>& matrix, const std::string& key) {
        const std::size_t n = parts_.labels.size();
        const std::size_t rows = matrix.table().rows();
        const std::size_t columns = matrix.table().columns();
        const std::size_t kinds = devices_.size();
        if (rows != kinds || columns != kinds) {
            report(
                key,
                fmt::format("is {} x {}", rows, columns),
                kinds == n
                    ? fmt::format("labels has {} entries, so it must be {} x {}", n, n, n)
                    : fmt::format(
                          "kinds goes up to {}, so it must be {} x {}", kinds - 1, kinds, kinds));
            return false;
        }
        const std::vector<int>& kind_of = parts_.alpha_ms.kind_of_device();
        if (kind_of.size() == n && matrix.kind_of_device() != kind_of) {
            report(key, "has other kinds of devices than alpha_ms", "give all the same kinds");
            return false;
        }
        return true;
    }

    /// Whether a cell stands for a pair of devices: the diagonal does only inside a kind of two.
    [[nodiscard]] bool counts(std::size_t i, std::size_t j) const {
        return i != j || devices_[i] > 1;
    }

    void range(const PairMatrix& matrix, const std::string& key, double low, double high) {
        for (std::size_t i = 0; i < matrix.kinds(); ++i) {
            for (std::size_t j = 0; j < matrix.kinds(); ++j) {
                const double found = matrix.table()(i, j);
                if (counts(i, j) && !(found >= low && found <= high)) {
                    report(fmt::format("{}[{}][{}]", key, i, j),
                           fmt::format("found {}", found),
                           fmt::format("it must be from {} to {}", low, high));
                }
            }
        }
    }

    void interval(const std::optional<Interval>& bounds, const std::string& key) {
        if (!bounds || !square(bounds->lower, key + ".lower") ||
            !square(bounds->upper, key + ".upper")) {
            return;
        }
        for (std::size_t i = 0; i < bounds->lower.kinds(); ++i) {
            for (std::size_t j = 0; j < bounds->lower.kinds(); ++j) {
                const double low = bounds->lower.table()(i, j);
                const double high = bounds->upper.table()(i, j);
                const bool finite = std::isfinite(low) && std::isfinite(high);
                if (counts(i, j) && !(finite && low <= high)) {
                    report(fmt::format("{}[{}][{}]", key, i, j),
                           finite ? "lower is above upper" : "is not finite",
                           finite ? "swap the two ends" : "give finite ends");
                }
            }
        }
    }

    const FabricParts& parts_;
    const std::string& name_;
    std::vector<int> devices_;  // of each kind
    core::Diagnostics problems_;
};

}  // namespace

core::Result<Fabric> Fabric::make(FabricParts parts, const std::string& name) {
    core::Diagnostics problems = Checker(parts, name).run();
    if (!problems.empty()) {
        return tl::unexpected(std::move(problems));
    }
    return Fabric(std::move(parts));
}

std::vector<int> Fabric::host_of_device() const {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < size(); ++i) {
        const bool known = !parts_.devices.empty() && !parts_.devices[i].host.empty();
        names.push_back(known ? "host " + parts_.devices[i].host : fmt::format("device {}", i));
    }
    return index_of_labels(names);
}

std::vector<std::vector<int>> Fabric::shared_sides() const {
    const std::vector<std::string> hosts = host_names(parts_);
    std::vector<std::vector<int>> sides;
    for (const SharedCapacity& resource : parts_.shared) {
        sides.push_back(sides_of(resource, parts_.labels, hosts));
    }
    return sides;
}

Links make_links(const Fabric& fabric) {
    const std::vector<int>& kind_of = fabric.parts().alpha_ms.kind_of_device();
    const core::Grid<double>& alpha = fabric.parts().alpha_ms.table();
    const core::Grid<double>& beta = fabric.parts().beta_gbps.table();
    const std::size_t kinds = alpha.rows();
    const std::vector<int> devices = devices_of_kinds(kind_of, kinds);
    core::Grid<double> latency(kinds, kinds, 0.0);
    core::Grid<double> slowness(kinds, kinds, 0.0);
    for (std::size_t i = 0; i < kinds; ++i) {
        for (std::size_t j = devices[i] > 1 ? i : i + 1; j < kinds; ++j) {
            latency(i, j) = latency(j, i) = (alpha(i, j) + alpha(j, i)) / 2 / 1000;
            slowness(i, j) = slowness(j, i) = 8 * (1 / beta(i, j) + 1 / beta(j, i)) / 2;
        }
    }
    return {PairMatrix(kind_of, std::move(latency)), PairMatrix(kind_of, std::move(slowness))};
}

PairMatrix transfer_seconds(const Links& links, core::Gigabytes payload, double messages) {
    return combined(messages, links.latency_s, payload.value(), links.slowness);
}

std::vector<int> index_of_labels(const std::vector<std::string>& labels) {
    std::map<std::string, int> known;
    std::vector<int> index;
    index.reserve(labels.size());
    for (const std::string& label : labels) {
        index.push_back(known.emplace(label, static_cast<int>(known.size())).first->second);
    }
    return index;
}

}  // namespace longhaul::fabric
