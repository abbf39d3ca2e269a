#include "longhaul/placement/fit_search.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <utility>

#include "longhaul/placement/group_terms.hpp"

namespace longhaul::placement {
namespace {

constexpr double kMemoryRounding = 1e-12;  // as in layers.cpp
constexpr double kUnreached = -1;

/// Stage after stage, every set of groups used so far with the layers that they can hold.
class FitSearch {
public:
    /// `likeness(s, k)`: worth of capacity k on stage s.
    FitSearch(const StretchMemory& memory,
              const Capacities& capacities,
              double slack,
              const core::Grid<double>& likeness,
              std::uint64_t work)
        : memory_(memory), capacities_(capacities), slack_(slack), likeness_(likeness) {
        const std::uint64_t state = static_cast<std::uint64_t>(memory.stages()) *
                                    capacities.gb.size() *
                                    static_cast<std::uint64_t>(memory.layers());
        width_ = static_cast<std::size_t>(std::max<std::uint64_t>(4, work / state));
    }

    Divided run() && {
        const auto cells = static_cast<std::size_t>(memory_.layers()) + 1;
        State none{std::vector<double>(cells, kUnreached), {}, {}};
        none.value[0] = 0;
        levels_.push_back({{std::vector<int>(capacities_.gb.size(), 0), std::move(none)}});
        for (int s = 0; s < memory_.stages(); ++s) {
            extend(s);
            narrow(s);
            for (auto& [used, state] : levels_[static_cast<std::size_t>(s)]) {
                state.value = {};  // only where they came from is needed from here on
            }
        }
        return walk_back();
    }

private:
    struct State {
        std::vector<double> value;  ///< by layers held: likeness so far, or kUnreached
        std::vector<int> from;      ///< layers before the last stage
        std::vector<int> capacity;  ///< of the last stage
    };
    using Level = std::map<std::vector<int>, State>;

    void extend(int s) {
        Level next;
        for (std::size_t k = 0; k < capacities_.gb.size(); ++k) {
            const std::vector<int> starts = starts_of(s, k);
            for (const auto& [used, state] : levels_.back()) {
                if (used[k] < capacities_.count[k]) {
                    std::vector<int> more = used;
                    ++more[k];
                    take(s, k, starts, state.value, next[std::move(more)]);
                }
            }
        }
        std::erase_if(next, [](const auto& entry) { return entry.second.from.empty(); });
        levels_.push_back(std::move(next));
    }

    /// First layer from which a stretch to each layer fits.
    [[nodiscard]] std::vector<int> starts_of(int s, std::size_t k) const {
        std::vector<int> starts(static_cast<std::size_t>(memory_.layers()) + 1, 0);
        int start = 0;
        for (int l = 1; l <= memory_.layers(); ++l) {
            while (start < l &&
                   !memory_holds(capacities_.gb[k] + slack_, memory_.gb(s, start, l))) {
                ++start;
            }
            starts[static_cast<std::size_t>(l)] = start;
        }
        return starts;
    }

    /// The best start of the last stage for every number of layers: a window that moves up.
    void take(int s,
              std::size_t k,
              const std::vector<int>& starts,
              const std::vector<double>& value,
              State& next) {
        const double worth = likeness_(static_cast<std::size_t>(s), k);
        std::vector<int>& queue = queue_;
        queue.clear();
        std::size_t head = 0;
        for (int l = s + 1; l <= memory_.layers() - (memory_.stages() - 1 - s); ++l) {
            const auto at = static_cast<std::size_t>(l);
            if (value[at - 1] > kUnreached) {
                while (queue.size() > head &&
                       value[static_cast<std::size_t>(queue.back())] < value[at - 1]) {
                    queue.pop_back();
                }
                queue.push_back(l - 1);
            }
            while (head < queue.size() && queue[head] < starts[at]) {
                ++head;
            }
            if (head == queue.size()) {
                continue;
            }
            if (next.from.empty()) {
                next.value.assign(value.size(), kUnreached);
                next.from.assign(value.size(), -1);
                next.capacity.assign(value.size(), -1);
            }
            const double here = value[static_cast<std::size_t>(queue[head])] + worth;
            if (here > next.value[at]) {
                next.value[at] = here;
                next.from[at] = queue[head];
                next.capacity[at] = static_cast<int>(k);
            }
        }
    }

