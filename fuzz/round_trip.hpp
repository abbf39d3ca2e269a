// What must hold for any bytes at all: a reader gives either problems that fit on a line each, or a
// tree that is written as JSON and reads back equal.
#pragma once

#include <string>
#include <string_view>

#include "longhaul/core/document.hpp"

namespace longhaul::fuzz {

using Parser = core::Result<core::Document> (*)(std::string_view, std::string_view);

/// Whether each problem is one line of text, and there is one.
inline bool clear_problems(const core::Diagnostics& problems) {
    for (const core::Diagnostic& problem : problems) {
        const std::string line = core::to_string(problem);
        if (line.find('\n') != std::string::npos || line.size() > 1500 ||
            core::first_invalid_utf8(line) != std::string_view::npos) {
            return false;
        }
    }
    return !problems.empty();
}

/// Empty when all holds, else what does not.
inline std::string broken_promise(Parser parse, std::string_view text) {
    const auto document = parse(text, "input");
    if (!document) {
        return clear_problems(document.error()) ? "" : "problems that are not lines of text";
    }
    const std::string written = core::write_json(document->root);
    const auto back = core::parse_json(written, "written");
    if (!back) {
        return "what was written does not read: " + core::to_string(back.error().front());
    }
    return core::same_content(document->root, back->root) ? ""
                                                          : "what was written reads back other";
}

}  // namespace longhaul::fuzz
