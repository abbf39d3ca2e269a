#include "longhaul/schedule/detail/read_timed_clique.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace longhaul::schedule::detail {

using core::Cursor;
using core::shown;

namespace {

constexpr double kSumTolerance = 1e-9;   ///< of a row of weights
constexpr double kTimeTolerance = 1e-6;  ///< relative, and ms

class CliqueReader {
public:
    explicit CliqueReader(const CliqueFrame& frame) : frame_(frame) {}

    TimedClique read(const Cursor& at, Clique& taken) {
        at.only_keys({"members",
                      "sending_ms",
                      "rate_gbps",
                      "time_ms",
                      "offset_ms",
                      "sender_ms",
                      "trees",
                      "weights",
                      "note"});
        TimedClique clique;
        const std::vector<int> listed = read_members(at, taken);
        for (const int member : listed) {
            clique.members |= Clique{1} << member;
        }
        const std::size_t k = listed.size();
        if (k == 0) {
            return clique;
        }
        // order[j]: where member j, ascending by island, stands in the file.
        std::vector<std::size_t> order;
        for (const int member : members_of(clique.members)) {
            order.push_back(
                static_cast<std::size_t>(std::ranges::find(listed, member) - listed.begin()));
        }
        if (k == 1) {
            clique.offset_ms = {0};
        }
        read_times(at, order, clique);
        read_trees(at, listed, order, clique);
        read_weights(at, order, clique);
        if (k > 1) {
            check_arrivals(at, clique);
        }
        return clique;
    }

private:
    /// Members in the order of the file, which every list of the clique follows.
    std::vector<int> read_members(const Cursor& at, Clique& taken) {
        std::vector<int> members;
        const auto list = at.require("members", "the islands of the clique");
        if (!list || !list->is_array()) {
            return {};
        }
        bool sound = true;
        for (std::size_t m = 0; m < list->value().size(); ++m) {
            const Cursor entry = list->item(m);
            const auto name = entry.string();
            const auto island = name ? frame_.islands.find(*name) : std::nullopt;
            if (!island) {
                sound = false;
                if (name) {
                    entry.report(fmt::format("{} is no island", shown(*name)),
                                 "a name of the network");
                }
                continue;
            }
            const Clique bit = Clique{1} << *island;
            if ((taken & bit) != 0) {
                sound = false;
                entry.report(fmt::format("{} is in the round already", shown(*name)),
                             "each island once a round");
            }
            taken |= bit;
            members.push_back(*island);
        }
        if (list->value().size() == 0) {
            list->report("no member", "at least one island");
        }
        return sound ? members : std::vector<int>{};
    }

    void read_times(const Cursor& at, const std::vector<std::size_t>& order, TimedClique& clique) {
        const bool alone = order.size() == 1;
        const auto time_of = [&](const char* key, const char* meaning) {
            const auto entry = alone ? at.find(key) : at.require(key, meaning);
            if (!entry) {
                return 0.0;
            }
            return alone ? entry->number_in(0, kLongestTimeMs).value_or(0)
                         : positive_or_report(*entry, kLongestTimeMs);
        };
        clique.sending_ms = time_of("sending_ms", "the time of sending the payload");
        clique.time_ms = time_of("time_ms", "until the last byte has arrived");
        if (const auto rate = at.find("rate_gbps")) {
            const double said = rate->number_in(0, 1e9).value_or(0);
            const double made = frame_.payload_gb * 8e3 / clique.sending_ms;
            if (clique.sending_ms > 0 && !about_equal(said, made)) {
                rate->report(fmt::format("{} Gbit/s", said),
                             fmt::format("{}: the payload over sending_ms", made));
            }
        }
        const auto offsets = alone ? at.find("offset_ms")
                                   : at.require("offset_ms", "when each member starts to send");
        if (offsets) {
            clique.offset_ms = numbers_of(*offsets, order, -kLongestTimeMs);
            for (std::size_t m = 0; m < order.size() && frame_.pace != Pace::kStreamed; ++m) {
                if (clique.offset_ms[m] < 0) {
                    offsets->item(order[m]).report(
                        fmt::format("{} ms", clique.offset_ms[m]),
                        "at least 0: only streamed rounds start before their round");
                }
            }
        }
        if (const auto senders = at.find("sender_ms")) {
            clique.sender_ms = numbers_of(*senders, order, 0);
            const double slowest = std::ranges::max(clique.sender_ms);
            if (std::ranges::min(clique.sender_ms) <= 0 ||
                !about_equal(slowest, clique.sending_ms)) {
                senders->report(
                    fmt::format("{} to {} ms", std::ranges::min(clique.sender_ms), slowest),
                    "positive times, the longest of them sending_ms");
            }
        }
    }

    /// One number a member, in ascending order of the islands; zeros after a problem.
    static std::vector<double> numbers_of(const Cursor& at,
                                          const std::vector<std::size_t>& order,
                                          double least) {
        std::vector<double> numbers(order.size(), 0);
        if (!entries(at, order.size())) {
            return numbers;
        }
        for (std::size_t m = 0; m < order.size(); ++m) {
            numbers[m] = at.item(order[m]).number_in(least, kLongestTimeMs).value_or(0);
        }
        return numbers;
    }

