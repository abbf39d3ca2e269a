// Where an answer changes as one number grows: found by bisection between the points of a scan.
#pragma once

#include <functional>
#include <vector>

namespace longhaul::study {

struct ChangePoint {
    double at = 0;  ///< the answer is `before` just below and `after` just above
    int before = 0;
    int after = 0;
};

struct ChangeOptions {
    double low = 0.01;       ///< > 0
    double high = 100;       ///< > low
    int points = 41;         ///< of the scan, evenly on a logarithmic scale, >= 2
    double relative = 1e-9;  ///< of `at`
};

/// Every change of `answer` between low and high that the scan sees: each interval whose ends
/// differ is halved on a logarithmic scale until it is as narrow as `relative`, and what is right
/// of it is looked at again, so that answers which come between are found too. An answer that
/// comes and goes within one interval of equal ends is missed. Ascending.
/// O((points + changes log(1 / relative)) answers).
[[nodiscard]] std::vector<ChangePoint> change_points(const std::function<int(double)>& answer,
                                                     const ChangeOptions& options = {});

}  // namespace longhaul::study
