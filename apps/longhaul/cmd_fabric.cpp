// fabric: checks a fabric file, shows what is in it, and expands tables.
#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/ranges.h>

#include "longhaul/command.hpp"
#include "longhaul/core/hash.hpp"
#include "longhaul/fabric/read.hpp"
#include "longhaul/fabric/subset.hpp"
#include "longhaul/inputs.hpp"

namespace longhaul::app {
namespace {

struct FabricOptions {
    std::string file;
    std::string output;
    std::vector<std::string> drop;
    std::vector<std::string> keep;
    bool json = false;
};

/// What is left of the fabric, with the hash of the file that it comes from or will be.
core::Result<LoadedFabric> load(const FabricOptions& options) {
    core::Result<LoadedFabric> loaded = load_fabric(options.file);
    if (!loaded || (options.drop.empty() && options.keep.empty())) {
        return loaded;
    }
    const bool keep = options.drop.empty();
    const std::vector<std::string>& places = keep ? options.keep : options.drop;
    auto devices = fabric::devices_at(loaded->fabric, places, keep);
    if (!devices) {
        for (core::Diagnostic& problem : devices.error()) {
            problem.file = input_name(options.file);
        }
        return tl::unexpected(devices.error());
    }
    fabric::Fabric left = fabric::subset(loaded->fabric,
                                         *devices,
                                         fmt::format("{} of {} devices, {} {}",
                                                     devices->size(),
                                                     loaded->fabric.size(),
                                                     keep ? "those of" : "without those of",
                                                     fmt::join(places, ", ")));
    std::string sha256 = core::sha256_hex(core::write_json(fabric::to_value(left)));
    return LoadedFabric{std::move(left), std::move(sha256)};
}

/// Order statistics of the values of all pairs of devices, and the largest ratio of both directions
/// of a pair.
struct MatrixFacts {
    double min = 0, median = 0, max = 0;
    double asymmetry = 1;
};

/// A value and how many pairs of devices have it.
using Weighted = std::pair<double, double>;

/// The value at a place of the sorted list of all pairs.
double value_at(const std::vector<Weighted>& sorted, double place) {
    for (const auto& [value, pairs] : sorted) {
        if (place < pairs) {
            return value;
        }
        place -= pairs;
    }
    return sorted.back().first;
}

/// O(kinds^2 log kinds).
MatrixFacts facts_of(const fabric::PairMatrix& matrix) {
    const std::vector<int> devices =
        fabric::devices_of_kinds(matrix.kind_of_device(), matrix.kinds());
    MatrixFacts facts;
    std::vector<Weighted> values;
    double all = 0;
    for (std::size_t i = 0; i < matrix.kinds(); ++i) {
        for (std::size_t j = 0; j < matrix.kinds(); ++j) {
            const double pairs = static_cast<double>(devices[i]) * (devices[j] - (i == j ? 1 : 0));
            if (pairs <= 0) {
                continue;
            }
            const double value = matrix.table()(i, j);
            values.emplace_back(value, pairs);
            all += pairs;
            const double low = std::min(value, matrix.table()(j, i));
            if (low > 0) {
                facts.asymmetry = std::max(facts.asymmetry, value / low);
            }
        }
    }
    if (values.empty()) {
        return facts;
    }
    std::ranges::sort(values);
    const double middle = (all - 1) / 2;
    facts.min = values.front().first;
    facts.median = (value_at(values, std::floor(middle)) + value_at(values, std::ceil(middle))) / 2;
    facts.max = values.back().first;
    return facts;
}

std::string line(std::string_view name, const MatrixFacts& facts) {
    const std::string directions =
        facts.asymmetry == 1
            ? "both directions equal"
            : fmt::format("directions of a pair differ up to {:.3g}x", facts.asymmetry);
    return fmt::format("{:<14} min {:.6g}, median {:.6g}, max {:.6g}; {}\n",
                       name,
                       facts.min,
                       facts.median,
                       facts.max,
                       directions);
}

/// "Oregon 0-7, Virginia 8-15": runs of devices of one label, or host; long lists are cut.
std::string runs_of(const std::vector<std::string>& labels) {
    constexpr int kShown = 12;
    std::string text;
    int runs = 0;
    for (std::size_t first = 0; first < labels.size();) {
        std::size_t last = first;
        while (last + 1 < labels.size() && labels[last + 1] == labels[first]) {
            ++last;
        }
        if (++runs <= kShown) {
            const std::string_view name =
                labels[first].empty() ? "none" : std::string_view(labels[first]);
            text += fmt::format("{}{} {}", runs == 1 ? "" : ", ", name, first);
            text += last == first ? "" : fmt::format("-{}", last);
        }
        first = last + 1;
    }
    return runs > kShown ? text + fmt::format(", and {} more", runs - kShown) : text;
}

/// Devices of one speed and memory.
struct Equipment {
    double speed = 1;
    std::optional<double> memory_gb;
    int devices = 0;
};

/// In order of first occurrence; empty where the file says neither speed nor memory.
std::vector<Equipment> equipment_of(const fabric::Fabric& fabric) {
    std::vector<Equipment> kinds;
    for (const fabric::Device& device : fabric.parts().devices) {
        const auto known = std::ranges::find_if(kinds, [&](const Equipment& kind) {
            return kind.speed == device.speed && kind.memory_gb == device.memory_gb;
        });
        if (known == kinds.end()) {
            kinds.push_back({device.speed, device.memory_gb, 1});
        } else {
            ++known->devices;
        }
    }
    const bool plain = kinds.size() == 1 && kinds[0].speed == 1 && !kinds[0].memory_gb;
    return plain ? std::vector<Equipment>() : kinds;
}

/// Hosts of the devices, "" for those without; empty where the file names none.
std::vector<std::string> hosts_of(const fabric::Fabric& fabric) {
    std::vector<std::string> hosts;
    for (const fabric::Device& device : fabric.parts().devices) {
        hosts.push_back(device.host);
    }
    const bool any = std::ranges::any_of(hosts, [](const auto& host) { return !host.empty(); });
    return any ? hosts : std::vector<std::string>();
}

std::size_t different(std::vector<std::string> hosts) {
    std::erase(hosts, "");
    return std::set<std::string>(hosts.begin(), hosts.end()).size();
}

/// "3 Gbit/s there, 5 back": there is out of the places, or from the first to the second.
std::string rates_text(const fabric::SharedCapacity& resource) {
    const auto rate = [](double gbps) {
        return gbps == fabric::SharedCapacity::kNoLimit ? std::string("no limit")
                                                        : fmt::format("{} Gbit/s", gbps);
    };
    return !resource.duplex ? rate(resource.there_gbps) + ", both ways together"
           : resource.there_gbps == resource.back_gbps
               ? rate(resource.there_gbps) + " each way"
               : fmt::format(
                     "{} there, {} back", rate(resource.there_gbps), rate(resource.back_gbps));
}

/// Lines of what a file may say of devices, besides their links.
std::string device_lines(const fabric::Fabric& fabric) {
    constexpr std::size_t kShown = 8;
    std::string text;
    if (const auto hosts = hosts_of(fabric); !hosts.empty()) {
        text += fmt::format("hosts          {}: {}\n",
                            different(hosts),
                            hosts == fabric.labels() ? "named as the labels" : runs_of(hosts));
    }
    const std::vector<Equipment> kinds = equipment_of(fabric);
    for (std::size_t i = 0; i < std::min(kinds.size(), kShown); ++i) {
        const Equipment& kind = kinds[i];
        text += fmt::format("{:<15}{} device{} of speed {}{}\n",
                            i == 0 ? "kinds" : "",
                            kind.devices,
                            kind.devices == 1 ? "" : "s",
                            kind.speed,
                            kind.memory_gb ? fmt::format(", {} GB", *kind.memory_gb) : "");
    }
    if (kinds.size() > kShown) {
        text += fmt::format("{:<15}and {} more kinds\n", "", kinds.size() - kShown);
    }
    const auto& shared = fabric.parts().shared;
    for (std::size_t i = 0; i < shared.size(); ++i) {
        text +=
            fmt::format("{:<15}{}: {}, {}\n",
                        i == 0 ? "shared" : "",
                        core::shown(shared[i].name),
                        shared[i].of.empty()
                            ? fmt::format("{} to {}", shared[i].between[0], shared[i].between[1])
                            : fmt::format("out of {}", fmt::join(shared[i].of, ", ")),
                        rates_text(shared[i]));
    }
    return text;
}

/// The same as keys of the object; those that the file does not have are left out.
void set_device_keys(const fabric::Fabric& fabric, core::Value& root) {
    if (const auto hosts = hosts_of(fabric); !hosts.empty()) {
        root.set("hosts", static_cast<double>(different(hosts)));
    }
    core::Value kinds = core::Value::array();
    for (const Equipment& kind : equipment_of(fabric)) {
        core::Value one = core::Value::object();
        one.set("devices", kind.devices).set("speed", kind.speed);
        if (kind.memory_gb) {
            one.set("memory_gb", *kind.memory_gb);
        }
        kinds.append(std::move(one));
    }
    if (!kinds.items.empty()) {
        root.set("kinds", std::move(kinds));
    }
    if (!fabric.parts().shared.empty()) {
        root.set("shared", fabric::to_value(fabric.parts().shared));
    }
}

core::Value facts_value(const MatrixFacts& facts) {
    return core::Value::object()
        .set("min", facts.min)
        .set("median", facts.median)
        .set("max", facts.max)
        .set("asymmetry", facts.asymmetry);
}

core::Result<void> show(const FabricOptions& options) {
    if (auto alone = check_json_alone(options.json, {options.output}); !alone) {
        return alone;
    }
    const core::Result<LoadedFabric> loaded = load(options);
    if (!loaded) {
        return tl::unexpected(loaded.error());
    }
    const fabric::Fabric& fabric = loaded->fabric;
    if (!options.output.empty()) {
        const core::Result<void> written =
            write_file(options.output, core::write_json(fabric::to_value(fabric)));
        if (!written || options.output == "-") {
            return written;
        }
    }
    const std::vector<int> labels = fabric::index_of_labels(fabric.labels());
    const int count = *std::ranges::max_element(labels) + 1;
    const MatrixFacts alpha = facts_of(fabric.parts().alpha_ms);
    const MatrixFacts beta = facts_of(fabric.parts().beta_gbps);
    if (options.json) {
        core::Value root = core::Value::object();
        root.set("devices", static_cast<double>(fabric.size()))
            .set("labels", count)
            .set("sha256", loaded->sha256)
            .set("alpha_ms", facts_value(alpha))
            .set("beta_gbps", facts_value(beta));
        set_device_keys(fabric, root);
        print(core::write_json(root));
        return {};
    }
    print(fmt::format(
        "devices        {} under {} label{}\n", fabric.size(), count, count == 1 ? "" : "s"));
    print(fmt::format("labels         {}\n", runs_of(fabric.labels())));
    print(device_lines(fabric));
    print(line("alpha ms", alpha));
    print(line("beta Gbit/s", beta));
    print(fmt::format("sha256         {}\n", loaded->sha256));
    if (!fabric.parts().provenance.empty()) {
        print(fmt::format("provenance     {}\n", fabric.parts().provenance));
    }
    return {};
}

}  // namespace

void add_fabric(CLI::App& parent, Session& session) {
    CLI::App* command = parent.add_subcommand(
        "fabric", "Checks a fabric file, shows what is in it, and expands tables into matrices");
    example(*command, "longhaul fabric fabrics/dtfm-regional.json -o fabric.json");
    auto options = std::make_shared<FabricOptions>();
    command
        ->add_option(
            "file", options->file, "matrices, region table or host-group table; - for stdin")
        ->type_name("FILE")
        ->required();
    command
        ->add_option(
            "-o,--output", options->output, "write the matrices (longhaul.fabric/1); - for stdout")
        ->type_name("FILE");
    auto* drop = command
                     ->add_option("--drop",
                                  options->drop,
                                  "leave out devices: hosts, labels, or names as plans print them "
                                  "(host/0), separated by commas")
                     ->type_name("NAME")
                     ->delimiter(',');
    command->add_option("--keep", options->keep, "leave out all other devices")
        ->type_name("NAME")
        ->delimiter(',')
        ->excludes(drop);
    command->add_flag("--json", options->json, "print one JSON object");
    command->callback([options, &session] {
        session.run = [options] {
            const core::Result<void> done = show(*options);
            return done ? kDone : report(done.error());
        };
    });
}

}  // namespace longhaul::app
