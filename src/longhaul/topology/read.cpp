#include "longhaul/topology/read.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "longhaul/core/own_formats.hpp"
#include "longhaul/topology/detail/readers.hpp"
#include "longhaul/topology/detail/slot.hpp"

namespace longhaul::topology {
namespace detail {

using core::Cursor;

std::string read_name(const Cursor& place, bool numbered) {
    const auto text = place.string();
    if (!text) {
        return "";
    }
    const bool bad = text->empty() || text->size() > 100 || *text == "*" ||
                     text->find_first_of("/\"") != std::string::npos || !core::is_printable(*text);
    if (bad) {
        place.report("found " + core::shown(*text),
                     "a name has 1 to 100 characters and no slash, quote, line end, control "
                     "character or mark that turns text around");
        return "";
    }
    if (numbered && text->back() >= '0' && text->back() <= '9') {
        place.report("found " + core::shown(*text) + ", which ends in a digit",
                     "members are numbered, so a name ends in a letter");
        return "";
    }
    return *text;
}

double read_latency(const Cursor& table, const std::string& suffix, double fallback) {
    const auto ms = table.find("latency" + suffix + "_ms");
    const auto us = table.find("latency" + suffix + "_us");
    if (ms && us) {
        us->report("the latency is given twice", "give it in ms or in us");
        return fallback;
    }
    if (us) {
        return us->number_in(0, kMostLatencyMs * 1000).value_or(fallback * 1000) / 1000;
    }
    return ms ? ms->number_in(0, kMostLatencyMs).value_or(fallback) : fallback;
}

double read_gbps(const Cursor& table, std::string_view key, double fallback) {
    const auto place = table.find(key);
    return place ? place->number_in(kLeastGbps, kMostGbps).value_or(fallback) : fallback;
}

std::vector<Cursor> read_tables(const Cursor& root, std::string_view key) {
    std::vector<Cursor> tables;
    const auto list = root.find(key);
    if (!list || !list->is_array()) {
        return tables;
    }
    for (std::size_t i = 0; i < list->value().size(); ++i) {
        if (list->item(i).is_object()) {
            tables.push_back(list->item(i));
        }
    }
    return tables;
}

}  // namespace detail

namespace {

using core::Cursor;
using detail::read_gbps;
using detail::read_latency;
using detail::read_name;
using detail::read_tables;
using detail::slot;

struct SiteTable {
    std::string group;  ///< empty: the site is an endpoint
    Cursor table;
};

std::vector<SiteTable> read_sites(const Cursor& root, Declaration& declaration) {
    std::vector<SiteTable> tables;
    for (const Cursor& table : read_tables(root, "site")) {
        table.only_keys({"name", "group", "note"});
        const auto place = table.require("name", "the name of the site");
        const std::string name = place ? read_name(*place, false) : "";
        if (name.empty()) {
            continue;
        }
        if (std::ranges::find(declaration.sites, name, &Site::name) != declaration.sites.end()) {
            place->report("a second site \"" + name + "\"", "give it another name");
            continue;
        }
        SiteTable site{"", table};
        if (const auto group = table.find("group")) {
            site.group = group->string().value_or("");
        }
        declaration.sites.push_back({name, 0});
        tables.push_back(std::move(site));
    }
    return tables;
}

/// Gives every site its chain. Returns whether all are sound.
bool join_chains(const Cursor& root,
                 const std::vector<SiteTable>& sites,
                 const core::Diagnostics& problems,
                 Declaration& declaration) {
    std::vector<std::string> roots;
    for (const SiteTable& site : sites) {
        roots.push_back(site.group);
    }
    detail::Chains chains = detail::read_groups(root, roots);
    declaration.chains = std::move(chains.list);
    if (sites.empty()) {
        if (declaration.chains.empty()) {
            if (problems.empty()) {
                root.report("no groups and no sites", "declare a [[group]], or [[site]] tables");
            }
            return false;
        }
        declaration.sites.push_back({"", 0});
        return true;
    }
    int single = -1;
    bool good = true;
    for (std::size_t s = 0; s < sites.size(); ++s) {
        if (sites[s].group.empty()) {
            if (single < 0) {
                single = static_cast<int>(declaration.chains.size());
                declaration.chains.push_back({"host", {}});
            }
            declaration.sites[s].chain = single;
            continue;
        }
        const auto found = chains.by_root.find(sites[s].group);
        if (found == chains.by_root.end()) {
            if (problems.empty()) {
                sites[s].table.find("group")->report("unknown group " + core::shown(sites[s].group),
                                                     "name a [[group]] of this file");
            }
            good = false;
            continue;
        }
        declaration.sites[s].chain = found->second;
    }
    return good;
}

int site_under(const Cursor& table, std::string_view key, const Declaration& declaration) {
    const auto place = table.require(key, "the name of a site");
    const auto name = place ? place->string() : std::nullopt;
    if (!name) {
        return -1;
    }
    const auto found = std::ranges::find(declaration.sites, *name, &Site::name);
    if (found == declaration.sites.end()) {
        place->report("unknown site " + core::shown(*name), "name a [[site]] of this file");
        return -1;
    }
    return static_cast<int>(found - declaration.sites.begin());
}

void read_wan(const Cursor& root, bool by_latency, Declaration& declaration) {
    for (const Cursor& table : read_tables(root, "link")) {
        table.only_keys({"a",
                         "b",
                         "latency_ms",
                         "latency_us",
                         "latency_back_ms",
                         "latency_back_us",
                         "gbps",
                         "gbps_back",
                         "cost",
                         "note"});
        WanLink link;
        link.a = site_under(table, "a", declaration);
        link.b = site_under(table, "b", declaration);
        if (!table.find("latency_us")) {
            static_cast<void>(table.require("latency_ms", "the one-way latency"));
        }
        static_cast<void>(table.require("gbps", "the rate in each direction"));
        link.forth.latency_ms = read_latency(table, "", 0);
        link.back.latency_ms = read_latency(table, "_back", link.forth.latency_ms);
        link.forth.gbps = read_gbps(table, "gbps", 1);
        link.back.gbps = read_gbps(table, "gbps_back", link.forth.gbps);
        const double us = 1000 * (link.forth.latency_ms + link.back.latency_ms) / 2;
        link.forth.cost = by_latency ? std::max(1, static_cast<int>(std::lround(us))) : 1;
        if (const auto cost = table.find("cost")) {
            link.forth.cost = cost->integer(1, detail::kMostCost).value_or(1);
        }
        link.back.cost = link.forth.cost;
        if (link.a >= 0 && link.a == link.b) {
            table.find("b")->report("a link from a site to itself", "join two sites");
        } else if (link.a >= 0 && link.b >= 0) {
            declaration.wan.push_back(link);
        }
    }
}

bool read_metric(const Cursor& root) {
    const auto place = root.find("metric");
    const auto text = place ? place->string() : std::nullopt;
    if (text && *text != "latency" && *text != "hops") {
        place->report("found " + core::shown(*text), "it must be \"latency\" or \"hops\"");
    }
    return !text || *text == "latency";
}

/// All sites together may be too large where each is not.
void check_total(const Cursor& root, const Declaration& declaration) {
    double nodes = 0;
    for (const Site& site : declaration.sites) {
        nodes += Shape(declaration.chains[slot(site.chain)]).nodes();
    }
    if (nodes > kMostNodes) {
        root.report(fmt::format("its sites have {:.0f} nodes", nodes),
                    fmt::format("at most {}: describe a part of the network", kMostNodes));
    }
}

std::string read_text(const Cursor& root, std::string_view key) {
    const auto place = root.find(key);
    return place ? place->string().value_or("") : "";
}

}  // namespace

core::Result<Topology> read_topology(const core::Document& document) {
    core::Diagnostics problems;
    const Cursor root(document, problems);
    core::check_format(root, "longhaul.topology", 1, true);
    root.only_keys(
        {"format", "name", "provenance", "metric", "group", "site", "link", "exception", "policy"});
    Declaration declaration;
    declaration.file = document.name;
    declaration.source = document.root;
    declaration.name = read_text(root, "name");
    declaration.provenance = read_text(root, "provenance");
    const bool by_latency = read_metric(root);
    const std::vector<SiteTable> sites = read_sites(root, declaration);
    if (root.find("site") && sites.empty() && problems.empty()) {
        root.report("there are no sites", "declare two or more, or none at all");
    }
    const bool sound = join_chains(root, sites, problems, declaration);
    if (!sites.empty()) {
        read_wan(root, by_latency, declaration);
    } else if (const auto link = root.find("link")) {
        link->report("links without sites", "declare [[site]] tables; groups wire themselves");
    }
    if (sound && problems.empty()) {
        check_total(root, declaration);
    }
    if (!problems.empty()) {
        return tl::unexpected(std::move(problems));
    }
    const Topology plain(declaration);
    detail::read_exceptions(root, plain, declaration);
    detail::read_policies(root, plain, declaration);
    if (!problems.empty()) {
        return tl::unexpected(std::move(problems));
    }
    return Topology(std::move(declaration));
}

core::Result<Topology> read_topology(std::string_view text, std::string_view name) {
    if (auto other = core::refuse_other_format(text, name, {"longhaul.topology"}); !other) {
        return tl::unexpected(other.error());
    }
    const core::Result<core::Document> document = core::parse_document(text, name);
    if (!document) {
        return tl::unexpected(document.error());
    }
    return read_topology(*document);
}

}  // namespace longhaul::topology
