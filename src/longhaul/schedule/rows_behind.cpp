#include "longhaul/schedule/detail/rows_behind.hpp"

#include <algorithm>
#include <cmath>

namespace longhaul::schedule::detail {

namespace {

[[gnu::always_inline]] inline float look(const RowsBehind& at) {
    const std::size_t columns = at.even.size();
    const std::size_t islands = at.earlier.size() / columns;
    Lane::Numbers least = Lane::Numbers{} + INFINITY;
    for (std::size_t lane = 0; lane < at.rows.size(); ++lane) {
        const LaneRows& rows = at.rows[lane];
        Lane::Numbers error{};
        Lane::Numbers last{};
        for (std::size_t b = 0; b < columns; ++b) {
            Lane::Numbers sum = Lane::Numbers{} - at.even[b];
            for (std::size_t j = 0; j < islands; ++j) {
                sum += rows[j].of * at.earlier[j * columns + b];
            }
            error += sum < 0 ? -sum : sum;
            last += sum;
            at.off[lane * columns + b].of = sum;
        }
        error += last < 0 ? -last : last;
        at.error[lane].of = error;
        least = error < least ? error : least;
    }
    float of_all = INFINITY;
    for (std::size_t r = 0; r < kLane; ++r) {
        of_all = std::min(of_all, least[r]);
    }
    return of_all;
}

float look_plain(const RowsBehind& at) {
    return look(at);
}

#ifdef __x86_64__
[[gnu::target("avx2")]] float look_avx2(const RowsBehind& at) {
    return look(at);
}
[[gnu::target("avx512f")]] float look_avx512(const RowsBehind& at) {
    return look(at);
}
#endif

using Look = float (*)(const RowsBehind&);

Look widest() {
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512f") != 0) {
        return look_avx512;
    }
    if (__builtin_cpu_supports("avx2") != 0) {
        return look_avx2;
    }
#endif
    return look_plain;
}

}  // namespace

float look_at_rows_behind(const RowsBehind& at) {
    static const Look look_widest = widest();
    return look_widest(at);
}

}  // namespace longhaul::schedule::detail
