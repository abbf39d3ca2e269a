// Building raw records from what other programs report.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "longhaul/interchange/detail/text.hpp"

namespace longhaul::interchange::detail {

/// The two ends of a measurement whose file names none.
struct Ends {
    std::string from;
    std::string to;
};

/// Those of the options, else these names. Both ends equal is a problem of the file.
[[nodiscard]] Ends ends_of(const ImportOptions& options,
                           std::string_view from,
                           std::string_view to,
                           const Report& report);

/// One message, with what the importers have in common filled in.
[[nodiscard]] measure::Sample make_sample(measure::Pattern pattern,
                                          const Ends& ends,
                                          double bytes,
                                          double elapsed_s);

/// A steady rate, kept as the bytes of a time. Its start-up is in no number, so it counts as an
/// echo: fits then take alpha from round trips ("timing").
[[nodiscard]] measure::Sample make_steady(measure::Pattern pattern,
                                          const Ends& ends,
                                          double bytes,
                                          double seconds);

/// The whole round trip of a ping, seconds.
[[nodiscard]] measure::Sample make_ping(const Ends& ends, double round_trip_s);

/// Samples whose least and middle are those of a summary. What only a summary says (least, mean or
/// median, most) becomes three samples with the same least, median and most; without `least` and
/// `most` it is one.
void add_summary(std::vector<measure::Sample>& samples,
                 measure::Sample sample,
                 std::optional<double> least_s,
                 double middle_s,
                 std::optional<double> most_s);

/// Whether a time and a size can be those of a message: 0 < time <= 10^6 s, 0 <= size <= 10^15.
/// Reports what is wrong.
[[nodiscard]] bool plausible(double bytes, double elapsed_s, int line, const Report& report);

/// Adds a host of that id unless it is there; returns it.
measure::HostRecord& host_of(measure::Raw& raw, const std::string& id);

/// Adds a note unless it is there.
void note(Imported& imported, std::string text);

using FileReader = void (*)(const SourceText& file,
                            const ImportOptions& options,
                            Imported& imported,
                            const Report& report);

/// Reads files one after the other. Samples without task get "format:file". Hosts get a record.
[[nodiscard]] core::Result<Imported> read_each(std::string_view format,
                                               std::span<const SourceText> files,
                                               const ImportOptions& options,
                                               FileReader read);

/// The fabric of these parts: problems have the file's name.
[[nodiscard]] core::Result<Imported> as_fabric(fabric::FabricParts parts,
                                               const std::string& file,
                                               std::vector<std::string> notes);

}  // namespace longhaul::interchange::detail
