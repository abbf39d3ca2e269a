#include "longhaul/interchange/export.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "longhaul/core/statistics.hpp"
#include "longhaul/fabric/read.hpp"
#include "longhaul/interchange/detail/writers.hpp"

namespace longhaul::interchange {
namespace {

constexpr std::array<ExportFormat, 5> kExports = {{
    {"fabric", "longhaul.fabric/1 (JSON)", "", &detail::write_fabric},
    {"simgrid",
     "SimGrid platform XML, version 4.1: one link an ordered pair, and one a shared capacity and "
     "direction",
     "intervals and device data other than the host",
     &detail::write_simgrid},
    {"astra-sim",
     "ASTRA-sim network YAML: one dimension, or two (inside and between labels of equal size)",
     "everything but the typical link of each dimension",
     &detail::write_astra},
    {"hpcc",
     "topology.txt of ns-3 HPCC: one link a pair",
     "directions, shared capacity and device data",
     &detail::write_hpcc},
    {"loggops",
     "parameters of LogGOPSim: L, o, g, O, G, S",
     "everything but the typical link",
     &detail::write_loggops},
}};

}  // namespace

std::span<const ExportFormat> export_formats() {
    return kExports;
}

const ExportFormat* find_export_format(std::string_view name) {
    const auto* const found = std::ranges::find(kExports, name, &ExportFormat::name);
    return found == kExports.end() ? nullptr : &*found;
}

Loss loss_of(const fabric::Fabric& fabric,
             const fabric::PairMatrix& alpha_ms,
             const fabric::PairMatrix& beta_gbps,
             double bytes) {
    const auto seconds = [&](double alpha, double beta) {
        return alpha / 1000 + bytes * 8 / (beta * 1e9);
    };
    std::vector<double> ratios;
    for (std::size_t i = 0; i < fabric.size(); ++i) {
        for (std::size_t j = 0; j < fabric.size(); ++j) {
            if (i != j) {
                const double truth =
                    seconds(fabric.parts().alpha_ms(i, j), fabric.parts().beta_gbps(i, j));
                const double other = seconds(alpha_ms(i, j), beta_gbps(i, j));
                ratios.push_back(std::max(truth / other, other / truth));
            }
        }
    }
    if (ratios.empty()) {
        return {};
    }
    std::ranges::sort(ratios);
    return {ratios[ratios.size() / 2], ratios.back()};
}

namespace detail {

std::string loss_text(const fabric::Fabric& fabric,
                      const fabric::PairMatrix& alpha_ms,
                      const fabric::PairMatrix& beta_gbps) {
    const Loss small = loss_of(fabric, alpha_ms, beta_gbps, 1e3);
    const Loss large = loss_of(fabric, alpha_ms, beta_gbps, 1e8);
    return fmt::format(
        "transfer times differ from the fabric's by {:.3g}x (median) and {:.3g}x (worst pair) for "
        "1 kB, {:.3g}x and {:.3g}x for 100 MB",
        small.median,
        small.most,
        large.median,
        large.most);
}

core::Result<void> few_enough(const fabric::Fabric& fabric,
                              const std::string& name,
                              std::size_t most) {
    if (fabric.size() <= most) {
        return {};
    }
    return core::fail({name,
                       "",
                       fmt::format("has {} devices", fabric.size()),
                       fmt::format("this format has a line a pair: at most {}", most)});
}

std::string xml_escaped(std::string_view text) {
    std::string escaped;
    for (const char c : text) {
        switch (c) {
            case '&':
                escaped += "&amp;";
                break;
            case '<':
                escaped += "&lt;";
                break;
            case '>':
                escaped += "&gt;";
                break;
            case '"':
                escaped += "&quot;";
                break;
            default:
                escaped += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
        }
    }
    return escaped;
}

core::Result<Exported> write_fabric(const fabric::Fabric& fabric, const std::string& /*name*/) {
    return Exported{core::write_json(fabric::to_value(fabric)), {}};
}

}  // namespace detail
}  // namespace longhaul::interchange
