// Two devices, 10 ms and 8 Gbit/s: 1 GB takes 8 / 8 s on the wire and 0.010 s to start.
#include <cmath>
#include <iostream>

#include "longhaul/fabric/read.hpp"

int main() {
    const auto fabric = longhaul::fabric::read_fabric(
        R"({"labels": ["a", "b"], "alpha_ms": [[0, 10], [10, 0]], "beta_gbps": [[0, 8], [8, 0]]})",
        "two.json");
    const bool good =
        fabric &&
        std::abs(longhaul::fabric::transfer_seconds(
                     longhaul::fabric::make_links(*fabric), longhaul::core::Gigabytes(1), 1)(0, 1) -
                 1.010) < 1e-12;
    std::cout << "fabric " << (good ? "works" : "is broken") << '\n';
    return good ? 0 : 1;
}
