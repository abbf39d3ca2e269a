#include "longhaul/placement/plain.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace longhaul::placement {

std::string beyond_links(const Terms& terms, Shape shape) {
    std::vector<std::string> names;
    if (terms.objective != Objective::kAdditive) {
        names.emplace_back("the pipelined objective");
    }
    if (terms.exchange != Exchange::kSharded) {
        names.push_back("the " + std::string(name_of(terms.exchange)) + " exchange");
    }
    if (shape.tp > 1) {
        names.emplace_back("tensor groups");
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

std::string beyond_links(const Problem& problem) {
    std::string text = beyond_links(problem.terms, problem.shape);
    for (const auto& [there, name] : {std::pair{!problem.shared.empty(), "shared capacity"},
                                      {has_compute(problem), "compute times"}}) {
        text += there ? (text.empty() ? "" : ", ") + std::string(name) : std::string();
    }
    return text;
}

core::Result<void> require_plain(const Problem& problem, const std::string& option) {
    if (const std::string beyond = beyond_links(problem); !beyond.empty()) {
        return core::fail(
            {"", option, "does not count " + beyond, "leave that out, or place without " + option});
    }
    if (problem.devices() != problem.shape.devices()) {
        return core::fail({"",
                           option,
                           fmt::format("the fabric has {} devices for {} places",
                                       problem.devices(),
                                       problem.shape.devices()),
                           "take devices out of the fabric, or place without " + option});
    }
    return {};
}

}  // namespace longhaul::placement
