#include "longhaul/core/units.hpp"

#include <type_traits>

#include <gtest/gtest.h>

namespace longhaul::core {
namespace {

template <class A, class B>
concept Addable = requires(A a, B b) { a + b; };
template <class A, class B>
concept Subtractable = requires(A a, B b) { a - b; };
template <class A, class B>
concept Multipliable = requires(A a, B b) { a* b; };
template <class A, class B>
concept Divisible = requires(A a, B b) { a / b; };
template <class A, class B>
concept Comparable = requires(A a, B b) { a < b; };

static_assert(Addable<Seconds, Seconds>);
static_assert(!Addable<Seconds, Gigabytes>);
static_assert(!Addable<Seconds, double>);
static_assert(!Addable<int, Seconds>);
static_assert(!Subtractable<Gigabytes, GbitPerSecond>);
static_assert(!Subtractable<Seconds, double>);
static_assert(Multipliable<double, Seconds> && Multipliable<Seconds, double>);
static_assert(!Multipliable<Seconds, Seconds>);
static_assert(!Multipliable<Seconds, GbitPerSecond>);
static_assert(Divisible<Gigabytes, GbitPerSecond>);
static_assert(!Divisible<GbitPerSecond, Gigabytes>);
static_assert(!Divisible<Seconds, Gigabytes>);
static_assert(!Divisible<double, Seconds>);
static_assert(Comparable<Seconds, Seconds>);
static_assert(!Comparable<Seconds, Gigabytes>);
static_assert(!Comparable<Seconds, double>);
static_assert(!std::is_convertible_v<double, Seconds>);
static_assert(!std::is_convertible_v<Seconds, double>);
static_assert(!std::is_convertible_v<Seconds, Gigabytes>);
static_assert(!std::is_constructible_v<Seconds, Gigabytes>);
static_assert(std::is_same_v<decltype(Gigabytes() / GbitPerSecond()), Seconds>);
static_assert(std::is_same_v<decltype(Seconds() / Seconds()), double>);
static_assert(sizeof(Seconds) == sizeof(double));
static_assert(std::is_trivially_copyable_v<Seconds>);

TEST(Units, ConvertOnce) {
    // 0.512 GB are 4.096 Gbit: 2.048 s at 2 Gbit/s, plus 5 ms.
    const Seconds time = milliseconds(5) + Gigabytes(0.512) / GbitPerSecond(2);
    EXPECT_DOUBLE_EQ(time.value(), 2.053);
}

TEST(Units, Arithmetic) {
    EXPECT_EQ((2.0 * Seconds(3)).value(), 6);
    EXPECT_EQ((Seconds(3) * 2.0).value(), 6);
    EXPECT_EQ((Seconds(3) / 2.0).value(), 1.5);
    EXPECT_EQ(Seconds(3) / Seconds(2), 1.5);
    EXPECT_EQ((Seconds(3) - Seconds(1)).value(), 2);
    EXPECT_LT(Seconds(1), Seconds(2));
    EXPECT_EQ(Gigabytes(1), Gigabytes(1));
    EXPECT_EQ(Seconds().value(), 0);
}

}  // namespace
}  // namespace longhaul::core
