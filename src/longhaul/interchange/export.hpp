// A fabric in the formats of other tools. Most of them say less than a fabric does: each export
// says how much is lost.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "longhaul/core/diagnostic.hpp"
#include "longhaul/fabric/fabric.hpp"

namespace longhaul::interchange {

struct Exported {
    std::string text;
    std::vector<std::string> notes;  ///< what the format cannot say, with figures
};

struct ExportFormat {
    std::string_view name;   ///< as typed: "simgrid"
    std::string_view files;  ///< what is written
    std::string_view loss;   ///< what the format cannot say; "" when it says all
    core::Result<Exported> (*write)(const fabric::Fabric& fabric,
                                    const std::string& name) = nullptr;
};

/// All formats, in the order of the documentation (docs/formats/imports.md).
[[nodiscard]] std::span<const ExportFormat> export_formats();

/// The format of that name; nullptr when there is none.
[[nodiscard]] const ExportFormat* find_export_format(std::string_view name);

/// How far a fabric is from another over the same devices: the ratio of the transfer times
/// alpha + 8 bytes / beta of one message, larger over smaller, over all ordered pairs.
struct Loss {
    double median = 1;
    double most = 1;
};

/// O(devices^2 log devices).
[[nodiscard]] Loss loss_of(const fabric::Fabric& fabric,
                           const fabric::PairMatrix& alpha_ms,
                           const fabric::PairMatrix& beta_gbps,
                           double bytes);

}  // namespace longhaul::interchange
