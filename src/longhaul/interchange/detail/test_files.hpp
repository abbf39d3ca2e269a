// What the tests of this module share: reading fixtures, importing text.
#pragma once

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "longhaul/interchange/import.hpp"

namespace longhaul::interchange {

inline std::string fixture(const std::string& name) {
    const std::string path = LONGHAUL_SOURCE_DIR "/tests/data/measure/" + name;
    const std::ifstream file(path, std::ios::binary);
    if (!file) {
        throw std::runtime_error("cannot read " + path);
    }
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

inline core::Result<Imported> import_text(const std::string& format,
                                          const std::string& text,
                                          const ImportOptions& options = {}) {
    const SourceText file{"file", text};
    return import_files(*find_import_format(format), {&file, 1}, options);
}

/// All problems as lines; "" when there are none.
inline std::string problems_of(const core::Result<Imported>& imported) {
    std::string lines;
    if (!imported) {
        for (const core::Diagnostic& problem : imported.error()) {
            lines += core::to_string(problem) + "\n";
        }
    }
    return lines;
}

/// Imports a fixture that must be good.
inline Imported good(const std::string& format,
                     const std::string& name,
                     const ImportOptions& options = {}) {
    auto imported = import_text(format, fixture(name), options);
    if (!imported) {
        throw std::runtime_error(problems_of(imported));
    }
    return *std::move(imported);
}

}  // namespace longhaul::interchange
