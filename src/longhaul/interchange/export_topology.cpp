// Formats that hold less than a fabric: ASTRA-sim, HPCC, LogGOPSim.
#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "longhaul/interchange/detail/writers.hpp"

namespace longhaul::interchange::detail {
namespace {

using core::Grid;
using fabric::Fabric;
using fabric::PairMatrix;

constexpr std::size_t kMostLinesDevices = 1024;
constexpr double kGbitOfGibibyte = 8 * 1.073741824;

/// Median latency, and the bandwidth whose transfer times are the median.
struct Typical {
    double alpha_ms = 0;
    double beta_gbps = 1;
};

double middle(std::vector<double> values) {
    std::ranges::sort(values);
    const std::size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

/// Of the ordered pairs that `counts` says; nullopt when there are none.
template <class Counts>
std::optional<Typical> typical(const Fabric& fabric, Counts counts) {
    std::vector<double> alphas;
    std::vector<double> slownesses;
    for (std::size_t i = 0; i < fabric.size(); ++i) {
        for (std::size_t j = 0; j < fabric.size(); ++j) {
            if (i != j && counts(i, j)) {
                alphas.push_back(fabric.parts().alpha_ms(i, j));
                slownesses.push_back(1 / fabric.parts().beta_gbps(i, j));
            }
        }
    }
    if (alphas.empty()) {
        return std::nullopt;
    }
    return Typical{middle(std::move(alphas)), 1 / middle(std::move(slownesses))};
}

/// Devices a label, when all labels have equally many and stand together; else 1.
std::size_t devices_a_label(const Fabric& fabric) {
    const std::vector<std::string>& labels = fabric.labels();
    std::size_t size = 1;
    while (size < labels.size() && labels[size] == labels[0]) {
        ++size;
    }
    if (labels.size() % size != 0) {
        return 1;
    }
    for (std::size_t i = 0; i < labels.size(); ++i) {
        if (labels[i] != labels[i - i % size] ||
            (i % size == 0 && i > 0 && labels[i] == labels[i - 1])) {
            return 1;
        }
    }
    return size;
}

/// What a reader of the exported file would make of it.
template <class Inside>
std::pair<PairMatrix, PairMatrix> matrices(std::size_t n,
                                           const Typical& near,
                                           const Typical& far,
                                           Inside inside) {
    Grid<double> alpha(n, n, 0);
    Grid<double> beta(n, n, 0);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            const Typical& link = inside(i, j) ? near : far;
            alpha(i, j) = link.alpha_ms;
            beta(i, j) = link.beta_gbps;
        }
    }
    return {PairMatrix(std::move(alpha)), PairMatrix(std::move(beta))};
}

}  // namespace

core::Result<Exported> write_astra(const Fabric& fabric, const std::string& name) {
    if (fabric.size() < 2) {
        return core::fail({name, "", "has one device", "a network needs two"});
    }
    const std::size_t n = fabric.size();
    std::size_t size = devices_a_label(fabric);
    size = size == n ? 1 : size;
    const auto inside = [&](std::size_t i, std::size_t j) { return i / size == j / size; };
    // With two dimensions, a pair of different labels and different places crosses both.
    const auto near = typical(fabric, inside).value_or(Typical());
    const auto far = *typical(fabric, [&](std::size_t i, std::size_t j) { return !inside(i, j); });
    const bool two = size > 1;
    std::string text = fmt::format(
        "topology: [{}]\nnpus_count: [{}]\nbandwidth: [{}]  # GB/s, of 2^30 bytes\nlatency: [{}]  "
        "# ns\n",
        two ? "FullyConnected, FullyConnected" : "FullyConnected",
        two ? fmt::format("{}, {}", size, n / size) : fmt::format("{}", n),
        two ? fmt::format(
                  "{}, {}", near.beta_gbps / kGbitOfGibibyte, far.beta_gbps / kGbitOfGibibyte)
            : fmt::format("{}", far.beta_gbps / kGbitOfGibibyte),
        two ? fmt::format("{}, {}", near.alpha_ms * 1e6, far.alpha_ms * 1e6)
            : fmt::format("{}", far.alpha_ms * 1e6));
    auto [alpha, beta] = matrices(n, near, far, inside);
    for (std::size_t i = 0; two && i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            if (!inside(i, j) && i % size != j % size) {
                alpha.table()(i, j) = near.alpha_ms + far.alpha_ms;
                beta.table()(i, j) = std::min(near.beta_gbps, far.beta_gbps);
            }
        }
    }
    return Exported{std::move(text),
                    {"ASTRA-sim has one link a dimension: " + loss_text(fabric, alpha, beta)}};
}

core::Result<Exported> write_hpcc(const Fabric& fabric, const std::string& name) {
    if (auto few = few_enough(fabric, name, kMostLinesDevices); !few) {
        return tl::unexpected(few.error());
    }
    const std::size_t n = fabric.size();
    const fabric::FabricParts& parts = fabric.parts();
    Grid<double> alpha(n, n, 0);
    Grid<double> beta(n, n, 1);
    std::string text = fmt::format("{} 0 {}\n\n", n, n * (n - 1) / 2);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = i + 1; j < n; ++j) {
            const double delay = (parts.alpha_ms(i, j) + parts.alpha_ms(j, i)) / 2;
            const double rate = 2 / (1 / parts.beta_gbps(i, j) + 1 / parts.beta_gbps(j, i));
            alpha(i, j) = alpha(j, i) = delay;
            beta(i, j) = beta(j, i) = rate;
            text += fmt::format("{} {} {}Gbps {}ms 0\n", i, j, rate, delay);
        }
    }
    Exported exported{std::move(text), {}};
    exported.notes.push_back(
        "HPCC's links are the same in both directions: " +
        loss_text(fabric, PairMatrix(std::move(alpha)), PairMatrix(std::move(beta))));
    exported.notes.emplace_back(
        "every pair has a link of its own, so devices that send to several at once are not "
        "limited");
    return exported;
}

core::Result<Exported> write_loggops(const Fabric& fabric, const std::string& name) {
    const auto link = typical(fabric, [](std::size_t, std::size_t) { return true; });
    if (!link) {
        return core::fail({name, "", "has one device", "a network needs two"});
    }
    const double gap_byte = 8 / link->beta_gbps;  // ns a byte
    const auto both =
        matrices(fabric.size(), *link, *link, [](std::size_t, std::size_t) { return true; });
    Exported exported;
    exported.text = fmt::format(
        "# LogGOPSim, nanoseconds: LogGOPSim -L {:.0f} -o 0 -g 0 -O 0 -G {:.0f} -S 65535\n"
        "L={:.0f}\no=0\ng=0\nO=0\nG={}\nS=65535\n",
        link->alpha_ms * 1e6,
        gap_byte,
        link->alpha_ms * 1e6,
        gap_byte);
    exported.notes.push_back("LogGOPSim has one link: " +
                             loss_text(fabric, both.first, both.second));
    if (std::abs(gap_byte - std::round(gap_byte)) > 0.01 * gap_byte) {
        exported.notes.push_back(
            fmt::format("LogGOPSim takes G as a whole number of ns a byte, this is {:.4g}: scale "
                        "all times",
                        gap_byte));
    }
    return exported;
}

}  // namespace longhaul::interchange::detail
