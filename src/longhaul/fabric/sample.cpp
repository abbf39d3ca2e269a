#include "longhaul/fabric/sample.hpp"

#include <algorithm>

#include "longhaul/fabric/limits.hpp"

namespace longhaul::fabric {
namespace {

class LinkDraw {
public:
    LinkDraw(const Fabric& fabric, const Noise& noise, core::Random random)
        : noise_(noise),
          random_(random),
          label_of_(index_of_labels(fabric.labels())),
          labels_(1 + static_cast<std::size_t>(std::ranges::max(label_of_))) {}

    void redraw(core::Grid<double>& links, const std::optional<Interval>& interval) {
        const core::Grid<double> shared = noise_.by_label ? factors() : core::Grid<double>();
        for (std::size_t i = 0; i < links.rows(); ++i) {
            for (std::size_t j = 0; j < links.columns(); ++j) {
                if (i == j) {
                    continue;
                }
                if (interval) {
                    const double low = interval->lower(i, j);
                    links(i, j) = low + random_.uniform() * (interval->upper(i, j) - low);
                } else {
                    links(i, j) *= noise_.by_label ? shared(label(i), label(j)) : factor();
                }
            }
        }
    }

private:
    [[nodiscard]] std::size_t label(std::size_t device) const {
        return static_cast<std::size_t>(label_of_[device]);
    }

    double factor() { return 1 + noise_.relative * (2 * random_.uniform() - 1); }

    core::Grid<double> factors() {
        core::Grid<double> drawn(labels_, labels_);
        for (double& cell : drawn.cells()) {
            cell = factor();
        }
        return drawn;
    }

    const Noise& noise_;
    core::Random random_;
    std::vector<int> label_of_;
    std::size_t labels_;
};

}  // namespace

Fabric draw_links(const Fabric& fabric, const Noise& noise, core::Random random) {
    LONGHAUL_ASSERT(noise.relative >= 0 && noise.relative < 1);
    FabricParts parts = fabric.parts();
    core::Grid<double> alpha = parts.alpha_ms.full();
    core::Grid<double> beta = parts.beta_gbps.full();
    LinkDraw draw(fabric, noise, random);
    draw.redraw(alpha, parts.alpha_interval);
    draw.redraw(beta, parts.beta_interval);
    for (double& cell : alpha.cells()) {
        cell = std::min(cell, kMaxAlphaMs);
    }
    for (double& cell : beta.cells()) {
        cell = std::clamp(cell, kMinBetaGbps, kMaxBetaGbps);
    }
    parts.alpha_ms = std::move(alpha);
    parts.beta_gbps = std::move(beta);
    parts.estimated = parts.estimated.full();
    parts.alpha_interval.reset();
    parts.beta_interval.reset();
    core::Result<Fabric> drawn = Fabric::make(std::move(parts), "draw");
    LONGHAUL_ASSERT(drawn.has_value());  // between values that hold
    return std::move(*drawn);
}

}  // namespace longhaul::fabric
