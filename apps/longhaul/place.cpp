#include "longhaul/place.hpp"

#include <fmt/format.h>

namespace longhaul::app {
namespace {

constexpr double kSearchTimeShare = 0.9;  // of the time limit; the rest is for baselines

}  // namespace

Watch::Watch(PlaceOptions& options, std::string what)
    : limit_s_(options.time_limit_s), progress_(std::in_place, std::move(what), !options.quiet) {
    const double limit = options.time_limit_s;
    const auto time_is_up = [this, limit](double share) {
        const double seconds = elapsed_s();
        if (progress_) {
            progress_->show(seconds);
        }
        return limit > 0 && seconds > share * limit;
    };
    options.solve.search.stop = [time_is_up] { return time_is_up(kSearchTimeShare); };
    options.solve.baseline_stop = [time_is_up] { return time_is_up(1); };
    options.solve.proof.stop = options.solve.search.stop;
}

double Watch::elapsed_s() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

placement::ShapeWatch Watch::of_shapes() {
    placement::ShapeWatch watch;
    if (limit_s_ > 0) {
        watch.used = [this] { return elapsed_s() / (kSearchTimeShare * limit_s_); };
    }
    watch.begins = [this](std::string_view what, std::size_t number, std::size_t of) {
        if (progress_) {
            progress_->now(fmt::format("{}, shape {} of {}", what, number, of));
            progress_->show(elapsed_s());
        }
    };
    return watch;
}

std::string command_line(const Session& session) {
    std::string line = "longhaul";
    for (std::size_t i = 1; i < session.arguments.size(); ++i) {
        line += " " + session.arguments[i];
    }
    return line;
}

}  // namespace longhaul::app
