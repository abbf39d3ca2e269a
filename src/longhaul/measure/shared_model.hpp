// What transfers that run at once share: capacities of hosts and groups, fitted to fans and to
// transfers both ways, chosen by how well they predict fans that were left out.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "longhaul/core/diagnostic.hpp"
#include "longhaul/core/grid.hpp"
#include "longhaul/core/value.hpp"
#include "longhaul/fabric/shared.hpp"

namespace longhaul::measure {

/// How a resource is used up. T = max alpha + max over resources x of load(x).
enum class Rule {
    kRate,       ///< load = sum of bytes / C: a pipe of C bytes a second
    kOccupancy,  ///< load = sum of bytes / (c x rate of the pair): serves c senders at a time
};

/// Which transfers load a resource.
enum class Scope {
    kSender,    ///< all that a host sends
    kReceiver,  ///< all that a host receives
    kHost,      ///< each of these two by itself, with one capacity
    kDuplex,    ///< both together: c = 1 is half duplex
    kGroupOut,  ///< all that leaves a group
    kGroupIn,   ///< all that enters it
    kGroup,     ///< each of these two by itself, with one capacity
    kBetween,   ///< all from one site to another, one for each ordered pair of sites
};

[[nodiscard]] std::string_view name_of(Rule rule);    ///< "rate", "occupancy"
[[nodiscard]] std::string_view name_of(Scope scope);  ///< "sender", ..., "between"

struct Transfer {
    std::size_t from = 0;
    std::size_t to = 0;
    double bytes = 0;
};

/// What is known of several sets of transfers when only their extreme was published.
enum class Extreme { kExact, kFastest, kSlowest };

/// How long transfers took that started together, until the last was done.
struct LoadSample {
    std::string name;        ///< samples of one name are left out together
    std::string pattern;     ///< "fan_in", "fan_out", "both_ways", "relay", "crossing"
    std::string congestion;  ///< congestion control; may be empty
    std::vector<std::vector<Transfer>> sets;  ///< one set; several for an extreme over them
    Extreme extreme = Extreme::kExact;
    double seconds = 0;  ///< > 0; of an extreme the least or largest time of the sets
};

/// Hosts that are behind something together, such as a switch, a socket or an uplink.
struct HostGroup {
    std::string name;
    std::vector<std::size_t> members;
};

/// Where hosts are: a host is at one site or at none, so that sites have links between them.
struct HostSites {
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

    std::vector<std::string> names;
    std::vector<std::size_t> of_host;  ///< n indices of names, kNone where unknown; empty: no sites

    /// The ordered pair of the sites of a transfer's ends as a number, from x names + to; kNone
    /// inside a site and where one is unknown.
    [[nodiscard]] std::size_t pair_of(std::size_t from, std::size_t to) const;
};

struct SharedInput {
    std::vector<std::string> hosts;  ///< n names
    std::vector<HostGroup> groups;
    HostSites sites;
    core::Grid<double> alpha_s;      ///< n x n, of a pair alone
    core::Grid<double> bytes_per_s;  ///< n x n, of a pair alone; 0 where unknown
    std::vector<LoadSample> samples;
};

/// One fitted resource, or one for every host, group or pair of sites with the same value.
struct SharedResource {
    Scope scope = Scope::kReceiver;
    Rule rule = Rule::kOccupancy;
    bool every = true;        ///< each host (or group, or ordered pair of sites) has one
    std::size_t subject = 0;  ///< else: which host or group, or HostSites::pair_of
    double value = 1;         ///< C in bytes a second, or c
};

/// Of the samples of one pattern, width and congestion control: predicted / measured seconds, so
/// that T = predicted / eta. p90 of the time is predicted / p10 of the ratio.
struct Efficiency {
    std::string pattern;
    std::size_t width = 0;
    std::string congestion;
    double eta = 1;  ///< median
    double p10 = 1;
    double p90 = 1;
    std::size_t samples = 0;
};

/// A step of the choice: what was tried next and the error without each fan.
struct SharedTrial {
    std::string resource;
    double left_out_factor = 1;  ///< of the fit itself when that was not good enough already
    bool kept = false;
};

/// Errors are factors: exp of the root mean square of log(predicted / measured).
struct SharedModel {
    std::vector<SharedResource> resources;
    std::vector<Efficiency> efficiencies;
    double factor = 1;             ///< of the fit
    double left_out_factor = 1;    ///< of every name predicted without its samples
    double pairs_only_factor = 1;  ///< with no shared resource at all
    std::vector<SharedTrial> trials;
    std::size_t samples = 0;
    /// left_out_factor is at most kTrustedFactor: planners refuse other models or widen margins.
    bool trusted = false;
};

inline constexpr double kTrustedFactor = 1.25;
/// A resource is kept when the error without it would be larger by this much.
inline constexpr double kResourceMustSave = 0.1;

/// Seconds of transfers that start together, by pairs and resources alone (eta = 1).
[[nodiscard]] double predicted_seconds(const SharedInput& pairs,
                                       const std::vector<SharedResource>& resources,
                                       std::span<const Transfer> transfers);
/// The same for a sample: the extreme over its sets.
[[nodiscard]] double predicted_seconds(const SharedInput& pairs,
                                       const std::vector<SharedResource>& resources,
                                       const LoadSample& sample);

/// exp(rms of log(predicted / measured)) over the samples.
[[nodiscard]] double error_factor(const SharedInput& input,
                                  const std::vector<SharedResource>& resources);

/// The resources with the values for which the log error is least (coordinate descent, a scan and
/// a golden section for each).
[[nodiscard]] std::vector<SharedResource> fit_values(const SharedInput& input,
                                                     std::vector<SharedResource> resources);

/// Chooses resources one after the other, each time the one with the least left-out error, as long
/// as that falls by kResourceMustSave; at last those that can go without are dropped. A resource of
/// a single host, group or pair of sites is tried when three samples with two transfers over it or
/// more tell of it. Fails without samples, or when a sample uses a pair without a rate. O(resources
/// x names x samples); more than 24 names are left out in 24 parts.
[[nodiscard]] core::Result<SharedModel> fit_shared(const SharedInput& input);

/// The section `shared` of a links file; docs/formats/links.md has its keys.
[[nodiscard]] core::Value to_value(const SharedModel& model, const SharedInput& input);

/// What a fabric can state: the rates of a host or group, one a direction, or one for both together
/// (half duplex); and of the links between two sites one a direction: an occupancy comes to c x the
/// median rate of the pairs of that direction. O(hosts^2 resources).
[[nodiscard]] std::vector<fabric::SharedCapacity> shared_capacities(const SharedModel& model,
                                                                    const SharedInput& input);

/// The rate of a resource; of an occupancy that which it comes to when all pairs over it are as
/// fast as the middle one, Gbit/s; 0 when no pair with a rate loads it. O(hosts^2 subjects).
[[nodiscard]] double usual_gbps(const SharedResource& resource, const SharedInput& input);

/// Indices of the resources that a fabric does not state: occupancy but that between sites, and
/// rates of all hosts together.
[[nodiscard]] std::vector<std::size_t> not_in_fabric(const SharedModel& model,
                                                     const SharedInput& input);

}  // namespace longhaul::measure
