#include "longhaul/report/schedule_map.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "longhaul/core/assert.hpp"
#include "longhaul/report/labels.hpp"
#include "longhaul/report/palette.hpp"
#include "longhaul/report/places.hpp"

namespace longhaul::report {
namespace {

constexpr double kIslandRadius = 5.5;
constexpr double kTransitRadius = 2;
constexpr double kNameText = 11.5;
constexpr double kNameWidth = 92;  // longer names are shortened

/// One panel, the same for all rounds: where nodes and names are.
struct MapLayout {
    Size size;  ///< of the area with the points
    std::vector<Point> nodes;
    std::vector<std::string> names;
    std::vector<PlacedLabel> labels;
};

std::vector<PlaneLink> plane_links(const ScheduleMap& map) {
    std::vector<PlaneLink> links;
    for (const MapLink& link : map.links) {
        links.push_back({link.a, link.b, link.latency_ms});
    }
    return links;
}

bool places_given(const ScheduleMap& map) {
    const auto finite = [](Point p) { return std::isfinite(p.x) && std::isfinite(p.y); };
    return map.places.size() == map.islands.size() + map.transit &&
           std::ranges::all_of(map.places, finite);
}

/// Places of all nodes, in any unit.
std::vector<Point> rough_places(const ScheduleMap& map) {
    if (places_given(map)) {
        return map.places;
    }
    const std::size_t islands = map.islands.size();
    const std::size_t nodes = islands + map.transit;
    const std::vector<PlaneLink> links = plane_links(map);
    std::vector<Point> places = places_by_distance(path_lengths(nodes, islands, links));
    if (places.empty()) {
        places = places_on_circle(islands);
    }
    places.resize(nodes);
    place_between(places, islands, links);
    return places;
}

/// Nothing when a name does not fit.
bool lay_out(MapLayout& layout, const std::vector<Point>& rough, double stretch, double gap) {
    constexpr double kSide = 30;  // room for hulls and names around the points
    constexpr double kEdge = 18;
    const std::size_t islands = layout.names.size();
    const Size inner{layout.size.width - 2 * kSide, layout.size.height - 2 * kEdge};
    layout.nodes = fitted(rough, inner, gap, stretch);
    for (Point& node : layout.nodes) {
        node = {node.x + kSide, node.y + kEdge};
    }
    auto labels = place_labels(std::span(layout.nodes).first(islands),
                               layout.names,
                               kNameText,
                               kIslandRadius + 1,
                               {3, 3, layout.size.width - 3, layout.size.height - 3});
    if (labels) {
        layout.labels = std::move(*labels);
    }
    return labels.has_value();
}

MapLayout layout_of(const ScheduleMap& map) {
    constexpr double kLeast = 300;
    constexpr double kPerIsland = 58;  // side of the square that an island takes
    constexpr double kGap = 32;
    constexpr double kGrowth = 1.15;
    constexpr int kMostGrowths = 30;  // 66 times as wide: every name lies alone long before
    const std::vector<Point> rough = rough_places(map);
    const double stretch = places_given(map) ? 1 : 2.2;
    MapLayout layout;
    layout.names = shortened_names(map.islands, kNameWidth, kNameText);
    const double side = std::sqrt(static_cast<double>(map.islands.size()));
    double growth = 1;
    for (int k = 0; k <= kMostGrowths; ++k, growth *= kGrowth) {
        const double width = growth * std::max(kLeast, kPerIsland * side);
        layout.size = {width, 0.72 * width};
        if (lay_out(layout, rough, stretch, growth * kGap)) {
            break;
        }
    }
    return layout;
}

class SchedulePicture {
public:
    explicit SchedulePicture(const ScheduleMap& map)
        : map_(map),
          layout_(layout_of(map)),
          columns_(columns_of(map, layout_)),
          caption_(wrapped(caption(map), wide() - 2 * kMargin, 12)),
          svg_(size(), map.title, description(map)) {
        LONGHAUL_ASSERT(!map.islands.empty());
        collect_links();
    }

    std::string draw() {
        const double width = size().width - 2 * kMargin;
        svg_.text({kMargin, 32},
                  shortened(map_.title, 0.9 * width, 18),
                  {.size = 18, .bold = true, .full = map_.title});
        svg_.text({kMargin, 54},
                  shortened(map_.subtitle, width, 13),
                  {.size = 13, .fill = kQuietText, .full = map_.subtitle});
        for (std::size_t k = 0; k < map_.rounds.size(); ++k) {
            panel(k);
        }
        for (std::size_t i = 0; i < caption_.size(); ++i) {
            svg_.text({kMargin,
                       size().height - 14 - kLine * static_cast<double>(caption_.size() - 1 - i)},
                      caption_[i],
                      {.size = 12, .fill = kQuietText});
        }
        return svg_.document();
    }

private:
    static constexpr double kMargin = 24;
    static constexpr double kTop = 72;
    static constexpr double kLine = 17;  // of the caption
    static constexpr double kHead = 26;  // of a panel
    static constexpr double kFoot = 28;
    static constexpr double kSpace = 18;      // between panels
    static constexpr double kWidest = 1280;   // of the picture, unless one panel is wider
    static constexpr double kHullPad = 11.5;  // around the points

