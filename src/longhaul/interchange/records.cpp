#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "longhaul/interchange/detail/records.hpp"

namespace longhaul::interchange::detail {
namespace {

constexpr double kLeastSeconds = 1e-12;
constexpr double kMostSeconds = 1e6;
constexpr double kMostBytes = 1e15;

/// Whether every number in a tree is finite. Trees are as deep as parsers allow.
bool is_finite(const core::Value& value) {  // NOLINT(misc-no-recursion)
    return std::isfinite(value.number) &&
           std::ranges::all_of(value.numbers,
                               [](double number) { return std::isfinite(number); }) &&
           std::ranges::all_of(value.items, is_finite) &&
           std::ranges::all_of(value.members,
                               [](const core::Member& member) { return is_finite(member.value); });
}

/// A number of a sample that no measurement has: raw files cannot hold it.
std::optional<double> implausible(const measure::Sample& sample) {
    const measure::TcpFacts tcp = sample.tcp.value_or(measure::TcpFacts());
    if (sample.elapsed_s > 0 && sample.elapsed_s < kLeastSeconds) {
        return sample.elapsed_s;
    }
    for (const double number : {sample.elapsed_s,
                                sample.receive_s.value_or(0),
                                sample.connect_s.value_or(0),
                                sample.root_s.value_or(0),
                                sample.idle_s,
                                sample.cpu_share.value_or(0),
                                tcp.min_rtt_s}) {
        if (!(number >= 0) || number > kMostSeconds) {
            return number;
        }
    }
    for (const double number : {sample.bytes, tcp.retransmitted_bytes}) {
        if (!(number >= 0) || number > kMostBytes) {
            return number;
        }
    }
    return is_finite(sample.unknown) ? std::nullopt
                                     : std::optional(std::numeric_limits<double>::infinity());
}

/// Every end of every sample has a host record.
void add_hosts(measure::Raw& raw) {
    std::set<std::string> known;
    for (const measure::HostRecord& host : raw.hosts) {
        known.insert(host.id);
    }
    for (const measure::Sample& sample : raw.samples) {
        for (const std::string& end : {sample.from, sample.to}) {
            if (known.insert(end).second) {
                raw.hosts.emplace_back();
                raw.hosts.back().id = end;
            }
        }
    }
}

}  // namespace

Ends ends_of(const ImportOptions& options,
             std::string_view from,
             std::string_view to,
             const Report& report) {
    Ends ends{options.from.empty() ? std::string(from) : options.from,
              options.to.empty() ? std::string(to) : options.to};
    if (ends.from == ends.to) {
        report.whole(fmt::format("both ends are {}", core::shown(ends.from)),
                     "name two different ends with --from and --to");
    }
    return ends;
}

measure::Sample make_sample(measure::Pattern pattern,
                            const Ends& ends,
                            double bytes,
                            double elapsed_s) {
    measure::Sample sample;
    sample.pattern = pattern;
    sample.from = ends.from;
    sample.to = ends.to;
    sample.bytes = bytes;
    sample.elapsed_s = elapsed_s;
    if (pattern != measure::Pattern::kPing) {
        sample.unknown.set("timing", "one_way");  // no acknowledgement is part of these times
    }
    return sample;
}

measure::Sample make_steady(measure::Pattern pattern,
                            const Ends& ends,
                            double bytes,
                            double seconds) {
    measure::Sample sample = make_sample(pattern, ends, bytes, seconds);
    sample.transport = "tcp";
    sample.unknown.set("timing", "echo").set("steady", true);
    return sample;
}

measure::Sample make_ping(const Ends& ends, double round_trip_s) {
    return make_sample(measure::Pattern::kPing, ends, 1, round_trip_s);
}

void add_summary(std::vector<measure::Sample>& samples,
                 measure::Sample sample,
                 std::optional<double> least_s,
                 double middle_s,
                 std::optional<double> most_s) {
    const bool spread =
        least_s && most_s && *least_s > 0 && *least_s <= middle_s && middle_s <= *most_s;
    const std::vector<double> times =
        spread ? std::vector{*least_s, middle_s, *most_s} : std::vector{middle_s};
    for (std::size_t i = 0; i < times.size(); ++i) {
        sample.elapsed_s = times[i];
        sample.rep = static_cast<int>(i);
        samples.push_back(sample);
    }
}

bool plausible(double bytes, double elapsed_s, int line, const Report& report) {
    if (!(elapsed_s > 0) || elapsed_s > kMostSeconds) {
        report.at(line,
                  fmt::format("a message takes {} s", elapsed_s),
                  "a time must be above 0 and at most 10^6 s");
        return false;
    }
    if (!(bytes >= 0) || bytes > kMostBytes) {
        report.at(line,
                  fmt::format("a message has {} bytes", bytes),
                  "a size must be from 0 to 10^15 bytes");
        return false;
    }
    return true;
}

measure::HostRecord& host_of(measure::Raw& raw, const std::string& id) {
    const auto found = std::ranges::find(raw.hosts, id, &measure::HostRecord::id);
    if (found != raw.hosts.end()) {
        return *found;
    }
    raw.hosts.emplace_back();
    raw.hosts.back().id = id;
    return raw.hosts.back();
}

void note(Imported& imported, std::string text) {
    if (std::ranges::find(imported.notes, text) == imported.notes.end()) {
        imported.notes.push_back(std::move(text));
    }
}

core::Result<Imported> read_each(std::string_view format,
                                 std::span<const SourceText> files,
                                 const ImportOptions& options,
                                 FileReader read) {
    Imported imported;
    core::Diagnostics problems;
    for (const SourceText& file : files) {
        const Report report(file.name, problems);
        const std::size_t samples = imported.raw.samples.size();
        const std::size_t known = problems.size();
        read(file, options, imported, report);
        for (std::size_t i = samples; i < imported.raw.samples.size(); ++i) {
            measure::Sample& sample = imported.raw.samples[i];
            if (sample.from.empty() || sample.to.empty()) {
                report.whole("a measurement names no sender or no receiver",
                             "every end needs a name");
                break;
            }
            if (const auto number = implausible(sample)) {
                report.whole(fmt::format("the measurement of {} to {} has the number {}",
                                         core::shown(sample.from),
                                         core::shown(sample.to),
                                         *number),
                             "times are from 1 ps to 10^6 s, sizes from 0 to 10^15 bytes");
                break;
            }
            sample.task = sample.task.empty() ? fmt::format("{}:{}", format, file.name)
                                              : std::move(sample.task);
        }
        if (problems.size() == known && imported.raw.samples.size() == samples &&
            imported.raw.hosts.empty()) {
            report.whole("holds no measurement", "give the output of a run that ended well");
        }
    }
    if (!problems.empty()) {
        return tl::unexpected(std::move(problems));
    }
    add_hosts(imported.raw);
    return imported;
}

core::Result<Imported> as_fabric(fabric::FabricParts parts,
                                 const std::string& file,
                                 std::vector<std::string> notes) {
    core::Result<fabric::Fabric> fabric = fabric::Fabric::make(std::move(parts), file);
    if (!fabric) {
        return tl::unexpected(std::move(fabric.error()));
    }
    Imported imported;
    imported.fabric = std::move(*fabric);
    imported.notes = std::move(notes);
    return imported;
}

}  // namespace longhaul::interchange::detail
