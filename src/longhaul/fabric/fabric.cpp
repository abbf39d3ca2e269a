#include "longhaul/fabric/fabric.hpp"

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

    template <class T>
    bool square(const core::Grid<T>& matrix, const std::string& key) {
        const std::size_t n = parts_.labels.size();
        if (matrix.rows() == n && matrix.columns() == n) {
            return true;
        }
        report(key,
               fmt::format("is {} x {}", matrix.rows(), matrix.columns()),
               fmt::format("labels has {} entries, so it must be {} x {}", n, n, n));
        return false;
    }

    void range(const core::Grid<double>& matrix, const std::string& key, double low, double high) {
        for (std::size_t i = 0; i < matrix.rows(); ++i) {
            for (std::size_t j = 0; j < matrix.columns(); ++j) {
                const double found = matrix(i, j);
                if (i != j && !(found >= low && found <= high)) {
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
        for (std::size_t i = 0; i < bounds->lower.rows(); ++i) {
            for (std::size_t j = 0; j < bounds->lower.columns(); ++j) {
                if (i != j && !(bounds->lower(i, j) <= bounds->upper(i, j))) {
                    report(fmt::format("{}[{}][{}]", key, i, j),
                           "lower is above upper",
                           "swap the two ends");
                }
            }
        }
    }

    const FabricParts& parts_;
    const std::string& name_;
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
    const core::Grid<double>& alpha = fabric.parts().alpha_ms;
    const core::Grid<double>& beta = fabric.parts().beta_gbps;
    const std::size_t n = fabric.size();
    core::Grid<double> latency(n, n, 0.0);
    core::Grid<double> slowness(n, n, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = i + 1; j < n; ++j) {
            latency(i, j) = latency(j, i) = (alpha(i, j) + alpha(j, i)) / 2 / 1000;
            slowness(i, j) = slowness(j, i) = 8 * (1 / beta(i, j) + 1 / beta(j, i)) / 2;
        }
    }
    return {std::move(latency), std::move(slowness)};
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
