// What measurements say of links: cost fits with intervals, what limits each, and whether to trust
// them. Values only; fit.hpp makes them from raw samples, links_file.hpp writes and reads them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "longhaul/core/statistics.hpp"
#include "longhaul/core/units.hpp"
#include "longhaul/core/value.hpp"
#include "longhaul/measure/raw.hpp"

namespace longhaul::measure {

/// What kept a link from being faster.
enum class Limiter {
    kLink,     ///< the path itself: what a fabric wants to know
    kSndbuf,   ///< the send buffer was too small for rate x round trip
    kRwnd,     ///< the receiver's window was
    kCpu,      ///< a sending or receiving thread was busy all the time
    kUnknown,  ///< the transport tells nothing
};

/// What the start-up latency of a fit spans.
enum class Timing {
    kEcho,    ///< message and acknowledgement: alpha is about one round trip (the TCP agent)
    kOneWay,  ///< message only (collective libraries)
};

enum class Verdict { kOk, kSuspect };

/// A gate that a fit did not pass, or (warning) nearly did not.
struct Finding {
    std::string gate;      ///< max_rel_error, interval, segments, spread, retransmits, limiter,
                           ///< nonstationary, sizes, window, class
    std::string reason;    ///< what was found, in words
    std::string advice;    ///< what to do about it
    bool warning = false;  ///< true: worth knowing, but the verdict stays
};

/// Ends of a percentile interval.
struct Range {
    double lower = 0;
    double upper = 0;
};

/// Time of a message of n bytes: alpha_ms / 1000 + 8 n / (beta_gbps 10^9) seconds, between the two
/// sizes. Of the first segment alpha >= 0; of later ones it is the intercept of a local line, which
/// may lie below zero (after the burst of a token bucket).
struct Segment {
    double from_bytes = 0;
    double to_bytes = 0;
    double alpha_ms = 0;
    double beta_gbps = 0;
    Range alpha_interval;  ///< 95 %
    Range beta_interval;
};

/// Seconds of all samples of one message size.
struct SizeStatistics {
    double bytes = 0;
    int n = 0;
    core::Summary seconds;
};

/// Samples that were taken together, against all others: 1.1 = 10 % slower than the whole.
struct BlockMedian {
    int block = 0;
    int n = 0;
    double ratio = 1;
};

/// Rates of several streams at the largest size.
struct StreamRates {
    double sum_gbps = 0;    ///< of the streams' own rates
    double least_gbps = 0;  ///< streams x rate of the slowest: what NCCL over k sockets gets
};

/// One fit: of a directed pair, of a path class, of a fan's peer or root, of a local copy.
struct LinkFit {
    std::string from;  ///< host; empty for a path class
    std::string to;
    std::string path;       ///< path class; of relays the path received over; may be empty
    std::string send_path;  ///< of relays
    std::string transport;
    State state = State::kWarm;
    double idle_s = 0;  ///< of State::kIdle
    int streams = 1;
    Timing timing = Timing::kEcho;

    /// Those of the last segment, which covers the largest messages; with one segment, of all.
    double alpha_ms = 0;
    double beta_gbps = 0;
    Range alpha_interval;  ///< 95 %, percentile bootstrap over samples within sizes
    Range beta_interval;
    std::vector<Segment> segments;  ///< ascending, at least one
    /// Fit to the minimum of every size instead of the median: the same link without congestion.
    double uncongested_alpha_ms = 0;
    double uncongested_beta_gbps = 0;

