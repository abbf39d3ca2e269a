#include "longhaul/measure/crossings.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <utility>

namespace longhaul::measure {
namespace {

using Members = std::vector<int>;

/// Hosts of each site, sites in the order of their first hosts.
std::vector<Members> members_of_sites(const std::vector<CampaignHost>& hosts) {
    std::vector<std::string> names;
    std::vector<Members> sites;
    for (std::size_t i = 0; i < hosts.size(); ++i) {
        if (hosts[i].site.empty()) {
            continue;
        }
        const auto known = std::ranges::find(names, hosts[i].site);
        const auto site = static_cast<std::size_t>(known - names.begin());
        if (known == names.end()) {
            names.push_back(hosts[i].site);
            sites.emplace_back();
        }
        sites[site].push_back(static_cast<int>(i));
    }
    return sites;
}

/// Transfers at once of which `most` are possible, ascending.
std::set<int> widths_up_to(int most, const std::vector<int>& asked) {
    std::set<int> widths(asked.begin(), asked.end());
    for (int width = 2; asked.empty() && width < most; width *= 2) {
        widths.insert(width);
    }
    if (asked.empty()) {
        widths.insert(most);
    }
    std::erase_if(widths, [&](int width) { return width < 2 || width > most; });
    return widths;
}

class CrossingMaker {
public:
    CrossingMaker(const std::vector<CampaignHost>& hosts, const std::vector<int>& widths)
        : sites_(members_of_sites(hosts)), widths_(widths) {}

    std::vector<std::vector<int>> make() {
        for (std::size_t a = 0; a < sites_.size(); ++a) {
            for (std::size_t b = 0; b < sites_.size(); ++b) {
                if (a != b) {
                    add_between(sites_[a], sites_[b], a < b);
                }
            }
        }
        for (std::size_t a = 0; a < sites_.size(); ++a) {
            add_star(a, true);
            add_star(a, false);
        }
        return std::move(sets_);
    }

private:
    void add(std::vector<int> ends) {
        if (std::ranges::find(sets_, ends) == sets_.end()) {
            sets_.push_back(std::move(ends));
        }
    }

    /// By the first hosts of both sites, or by the last.
    void add_between(const Members& from, const Members& to, bool first) {
        const auto most = static_cast<int>(std::min(from.size(), to.size()));
        for (const int width : widths_up_to(most, widths_)) {
            const auto count = static_cast<std::size_t>(width);
            std::vector<int> ends;
            for (std::size_t i = 0; i < count; ++i) {
                ends.push_back(from[first ? i : from.size() - count + i]);
                ends.push_back(to[first ? i : to.size() - count + i]);
            }
            add(std::move(ends));
        }
    }

    /// Each host of a site with a host of another site.
    void add_star(std::size_t center, bool out) {
        const int widest =
            widths_.empty() ? std::numeric_limits<int>::max() : *std::ranges::max_element(widths_);
        std::vector<int> ends;
        int width = 0;
        for (std::size_t other = 0; other < sites_.size() && width < widest; ++other) {
            const auto next = static_cast<std::size_t>(width);
            if (other == center || next >= sites_[center].size()) {
                continue;
            }
            const int inside = sites_[center][next];
            const int outside = sites_[other].front();
            ends.push_back(out ? inside : outside);
            ends.push_back(out ? outside : inside);
            ++width;
        }
        if (width >= 2) {
            add(std::move(ends));
        }
    }

    std::vector<Members> sites_;
    const std::vector<int>& widths_;
    std::vector<std::vector<int>> sets_;
};

}  // namespace

std::vector<std::vector<int>> crossings(const std::vector<CampaignHost>& hosts,
                                        const std::vector<int>& widths) {
    return CrossingMaker(hosts, widths).make();
}

}  // namespace longhaul::measure
