// Content hashes: a plan names the exact bytes that it was made from.
#pragma once

#include <string>
#include <string_view>

namespace longhaul::core {

/// SHA-256 (FIPS 180-4) as 64 lower-case hexadecimal digits; computed by OpenSSL.
[[nodiscard]] std::string sha256_hex(std::string_view bytes);

}  // namespace longhaul::core
