// For tests: what stands in an SVG text, and where.
#pragma once

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "longhaul/report/labels.hpp"

namespace longhaul::report::detail {

inline std::size_t count_of(std::string_view text, std::string_view part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string_view::npos;
         at = text.find(part, at + 1)) {
        ++count;
    }
    return count;
}

/// All elements of a kind, each from its "<" to the end of its line.
inline std::vector<std::string> elements(std::string_view svg, std::string_view kind) {
    std::vector<std::string> found;
    const std::string start = "<" + std::string(kind) + " ";
    for (std::size_t at = svg.find(start); at != std::string_view::npos;
         at = svg.find(start, at + 1)) {
        found.emplace_back(svg.substr(at, svg.find('\n', at) - at));
    }
    return found;
}

inline std::string attribute(const std::string& element, const std::string& name) {
    const std::size_t at = element.find(" " + name + "=\"");
    if (at == std::string::npos) {
        return "";
    }
    const std::size_t begin = at + name.size() + 3;
    return element.substr(begin, element.find('"', begin) - begin);
}

inline double number_of(const std::string& element, const std::string& name) {
    return std::strtod(attribute(element, name).c_str(), nullptr);
}

/// What a text element shows, as it is escaped.
inline std::string shown(const std::string& text_element) {
    const std::size_t begin = text_element.find('>') + 1;
    return text_element.substr(begin, text_element.find('<', begin) - begin);
}

/// The box of a text that is not turned; its texts must need no escapes.
inline Box box_of(const std::string& text_element) {
    const double size = number_of(text_element, "font-size");
    const double width = text_extent(shown(text_element), size);
    const std::string anchor = attribute(text_element, "text-anchor");
    const double left = number_of(text_element, "x") - (anchor == "end"      ? width
                                                        : anchor == "middle" ? width / 2
                                                                             : 0);
    const double baseline = number_of(text_element, "y");
    return {left, baseline - 0.8 * size, left + width, baseline + 0.2 * size};
}

/// Pairs of texts that overlap, turned ones left out.
inline std::vector<std::string> overlapping_texts(std::string_view svg) {
    std::vector<std::string> level;
    for (const std::string& text : elements(svg, "text")) {
        if (attribute(text, "transform").empty()) {
            level.push_back(text);
        }
    }
    std::vector<std::string> found;
    for (std::size_t i = 0; i < level.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            if (overlap(box_of(level[i]), box_of(level[j]))) {
                found.push_back(shown(level[j]) + " | " + shown(level[i]));
            }
        }
    }
    return found;
}

/// Texts that reach beyond the picture, turned ones left out.
inline std::vector<std::string> cut_off_texts(const std::string& svg) {
    const std::string head = svg.substr(0, svg.find('>'));
    const double width = number_of(head, "width");
    const double height = number_of(head, "height");
    std::vector<std::string> found;
    for (const std::string& text : elements(svg, "text")) {
        const Box box = box_of(text);
        if (attribute(text, "transform").empty() &&
            (box.left < 0 || box.top < 0 || box.right > width || box.bottom > height)) {
            found.push_back(shown(text));
        }
    }
    return found;
}

/// Names that try to break a picture: markup, controls, bad UTF-8, long ones that differ at the
/// end.
inline std::vector<std::string> hostile_names() {
    return {"</text><script>alert(1)</script>",
            "\"quoted\" & 'more'",
            std::string("nul\0inside", 10),
            "\xFF\xFE bad",
            "a-name-that-is-far-too-long-for-any-picture-number-1",
            "a-name-that-is-far-too-long-for-any-picture-number-2",
            "",
            "\xE6\x9D\xB1\xE4\xBA\xAC"};
}

}  // namespace longhaul::report::detail
