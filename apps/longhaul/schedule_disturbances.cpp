#include "longhaul/schedule_disturbances.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "longhaul/schedule/schedule_file.hpp"

namespace longhaul::app {
namespace {

using core::shown;
using What = schedule::Outage::What;

constexpr double kLatestMs = 1e12;

constexpr std::pair<std::string_view, What> kKinds[] = {
    {"link", What::kLink},
    {"island", What::kIsland},
    {"aggregator-closed", What::kAggregatorClosed},
    {"aggregator-open", What::kAggregatorOpen},
};

/// A time in ms; `end` is never.
std::optional<double> time_of(const std::string& text) {
    if (text == "end") {
        return std::numeric_limits<double>::infinity();
    }
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    const bool good = end != text.c_str() && *end == '\0' && value >= 0 && value <= kLatestMs;
    return good ? std::optional(value) : std::nullopt;
}

class Reader {
public:
    Reader(const schedule::Islands& islands, schedule::SimulationOptions& options)
        : islands_(islands), options_(options), links_(schedule::link_names(islands)) {}

    void outage(const std::string& text) {
        const std::size_t last = text.rfind(':');
        const std::size_t middle = last == 0 ? std::string::npos : text.rfind(':', last - 1);
        const std::size_t first = text.find(':');
        if (middle == std::string::npos || last == std::string::npos || first >= middle) {
            report("--outage", shown(text), "KIND:WHAT:FROM:TO, such as island:SIN:0:500");
            return;
        }
        const std::string kind = text.substr(0, first);
        const std::string what = text.substr(first + 1, middle - first - 1);
        const auto from = time_of(text.substr(middle + 1, last - middle - 1));
        const auto to = time_of(text.substr(last + 1));
        const auto* const found = std::ranges::find(
            kKinds, std::string_view(kind), &std::pair<std::string_view, What>::first);
        if (found == std::end(kKinds)) {
            report("--outage",
                   "no kind " + shown(kind),
                   "one of link, island, aggregator-closed, aggregator-open");
        } else if (!from || !std::isfinite(*from) || !to || *to <= *from) {
            report("--outage",
                   "times of " + shown(text),
                   fmt::format("ms from the start of the run, 0 to {:g}, and later ones or end",
                               kLatestMs));
        } else {
            for (const std::uint32_t index : hit(found->second, what)) {
                options_.outages.push_back({found->second, index, *from, *to});
            }
        }
    }

    void change(const std::string& text, bool joins) {
        const char* option = joins ? "--join" : "--leave";
        const std::size_t at = text.rfind('@');
        int round = 0;
        if (at != std::string::npos) {
            const char* const end = text.data() + text.size();
            const auto [rest, error] = std::from_chars(text.data() + at + 1, end, round);
            round = error == std::errc() && rest == end ? round : 0;
        }
        if (round < 1 || round > options_.rounds) {
            report(option,
                   shown(text),
                   fmt::format("ISLAND@ROUND, with a round from 1 to {}", options_.rounds));
            return;
        }
        const std::string name = text.substr(0, at);
        if (const auto island = islands_.find(name)) {
            options_.changes.push_back({round - 1, *island, joins});
        } else {
            no_island(option, name);
        }
    }

    core::Diagnostics problems;

private:
    void report(const char* option, std::string what, std::string fix) {
        problems.push_back({"", option, std::move(what), std::move(fix)});
    }

    void no_island(const char* option, const std::string& name) {
        report(option, shown(name) + " is no island", "a name of " + islands_.file);
    }

    /// Links or islands of that name; "A<>B" are the links of both directions.
    std::vector<std::uint32_t> hit(What kind, const std::string& name) {
        if (kind != What::kLink) {
            if (const auto island = islands_.find(name)) {
                return {static_cast<std::uint32_t>(*island)};
            }
            no_island("--outage", name);
            return {};
        }
        std::vector<std::string> wanted = {name};
        if (const std::size_t both = name.find("<>"); both != std::string::npos) {
            const std::string a = name.substr(0, both);
            const std::string b = name.substr(both + 2);
            wanted = {fmt::format("{}>{}", a, b), fmt::format("{}>{}", b, a)};
        }
        std::vector<std::uint32_t> found;
        for (const std::string& one : wanted) {
            const auto at = std::ranges::find(links_, one);
            if (at == links_.end()) {
                report("--outage",
                       shown(one) + " is no link",
                       "FROM>TO, or A<>B for both directions, a link of " + islands_.file);
                return {};
            }
            found.push_back(static_cast<std::uint32_t>(at - links_.begin()));
        }
        return found;
    }

    const schedule::Islands& islands_;
    schedule::SimulationOptions& options_;
    std::vector<std::string> links_;
};

}  // namespace

core::Result<void> add_disturbances(const Disturbances& typed,
                                    const schedule::Islands& islands,
                                    schedule::SimulationOptions& options) {
    Reader reader(islands, options);
    for (const std::string& text : typed.outages) {
        reader.outage(text);
    }
    for (const std::string& text : typed.joins) {
        reader.change(text, true);
    }
    for (const std::string& text : typed.leaves) {
        reader.change(text, false);
    }
    if (!reader.problems.empty()) {
        return tl::unexpected(std::move(reader.problems));
    }
    return {};
}

}  // namespace longhaul::app
