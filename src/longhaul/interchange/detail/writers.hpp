// The writers of all formats: what the table in export.cpp points to. Format facts:
// docs/formats/imports.md. `name` is the display name of the fabric, for messages.
#pragma once

#include "longhaul/interchange/export.hpp"

namespace longhaul::interchange::detail {

[[nodiscard]] core::Result<Exported> write_fabric(const fabric::Fabric&, const std::string& name);
[[nodiscard]] core::Result<Exported> write_simgrid(const fabric::Fabric&, const std::string& name);
[[nodiscard]] core::Result<Exported> write_astra(const fabric::Fabric&, const std::string& name);
[[nodiscard]] core::Result<Exported> write_hpcc(const fabric::Fabric&, const std::string& name);
[[nodiscard]] core::Result<Exported> write_loggops(const fabric::Fabric&, const std::string& name);

/// "1.31x (median), 4.2x (worst pair) for a message of 1 MB".
[[nodiscard]] std::string loss_text(const fabric::Fabric& fabric,
                                    const fabric::PairMatrix& alpha_ms,
                                    const fabric::PairMatrix& beta_gbps);

/// Fails when the fabric has more devices than a format with a line a pair can hold.
[[nodiscard]] core::Result<void> few_enough(const fabric::Fabric& fabric,
                                            const std::string& name,
                                            std::size_t most);

/// Text made fit for an XML attribute.
[[nodiscard]] std::string xml_escaped(std::string_view text);

}  // namespace longhaul::interchange::detail
