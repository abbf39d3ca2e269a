// How frameworks number their ranks: mixed radix over the axes of parallelism. A plan is written in
// the order of DT-FM (pipelines are contiguous); a launcher needs the order of its framework.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "longhaul/core/diagnostic.hpp"
#include "longhaul/placement/shape.hpp"

namespace longhaul::launch {

enum class Axis { kStage, kReplica, kTensor, kContext };
inline constexpr std::size_t kAxes = 4;

/// One number an axis, indexed by Axis: sizes of the axes, or coordinates of a rank.
using AxisValues = std::array<int, kAxes>;

/// Sizes of a pp x dp x tp grid; context is 1.
[[nodiscard]] AxisValues axis_sizes(placement::Shape shape);

/// One way to number ranks. rank = sum over the axes of coordinate * product of the sizes of all
/// faster axes.
struct Convention {
    std::string_view name;       ///< what --convention takes
    std::string_view framework;  ///< who numbers so
    std::string_view order;      ///< axes, fastest first, such as "tcrp"; see axes()
    std::string_view formula;    ///< the same as people write it
    std::string_view source;     ///< where this was read

    /// Axes, fastest first, read from `order`.
    [[nodiscard]] std::vector<Axis> axes() const;
};

/// All of them; the first is the order of plans (dt-fm).
[[nodiscard]] std::span<const Convention> conventions();
/// By name, or nullptr.
[[nodiscard]] const Convention* find_convention(std::string_view name);
/// The order of plans: rank = (replica * pp + stage) * tp + tensor. Without tensor groups that is
/// the order of DT-FM.
[[nodiscard]] const Convention& plan_convention(placement::Shape shape = {});

/// How it numbers the ranks of a shape: "replica * pp + stage" or "stage * dp + replica", and with
/// tensor groups the formula of the convention.
[[nodiscard]] std::string_view plan_formula(const Convention& convention, placement::Shape shape);

/// "" when the convention can number a grid of these sizes; else why not: an axis of more than one
/// that it does not have, or a product that overflows.
[[nodiscard]] std::string refuses(const Convention& convention, const AxisValues& sizes);

/// Coordinates of a rank, and back; the sizes must not be refused (asserted). O(axes).
[[nodiscard]] AxisValues coordinates(const Convention& convention,
                                     const AxisValues& sizes,
                                     int rank);
[[nodiscard]] int rank_of(const Convention& convention,
                          const AxisValues& sizes,
                          const AxisValues& coordinates);

/// The same placement with ranks numbered by `to` instead of `from`. rank_map[device] = rank; -1
/// stays as it is. Fails where a convention refuses the sizes. O(devices).
[[nodiscard]] core::Result<std::vector<int>> translate(std::span<const int> rank_map,
                                                       const AxisValues& sizes,
                                                       const Convention& from,
                                                       const Convention& to);

/// Whether both number every rank of these sizes alike. O(product of the sizes).
[[nodiscard]] bool equal_on(const AxisValues& sizes, const Convention& a, const Convention& b);

/// Table for people: name, framework, order, formula, source.
[[nodiscard]] std::string conventions_table();

}  // namespace longhaul::launch
