#include "longhaul/measure/links_file.hpp"

#include "longhaul/core/own_formats.hpp"
#include "longhaul/measure/detail/archive.hpp"

namespace longhaul::measure {
namespace detail {

template <>
struct Enumerators<State> {
    static constexpr std::array kAll = {State::kWarm, State::kIdle, State::kCold};
};
template <>
struct Enumerators<Limiter> {
    static constexpr std::array kAll = {
        Limiter::kLink, Limiter::kSndbuf, Limiter::kRwnd, Limiter::kCpu, Limiter::kUnknown};
};
template <>
struct Enumerators<Timing> {
    static constexpr std::array kAll = {Timing::kEcho, Timing::kOneWay};
};
template <>
struct Enumerators<Verdict> {
    static constexpr std::array kAll = {Verdict::kOk, Verdict::kSuspect};
};

}  // namespace detail

constexpr auto kRequired = detail::Need::kRequired;

/// Statistics of all sizes as columns: one line of the file each.
struct SizeColumns {
    std::vector<double> bytes, n, min, p10, median, p90, max;
};

namespace {

SizeColumns columns_of(const std::vector<SizeStatistics>& sizes) {
    SizeColumns columns;
    for (const SizeStatistics& size : sizes) {
        columns.bytes.push_back(size.bytes);
        columns.n.push_back(size.n);
        columns.min.push_back(size.seconds.min);
        columns.p10.push_back(size.seconds.p10);
        columns.median.push_back(size.seconds.median);
        columns.p90.push_back(size.seconds.p90);
        columns.max.push_back(size.seconds.max);
    }
    return columns;
}

/// Entries that all columns have.
std::vector<SizeStatistics> sizes_of(const SizeColumns& columns) {
    std::size_t count = columns.bytes.size();
    for (const std::vector<double>* column :
         {&columns.n, &columns.min, &columns.p10, &columns.median, &columns.p90, &columns.max}) {
        count = std::min(count, column->size());
    }
    std::vector<SizeStatistics> sizes;
    for (std::size_t i = 0; i < count; ++i) {
        sizes.push_back(
            {columns.bytes[i],
             static_cast<int>(columns.n[i]),
             {columns.min[i], columns.p10[i], columns.median[i], columns.p90[i], columns.max[i]}});
    }
    return sizes;
}

/// A Range as [lower, upper].
template <class Archive>
void range(Archive& archive, std::string_view key, Range& value) {
    std::vector<double> ends = {value.lower, value.upper};
    if constexpr (std::is_same_v<Archive, detail::Reader>) {
        ends.clear();
    }
    archive(key, ends);
    if (ends.size() == 2) {
        value = {ends[0], ends[1]};
    }
}

}  // namespace

// The fields of every structure: the only place that knows the keys of the file. They are found by
// the archives through their arguments.

template <class Archive>
void fields(Archive& archive, SizeColumns& columns) {
    archive("bytes", columns.bytes, kRequired);
    archive("n", columns.n, kRequired);
    archive("min_s", columns.min, kRequired);
    archive("p10_s", columns.p10, kRequired);
    archive("median_s", columns.median, kRequired);
    archive("p90_s", columns.p90, kRequired);
    archive("max_s", columns.max, kRequired);
}

template <class Archive>
void fields(Archive& archive, Segment& segment) {
    archive("from_bytes", segment.from_bytes, kRequired);
    archive("to_bytes", segment.to_bytes, kRequired);
    archive("alpha_ms", segment.alpha_ms, kRequired);
    archive("beta_gbps", segment.beta_gbps, kRequired);
    range(archive, "alpha_interval_ms", segment.alpha_interval);
    range(archive, "beta_interval_gbps", segment.beta_interval);
}

template <class Archive>
void fields(Archive& archive, BlockMedian& block) {
    archive("block", block.block, kRequired);
    archive("n", block.n, kRequired);
    archive("ratio", block.ratio, kRequired);
}

template <class Archive>
void fields(Archive& archive, StreamRates& rates) {
    archive("sum_gbps", rates.sum_gbps, kRequired);
    archive("least_gbps", rates.least_gbps, kRequired);
}

template <class Archive>
void fields(Archive& archive, Finding& finding) {
    archive("gate", finding.gate, kRequired);
    archive("reason", finding.reason);
    archive("advice", finding.advice);
    archive("warning", finding.warning);
}

template <class Archive>
void name_fields(Archive& archive, LinkFit& fit) {
    std::string key = key_of(fit);
    archive("key", key);
    archive("from", fit.from);
    archive("to", fit.to);
    archive("path", fit.path);
    archive("send_path", fit.send_path);
    archive("transport", fit.transport);
    archive("state", fit.state);
    archive("idle_s", fit.idle_s);
    archive("streams", fit.streams);
    archive("timing", fit.timing);
}

template <class Archive>
void fields(Archive& archive, LinkFit& fit) {
    name_fields(archive, fit);
    archive("alpha_ms", fit.alpha_ms, kRequired);
    archive("beta_gbps", fit.beta_gbps, kRequired);
    range(archive, "alpha_interval_ms", fit.alpha_interval);
    range(archive, "beta_interval_gbps", fit.beta_interval);
    archive("uncongested_alpha_ms", fit.uncongested_alpha_ms);
    archive("uncongested_beta_gbps", fit.uncongested_beta_gbps);
    archive("segments", fit.segments, kRequired);
    archive("rtt_ms", fit.rtt_ms);
    archive("max_rel_error", fit.max_rel_error);
    archive("spread", fit.spread);
    archive("retransmit_share", fit.retransmit_share);
    archive("limiter", fit.limiter);
    archive("nonstationary", fit.nonstationary);
    archive("blocks", fit.blocks);
    archive("stream_rates", fit.stream_rates);
    SizeColumns columns = columns_of(fit.sizes);
    if constexpr (std::is_same_v<Archive, detail::Reader>) {
        columns = {};
    }
    archive("sizes", columns);
    fit.sizes = sizes_of(columns);
    archive("verdict", fit.verdict);
    archive("findings", fit.findings);
    archive.rest(fit.unknown);
}

template <class Archive>
void fields(Archive& archive, RoundTrip& trip) {
    archive("from", trip.from, kRequired);
    archive("to", trip.to, kRequired);
    archive("transport", trip.transport);
    archive("n", trip.n);
    archive("min_ms", trip.min_ms);
    archive("median_ms", trip.median_ms, kRequired);
    archive("p90_ms", trip.p90_ms);
}

template <class Archive>
void fields(Archive& archive, FanFit& fan) {
    archive("key", fan.key, kRequired);
    archive("inward", fan.inward, kRequired);
    archive("root", fan.root, kRequired);
    archive("peers", fan.peers, kRequired);
    archive("per_peer", fan.per_peer);
    archive("root_fit", fan.root_fit);
}

template <class Archive>
void fields(Archive& archive, StreamChoice& choice) {
    archive("from", choice.from, kRequired);
    archive("to", choice.to, kRequired);
    archive("transport", choice.transport);
    archive("state", choice.state);
    archive("streams", choice.streams);
    archive("beta_gbps", choice.beta_gbps);
    archive("enough", choice.enough);
}

template <class Archive>
void fields(Archive& archive, ColdCheck& check) {
    archive("from", check.from, kRequired);
    archive("to", check.to, kRequired);
    archive("transport", check.transport);
    archive("bytes", check.bytes);
    archive("measured_s", check.measured_s);
    archive("derived_s", check.derived_s);
}

template <class Archive>
void fields(Archive& archive, HostPair& pair) {
    archive("from", pair.from, kRequired);
    archive("to", pair.to, kRequired);
}

template <class Archive>
void fields(Archive& archive, FitSource& source) {
    archive("name", source.name, kRequired);
    archive("sha256", source.sha256);
}

template <class Archive>
void fields(Archive& archive, HostRecord& host) {
    archive("id", host.id, kRequired);
    archive("site", host.site);
    archive("address", host.address);
    archive("groups", host.groups);
    archive("facts", host.facts);
}

template <class Archive>
void fields(Archive& archive, LinkFits& fits) {
    std::string format = "longhaul.links/1";
    archive("format", format);
    archive("runs", fits.runs);
    archive("started", fits.started);
    archive("sources", fits.sources);
    double seed = static_cast<double>(fits.seed);
    archive("seed", seed);
    fits.seed = static_cast<std::uint64_t>(seed);
    archive("resamples", fits.resamples);
    archive("hosts", fits.hosts, kRequired);
    archive("round_trips", fits.round_trips);
    archive("pairs", fits.pairs, kRequired);
    archive("paths", fits.paths);
    archive("both_ways", fits.both_ways);
    archive("both_ways_paths", fits.both_ways_paths);
    archive("fans", fits.fans);
    archive("relays", fits.relays);
    archive("locals", fits.locals);
    archive("stream_choices", fits.stream_choices);
    archive("cold_checks", fits.cold_checks);
    archive("missing", fits.missing);
    archive("warnings", fits.warnings);
    archive.rest(fits.unknown);
}

namespace {

/// What a reader of fits relies on.
void check_fit(const core::Cursor& at) {
    const auto segments = at.find("segments");
    if (segments && segments->is_array() && segments->value().size() == 0) {
        segments->report("is empty", "a fit has one segment or more");
    }
    for (std::size_t i = 0; segments && i < segments->value().items.size(); ++i) {
        if (const auto beta = segments->item(i).find("beta_gbps")) {
            static_cast<void>(beta->positive_number());
        }
    }
    if (const auto beta = at.find("beta_gbps")) {
        static_cast<void>(beta->positive_number());
    }
}

void check_fits(const core::Cursor& root) {
    for (const char* key : {"pairs", "paths", "both_ways", "both_ways_paths", "relays", "locals"}) {
        const auto list = root.find(key);
        for (std::size_t i = 0; list && i < list->value().items.size(); ++i) {
            check_fit(list->item(i));
        }
    }
    const auto fans = root.find("fans");
    for (std::size_t i = 0; fans && i < fans->value().items.size(); ++i) {
        const auto peers = fans->item(i).find("per_peer");
        for (std::size_t j = 0; peers && j < peers->value().items.size(); ++j) {
            check_fit(peers->item(j));
        }
        if (const auto whole = fans->item(i).find("root_fit")) {
            check_fit(*whole);
        }
    }
}

}  // namespace

core::Value to_value(const LinkFits& fits) {
    LinkFits copy = fits;
    detail::Writer writer;
    fields(writer, copy);
    return writer.take();
}

core::Value to_value(const LinkFit& fit) {
    LinkFit copy = fit;
    detail::Writer writer;
    fields(writer, copy);
    return writer.take();
}

core::Result<LinkFits> read_links(std::string_view text, const std::string& name) {
    if (const auto own = core::refuse_other_format(text, name, {"longhaul.links"}); !own) {
        return tl::unexpected(own.error());
    }
    const core::Result<core::Document> document = core::parse_json(text, name);
    if (!document) {
        return tl::unexpected(document.error());
    }
    core::Diagnostics problems;
    const core::Cursor root(*document, problems);
    core::check_format(root, "longhaul.links", 1, true);
    LinkFits fits;
    detail::Reader reader(root);
    fields(reader, fits);
    check_fits(root);
    if (!problems.empty()) {
        return tl::unexpected(std::move(problems));
    }
    return fits;
}

}  // namespace longhaul::measure
