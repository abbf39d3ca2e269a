#include "longhaul/core/own_formats.hpp"

#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>

namespace longhaul::core {
namespace {

constexpr std::size_t kLooked = 4096;

/// One format: its name, what the file holds, and how one is had and used.
struct OwnFormat {
    std::string_view name;
    std::string_view what;
    std::string_view source;   ///< "written by ..."
    std::string_view readers;  ///< "read by ..."
};

constexpr std::string_view kAnyFabric =
    "place --fabric, evaluate, fabric, measure check and measure export";
constexpr std::array kFormats{
    OwnFormat{"longhaul.fabric", "a fabric", "measure fit --fabric or measure import", kAnyFabric},
    OwnFormat{"longhaul.regions", "a fabric as a region table", "a person", kAnyFabric},
    OwnFormat{"longhaul.instances", "a fabric as a host-group table", "a person", kAnyFabric},
    OwnFormat{"longhaul.links", "the fits of a campaign", "measure fit -o", "measure check"},
    OwnFormat{"longhaul.raw", "raw measurements", "measure run", "measure fit and measure show"},
    OwnFormat{"longhaul.measure-plan", "the plan of a campaign", "measure plan", "measure run"},
    OwnFormat{"longhaul.measure-hosts", "the hosts of a campaign", "a person", "measure plan"},
    OwnFormat{"longhaul.plan", "a placement", "place -o", "explain, launch, evaluate and simulate"},
    OwnFormat{"longhaul.certificate",
              "a certificate of a bound",
              "place --certificate",
              "evaluate --certificate"},
    OwnFormat{"longhaul.measured-steps", "measured steps", "a training run", "validate"},
    OwnFormat{"longhaul.hosts", "the hosts of a job", "a person", "launch --hosts"},
    OwnFormat{"longhaul.job", "a training job", "a person", "size and place --job"},
    OwnFormat{"longhaul.layers", "times of layers", "a person", "place --layers"},
    OwnFormat{"longhaul.size", "sizes of a job", "size --json", "no command"},
    OwnFormat{"longhaul.topology", "a declared network", "a person", "route and emulate"},
    OwnFormat{"longhaul.routes",
              "compiled routes",
              "route compile",
              "the other commands of route, and emulate"},
    OwnFormat{"longhaul.islands", "a network of islands", "a person", "schedule and advise"},
    OwnFormat{"longhaul.schedule",
              "a schedule of cliques",
              "schedule optimise -o",
              "schedule simulate and schedule run"},
    OwnFormat{"longhaul.flows", "flows over shared links", "a person", "flows"},
    OwnFormat{"longhaul.flow-times", "times of flows", "flows -o", "no command"},
    OwnFormat{"longhaul.wan", "a wide-area network", "a person", "emulate"},
    OwnFormat{
        "longhaul.network", "paths of an emulated network", "emulate --check --json", "no command"},
    OwnFormat{"longhaul.emulation", "the report of an emulation", "emulate -o", "no command"}};

const OwnFormat* find_format(std::string_view name) {
    const auto* found = std::ranges::find(kFormats, name, &OwnFormat::name);
    return found == kFormats.end() ? nullptr : found;
}

std::string_view without_blanks(std::string_view text) {
    const std::size_t start = text.find_first_not_of(" \t\r\n");
    return start == std::string_view::npos ? std::string_view() : text.substr(start);
}

/// The text value of a key that starts at `text`, just behind its name: `: "x"` or `= "x"`.
std::string_view value_behind(std::string_view text) {
    text = without_blanks(text);
    if (!text.starts_with(':') && !text.starts_with('=')) {
        return {};
    }
    text = without_blanks(text.substr(1));
    if (!text.starts_with('"') && !text.starts_with('\'')) {
        return {};
    }
    const std::size_t end = text.find(text.front(), 1);
    return end == std::string_view::npos ? std::string_view() : text.substr(1, end - 1);
}

/// "/1", or nothing: what follows a format in a file that is meant to be read.
bool is_version(std::string_view text) {
    constexpr std::size_t kLongest = 10;
    return text.empty() ||
           (text.size() >= 2 && text.size() <= kLongest &&
            std::ranges::all_of(text.substr(1), [](char c) { return c >= '0' && c <= '9'; }));
}

/// Value of the first key `format` of JSON or TOML text, or "".
std::string_view first_format(std::string_view text) {
    constexpr std::string_view kKey = "format";
    for (std::size_t at = text.find(kKey); at != std::string_view::npos;
         at = text.find(kKey, at + 1)) {
        std::string_view rest = text.substr(at + kKey.size());
        const bool quoted = at > 0 && text[at - 1] == '"' && rest.starts_with('"');
        const bool bare = at == 0 || text[at - 1] == '\n';
        if (!quoted && !bare) {
            continue;
        }
        rest.remove_prefix(quoted ? 1 : 0);
        if (const std::string_view value = value_behind(rest); !value.empty()) {
            return value;
        }
    }
    return {};
}

}  // namespace

Result<void> refuse_other_format(std::string_view text,
                                 std::string_view name,
                                 std::initializer_list<std::string_view> wanted) {
    const std::string_view format = first_format(text.substr(0, kLooked));
    const std::string_view kind = format.substr(0, format.rfind('/'));
    const OwnFormat* found = find_format(kind);
    if (found == nullptr || !is_version(format.substr(kind.size())) ||
        std::ranges::find(wanted, kind) != wanted.end()) {
        return {};
    }
    const OwnFormat* needed = find_format(*wanted.begin());
    std::string fix = fmt::format("needed is {}/1", *wanted.begin());
    if (needed != nullptr) {
        fix += fmt::format(": {}, written by {}", needed->what, needed->source);
    }
    return fail(
        {std::string(name),
         "format",
         fmt::format("this is {}, {}, written by {}; {} {} it",
                     format,
                     found->what,
                     found->source,
                     found->readers,
                     found->readers.find(" and ") == std::string_view::npos ? "reads" : "read"),
         std::move(fix)});
}

}  // namespace longhaul::core
