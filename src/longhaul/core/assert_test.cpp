#include "longhaul/core/assert.hpp"

#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "longhaul/core/grid.hpp"

namespace longhaul::core {
namespace {

TEST(Assert, ThrowsWithTheConditionAndThePlace) {
    const int two = 2;
    EXPECT_NO_THROW(LONGHAUL_ASSERT(two == 2));
    try {
        LONGHAUL_ASSERT(two == 3);
        ADD_FAILURE() << "nothing was thrown";
    } catch (const std::logic_error& error) {
        const std::string what = error.what();
        EXPECT_NE(what.find("two == 3"), std::string::npos);
        EXPECT_NE(what.find("assert_test.cpp:"), std::string::npos);
    }
}

TEST(Assert, LevelsDecideWhatIsEvaluated) {
    int normal = 0;
    int heavy = 0;
    LONGHAUL_ASSERT_NORMAL(++normal > 0);
    LONGHAUL_ASSERT_HEAVY(++heavy > 0);
    EXPECT_EQ(normal, LONGHAUL_ASSERT_LEVEL >= 2 ? 1 : 0);
    EXPECT_EQ(heavy, LONGHAUL_ASSERT_LEVEL >= 3 ? 1 : 0);
}

TEST(Grid, IsRowMajor) {
    Grid<int> grid(2, 3, 7);
    grid(1, 2) = 9;
    EXPECT_EQ(grid.rows(), 2U);
    EXPECT_EQ(grid.columns(), 3U);
    EXPECT_EQ(grid.cells()[5], 9);
    EXPECT_EQ(grid.row(1)[2], 9);
    EXPECT_EQ(grid.row(0)[2], 7);
    EXPECT_FALSE(grid.empty());
    EXPECT_TRUE(Grid<int>().empty());
    EXPECT_NE(grid, Grid<int>(2, 3, 7));
    EXPECT_EQ(Grid<int>(2, 3, 7), Grid<int>(2, 3, 7));
}

}  // namespace
}  // namespace longhaul::core