    static bool entries(const Cursor& at, std::size_t count) {
        if (!at.is_array()) {
            return false;
        }
        if (at.value().size() != count) {
            at.report(fmt::format("{} entries", at.value().size()),
                      fmt::format("{}: one a member", count));
            return false;
        }
        return true;
    }

    void read_trees(const Cursor& at,
                    const std::vector<int>& listed,
                    const std::vector<std::size_t>& order,
                    TimedClique& clique) {
        const bool alone = order.size() == 1;
        const auto trees =
            alone ? at.find("trees") : at.require("trees", "the links of each stream");
        if (!trees || !entries(*trees, order.size())) {
            return;
        }
        clique.trees.clear();
        for (const std::size_t place : order) {
            clique.trees.push_back(read_tree(trees->item(place), listed[place], clique.members));
        }
        if (alone && clique.trees[0].links.empty()) {
            clique.trees.clear();
        }
    }

    topology::StreamTree read_tree(const Cursor& at, int source, Clique members) {
        topology::StreamTree tree;
        if (!at.is_array()) {
            return tree;
        }
        std::vector<char> reached(static_cast<std::size_t>(frame_.islands.network.nodes), 0);
        reached[static_cast<std::size_t>(source)] = 1;
        for (std::size_t i = 0; i < at.value().size(); ++i) {
            const Cursor entry = at.item(i);
            const auto name = entry.string();
            const auto found = name ? frame_.links.find(*name) : frame_.links.end();
            if (found == frame_.links.end()) {
                if (name) {
                    entry.report(fmt::format("{} is no link", shown(*name)),
                                 "FROM>TO, a link of the network");
                }
                return {};
            }
            const topology::Link& link = frame_.islands.network.links[found->second];
            if (link.down) {
                entry.report(fmt::format("{} is down", shown(*name)), "a link that works");
            }
            if (reached[link.from] == 0 || reached[link.to] != 0) {
                entry.report(fmt::format("{} {}",
                                         shown(*name),
                                         reached[link.from] == 0 ? "starts where the tree is not"
                                                                 : "closes a circle"),
                             "a tree from its member, each link after the one that leads to it");
                return {};
            }
            reached[link.to] = 1;
            tree.links.push_back(found->second);
        }
        for (const int member : members_of(members)) {
            if (reached[static_cast<std::size_t>(member)] == 0) {
                const auto name =
                    shown(frame_.islands.islands[static_cast<std::size_t>(member)].name);
                at.report(fmt::format("does not lead to {}", name),
                          "a tree that reaches all other members");
            }
        }
        return tree;
    }

    static void read_weights(const Cursor& at,
                             const std::vector<std::size_t>& order,
                             TimedClique& clique) {
        const auto weights = at.find("weights");
        if (!weights || !entries(*weights, order.size())) {
            return;
        }
        clique.weights = core::Grid<double>(order.size(), order.size());
        for (std::size_t r = 0; r < order.size(); ++r) {
            const Cursor row = weights->item(order[r]);
            if (!entries(row, order.size())) {
                continue;
            }
            double sum = 0;
            for (std::size_t s = 0; s < order.size(); ++s) {
                const double weight = row.item(order[s]).number_in(0, 1).value_or(0);
                clique.weights(r, s) = weight;
                sum += weight;
            }
            if (std::abs(sum - 1) > kSumTolerance) {
                row.report(fmt::format("sums to {}", sum), "a row that sums to 1");
            }
        }
    }

    /// No clique ends before its last byte has arrived.
    void check_arrivals(const Cursor& at, const TimedClique& clique) const {
        const std::vector<int> members = members_of(clique.members);
        if (!frame_.same_network || clique.trees.size() != members.size() ||
            clique.offset_ms.size() != members.size()) {
            return;
        }
        for (std::size_t m = 0; m < members.size(); ++m) {
            topology::Stream stream{members[m], members, 1};
            std::erase(stream.receivers, members[m]);
            const auto latencies =
                topology::stream_latencies(frame_.islands.network, stream, clique.trees[m]);
            const double sending =
                clique.sender_ms.empty() ? clique.sending_ms : clique.sender_ms[m];
            const double ends = clique.offset_ms[m] + std::ranges::max(latencies) + sending;
            if (std::isfinite(ends) && ends > clique.time_ms &&
                !about_equal(ends, clique.time_ms)) {
                at.report(
                    fmt::format(
                        "{} arrives after {} ms, time_ms is {}",
                        shown(frame_.islands.islands[static_cast<std::size_t>(members[m])].name),
                        ends,
                        clique.time_ms),
                    "offset, latency and sending within time_ms");
            }
        }
    }

    const CliqueFrame& frame_;
};

}  // namespace

bool about_equal(double a, double b) {
    return std::abs(a - b) <= kTimeTolerance * (1 + std::max(std::abs(a), std::abs(b)));
}

double positive_or_report(const Cursor& at, double most) {
    const auto value = at.number_in(0, most);
    if (value && *value == 0) {
        at.report("0", "a positive number");
    }
    return value && *value > 0 ? *value : 1;
}

TimedClique read_timed_clique(const Cursor& at, const CliqueFrame& frame, Clique& taken) {
    return CliqueReader(frame).read(at, taken);
}

}  // namespace longhaul::schedule::detail