    static std::size_t columns_of(const ScheduleMap& map, const MapLayout& layout) {
        const double fit = (kWidest - 2 * kMargin + kSpace) / (layout.size.width + kSpace);
        const auto most = static_cast<std::size_t>(std::max(1.0, std::floor(fit)));
        const std::size_t rounds = std::max<std::size_t>(map.rounds.size(), 1);
        const std::size_t rows = (rounds + most - 1) / most;
        return (rounds + rows - 1) / rows;  // rows about equally full
    }

    [[nodiscard]] std::size_t rows() const {
        return (map_.rounds.size() + columns_ - 1) / columns_;
    }

    [[nodiscard]] double pitch() const { return kHead + layout_.size.height + kFoot + kSpace; }

    [[nodiscard]] double wide() const {
        const auto columns = static_cast<double>(columns_);
        return std::max(2 * kMargin + columns * (layout_.size.width + kSpace) - kSpace, 420.0);
    }

    [[nodiscard]] Size size() const {
        return {wide(),
                kTop + static_cast<double>(rows()) * pitch() + 6 +
                    kLine * static_cast<double>(caption_.size())};
    }

    static std::string caption(const ScheduleMap& map) {
        const bool trees = std::ranges::any_of(
            map.rounds, [](const MapRound& round) { return !round.trees.empty(); });
        std::string text = "Islands of one colour average together; grey ones train alone.";
        if (trees) {
            text += " Coloured lines are the links that their multicast trees use.";
        }
        if (map.common_ms > 0) {
            text += fmt::format(
                " Every round takes {}, as long as the longest; underneath stands what its own "
                "exchange takes.",
                milliseconds(map.common_ms));
        }
        return map.caption.empty() ? text : text + " " + map.caption;
    }

    static std::string description(const ScheduleMap& map) {
        std::string text = fmt::format("{} islands in a period of {} rounds. {}",
                                       map.islands.size(),
                                       map.rounds.size(),
                                       map.subtitle);
        for (std::size_t k = 0; k < map.rounds.size(); ++k) {
            text += fmt::format(" Round {}, {}:", k + 1, milliseconds(map.rounds[k].time_ms));
            for (const auto& clique : map.rounds[k].cliques) {
                text += " {";
                for (std::size_t i = 0; i < clique.size(); ++i) {
                    text += (i == 0 ? "" : ", ") + map.islands[static_cast<std::size_t>(clique[i])];
                }
                text += "}";
            }
            text += ".";
        }
        return text;
    }

    /// Each pair of nodes once.
    void collect_links() {
        std::set<std::pair<std::size_t, std::size_t>> seen;
        for (const MapLink& link : map_.links) {
            LONGHAUL_ASSERT(std::max(link.a, link.b) < layout_.nodes.size());
            const auto pair = std::minmax(link.a, link.b);
            if (link.a != link.b && seen.insert(pair).second) {
                links_.emplace_back(pair);
            }
        }
    }

    void panel(std::size_t k) {
        const double left =
            kMargin + static_cast<double>(k % columns_) * (layout_.size.width + kSpace);
        const double top = kTop + static_cast<double>(k / columns_) * pitch();
        origin_ = {left, top + kHead};
        const MapRound& round = map_.rounds[k];
        svg_.text({left, top + 17}, fmt::format("Round {}", k + 1), {.size = 14, .bold = true});
        svg_.rectangle(origin_, layout_.size, kPanelGround, kHairline, 4);
        for (const auto& [a, b] : links_) {
            svg_.line(node(a), node(b), {.stroke = "#9aa5b1", .width = 1});
        }
        const auto together = cliques_of(round);
        if (round.trees.empty()) {
            areas(together);
            rims(together);
        } else {
            trees(round);
        }
        points(together);
        names();
        const std::string cliques =
            together.size() == 1 ? "1 clique" : fmt::format("{} cliques", together.size());
        svg_.text({left, top + kHead + layout_.size.height + 19},
                  milliseconds(round.time_ms),
                  {.size = 14, .bold = true});
        svg_.text({left + layout_.size.width, top + kHead + layout_.size.height + 19},
                  cliques,
                  {.size = 12, .anchor = "end", .fill = kQuietText});
    }

    [[nodiscard]] Point node(std::size_t i) const {
        return {origin_.x + layout_.nodes[i].x, origin_.y + layout_.nodes[i].y};
    }

