// Numbers on the wire: big-endian, whatever the machine.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace longhaul::transport {

template <class T>
void put_number(std::string& out, T value) {
    for (std::size_t i = sizeof(T); i-- > 0;) {
        out += static_cast<char>((value >> (8 * i)) & 0xffU);
    }
}

/// The number in the first sizeof(T) bytes; there must be that many.
template <class T>
[[nodiscard]] T get_number(std::string_view bytes) {
    T value = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i) {
        value = static_cast<T>(static_cast<T>(value << 8U) | static_cast<unsigned char>(bytes[i]));
    }
    return value;
}

}  // namespace longhaul::transport
