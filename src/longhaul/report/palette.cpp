#include "longhaul/report/palette.hpp"

#include <array>

#include <fmt/format.h>

namespace longhaul::report {
namespace {

constexpr std::size_t kGreyFill = 7;  // its place among the fills

constexpr std::size_t without_grey(std::size_t i) {
    const std::size_t k = i % kGroupColours;
    return k < kGreyFill ? k : k + 1;
}

}  // namespace

std::string_view fill_of(std::size_t i) {
    static constexpr std::array<std::string_view, kColours> kFills{"#56b4e9",   // sky blue
                                                                   "#e69f00",   // orange
                                                                   "#7ccfb0",   // bluish green
                                                                   "#f0e442",   // yellow
                                                                   "#cc79a7",   // reddish purple
                                                                   "#e8885a",   // vermillion
                                                                   "#7fa6d6",   // blue
                                                                   "#a9a9a9",   // grey
                                                                   "#c9e2f5",   // pale blue
                                                                   "#fbd9a0"};  // pale orange
    return kFills[i % kColours];
}

std::string_view ink_of(std::size_t i) {
    static constexpr std::array<std::string_view, kColours> kInks{"#0b6fa8",
                                                                  "#a86a00",
                                                                  "#1f7a57",
                                                                  "#857a00",
                                                                  "#93406d",
                                                                  "#b0461a",
                                                                  "#2f558f",
                                                                  "#5c5c5c",
                                                                  "#5b7f9b",
                                                                  "#8f6f3c"};
    return kInks[i % kColours];
}

std::string_view group_fill_of(std::size_t i) {
    return fill_of(without_grey(i));
}

std::string_view group_ink_of(std::size_t i) {
    return ink_of(without_grey(i));
}

std::string group_tint_of(std::size_t i) {
    const std::string fill(group_fill_of(i));
    std::string tint = "#";
    for (std::size_t at = 1; at < fill.size(); at += 2) {
        const int part = std::stoi(fill.substr(at, 2), nullptr, 16);
        tint += fmt::format("{:02x}", 255 - (255 - part) * 55 / 100);
    }
    return tint;
}

std::string_view dash_of(std::size_t i, std::size_t colours) {
    static constexpr std::array<std::string_view, 4> kDashes{"", "7 4", "2 4", "9 3 2 3"};
    return kDashes[(i / colours) % kDashes.size()];
}

}  // namespace longhaul::report
