#include "longhaul/launch/convention.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

#include <fmt/format.h>

#include "longhaul/core/assert.hpp"

namespace longhaul::launch {
namespace {

// p stage, r replica, t tensor, c context; P, D, T, C their sizes. Experts of Megatron have a
// second numbering of their own and are not here.
constexpr std::array kConventions = std::to_array<Convention>({
    {"dt-fm",
     "DT-FM; the order of plans",
     "pr",
     "r*P + p",
     "Decentralized Training of Foundation Models, NeurIPS 2022"},
    {"varuna", "Varuna", "pr", "r*P + p", "microsoft/varuna varuna/launcher.py"},
    {"megatron",
     "Megatron-LM, default order tp-cp-ep-dp-pp",
     "tcrp",
     "t + T*(c + C*(r + D*p))",
     "NVIDIA/Megatron-LM megatron/core/parallel_state.py"},
    {"megatron-tp-pp-dp",
     "Megatron-LM with --use-tp-pp-dp-mapping",
     "tcpr",
     "t + T*(c + C*(p + P*r))",
     "NVIDIA/Megatron-LM megatron/training/initialize.py"},
    {"deepspeed-pipe-data",
     "DeepSpeed PipeDataParallelTopology",
     "rp",
     "p*D + r",
     "deepspeedai/DeepSpeed deepspeed/runtime/pipe/topology.py"},
    {"deepspeed-pipe-model-data",
     "DeepSpeed PipeModelDataParallelTopology",
     "trp",
     "(p*D + r)*T + t",
     "deepspeedai/DeepSpeed deepspeed/runtime/pipe/topology.py"},
    {"amp", "AMP", "trp", "t + T*(r + D*p)", "DachengLi1/AMP src/amp_utils.py"},
    {"torchtitan",
     "torchtitan mesh (pp, dp_replicate, dp_shard, cp, tp)",
     "tcrp",
     "((p*D + r)*C + c)*T + t, r = replicate*S + shard",
     "pytorch/torchtitan torchtitan/distributed/parallel_dims.py"},
    {"picotron", "picotron", "tcpr", "((r*P + p)*C + c)*T + t", "huggingface/picotron#17"},
});

constexpr std::string_view kLetters = "prtc";  // in the order of Axis

std::size_t index_of(Axis axis) {
    return static_cast<std::size_t>(axis);
}

}  // namespace

AxisValues axis_sizes(placement::Shape shape) {
    return {shape.pp, shape.dp, shape.tp, 1};
}

std::vector<Axis> Convention::axes() const {
    std::vector<Axis> axes;
    for (const char letter : order) {
        axes.push_back(static_cast<Axis>(kLetters.find(letter)));
    }
    return axes;
}

std::span<const Convention> conventions() {
    return kConventions;
}

const Convention* find_convention(std::string_view name) {
    const auto* found = std::ranges::find(kConventions, name, &Convention::name);
    return found == kConventions.end() ? nullptr : found;
}

const Convention& plan_convention(placement::Shape shape) {
    if (shape.tp == 1) {
        return kConventions.front();
    }
    const Convention* tensor = find_convention("megatron-tp-pp-dp");
    LONGHAUL_ASSERT(tensor != nullptr);
    return *tensor;
}

std::string_view plan_formula(const Convention& convention, placement::Shape shape) {
    if (shape.tp > 1) {
        return convention.formula;
    }
    return convention.order.find('p') < convention.order.find('r') ? "replica * pp + stage"
                                                                   : "stage * dp + replica";
}

std::string refuses(const Convention& convention, const AxisValues& sizes) {
    std::int64_t product = 1;
    for (std::size_t axis = 0; axis < kAxes; ++axis) {
        const bool known = convention.order.find(kLetters[axis]) != std::string_view::npos;
        if (sizes[axis] < 1 || (!known && sizes[axis] != 1)) {
            return fmt::format(
                "{} has no axis \"{}\" of size {}", convention.name, kLetters[axis], sizes[axis]);
        }
        product *= sizes[axis];
        if (product > std::numeric_limits<int>::max()) {
            return "the product of the sizes is too large";
        }
    }
    return "";
}

AxisValues coordinates(const Convention& convention, const AxisValues& sizes, int rank) {
    LONGHAUL_ASSERT(refuses(convention, sizes).empty());
    AxisValues values{};
    for (const Axis axis : convention.axes()) {
        const int size = sizes[index_of(axis)];
        values[index_of(axis)] = rank % size;
        rank /= size;
    }
    return values;
}

int rank_of(const Convention& convention, const AxisValues& sizes, const AxisValues& values) {
    LONGHAUL_ASSERT(refuses(convention, sizes).empty());
    int rank = 0;
    int weight = 1;
    for (const Axis axis : convention.axes()) {
        rank += values[index_of(axis)] * weight;
        weight *= sizes[index_of(axis)];
    }
    return rank;
}

core::Result<std::vector<int>> translate(std::span<const int> rank_map,
                                         const AxisValues& sizes,
                                         const Convention& from,
                                         const Convention& to) {
    for (const Convention* convention : {&from, &to}) {
        if (const std::string reason = refuses(*convention, sizes); !reason.empty()) {
            return core::fail(
                {"", "shape", reason, "choose a convention with that axis (--list-conventions)"});
        }
    }
    std::vector<int> translated;
    translated.reserve(rank_map.size());
    for (const int rank : rank_map) {
        translated.push_back(rank < 0 ? rank : rank_of(to, sizes, coordinates(from, sizes, rank)));
    }
    return translated;
}

bool equal_on(const AxisValues& sizes, const Convention& a, const Convention& b) {
    if (!refuses(a, sizes).empty() || !refuses(b, sizes).empty()) {
        return false;
    }
    int world = 1;
    for (const int size : sizes) {
        world *= size;
    }
    for (int rank = 0; rank < world; ++rank) {
        if (rank_of(b, sizes, coordinates(a, sizes, rank)) != rank) {
            return false;
        }
    }
    return true;
}

std::string conventions_table() {
    std::string table = fmt::format(
        "{:<26}{:<13}{:<52}{}\n", "convention", "fastest first", "  rank", "framework (source)");
    for (const Convention& convention : kConventions) {
        std::string order;
        for (const char letter : convention.order) {
            order += order.empty() ? std::string(1, letter) : fmt::format(" {}", letter);
        }
        table += fmt::format("{:<26}{:<15}{:<50}  {} ({})\n",
                             convention.name,
                             order,
                             convention.formula,
                             convention.framework,
                             convention.source);
    }
    return table +
           "\np stage, r replica, t tensor, c context; P, D, T, C their sizes. Plans have C = "
           "1.\n";
}

}  // namespace longhaul::launch