    /// The links of the trees, those of one link side by side; links of cliques of one are none.
    void trees(const MapRound& round) {
        constexpr double kWide = 3.2;
        constexpr double kApart = 4.2;
        std::map<std::pair<std::size_t, std::size_t>, std::vector<std::size_t>> users;
        std::size_t colour = 0;
        LONGHAUL_ASSERT(round.trees.size() == round.cliques.size());
        for (std::size_t c = 0; c < round.cliques.size(); ++c) {
            if (round.cliques[c].size() < 2) {
                continue;
            }
            for (const MapUse& use : round.trees[c]) {
                LONGHAUL_ASSERT(std::max(use.a, use.b) < layout_.nodes.size());
                std::vector<std::size_t>& of_link = users[std::minmax(use.a, use.b)];
                if (std::ranges::find(of_link, colour) == of_link.end()) {
                    of_link.push_back(colour);
                }
            }
            ++colour;
        }
        for (const auto& [link, colours] : users) {
            const Point from = node(link.first);
            const Point to = node(link.second);
            const double length = std::max(std::hypot(to.x - from.x, to.y - from.y), 1e-9);
            const Point across{-(to.y - from.y) / length, (to.x - from.x) / length};
            for (std::size_t i = 0; i < colours.size(); ++i) {
                const double shift =
                    kApart * (static_cast<double>(i) - static_cast<double>(colours.size() - 1) / 2);
                svg_.line({from.x + shift * across.x, from.y + shift * across.y},
                          {to.x + shift * across.x, to.y + shift * across.y},
                          {.stroke = group_ink_of(colours[i]),
                           .width = kWide,
                           .dash = dash_of(colours[i], kGroupColours)});
            }
        }
    }

    /// Those of at least two islands.
    static std::vector<std::vector<int>> cliques_of(const MapRound& round) {
        std::vector<std::vector<int>> cliques = round.cliques;
        std::erase_if(cliques, [](const auto& clique) { return clique.size() < 2; });
        return cliques;
    }

    [[nodiscard]] std::vector<Point> hull_of(const std::vector<int>& clique) const {
        std::vector<Point> members;
        for (const int island : clique) {
            members.push_back(node(static_cast<std::size_t>(island)));
        }
        return convex_hull(std::move(members));
    }

    /// Large cliques below small ones.
    void areas(const std::vector<std::vector<int>>& cliques) {
        std::vector<std::size_t> order(cliques.size());
        for (std::size_t i = 0; i < order.size(); ++i) {
            order[i] = i;
        }
        std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
            return cliques[a].size() > cliques[b].size();
        });
        for (const std::size_t i : order) {
            const std::vector<Point> hull = hull_of(cliques[i]);
            // A pale inside and a stronger band, so that cliques can be told where hulls cross.
            if (hull.size() > 2) {
                svg_.polygon(hull, {.fill = group_fill_of(i), .opacity = 0.18});
            }
            svg_.polygon(hull,
                         {.stroke = group_fill_of(i), .width = 2 * kHullPad, .opacity = 0.42});
        }
    }

    void rims(const std::vector<std::vector<int>>& cliques) {
        for (std::size_t i = 0; i < cliques.size(); ++i) {
            svg_.polygon(
                hull_of(cliques[i]),
                {.stroke = group_ink_of(i), .width = 1.8, .dash = dash_of(i, kGroupColours)});
        }
    }

    void points(const std::vector<std::vector<int>>& cliques) {
        std::vector<int> group(map_.islands.size(), -1);
        for (std::size_t i = 0; i < cliques.size(); ++i) {
            for (const int island : cliques[i]) {
                group[static_cast<std::size_t>(island)] = static_cast<int>(i);
            }
        }
        for (std::size_t i = map_.islands.size(); i < layout_.nodes.size(); ++i) {
            svg_.disc(node(i), kTransitRadius, {.fill = kGreyInk});
        }
        for (std::size_t i = 0; i < group.size(); ++i) {
            const auto colour = static_cast<std::size_t>(std::max(group[i], 0));
            const bool alone = group[i] < 0;
            svg_.disc(node(i),
                      kIslandRadius,
                      {.fill = alone ? kNeutral : group_fill_of(colour),
                       .stroke = alone ? kGreyInk : group_ink_of(colour),
                       .width = 1.8});
        }
    }

    void names() {
        for (std::size_t i = 0; i < layout_.labels.size(); ++i) {
            const PlacedLabel& label = layout_.labels[i];
            if (label.leader) {
                const Point end{std::clamp(layout_.nodes[i].x, label.box.left, label.box.right),
                                std::clamp(layout_.nodes[i].y, label.box.top, label.box.bottom)};
                svg_.line(node(i),
                          {origin_.x + end.x, origin_.y + end.y},
                          {.stroke = kGreyInk, .width = 0.8});
            }
        }
        for (std::size_t i = 0; i < layout_.labels.size(); ++i) {
            const Point at = layout_.labels[i].baseline;
            svg_.text({origin_.x + at.x, origin_.y + at.y},
                      layout_.names[i],
                      {.size = kNameText, .halo = true, .full = map_.islands[i]});
        }
    }

    const ScheduleMap& map_;
    MapLayout layout_;
    std::size_t columns_;
    std::vector<std::string> caption_;
    Svg svg_;
    std::vector<std::pair<std::size_t, std::size_t>> links_;
    Point origin_;  ///< of the panel that is drawn
};

}  // namespace

std::string draw(const ScheduleMap& map) {
    return SchedulePicture(map).draw();
}

}  // namespace longhaul::report
