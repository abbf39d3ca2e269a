// Strong types for quantities: mixing them does not compile, and they cost nothing.
//
//     Seconds t = milliseconds(5) + Gigabytes(0.512) / GbitPerSecond(2);   // 0.005 + 8 * 0.512 / 2
//
// Numbers are decimal: 1 GB = 10^9 bytes, 1 Gbit/s = 10^9 bit/s.
#pragma once

#include <compare>

namespace longhaul::core {

/// A double with a dimension. Sums, differences and comparisons need the same dimension; scaling
/// is by plain numbers; the ratio of two equal dimensions is a plain number.
template <class Tag>
class Quantity {
public:
    constexpr Quantity() = default;
    explicit constexpr Quantity(double value) : value_(value) {}
    [[nodiscard]] constexpr double value() const { return value_; }

    friend constexpr auto operator<=>(Quantity, Quantity) = default;
    friend constexpr Quantity operator+(Quantity a, Quantity b) {
        return Quantity(a.value_ + b.value_);
    }
    friend constexpr Quantity operator-(Quantity a, Quantity b) {
        return Quantity(a.value_ - b.value_);
    }
    friend constexpr Quantity operator*(double k, Quantity a) { return Quantity(k * a.value_); }
    friend constexpr Quantity operator*(Quantity a, double k) { return Quantity(a.value_ * k); }
    friend constexpr Quantity operator/(Quantity a, double k) { return Quantity(a.value_ / k); }
    friend constexpr double operator/(Quantity a, Quantity b) { return a.value_ / b.value_; }

private:
    double value_ = 0;
};

using Seconds = Quantity<struct SecondsTag>;
using Gigabytes = Quantity<struct GigabytesTag>;
using GbitPerSecond = Quantity<struct GbitPerSecondTag>;

[[nodiscard]] constexpr Seconds milliseconds(double ms) {
    return Seconds(ms / 1000);
}

/// Serialisation time of a payload at a rate: 8 bits a byte.
[[nodiscard]] constexpr Seconds operator/(Gigabytes payload, GbitPerSecond rate) {
    return Seconds(8 * payload.value() / rate.value());
}

}  // namespace longhaul::core
