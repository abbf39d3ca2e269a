// Whether numbers of links are fit to place a job on, and what to do when they are not.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "longhaul/core/value.hpp"
#include "longhaul/measure/links_shared.hpp"
#include "longhaul/measure/pair_facts.hpp"

namespace longhaul::measure {

struct CheckOptions {
    double payload_gb = 0.1;   ///< of the message whose costs are compared
    double uniform = 1.25;     ///< largest / least pair cost up to which placing gains little
    double asymmetric = 1.25;  ///< ratio of the two directions that is worth a remark
    double outlier = 1.5;      ///< how far a host or pair must be off what is usual
    double max_age_days = 30;
    double max_estimated = 0.5;  ///< share of pairs that may be estimates
    double max_suspect = 0.1;    ///< share of pairs whose fit may be suspect
};

/// What else is known.
struct CheckContext {
    std::optional<double> age_days;  ///< absent when unknown
    std::string unknown_time;        ///< of the measurement, when it cannot be read or is to come
    std::vector<Event> events;       ///< of the audit: hidden_sharing counts, busy is said
    std::optional<SharedSummary> shared;
};

enum class Severity {
    kNo,       ///< a reason for the answer no
    kWarning,  ///< worth knowing
    kNote,     ///< no fault, but good to know
};

[[nodiscard]] std::string_view name_of(Severity severity);  ///< "no", "warning", "note"

struct Remark {
    Severity severity = Severity::kWarning;
    /// uniform, missing, stale, estimated, suspect, sharing, busy, shared_model, asymmetric, host,
    /// pair
    std::string kind;
    std::string where;  ///< host, pair or group; may be empty
    std::string what;
    std::string advice;
};

struct CheckReport {
    bool worth = true;  ///< no remark says no
    std::size_t hosts = 0;
    std::size_t pairs = 0;  ///< ordered, n (n - 1)
    std::size_t missing = 0;
    std::size_t estimated = 0;
    std::optional<std::size_t> suspect;  ///< absent where the file does not say
    double payload_gb = 0;               ///< of the message whose costs follow
    double least_s = 0;                  ///< cost of a pair, mean of both directions
    double median_s = 0;
    double most_s = 0;
    double asymmetry_median = 1;  ///< of beta, larger / smaller direction
    double asymmetry_most = 1;
    double asymmetric_share = 0;  ///< of pairs beyond CheckOptions::asymmetric
    std::optional<double> age_days;
    std::vector<Remark> remarks;  ///< those that say no first
};

/// Hosts are compared with those of their site where that has three or more, else with all:
/// a host is an outlier when the median of its log-ratios is beyond CheckOptions::outlier and
/// beyond 3.5 robust deviations of the others'. Pairs are compared with those of the same two
/// sites in the same way. O(n^2 log n).
[[nodiscard]] CheckReport check(const PairFacts& facts,
                                const CheckOptions& options,
                                const CheckContext& context);

[[nodiscard]] core::Value to_value(const CheckReport& report);

}  // namespace longhaul::measure
