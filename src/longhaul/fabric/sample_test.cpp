#include "longhaul/fabric/sample.hpp"

#include <gtest/gtest.h>

namespace longhaul::fabric {
namespace {

FabricParts four_devices() {
    FabricParts parts;
    parts.labels = {"a", "a", "b", "b"};
    parts.alpha_ms = core::Grid<double>(4, 4, 10);
    parts.beta_gbps = core::Grid<double>(4, 4, 2);
    return parts;
}

TEST(DrawLinks, StaysWithinTheNoise) {
    const Fabric fabric = Fabric::make(four_devices(), "f").value();
    double least = 1e9;
    double most = 0;
    for (std::uint64_t k = 0; k < 100; ++k) {
        const Fabric drawn = draw_links(fabric, {0.25, false}, core::Random(7, k));
        EXPECT_NE(drawn.parts().beta_gbps(0, 1), drawn.parts().beta_gbps(1, 0));
        for (std::size_t i = 0; i < 4; ++i) {
            for (std::size_t j = 0; j < 4; ++j) {
                if (i != j) {
                    EXPECT_GE(drawn.parts().alpha_ms(i, j), 7.5);
                    EXPECT_LE(drawn.parts().alpha_ms(i, j), 12.5);
                    least = std::min(least, drawn.parts().beta_gbps(i, j));
                    most = std::max(most, drawn.parts().beta_gbps(i, j));
                }
            }
        }
    }
    // 1,200 uniform draws from 1.5 to 2.5: the ends are nearly reached.
    EXPECT_GE(least, 1.5);
    EXPECT_LT(least, 1.52);
    EXPECT_LE(most, 2.5);
    EXPECT_GT(most, 2.48);
}

TEST(DrawLinks, UsesIntervalsWhereThereAreAny) {
    FabricParts parts = four_devices();
    parts.beta_interval = Interval{core::Grid<double>(4, 4, 1.9), core::Grid<double>(4, 4, 2.3)};
    const Fabric fabric = Fabric::make(parts, "f").value();
    const Fabric drawn = draw_links(fabric, {0, false}, core::Random(7, 0));
    EXPECT_EQ(drawn.parts().alpha_ms(0, 1), 10);  // no interval, no noise
    EXPECT_GE(drawn.parts().beta_gbps(2, 1), 1.9);
    EXPECT_LE(drawn.parts().beta_gbps(2, 1), 2.3);
    EXPECT_NE(drawn.parts().beta_gbps(2, 1), drawn.parts().beta_gbps(1, 2));
    EXPECT_FALSE(drawn.parts().beta_interval);
}

TEST(DrawLinks, LabelsShareAFactor) {
    const Fabric fabric = Fabric::make(four_devices(), "f").value();
    const Fabric drawn = draw_links(fabric, {0.1, true}, core::Random(7, 0));
    const auto& beta = drawn.parts().beta_gbps;
    EXPECT_EQ(beta(0, 2), beta(1, 3));
    EXPECT_EQ(beta(0, 1), beta(1, 0));
    EXPECT_NE(beta(0, 2), beta(2, 0));
    EXPECT_NE(beta(0, 2), beta(0, 1));
}

TEST(DrawLinks, IsAFunctionOfItsStream) {
    const Fabric fabric = Fabric::make(four_devices(), "f").value();
    const auto draw = [&](std::uint64_t k) {
        return draw_links(fabric, {}, core::Random(7, k)).parts().beta_gbps;
    };
    EXPECT_EQ(draw(3), draw(3));
    EXPECT_FALSE(draw(3) == draw(4));
}

}  // namespace
}  // namespace longhaul::fabric
