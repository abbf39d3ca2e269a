// Two rankings of four placements that differ in one pair: Kendall's tau is 4 / 6.
#include "longhaul/study/rank_correlation.hpp"

#include <cmath>
#include <cstdio>
#include <vector>

int main() {
    const std::vector<double> predicted{1, 2, 3, 4};
    const std::vector<double> measured{1, 3, 2, 4};
    const auto tau = longhaul::study::kendall_tau(predicted, measured);
    const bool right = tau && std::abs(*tau - 4.0 / 6) < 1e-12;
    std::puts(right ? "study: ok" : "study: wrong correlation");
    return right ? 0 : 1;
}
