// The digest of "abc" is the one of FIPS 180-4, appendix B.1.
#include <iostream>

#include "longhaul/core/document.hpp"
#include "longhaul/core/hash.hpp"

int main() {
    const auto document = longhaul::core::parse_json(R"({"a": [1, 2]})", "text");
    const auto table = longhaul::core::parse_toml("a = 1", "text");
    const bool good = document && document->root.find("a")->size() == 2 && table &&
                      longhaul::core::sha256_hex("abc") ==
                          "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    std::cout << "core " << (good ? "works" : "is broken") << '\n';
    return good ? 0 : 1;
}
