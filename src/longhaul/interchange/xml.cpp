#include "longhaul/interchange/detail/xml.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <pugixml.hpp>

namespace longhaul::interchange::detail {
namespace {

/// Line of a byte, from the places where lines start.
class Lines {
public:
    explicit Lines(std::string_view text) {
        for (std::size_t i = text.find('\n'); i != std::string_view::npos;
             i = text.find('\n', i + 1)) {
            ends_.push_back(i);
        }
    }
    [[nodiscard]] int line_of(std::ptrdiff_t offset) const {
        const auto at = static_cast<std::size_t>(std::max<std::ptrdiff_t>(offset, 0));
        return static_cast<int>(std::ranges::lower_bound(ends_, at) - ends_.begin()) + 1;
    }

private:
    std::vector<std::size_t> ends_;
};

/// Copies the tree; false when it is nested too deep.
bool copy(const pugi::xml_node& from,  // NOLINT(misc-no-recursion): at most kMaxXmlDepth deep
          const Lines& lines,
          int depth,
          XmlNode& to) {
    if (depth > kMaxXmlDepth) {
        return false;
    }
    to.name = from.name();
    to.line = lines.line_of(from.offset_debug());
    for (const pugi::xml_attribute& attribute : from.attributes()) {
        to.attributes.emplace_back(attribute.name(), attribute.value());
    }
    for (const pugi::xml_node& child : from.children()) {
        if (child.type() != pugi::node_element) {
            continue;
        }
        to.children.emplace_back();
        if (!copy(child, lines, depth + 1, to.children.back())) {
            return false;
        }
    }
    return true;
}

}  // namespace

std::string_view XmlNode::attribute(std::string_view key) const {
    const auto found =
        std::ranges::find(attributes, key, &std::pair<std::string, std::string>::first);
    return found == attributes.end() ? std::string_view() : std::string_view(found->second);
}

bool XmlNode::has(std::string_view key) const {
    return std::ranges::find(attributes, key, &std::pair<std::string, std::string>::first) !=
           attributes.end();
}

core::Result<XmlNode> parse_xml(std::string_view text, const std::string& name) {
    pugi::xml_document document;
    const pugi::xml_parse_result parsed =
        document.load_buffer(text.data(), text.size(), pugi::parse_default, pugi::encoding_utf8);
    const Lines lines(text);
    if (!parsed) {
        return core::fail({name,
                           fmt::format("line {}", lines.line_of(parsed.offset)),
                           fmt::format("is no well-formed XML: {}", parsed.description()),
                           "give the file as the program wrote it"});
    }
    XmlNode root;
    if (!copy(document.document_element(), lines, 1, root)) {
        return core::fail({name,
                           "",
                           fmt::format("elements are nested deeper than {}", kMaxXmlDepth),
                           "no such file needs more"});
    }
    if (root.name.empty()) {
        return core::fail({name, "", "holds no element", "give an XML file"});
    }
    return root;
}

}  // namespace longhaul::interchange::detail