    /// Keeps the states with most memory to spare.
    void narrow(int s) {
        Level& level = levels_.back();
        if (level.size() <= width_) {
            return;
        }
        complete_ = false;
        std::vector<std::pair<double, const std::vector<int>*>> room;
        for (const auto& [used, state] : level) {
            double spare = 0;
            for (std::size_t k = 0; k < used.size(); ++k) {
                spare += (capacities_.count[k] - used[k]) * capacities_.gb[k];
            }
            int held = memory_.layers();
            while (state.value[static_cast<std::size_t>(held)] <= kUnreached) {
                --held;
            }
            room.emplace_back(spare - memory_.gb(s, held, memory_.layers()), &used);
        }
        std::ranges::stable_sort(room, std::greater<>(), [](const auto& one) { return one.first; });
        Level kept;
        for (std::size_t i = 0; i < width_; ++i) {
            kept.insert(level.extract(*room[i].second));
        }
        level = std::move(kept);
    }

    [[nodiscard]] Divided walk_back() const {
        const auto stages = static_cast<std::size_t>(memory_.stages());
        Divided divided{std::vector<std::size_t>(stages), {}, complete_};
        const auto last = levels_.back().find(capacities_.count);
        int l = memory_.layers();
        if (last == levels_.back().end() || last->second.from[static_cast<std::size_t>(l)] < 0) {
            return divided;
        }
        divided.first.resize(stages);
        std::vector<int> used = capacities_.count;
        for (std::size_t s = stages; s-- > 0;) {
            const State& state = levels_[s + 1].at(used);
            const auto at = static_cast<std::size_t>(l);
            divided.capacity[s] = static_cast<std::size_t>(state.capacity[at]);
            l = divided.first[s] = state.from[at];
            --used[divided.capacity[s]];
        }
        return divided;
    }

    const StretchMemory& memory_;
    const Capacities& capacities_;
    double slack_;
    const core::Grid<double>& likeness_;
    std::size_t width_;
    bool complete_ = true;
    std::vector<Level> levels_;
    std::vector<int> queue_;
};

}  // namespace

StretchMemory::StretchMemory(const Problem& problem)
    : compute_(pipeline_compute(problem)), stages_(problem.shape.pp) {
    for (const Layer& layer : problem.workload.layers) {
        static_gb_.push_back(static_gb_.back() + layer.static_gb);
        activation_gb_.push_back(activation_gb_.back() + layer.activation_gb);
    }
}

bool memory_holds(double memory_gb, double needed_gb) {
    return needed_gb <= memory_gb * (1 + kMemoryRounding);
}

Capacities::Capacities(std::vector<double> of_groups, double most) {
    for (double& memory : of_groups) {
        memory = std::min(memory, most);
    }
    std::ranges::sort(of_groups);
    for (const double memory : of_groups) {
        if (gb.empty() || memory > gb.back()) {
            gb.push_back(memory);
            count.push_back(0);
        }
        ++count.back();
    }
}

std::size_t Capacities::of(double memory) const {
    const auto above = std::ranges::upper_bound(gb, memory);
    return above == gb.begin() ? 0 : static_cast<std::size_t>(above - gb.begin()) - 1;
}

Divided search_fit(const StretchMemory& memory,
                   const Capacities& capacities,
                   double slack_gb,
                   const core::Grid<double>& likeness,
                   std::uint64_t work) {
    return FitSearch(memory, capacities, slack_gb, likeness, work).run();
}

bool plainly_too_large(const StretchMemory& memory, const Capacities& capacities) {
    if (memory.layers() < memory.stages()) {
        return true;
    }
    const double most = capacities.gb.back();
    const auto least = [&](int from, int to) {  // wherever these layers are
        return std::min(memory.gb(0, from, to), memory.gb(memory.stages() - 1, from, to));
    };
    int groups = std::accumulate(capacities.count.begin(), capacities.count.end(), 0);
    double together = 0;
    for (std::size_t k = 0; k < capacities.gb.size(); ++k) {
        together += capacities.count[k] * capacities.gb[k];
    }
    if (!memory_holds(together, least(0, memory.layers()))) {
        return true;
    }
    for (std::size_t k = 0; k < capacities.gb.size(); ++k) {
        groups -= capacities.count[k];  // those that are larger than this one
        int needed = 0;
        for (int l = 0; l < memory.layers();) {
            if (memory_holds(capacities.gb[k], least(l, l + 1))) {
                ++l;
                continue;
            }
            if (!memory_holds(most, least(l, l + 1))) {
                return true;
            }
            const int longest = l + memory.layers() - memory.stages() + 1;
            int end = l + 1;
            while (end < std::min(longest, memory.layers()) &&
                   memory_holds(most, least(l, end + 1))) {
                ++end;
            }
            ++needed;
            l = end;
        }
        if (needed > groups) {
            return true;
        }
    }
    return false;
}

}  // namespace longhaul::placement
