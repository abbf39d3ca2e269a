// Fabrics of the rows: shipped ones, and those that are made here.
#pragma once

#include <string>

#include "longhaul/fabric/fabric.hpp"

namespace longhaul::bench {

/// Whole file, or a diagnostic that names it.
[[nodiscard]] core::Result<std::string> read_text(const std::string& path);

/// `name` is a file of the folder fabrics/, or
///     uneven         Table 2 with 12, 4, 8, 8, 10, 6, 8, 8 devices in its regions
///     noise SEED     Table 2, delay and rate of every ordered pair times a factor in [0.9, 1.1)
///     globe R D      R regions of D devices on a globe (detail/globe.hpp)
[[nodiscard]] core::Result<fabric::Fabric> make_fabric(const std::string& source_folder,
                                                       const std::string& name);

}  // namespace longhaul::bench
