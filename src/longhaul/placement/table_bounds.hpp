// Lower bounds of the path of stages when some stages of a table are chosen and the devices of the
// others are known.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "longhaul/placement/stage_list.hpp"

namespace longhaul::placement {

/// The caller chooses stages and takes them back in reverse order.
///
/// A segment is a longest run of stages whose edges are unbroken at a level. A path with s segments
/// has s - 1 broken edges there. Chosen stages of different profiles lie in different segments,
/// every stage beyond its reach is one of its own, and the rest adds segments when it is no sum of
/// known profiles, or when the known ones hold too few devices of a component to begin all the
/// paths that cover it. Source: docs/mathematics/placement.md, "Branch and bound".
class TableBounds {
public:
    TableBounds(const TableModel& model, Shape shape, const std::vector<int>& sizes);

    [[nodiscard]] const Profile& all() const { return all_; }
    /// Length of any path.
    [[nodiscard]] double root() { return path(all_, shape_.pp); }

    /// Length of the path, at least, when `left` more stages hold the rest and none of them equals
    /// a chosen one. Costly parts are left out where they cannot lift the length to `enough`.
    [[nodiscard]] double path(const Profile& rest,
                              int left,
                              double enough = std::numeric_limits<double>::infinity());

    /// The same when all stages are chosen and these are the edges of a minimum spanning tree over
    /// them, ascending: as many edges of any path are above a threshold. At least path().
    [[nodiscard]] double path_with(std::span<const double> tree);

    /// The largest join with which another stage leaves the path below `budget`; -1 when none does.
    [[nodiscard]] int largest_join(double budget) const;

    /// Takes stage i for `times` stages. The list must outlive the choice.
    void choose(const StageList& stages, int i, int times);
    void unchoose();

    struct Chosen {
        int stage = 0;
        int times = 0;
        int join = 0;   ///< with the stages before it
        int alive = 0;  ///< first level at which it has an unbroken edge
        StageCounts counts{};
    };
    [[nodiscard]] const std::vector<Chosen>& chosen() const { return chosen_; }

private:
    /// Different profiles of chosen stages under one component structure.
    struct Structure {
        std::size_t first_level = 0;
        std::vector<Profile> profiles;
        std::vector<char> added;  // whether each choice added a profile
    };
    [[nodiscard]] int root_breaks(std::size_t l);
    [[nodiscard]] int isolated_stages(std::size_t l, const Profile& rest) const;
    [[nodiscard]] int new_profiles(const Structure& structure, const Profile& rest, int left);
    enum class Profiles { kFewest, kMost, kCounted };
    /// Length of the path with the profiles that the rest adds taken at their extremes or counted.
    [[nodiscard]] double length(const Profile& rest, int left, Profiles profiles);
    [[nodiscard]] int uncovered(std::size_t l, const Profile& rest, int left) const;
    void mark(const Chosen& choice, int sign);

    const std::vector<PathLevel>& levels_;
    Shape shape_;
    std::size_t k_;
    Profile all_{};
    ProfileCounter counter_;
    double cheapest_ = 0;
    double base_ = 0;                        // all edges at the cheapest pair
    std::vector<std::size_t> structure_of_;  // by level
    std::vector<Structure> structures_;
    std::vector<char> needs_cover_;  // by level: whether some component needs several paths
    std::vector<int> root_breaks_;   // by level
    std::vector<int> segments_;      // by level
    std::vector<int> live_groups_;   // by level
    std::vector<Profile> begun_;     // by level: paths of each component that segments begin
    std::vector<int> breaks_;        // by level, of the last path
    std::vector<Chosen> chosen_;
};

}  // namespace longhaul::placement
