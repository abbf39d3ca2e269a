// Arrivals at one aggregator, put in order of time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace longhaul::schedule::detail {

/// A block that reached an aggregator.
struct Arrival {
    double time_ms = 0;
    int round = 0;
    int block = 0;
    int sender = 0;
    bool resent = false;
};

inline bool earlier(const Arrival& a, const Arrival& b) {
    return a.time_ms < b.time_ms;
}

/// What one receiver still has to look at: arrivals in runs that are each in order of time.
struct Inbox {
    std::vector<Arrival> arrivals;
    std::vector<std::size_t> runs;  ///< where each begins

    void begin_run() {
        if (runs.empty() || runs.back() != arrivals.size()) {
            runs.push_back(arrivals.size());
        }
    }

    void end_run() {
        const auto first = arrivals.begin() + static_cast<std::ptrdiff_t>(runs.back());
        if (!std::is_sorted(first, arrivals.end(), earlier)) {
            std::stable_sort(first, arrivals.end(), earlier);
        }
    }

    /// Merges neighbours until one run is left.
    void sort(std::vector<Arrival>& scratch) {
        while (runs.size() > 1) {
            scratch.resize(arrivals.size());
            std::vector<std::size_t> fewer;
            const auto at = [&](std::size_t i) {
                return arrivals.begin() +
                       static_cast<std::ptrdiff_t>(i < runs.size() ? runs[i] : arrivals.size());
            };
            for (std::size_t i = 0; i < runs.size(); i += 2) {
                fewer.push_back(runs[i]);
                std::merge(at(i),
                           at(i + 1),
                           at(i + 1),
                           at(i + 2),
                           scratch.begin() + static_cast<std::ptrdiff_t>(runs[i]),
                           earlier);
            }
            arrivals.swap(scratch);
            runs = std::move(fewer);
        }
    }
};

}  // namespace longhaul::schedule::detail
