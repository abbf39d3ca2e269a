#include "longhaul/measure/fabric_of.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "longhaul/core/assert.hpp"

namespace longhaul::measure {
namespace {

using core::Grid;

/// Most that a rate is raised so that a message takes what was measured: one that takes hardly
/// longer than the round trip tells no rate.
constexpr double kMostRaised = 10;

/// Ends of the one-way start-up that a fit allows; they hold the published value and are not below
/// the floor.
Range around(double published, Range interval, double way_back_ms, double floor_ms) {
    return {std::clamp(interval.lower - way_back_ms, floor_ms, published),
            std::max(interval.upper - way_back_ms, published)};
}

Range scaled(Range interval, double factor) {
    return {interval.lower * factor, interval.upper * factor};
}

/// Transport of the pairs: as asked, else the only one.
core::Result<std::string> transport_of(const LinkFits& fits, const std::string& asked) {
    std::set<std::string> all;
    for (const LinkFit& fit : fits.pairs) {
        all.insert(fit.transport);
    }
    if (!asked.empty() && all.contains(asked)) {
        return asked;
    }
    if (asked.empty() && all.size() == 1) {
        return *all.begin();
    }
    if (all.empty()) {
        return core::fail({"", "", "no pair was measured", "measure pairs (pattern peer) first"});
    }
    return core::fail({"",
                       "transport",
                       asked.empty() ? "pairs were measured over several"
                                     : "nothing was measured over " + core::shown(asked),
                       fmt::format("choose one of {} (--transport)", fmt::join(all, ", "))});
}

/// Whether a fit is of what the options ask for.
bool serves(const LinkFit& fit, const FabricOptions& options) {
    return fit.state == options.state &&
           (options.transport.empty() || fit.transport == options.transport) &&
           (options.streams == 0 || fit.streams == options.streams);
}

/// Fits by ordered pair; of several the one with the fewest streams.
class PairIndex {
public:
    PairIndex(const LinkFits& fits, const FabricOptions& options) {
        for (const LinkFit& fit : fits.pairs) {
            if (serves(fit, options)) {
                const LinkFit*& best = fits_[{fit.from, fit.to}];
                best = best == nullptr || fit.streams < best->streams ? &fit : best;
            }
        }
    }
    [[nodiscard]] const LinkFit* find(const std::string& from, const std::string& to) const {
        const auto found = fits_.find({from, to});
        return found == fits_.end() ? nullptr : found->second;
    }

private:
    std::map<std::pair<std::string, std::string>, const LinkFit*> fits_;
};

/// Values of every pair of hosts; the diagonal is inside a host.
struct HostTables {
    explicit HostTables(std::size_t n)
        : alpha(n, n),
          beta(n, n),
          alpha_lower(n, n),
          alpha_upper(n, n),
          beta_lower(n, n),
          beta_upper(n, n),
          estimated(n, n, 0) {}

    void set(std::size_t i, std::size_t j, const PairCost& cost, bool guessed) {
        alpha(i, j) = cost.alpha_ms;
        beta(i, j) = cost.beta_gbps;
        alpha_lower(i, j) = cost.alpha_interval.lower;
        alpha_upper(i, j) = cost.alpha_interval.upper;
        beta_lower(i, j) = cost.beta_interval.lower;
        beta_upper(i, j) = cost.beta_interval.upper;
        estimated(i, j) = guessed ? 1 : 0;
    }

