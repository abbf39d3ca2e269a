// The coordinates of a chain of nested groups: every node is a role and a few digits, every link a
// class and two nodes that agree in the digits they share. Nothing is stored a node.
//
// Axis l - 1 counts the members of level l, axis `levels + l - 1` its switches of one stripe. A
// switch keeps the digits of the groups around it, and under rails those of the port that it
// serves.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "longhaul/topology/declaration.hpp"

namespace longhaul::topology {

inline constexpr std::size_t kMostLevels = 8;
inline constexpr std::size_t kMostAxes = 2 * kMostLevels;
inline constexpr std::uint32_t kMostNodes = 500'000;
inline constexpr std::uint32_t kMostLinks = 20'000'000;

using Digits = std::array<std::uint32_t, kMostAxes>;

/// Division of numbers below 2^21 by a fixed one, by a multiplication: exact because the error of
/// the factor, below divisor / 2^42, times the number stays below 1 / divisor.
class Divisor {
public:
    static constexpr unsigned kShift = 42;

    Divisor() = default;
    explicit Divisor(std::uint32_t divisor)
        : divisor_(divisor), factor_(((std::uint64_t{1} << kShift) + divisor - 1) / divisor) {}
    [[nodiscard]] std::uint32_t value() const { return divisor_; }
    [[nodiscard]] std::uint32_t quotient(std::uint32_t number) const {
        return static_cast<std::uint32_t>((number * factor_) >> kShift);
    }
    /// quotient(number) = number * factor() >> kShift.
    [[nodiscard]] std::uint64_t factor() const { return factor_; }

private:
    std::uint32_t divisor_ = 1;
    std::uint64_t factor_ = std::uint64_t{1} << kShift;
};

/// Nodes that differ only in their digits.
struct Role {
    /// One digit of a node's index; what decoding needs lies together.
    struct Place {
        std::uint32_t axis = 0;
        Divisor divisor;
    };

    int level = 0;              ///< 0: endpoints; l: switches of level l
    std::vector<int> axes;      ///< most significant first
    std::vector<Place> places;  ///< of the axes, least significant first, without the last
    std::uint32_t count = 1;
    std::uint32_t base = 0;  ///< first local node
};

/// Links of one level: undirected, between nodes of role `low` and role `high`.
struct LinkClass {
    int level = 0;
    Pattern pattern = Pattern::kTree;
    int low = 0;
    int high = 0;                ///< = low without switches
    int axis = 0;                ///< that counts the members
    std::vector<int> up_free;    ///< axes of `high` that `low` lacks
    std::vector<int> down_free;  ///< axes of `low` that `high` lacks
    std::uint32_t base = 0;      ///< first local undirected link
    std::uint32_t count = 0;
    Cable cable;
};

/// Local numbers of one chain: endpoints 0 .. endpoints() - 1, then the switches level by level.
class Shape {
public:
    /// The chain must be sound (see check_chain in read.hpp).
    explicit Shape(Chain chain);

    [[nodiscard]] const Chain& chain() const { return chain_; }
    [[nodiscard]] int levels() const { return static_cast<int>(chain_.levels.size()); }
    [[nodiscard]] const std::vector<Role>& roles() const { return roles_; }
    [[nodiscard]] const std::vector<LinkClass>& classes() const { return classes_; }
    [[nodiscard]] std::uint32_t radix(int axis) const { return divisors_[at(axis)].value(); }
    [[nodiscard]] std::uint32_t endpoints() const { return roles_.front().count; }
    [[nodiscard]] std::uint32_t nodes() const { return nodes_; }
    [[nodiscard]] std::uint32_t links() const { return links_; }  ///< undirected

    /// Role of the ports up of level l (0: the endpoint itself), and the axes that tell them apart.
    [[nodiscard]] int up_role(int level) const { return up_role_[at(level)]; }
    [[nodiscard]] const std::vector<int>& label(int level) const { return label_[at(level)]; }
    /// Whether the outermost level is a dragonfly.
    [[nodiscard]] bool dragonfly() const {
        return !chain_.levels.empty() && chain_.levels.back().pattern == Pattern::kDragonfly;
    }

    [[nodiscard]] int role_of(std::uint32_t node) const {
        std::size_t role = 0;
        while (role + 1 < roles_.size() && node >= roles_[role + 1].base) {
            ++role;
        }
        return static_cast<int>(role);
    }
    /// Digits of the axes of a role; the others are left alone.
    void decode(int role, std::uint32_t index, Digits& digits) const {
        const Role& known = roles_[at(role)];
        for (const Role::Place& place : known.places) {
            const std::uint32_t quotient = place.divisor.quotient(index);
            digits[place.axis] = index - quotient * place.divisor.value();
            index = quotient;
        }
        if (!known.axes.empty()) {
            digits[at(known.axes.front())] = index;
        }
    }
    [[nodiscard]] std::uint32_t encode(int role, const Digits& digits) const {
        std::uint32_t index = 0;
        for (const int axis : roles_[at(role)].axes) {
            index = index * divisors_[at(axis)].value() + digits[at(axis)];
        }
        return index;
    }
    [[nodiscard]] std::uint32_t node(int role, const Digits& digits) const {
        return roles_[at(role)].base + encode(role, digits);
    }

    /// Directed link (2 x undirected + direction) of a class between two neighbours. Direction 0
    /// is up, from the lower to the higher member, or one step forward on a ring.
    [[nodiscard]] std::uint32_t link(const LinkClass& links,
                                     const Digits& from,
                                     const Digits& to,
                                     bool reverse) const;
    /// Dragonfly: the port, as an index of label(levels - 1), with the cable `offset` members on.
    [[nodiscard]] std::uint32_t port_towards(std::uint32_t offset) const {
        return (offset - 1) / chain_.levels.back().cables_per_port;
    }
    /// Digits of the label of level l from an index.
    void decode_label(int level, std::uint32_t index, Digits& digits) const;

    /// Calls visit(undirected link, low or first node, high or second node, class) for all links,
    /// in the order of their numbers. O(links).
    template <class Visit>
    void for_each_link(Visit visit) const {
        for (std::size_t c = 0; c < classes_.size(); ++c) {
            for (std::uint32_t i = 0; i < classes_[c].count; ++i) {
                const auto [a, b] = ends(classes_[c], i);
                visit(classes_[c].base + i, a, b, static_cast<int>(c));
            }
        }
    }
    /// Both ends of the i-th link of a class; `first` is the low end, the smaller member, or the
    /// one that steps forward.
    [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> ends(const LinkClass& links,
                                                               std::uint32_t i) const;
    [[nodiscard]] const LinkClass& class_of(std::uint32_t link) const;

private:
    [[nodiscard]] static std::size_t at(int i) { return static_cast<std::size_t>(i); }
    void add_level(int level);
    void add_role(Role role);
    void add_class(LinkClass links);

    Chain chain_;
    std::array<Divisor, kMostAxes> divisors_{};
    std::vector<Role> roles_;
    std::vector<LinkClass> classes_;
    std::vector<int> up_role_;
    std::vector<std::vector<int>> label_;
    std::uint32_t nodes_ = 0;
    std::uint32_t links_ = 0;
};

}  // namespace longhaul::topology
