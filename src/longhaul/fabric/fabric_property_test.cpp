#include <numeric>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "longhaul/core/random.hpp"
#include "longhaul/fabric/read.hpp"

namespace longhaul::fabric {
namespace {

/// Random parts of a valid fabric, optional parts included.
FabricParts drawn_parts() {
    const auto n = *rc::gen::inRange<std::size_t>(1, 8);
    core::Random random(*rc::gen::arbitrary<std::uint64_t>());
    FabricParts parts;
    parts.alpha_ms = parts.beta_gbps = core::Grid<double>(n, n, 0.0);
    parts.estimated = core::Grid<char>(n, n, 0);
    for (std::size_t i = 0; i < n; ++i) {
        parts.labels.push_back("region \"" + std::to_string(random.below(3)) + "\" \xc3\xa9");
        Device device;
        device.host = "host " + std::to_string(random.below(3));
        device.speed = 0.5 + random.uniform();
        device.unknown.set("later", random.uniform());
        parts.devices.push_back(std::move(device));
        for (std::size_t j = 0; j < n; ++j) {
            parts.alpha_ms.table()(i, j) = 200 * random.uniform();
            parts.beta_gbps.table()(i, j) = 0.1 + 10 * random.uniform();
            parts.estimated.table()(i, j) = static_cast<char>(random.below(2));
        }
    }
    if (random.below(2) == 0) {
        parts.alpha_interval = Interval{parts.alpha_ms, parts.alpha_ms};
    }
    parts.unknown.set("note", "kept").set("list", core::Value(std::vector<double>{1, 2.5}));
    return parts;
}

TEST(FabricProperty, ScalingBandwidthDividesSerialisation) {
    ASSERT_TRUE(rc::check([] {
        FabricParts parts = drawn_parts();
        const double k = *rc::gen::elementOf(std::vector<double>{0.1, 0.5, 2.0, 3.0, 7.5});
        const Fabric before = Fabric::make(parts, "f").value();
        for (double& beta : parts.beta_gbps.table().cells()) {
            beta *= k;
        }
        const Fabric after = Fabric::make(parts, "f").value();
        const auto payload = core::Gigabytes(0.7);
        const auto latency = transfer_seconds(make_links(before), core::Gigabytes(0), 3);
        const auto slow = transfer_seconds(make_links(before), payload, 3);
        const auto fast = transfer_seconds(make_links(after), payload, 3);
        for (std::size_t i = 0; i < slow.table().cells().size(); ++i) {
            const double serialisation = slow.table().cells()[i] - latency.table().cells()[i];
            RC_ASSERT(std::abs(fast.table().cells()[i] - latency.table().cells()[i] -
                               serialisation / k) < 1e-9 * (1 + serialisation / k));
        }
    }));
}

TEST(FabricProperty, PermutingDevicesPermutesTheTimes) {
    ASSERT_TRUE(rc::check([] {
        const FabricParts parts = drawn_parts();
        const std::size_t n = parts.labels.size();
        std::vector<std::size_t> old(n);
        std::iota(old.begin(), old.end(), std::size_t{0});
        core::Random random(*rc::gen::arbitrary<std::uint64_t>());
        random.shuffle(std::span<std::size_t>(old));
        FabricParts permuted = parts;
        for (std::size_t i = 0; i < n; ++i) {
            permuted.labels[i] = parts.labels[old[i]];
            for (std::size_t j = 0; j < n; ++j) {
                permuted.alpha_ms.table()(i, j) = parts.alpha_ms(old[i], old[j]);
                permuted.beta_gbps.table()(i, j) = parts.beta_gbps(old[i], old[j]);
            }
        }
        permuted.alpha_interval.reset();
        const auto before =
            transfer_seconds(make_links(Fabric::make(parts, "f").value()), core::Gigabytes(0.3), 2);
        const auto after = transfer_seconds(
            make_links(Fabric::make(permuted, "f").value()), core::Gigabytes(0.3), 2);
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < n; ++j) {
                RC_ASSERT(after(i, j) == before(old[i], old[j]));
                RC_ASSERT(after(i, j) == after(j, i));
            }
        }
    }));
}

TEST(FabricProperty, WritingAndReadingKeepsEverything) {
    ASSERT_TRUE(rc::check([] {
        const FabricParts parts = drawn_parts();
        const std::string written = core::write_json(to_value(Fabric::make(parts, "f").value()));
        const Fabric again = read_fabric(written, "f.json").value();
        RC_ASSERT(again.labels() == parts.labels);
        RC_ASSERT(again.parts().alpha_ms == parts.alpha_ms);
        RC_ASSERT(again.parts().beta_gbps == parts.beta_gbps);
        RC_ASSERT(again.parts().estimated == parts.estimated);
        RC_ASSERT(again.parts().alpha_interval.has_value() == parts.alpha_interval.has_value());
        RC_ASSERT(again.parts().devices.front().host == parts.devices.front().host);
        RC_ASSERT(again.parts().devices.front().speed == parts.devices.front().speed);
        RC_ASSERT(core::write_json(to_value(again)) == written);
    }));
}

}  // namespace
}  // namespace longhaul::fabric