    Grid<double> alpha, beta, alpha_lower, alpha_upper, beta_lower, beta_upper;
    Grid<char> estimated;
    int suspect = 0;  // measured pairs whose fit is
};

PairCost completed_cost(const CompletedPairs& pairs, std::size_t i, std::size_t j) {
    return {pairs.alpha_ms(i, j),
            pairs.beta_gbps(i, j),
            {pairs.alpha_lower(i, j), pairs.alpha_upper(i, j)},
            {pairs.beta_lower(i, j), pairs.beta_upper(i, j)}};
}

int devices_of(const HostRecord& host, const FabricOptions& options) {
    const core::Value* said = host.facts.find("devices");
    const bool good = said != nullptr && said->kind == core::Value::Kind::kNumber &&
                      said->number >= 1 && said->number <= 1024;
    return good ? static_cast<int>(said->number) : options.devices_per_host;
}

/// Fills the tables; pairs without a value go to the problems.
HostTables fill(const LinkFits& fits, const FabricOptions& options, core::Diagnostics& problems) {
    const std::vector<HostRecord>& hosts = fits.hosts;
    HostTables tables(hosts.size());
    const PairCost nothing;  // of a host with one device; the diagonal is ignored
    const PairCost inside{options.inside_alpha_ms,
                          options.inside_beta_gbps,
                          {options.inside_alpha_ms, options.inside_alpha_ms},
                          {options.inside_beta_gbps, options.inside_beta_gbps}};
    const PairIndex index(fits, options);
    for (std::size_t i = 0; i < hosts.size(); ++i) {
        for (std::size_t j = 0; j < hosts.size(); ++j) {
            if (i == j) {
                const bool several = devices_of(hosts[i], options) > 1;
                tables.set(i, j, several ? inside : nothing, several);
            } else if (const LinkFit* fit = index.find(hosts[i].id, hosts[j].id)) {
                const LinkFit* back = index.find(hosts[j].id, hosts[i].id);
                const double rtt_ms = least_round_trip(*fit, back);
                tables.suspect += fit->verdict == Verdict::kSuspect ? 1 : 0;
                tables.set(i, j, pair_cost(*fit, rtt_ms, options.message_bytes), false);
            } else if (options.completed) {
                tables.set(i, j, completed_cost(*options.completed, i, j), true);
            } else {
                problems.push_back({"",
                                    hosts[i].id + ">" + hosts[j].id,
                                    fmt::format("has no {} fit", name_of(options.state)),
                                    "measure this pair, too, or have it estimated (--complete)"});
            }
        }
    }
    return tables;
}

std::string provenance_of(const LinkFits& fits, const FabricOptions& options) {
    std::string text = fmt::format(
        "longhaul measure fit: transport {}, state {}", options.transport, name_of(options.state));
    if (options.streams > 0) {
        text += fmt::format(", streams {}", options.streams);
    }
    text += options.message_bytes > 0
                ? fmt::format(", messages of {:.0f} bytes", options.message_bytes)
                : std::string(", the largest messages measured");
    for (const std::string& run : fits.runs) {
        text += "; run " + run;
    }
    if (!fits.started.empty()) {
        text += "; started " + fits.started;
    }
    for (const FitSource& source : fits.sources) {
        text += fmt::format("; {} sha256 {}", source.name, source.sha256);
    }
    return text;
}

/// First local rank of a record's devices: the fact, else 0.
int first_rank(const HostRecord& record) {
    const core::Value* said = record.facts.find("local_rank");
    const bool good = said != nullptr && said->kind == core::Value::Kind::kNumber &&
                      said->number >= 0 && said->number <= 1e6 &&
                      said->number == std::floor(said->number);
    return good ? static_cast<int>(said->number) : 0;
}

void add_devices(fabric::FabricParts& parts,
                 std::vector<int>& kinds,
                 const LinkFits& fits,
                 const FabricOptions& options) {
    for (std::size_t host = 0; host < fits.hosts.size(); ++host) {
        const HostRecord& record = fits.hosts[host];
        for (int rank = 0; rank < devices_of(record, options); ++rank) {
            fabric::Device device;
            device.host = device_host(record);
            device.address = record.address;
            device.local_rank = first_rank(record) + rank;
            parts.labels.push_back(record.site.empty() ? device.host : record.site);
            device.groups = record.groups;
            parts.devices.push_back(std::move(device));
            kinds.push_back(static_cast<int>(host));
        }
    }
}

}  // namespace

std::string device_host(const HostRecord& record) {
    const core::Value* said = record.facts.find("host");
    const bool good = said != nullptr && said->kind == core::Value::Kind::kString;
    return good && !said->string.empty() ? said->string : record.id;
}

std::vector<fabric::SharedCapacity> places_in_fabric(
    const LinkFits& fits, std::vector<fabric::SharedCapacity> capacities) {
    std::map<std::string, std::set<std::string>> records;  // of a machine
    std::map<std::string, std::string> machines;           // of a record
    for (const HostRecord& record : fits.hosts) {
        records[device_host(record)].insert(record.id);
        machines[record.id] = device_host(record);
    }
    std::erase_if(capacities, [&](fabric::SharedCapacity& capacity) {
        if (!capacity.between.empty()) {
            return false;  // sites, which are labels of the fabric
        }
        const std::set<std::string> inside(capacity.of.begin(), capacity.of.end());
        std::set<std::string> places;
        for (const std::string& id : inside) {
            places.insert(machines.contains(id) ? machines.at(id) : id);
        }
        const bool split = std::ranges::any_of(places, [&](const std::string& place) {
            return !std::ranges::includes(inside, records[place]);
        });
        capacity.of.assign(places.begin(), places.end());
        return split || places.size() == records.size();
    });
    return capacities;
}

double least_round_trip(const LinkFit& fit, const LinkFit* back) {
    const double other = back == nullptr ? 0 : back->rtt_ms;
    return fit.rtt_ms > 0 && other > 0 ? std::min(fit.rtt_ms, other) : std::max(fit.rtt_ms, other);
}

PairCost pair_cost(const LinkFit& fit, double rtt_ms, double message_bytes) {
    const double bytes = message_bytes > 0 ? message_bytes : fit.segments.back().to_bytes;
    const Segment& segment = segment_at(fit, bytes);
    const bool warm_echo = fit.timing == Timing::kEcho && fit.state == State::kWarm;
    double rtt = rtt_ms > 0 ? rtt_ms : fit.rtt_ms;
    if (fit.timing == Timing::kOneWay) {
        rtt = 0;
    } else if (rtt <= 0 && warm_echo) {
        rtt = std::max(fit.segments.front().alpha_ms, 0.0);
    }
    const double way_back = rtt / 2;
    const double floor = rtt / 2;                          // nothing is there earlier
    const bool local = &segment != &fit.segments.front();  // its intercept is no start-up
    // One size alone is the rate of a long transfer, with no line to go by.
    const bool rate_only = fit.segments.size() == 1 && segment.from_bytes >= segment.to_bytes;
    if (rate_only || (segment.alpha_ms - way_back >= floor && !(warm_echo && local))) {
        const double alpha = warm_echo ? floor : std::max(segment.alpha_ms - way_back, floor);
        return {alpha,
                segment.beta_gbps,
                around(alpha, segment.alpha_interval, way_back, floor),
                segment.beta_interval};
    }
    // The start-up stays at the floor, and a message of this size takes what it took.
    const double line_ms = 8 * bytes / (segment.beta_gbps * 1e6);
    const double rest_ms = segment.alpha_ms - way_back - floor + line_ms;
    const double factor = rest_ms > 0 ? std::min(line_ms / rest_ms, kMostRaised) : 1;
    return {
        floor, segment.beta_gbps * factor, {floor, floor}, scaled(segment.beta_interval, factor)};
}

const LinkFit* find_pair(const LinkFits& fits,
                         const std::string& from,
                         const std::string& to,
                         const FabricOptions& options) {
    return PairIndex(fits, options).find(from, to);
}

core::Result<fabric::FabricParts> to_fabric(const LinkFits& fits, const FabricOptions& asked) {
    FabricOptions options = asked;
    core::Result<std::string> transport = transport_of(fits, asked.transport);
    if (!transport) {
        return tl::unexpected(std::move(transport.error()));
    }
    options.transport = std::move(*transport);
    core::Diagnostics problems;
    HostTables tables = fill(fits, options, problems);
    if (!problems.empty()) {
        return tl::unexpected(std::move(problems));
    }
    fabric::FabricParts parts;
    std::vector<int> kinds;
    add_devices(parts, kinds, fits, options);
    const auto matrix = [&kinds](Grid<double>& table) {
        return fabric::PairMatrix(kinds, std::move(table));
    };
    parts.alpha_ms = matrix(tables.alpha);
    parts.beta_gbps = matrix(tables.beta);
    parts.estimated = fabric::PairTable<char>(kinds, std::move(tables.estimated));
    parts.alpha_interval = {matrix(tables.alpha_lower), matrix(tables.alpha_upper)};
    parts.beta_interval = {matrix(tables.beta_lower), matrix(tables.beta_upper)};
    parts.suspect = tables.suspect;
    parts.provenance = provenance_of(fits, options);
    return parts;
}

}  // namespace longhaul::measure
