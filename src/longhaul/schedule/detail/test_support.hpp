// For tests: the shipped networks of islands.
#pragma once

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "longhaul/core/assert.hpp"
#include "longhaul/core/document.hpp"
#include "longhaul/schedule/islands.hpp"

namespace longhaul::schedule::detail {

inline Islands shipped_islands(const std::string& file) {
    std::ifstream in(std::string(LONGHAUL_SOURCE_DIR) + "/islands/" + file);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const auto document = core::parse_document(text, file);
    LONGHAUL_ASSERT(document);
    auto islands = read_islands(*document);
    if (!islands) {
        throw std::runtime_error(core::to_string(islands.error().front()));
    }
    return std::move(*islands);
}

}  // namespace longhaul::schedule::detail
