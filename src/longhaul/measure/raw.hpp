// Raw measurements: one JSON object a line, appended as they are made and never changed. Fits are
// derived from them and can be made again at any time.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "longhaul/core/diagnostic.hpp"
#include "longhaul/core/value.hpp"

namespace longhaul::measure {

/// What a task times. Source of peer to relay: DeepSpeed's affine transfer calibration.
enum class Pattern {
    kLocal,     ///< a copy inside one process
    kPing,      ///< one byte there and back; elapsed_s is the whole round trip
    kPeer,      ///< from -> to alone
    kBothWays,  ///< two hosts send to each other at once; one sample a direction
    kFanOut,    ///< root -> peers at once; one sample a peer, root_s when the last has all
    kFanIn,     ///< peers -> root at once; one sample a peer, root_s when the root has all
    kRelay,     ///< every process receives from one and sends to another at once
    kCrossing,  ///< several from sites to other sites at once, no host in two; one sample each
};

/// What the connection did before the message.
enum class State {
    kWarm,  ///< large messages just before, on the same connection
    kIdle,  ///< nothing for idle_s
    kCold,  ///< a new connection; the time to connect is not counted
};

[[nodiscard]] std::string_view name_of(Pattern pattern);  ///< as in files: "peer", "both_ways", ...
[[nodiscard]] std::string_view name_of(State state);      ///< "warm", "idle", "cold"

/// The first record of a file: which campaign this is.
struct RunRecord {
    int version = 1;
    std::string run;          ///< id, the same in every part of a campaign
    std::string started;      ///< UTC, ISO 8601
    std::string tool;         ///< what wrote it, with its version
    std::string plan_sha256;  ///< of the plan; empty when there was none
    core::Value unknown = core::Value::object();
};

/// One end of links: what is known of a host (or of a process, for training transports).
struct HostRecord {
    std::string id;
    std::string site;                 ///< locality label; empty when unknown
    std::string address;              ///< may be empty
    std::vector<std::string> groups;  ///< shared resources that it is behind
    core::Value facts =
        core::Value::object();  ///< kernel, mtu, congestion control, ...; kept as read
};

struct TaskRecord {
    std::string task;
    int attempt = 1;
    int slot = 0;  ///< tasks of one slot run at once
    Pattern pattern = Pattern::kPeer;
    State state = State::kWarm;
    std::string root;                ///< of fans; else empty
    std::vector<std::string> peers;  ///< of fans: the other ends; of pairs: from and to; of
                                     ///< crossings from, to, from, to, ...
    core::Value unknown = core::Value::object();
};

/// What the kernel says of the sender's connection (struct tcp_info), summed over the streams and
/// over the time of the message. Absent where the transport has none.
struct TcpFacts {
    double min_rtt_s = 0;            ///< least round trip so far, seconds
    double retransmitted_bytes = 0;  ///< during the message
    double sndbuf_limited_s = 0;     ///< the send buffer was full
    double rwnd_limited_s = 0;       ///< the receiver's window was full
    double busy_s = 0;               ///< data was under way
    double delivery_gbps = 0;        ///< the kernel's own estimate; 0 when unknown
    bool application_limited = false;
};

/// One timed message (with all its streams).
struct Sample {
    std::string task;
    int attempt = 1;
    Pattern pattern = Pattern::kPeer;
    State state = State::kWarm;
    double idle_s = 0;      ///< of State::kIdle
    std::string transport;  ///< "tcp", "gloo", "nccl", ...
    int streams = 1;
    std::string from;
    std::string to;
    std::vector<std::string> peers;  ///< of fans: all peers, in the order of the fan; of crossings
                                     ///< the ends of all transfers: from, to, from, to, ...
    std::string path;       ///< label of the path from -> to, such as "inter_site"; may be empty
    std::string send_path;  ///< of relays: the path that this process sent over
    double bytes = 0;       ///< payload of this message
    int rep = 0;
    int block = 0;                     ///< repetitions far apart in time
    std::string t;                     ///< UTC, ISO 8601, when it started; may be empty
    double elapsed_s = 0;              ///< first byte handed over -> acknowledgement read
    std::optional<double> receive_s;   ///< first -> last byte, on the receiver's clock
    std::optional<double> connect_s;   ///< of State::kCold
    std::optional<double> root_s;      ///< of fans: the root is done with all peers
    std::vector<double> per_stream_s;  ///< when streams > 1
    std::optional<double>
        cpu_share;  ///< busiest end: CPU seconds of the sending or receiving thread / elapsed
    std::optional<TcpFacts> tcp;
    std::vector<std::string> concurrent;  ///< tasks that ran at the same time
    bool ok = true;                       ///< false: aborted; kept, never fitted
    core::Value unknown = core::Value::object();

    [[nodiscard]] std::size_t width() const { return peers.size(); }
};

/// Something that happened: peer_lost, timeout, refused, drift, nonstationary, hidden_sharing, ...
struct Event {
    std::string t;
    std::string task;  ///< empty when it concerns no task
    std::string kind;
    std::string host;
    std::string detail;
};

/// A task counts only when its last attempt has an end with complete = true.
struct TaskEnd {
    std::string task;
    int attempt = 1;
    bool complete = false;
};

/// A whole file, in its order within each kind of record.
struct Raw {
    std::vector<RunRecord> runs;
    std::vector<HostRecord> hosts;  ///< the last record of each id
    std::vector<TaskRecord> tasks;
    std::vector<Sample> samples;
    std::vector<Event> events;
    std::vector<TaskEnd> ends;
    bool ended = false;                 ///< a record "end" says that the campaign was done
    std::vector<std::string> warnings;  ///< such as a last line that was cut off
};

/// Reads a file of records. A last line without its newline that does not parse is dropped with a
/// warning (the writer died); any other bad line is a problem. Records of kinds that are unknown
/// are skipped with a warning. O(size).
[[nodiscard]] core::Result<Raw> read_raw(std::string_view text, const std::string& name);

/// Puts the records of `more` behind those of `raw`.
void append(Raw& raw, Raw more);

/// Samples that fits may use: ok, and of the last complete attempt of their task. A task without
/// any task record or end (an imported file) counts as complete.
[[nodiscard]] std::vector<Sample> usable_samples(const Raw& raw);

/// One line each, with its newline.
[[nodiscard]] std::string to_line(const RunRecord& record);
[[nodiscard]] std::string to_line(const HostRecord& record);
[[nodiscard]] std::string to_line(const TaskRecord& record);
[[nodiscard]] std::string to_line(const Sample& record);
[[nodiscard]] std::string to_line(const Event& record);
[[nodiscard]] std::string to_line(const TaskEnd& record);
[[nodiscard]] std::string end_line();

/// All records of a file as text.
[[nodiscard]] std::string to_text(const Raw& raw);

}  // namespace longhaul::measure
