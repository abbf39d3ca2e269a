#include "longhaul/measure/program.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "longhaul/core/statistics.hpp"
#include "longhaul/measure/largest_message.hpp"
#include "longhaul/measure/round_samples.hpp"
#include "longhaul/measure/schedule.hpp"

namespace longhaul::measure {
namespace {

constexpr int kProbePings = 5;
constexpr int kMostWasted = 3;  // further tries of a round whose starts were too far apart
constexpr double kLargestGrown = 256.0 * 1024 * 1024;
constexpr double kMebibyte = 1024.0 * 1024;
constexpr double kSmallestNear = 4096;
constexpr double kSmallestFar = 65536;
constexpr double kNearRoundTrip = 0.002;
constexpr double kTimeShare = 0.8;  // of the seconds of a task; the rest is for its end
constexpr int kFewestSizes = 2;
constexpr double kSettled = 0.05;  // relative difference of two messages in a row

/// The state of one run of the program.
class Program {
public:
    Program(const TaskOrder& order, Team& team, const std::function<void(const Sample&)>& emit)
        : order_(order),
          team_(team),
          emit_(emit),
          end_(team.clock() + kTimeShare * order.seconds) {}

    ProgramResult run() {
        if (order_.pattern == Pattern::kPing) {
            result_.complete = ping();
            return std::move(result_);
        }
        if (choose_sizes() && warm_up()) {
            result_.complete = measure();
        }
        return std::move(result_);
    }

private:
    /// One round; nullopt after noting why it failed.
    std::optional<RoundTimes> round(double bytes) {
        const bool fresh = order_.state == State::kCold;
        if (order_.state == State::kIdle && !team_.pause(order_.idle_s)) {
            result_.events.push_back({"aborted", "told to stop"});
            return std::nullopt;
        }
        tl::expected<RoundTimes, TaskProblem> times = team_.round(bytes, fresh);
        if (!times) {
            result_.events.push_back(times.error());
            return std::nullopt;
        }
        used_ += bytes;
        return std::move(*times);
    }

    [[nodiscard]] bool fits(double bytes) const {
        return order_.pair_bytes <= 0 || used_ + bytes <= order_.pair_bytes;
    }
    [[nodiscard]] bool late() { return team_.clock() > end_; }

    bool ping() {
        for (int rep = 0; rep < kPings; ++rep) {
            const std::optional<RoundTimes> times = round(1);
            if (!times) {
                return false;
            }
            report(*times, 1, rep);
            if (late() && rep >= 2) {
                result_.events.push_back({"budget", fmt::format("{} pings", rep + 1)});
                break;
            }
        }
        return true;
    }

    /// Grid of sizes: as ordered, or from the round trip and a probe of two messages.
    bool choose_sizes() {
        double smallest = order_.smallest_bytes;
        double largest = order_.largest_bytes;
        if (smallest <= 0 || largest <= 0) {
            const std::optional<std::pair<double, double>> link = probe();
            if (!link) {
                return false;
            }
            const auto [rtt, rate] = *link;
            smallest = smallest > 0           ? smallest
                       : rtt < kNearRoundTrip ? kSmallestNear
                                              : kSmallestFar;
            // Twelve messages of the largest size have to fit into the time, too.
            const double most = rate * std::max(order_.seconds / 24 - rtt, 0.0);
            largest = largest > 0 ? largest : std::min(enough_bytes(rate, rtt), most);
        }
        const double left =
            order_.pair_bytes > 0 ? std::max(order_.pair_bytes - used_, smallest) : 0;
        sizes_ = size_grid(smallest, largest, order_.repeats, left);
        return true;
    }

    /// Least round trip (seconds) and rate (bytes/s) of the slowest flow.
    std::optional<std::pair<double, double>> probe() {
        double rtt = std::numeric_limits<double>::infinity();
        for (int i = 0; i < kProbePings; ++i) {
            const std::optional<RoundTimes> times = round(1);
            if (!times) {
                return std::nullopt;
            }
            rtt = std::min(rtt, slowest(*times));
        }
        const double bytes =
            order_.pair_bytes > 0 ? std::min(kMebibyte, order_.pair_bytes / 16) : kMebibyte;
        double elapsed = 0;
        for (int i = 0; i < 2; ++i) {
            const std::optional<RoundTimes> times = round(bytes);
            if (!times) {
                return std::nullopt;
            }
            elapsed = slowest(*times);
        }
        return std::pair(rtt, bytes / std::max(elapsed - rtt, 1e-6));
    }

    static double slowest(const RoundTimes& times) {
        double longest = 0;
        for (const FlowTimes& flow : times.flows) {
            longest = std::max(longest, flow.elapsed_s);
        }
        return longest;
    }

    /// Whether transfers of that length, begun so far apart, ran at the same time.
    [[nodiscard]] bool together(double elapsed_s, double skew_s) const {
        return order_.flows.size() < 2 || elapsed_s >= order_.skew_factor * skew_s;
    }

    static double quickest(const RoundTimes& times) {
        double shortest = std::numeric_limits<double>::infinity();
        for (const FlowTimes& flow : times.flows) {
            shortest = std::min(shortest, flow.elapsed_s);
        }
        return shortest;
    }

    /// Whether two messages in a row took the same time.
    [[nodiscard]] static bool settled(double before_s, double elapsed_s) {
        return std::abs(elapsed_s - before_s) <= kSettled * before_s;
    }

    /// Whether another message to warm up leaves enough for those that count.
    [[nodiscard]] bool warm_message_fits(int sent) {
        if (sent < kWarmMessages) {
            return fits(sizes_.back());
        }
        const double sum = std::accumulate(sizes_.begin(), sizes_.end(), 0.0);
        return sent < kMostWarmMessages && fits(sizes_.back() + order_.repeats * sum) && !late();
    }

