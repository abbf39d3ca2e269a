#include "longhaul/core/hash.hpp"

#include <array>

#include <fmt/format.h>
#include <openssl/sha.h>

namespace longhaul::core {

std::string sha256_hex(std::string_view bytes) {
    std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
    SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest.data());
    std::string text;
    for (const unsigned char byte : digest) {
        text += fmt::format("{:02x}", byte);
    }
    return text;
}

}  // namespace longhaul::core