    /// Least of the pings' medians (over any transport) and the kernel's least; 0 when unknown
    /// (path classes: always).
    double rtt_ms = 0;
    double max_rel_error = 0;  ///< worst |fit - median| / median over the sizes
    double spread = 1;         ///< median over the sizes of p90 / median
    std::optional<double>
        retransmit_share;  ///< retransmitted / payload bytes; absent without facts
    Limiter limiter = Limiter::kUnknown;
    bool nonstationary = false;  ///< blocks differ by more than 10 % and more than noise explains
    std::vector<BlockMedian> blocks;
    std::optional<StreamRates> stream_rates;  ///< with per-stream times
    std::vector<SizeStatistics> sizes;        ///< ascending
    Verdict verdict = Verdict::kOk;
    std::vector<Finding> findings;
    core::Value unknown = core::Value::object();  ///< keys of newer versions, kept on rewriting
};

/// Round trips of one byte, both directions of a pair together.
struct RoundTrip {
    std::string from;
    std::string to;
    std::string transport;
    int n = 0;
    double min_ms = 0;
    double median_ms = 0;
    double p90_ms = 0;
};

/// One root with a set of peers, all at once.
struct FanFit {
    std::string key;  ///< "in:r<-p,q" or "out:r->p,q", peers sorted
    bool inward = false;
    std::string root;
    std::vector<std::string> peers;  ///< sorted
    std::vector<LinkFit> per_peer;   ///< each message's own time, in the order of hosts
    /// The root's time against all bytes it moved (width x message): the completion rate of this
    /// fan, which is not a capacity of the root. Absent without root times.
    std::optional<LinkFit> root_fit;
};

/// How the rate of a pair depends on the number of streams.
struct StreamChoice {
    std::string from;
    std::string to;
    std::string transport;
    State state = State::kWarm;
    std::vector<int> streams;       ///< measured, ascending
    std::vector<double> beta_gbps;  ///< of each
    int enough = 1;                 ///< the fewest within 5 % of the best
};

/// A measured cold message beside the closed form.
struct ColdCheck {
    std::string from;
    std::string to;
    std::string transport;
    double bytes = 0;
    double measured_s = 0;  ///< median
    double derived_s = 0;   ///< cold_seconds of the warm fit
};

/// An ordered pair of hosts.
struct HostPair {
    std::string from;
    std::string to;
};

/// A file that fits came from.
struct FitSource {
    std::string name;
    std::string sha256;
};

/// All fits of a campaign: the file longhaul.links/1.
struct LinkFits {
    std::vector<std::string> runs;   ///< ids
    std::string started;             ///< of the first run; may be empty
    std::vector<FitSource> sources;  ///< set by who read the files
    std::uint64_t seed = 7;
    int resamples = 1000;
    std::vector<HostRecord> hosts;  ///< all that are named anywhere, in order of first mention
    std::vector<RoundTrip> round_trips;
    std::vector<LinkFit> pairs;      ///< alone, one a direction (and transport, state, streams)
    std::vector<LinkFit> paths;      ///< the same by path class
    std::vector<LinkFit> both_ways;  ///< both directions at once, one a direction
    std::vector<LinkFit> both_ways_paths;  ///< the same by path class
    std::vector<FanFit> fans;
    std::vector<LinkFit> relays;  ///< by path received over and path sent over
    std::vector<LinkFit> locals;  ///< copies inside one process, by path class
    std::vector<StreamChoice> stream_choices;
    std::vector<ColdCheck> cold_checks;
    std::vector<HostPair> missing;  ///< ordered pairs without a fit, when any pair has one
    std::vector<std::string> warnings;
    core::Value unknown = core::Value::object();  ///< keys of newer versions, kept on rewriting
};

[[nodiscard]] std::string_view name_of(Limiter limiter);  ///< "link", "sndbuf", "rwnd", ...
[[nodiscard]] std::string_view name_of(Timing timing);    ///< "echo", "one_way"
[[nodiscard]] std::string_view name_of(Verdict verdict);  ///< "ok", "suspect"

/// How files and messages name a fit: "a>b" for a pair, the path class (of relays "receive|send")
/// without hosts.
[[nodiscard]] std::string key_of(const LinkFit& fit);

/// "in:r<-p,q" or "out:r->p,q"; sorts the peers.
[[nodiscard]] std::string fan_key(bool inward,
                                  const std::string& root,
                                  std::vector<std::string> peers);

/// The segment that covers a size: the last whose from_bytes is at most `bytes`, else the first.
[[nodiscard]] const Segment& segment_at(const LinkFit& fit, double bytes);

/// Time of one message by the segment that covers its size, never a blend; at least 0.
[[nodiscard]] core::Seconds cost_of(const LinkFit& fit, double bytes);

}  // namespace longhaul::measure
