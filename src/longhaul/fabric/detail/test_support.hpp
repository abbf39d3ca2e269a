// Shared by the tests of this module; no part of the library.
#pragma once

#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "longhaul/fabric/read.hpp"

namespace longhaul::fabric::testing {

/// Every problem of a refused text, one a line; empty when the text is accepted.
inline std::string refusal(std::string_view text, std::string_view name = "f.json") {
    const core::Result<Fabric> fabric = read_fabric(text, name);
    std::string all;
    if (!fabric) {
        for (const core::Diagnostic& problem : fabric.error()) {
            all += core::to_string(problem) + "\n";
        }
    }
    return all;
}

/// Text of a file of the source tree.
inline std::string source_file(const std::string& path) {
    std::ifstream file(std::string(LONGHAUL_SOURCE_DIR) + "/" + path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// A fabric of the folder fabrics/; throws when it cannot be read.
inline Fabric shipped(const std::string& name) {
    return read_fabric(source_file("fabrics/" + name), name).value();
}

}  // namespace longhaul::fabric::testing
