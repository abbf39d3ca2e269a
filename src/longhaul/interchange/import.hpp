// What users already have: outputs of benchmarks, tables and platforms of other tools, read as raw
// measurements, as fabrics, or as groups of devices that share something.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "longhaul/core/diagnostic.hpp"
#include "longhaul/fabric/fabric.hpp"
#include "longhaul/measure/raw.hpp"

namespace longhaul::interchange {

/// A file as read, and how messages name it.
struct SourceText {
    std::string name;
    std::string text;
};

/// What a file does not say itself. Empty means: as the format has it.
struct ImportOptions {
    std::string from;  ///< end that sends, where the file names none
    std::string to;    ///< end that receives
    std::string test;  ///< of nccl-tests whose log does not name it: "sendrecv", "gather", ...
    std::string unit;  ///< unit of bandwidths: "gbit", "gibit", "mib", "gb", "gib"
    std::optional<int> devices;  ///< devices a region, of tables of regions; 1 unless given
};

/// What a file held. Raw measurements and groups are in `raw`, matrices in `fabric`.
struct Imported {
    measure::Raw raw;
    std::optional<fabric::Fabric> fabric;
    std::vector<std::string> notes;  ///< what the numbers are and are not; what was left out
};

enum class Gives {
    kSamples,  ///< raw measurements: fit them
    kFabric,   ///< a fabric
    kGroups,   ///< hosts with the groups that they share; no alpha and no beta
};

/// One format that can be read.
struct ImportFormat {
    std::string_view name;       ///< as typed: "iperf3"
    std::string_view files;      ///< what its files are
    std::string_view alpha;      ///< where alpha comes from; "" when the format has none
    std::string_view beta;       ///< the same of beta
    std::string_view direction;  ///< which directions it tells apart
    std::string_view options;    ///< those that it uses, such as "--from --to"; "" for none
    Gives gives = Gives::kSamples;
    core::Result<Imported> (*read)(std::span<const SourceText> files,
                                   const ImportOptions& options) = nullptr;
};

/// All formats, in the order of the documentation (docs/formats/imports.md).
[[nodiscard]] std::span<const ImportFormat> import_formats();

/// The format of that name; nullptr when there is none.
[[nodiscard]] const ImportFormat* find_import_format(std::string_view name);

/// Reads files of one format. Options that it does not use are refused. Every problem of a file has
/// its file and line. Formats that give a fabric take
/// one file; those that give samples or groups take several. O(size), fabrics O(devices^2 hops).
[[nodiscard]] core::Result<Imported> import_files(const ImportFormat& format,
                                                  std::span<const SourceText> files,
                                                  const ImportOptions& options);

}  // namespace longhaul::interchange
