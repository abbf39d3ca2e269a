#include "longhaul/progress.hpp"

#include <cstdio>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

namespace longhaul::app {

Progress::Progress(std::string what, bool wanted)
    : what_(std::move(what)), wanted_(wanted && ::isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
    if (wanted_ && shown_ > 1) {
        fmt::print(stderr, "\r\033[K");
    }
}

void Progress::show(double elapsed_s) {
    const long second = static_cast<long>(elapsed_s);
    long last = shown_;
    if (wanted_ && second > last && shown_.compare_exchange_strong(last, second)) {
        fmt::print(stderr, "\rlonghaul: {}, {} s\033[K", what_, second);
    }
}

}  // namespace longhaul::app
