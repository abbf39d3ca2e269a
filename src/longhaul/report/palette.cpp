#include "longhaul/report/palette.hpp"

#include <array>

namespace longhaul::report {

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

}  // namespace longhaul::report