    /// Messages that do not count; transfers of several hosts get another size, twice the largest,
    /// until they are long beside the differences of their starts.
    bool warm_up() {
        const bool needed = order_.state == State::kWarm;
        double skew = 0;
        double elapsed = std::numeric_limits<double>::infinity();
        const auto one = [&] {
            const std::optional<RoundTimes> times = round(sizes_.back());
            skew = times ? std::max(skew, times->skew_s) : skew;
            elapsed = times ? quickest(*times) : elapsed;
            return times.has_value();
        };
        double before = elapsed;
        for (int i = 0;
             needed && warm_message_fits(i) && !(i >= kWarmMessages && settled(before, elapsed));
             ++i) {
            before = elapsed;
            if (!one()) {
                return false;
            }
        }
        while (needed && !together(elapsed, skew) && fits(2 * sizes_.back()) &&
               2 * sizes_.back() <= kLargestGrown && !late()) {
            sizes_.push_back(2 * sizes_.back());
            if (!one()) {
                return false;
            }
        }
        return true;
    }

    bool measure() {
        for (int rep = 0; rep < order_.most_repeats; ++rep) {
            bool any = false;
            for (const double size : std::vector<double>(sizes_)) {
                const bool enough = rep >= order_.repeats && narrow(size);
                if (enough || !fits(size)) {
                    continue;
                }
                if (late()) {
                    return end_of_budget();
                }
                any = true;
                if (!measure_one(size, rep)) {
                    return false;
                }
            }
            if (!any) {
                break;
            }
        }
        return end_of_budget();
    }

    /// One round of a size that counts. A size whose rounds are too short for the differences of
    /// their starts is given up.
    bool measure_one(double size, int rep) {
        double skew = 0;
        for (int tries = 0; tries <= kMostWasted && fits(size); ++tries) {
            const std::optional<RoundTimes> times = round(size);
            if (!times) {
                return false;
            }
            if (together(quickest(*times), times->skew_s)) {
                report(*times, size, rep);
                times_[size].push_back(slowest(*times));
                return true;
            }
            skew = std::max(skew, times->skew_s);
        }
        if (times_[size].empty()) {
            std::erase(sizes_, size);
            ++given_up_;
            worst_skew_ = std::max(worst_skew_, skew);
        }
        return true;
    }

    [[nodiscard]] bool narrow(double size) {
        return relative_half_width(times_[size]) <= order_.half_width;
    }

    /// Whether what there is makes a complete task: every size that counts has its repetitions,
    /// or the budget was used after two sizes or more.
    bool end_of_budget() {
        int full = 0;
        int begun = 0;
        for (const double size : sizes_) {
            const std::size_t count = times_[size].size();
            full += count >= static_cast<std::size_t>(order_.repeats) ? 1 : 0;
            begun += count > 0 ? 1 : 0;
        }
        const auto all = static_cast<int>(sizes_.size());
        if (given_up_ > 0) {
            result_.events.push_back(
                {"skew",
                 fmt::format("{} sizes are left out: too short beside starts {:.3g} ms apart",
                             given_up_,
                             1000 * worst_skew_)});
        }
        if (full < all) {
            result_.events.push_back(
                {"budget",
                 fmt::format("{} of {} sizes have their {} repetitions, {} have some",
                             full,
                             all,
                             order_.repeats,
                             begun)});
        }
        return begun >= std::min(std::max(all, 1), kFewestSizes);
    }

    void report(const RoundTimes& times, double bytes, int rep) {
        for (const Sample& sample : round_samples(order_, times, bytes, rep)) {
            emit_(sample);
        }
    }

    const TaskOrder& order_;
    Team& team_;
    const std::function<void(const Sample&)>& emit_;
    double end_;
    double used_ = 0;  // bytes of each flow
    std::vector<double> sizes_;
    std::map<double, std::vector<double>> times_;  // of the slowest flow
    int given_up_ = 0;                             // sizes
    double worst_skew_ = 0;
    ProgramResult result_;
};

}  // namespace

double relative_half_width(std::vector<double> samples) {
    // Student's t, 97.5 %, for 2 ... 20 degrees of freedom.
    constexpr std::array<double, 19> kStudent{4.303,
                                              3.182,
                                              2.776,
                                              2.571,
                                              2.447,
                                              2.365,
                                              2.306,
                                              2.262,
                                              2.228,
                                              2.201,
                                              2.179,
                                              2.160,
                                              2.145,
                                              2.131,
                                              2.120,
                                              2.110,
                                              2.101,
                                              2.093,
                                              2.086};
    constexpr double kSigmaOfMad = 1.4826;
    constexpr double kMedianToMean = 1.2533;
    const std::size_t n = samples.size();
    if (n < 3) {
        return std::numeric_limits<double>::infinity();
    }
    std::ranges::sort(samples);
    const double median = core::quantile(samples, 0.5);
    for (double& sample : samples) {
        sample = std::abs(sample - median);
    }
    std::ranges::sort(samples);
    const double sigma = kSigmaOfMad * core::quantile(samples, 0.5);
    const double student = kStudent[std::min(n - 3, kStudent.size() - 1)];
    return student * kMedianToMean * sigma / std::sqrt(static_cast<double>(n)) / median;
}

ProgramResult run_program(const TaskOrder& order,
                          Team& team,
                          const std::function<void(const Sample&)>& emit) {
    return Program(order, team, emit).run();
}

}  // namespace longhaul::measure
