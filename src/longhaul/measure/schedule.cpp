#include "longhaul/measure/schedule.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "longhaul/core/assert.hpp"
#include "longhaul/measure/crossings.hpp"
#include "longhaul/measure/largest_message.hpp"

namespace longhaul::measure {
namespace {

constexpr double kSmallestAssumed = 65536;
constexpr int kSetupRoundTrips = 8;  // prepare, connect, shake hands, go

/// Tasks of one block, before they have slots.
class BlockMaker {
public:
    BlockMaker(const std::vector<CampaignHost>& hosts, const ScheduleOptions& options, int block)
        : hosts_(hosts), options_(options), block_(block) {}

    std::vector<CampaignTask> make() {
        for (const Pattern pattern : options_.patterns) {
            switch (pattern) {
                case Pattern::kPing:
                case Pattern::kPeer:
                case Pattern::kBothWays:
                    add_pairs(pattern);
                    break;
                case Pattern::kFanOut:
                case Pattern::kFanIn:
                    add_fans(pattern);
                    break;
                case Pattern::kRelay:
                    add_relay();
                    break;
                case Pattern::kCrossing:
                    for (const std::vector<int>& ends : crossings(hosts_, options_.fan_widths)) {
                        add(pattern, options_.states.front(), options_.streams.front(), ends);
                    }
                    break;
                case Pattern::kLocal:
                    break;
            }
        }
        return std::move(tasks_);
    }

private:
    [[nodiscard]] int count() const { return static_cast<int>(hosts_.size()); }

    void add_pairs(Pattern pattern) {
        const std::set<Flow> wanted(options_.pairs.begin(), options_.pairs.end());
        const auto add_if_wanted = [&](int from, int to) {
            if (wanted.empty() || wanted.contains({from, to})) {
                add_states(pattern, {from, to});
            }
        };
        for (const auto& round : circle_rounds(count())) {
            for (const auto& [a, b] : round) {
                const bool twice = pattern == Pattern::kPeer;
                if (!twice && wanted.contains({b, a}) && !wanted.contains({a, b})) {
                    add_states(pattern, {b, a});
                } else {
                    add_if_wanted(a, b);
                }
                if (twice) {
                    add_if_wanted(b, a);
                }
            }
        }
    }

    void add_states(Pattern pattern, const std::vector<int>& members) {
        if (pattern == Pattern::kPing) {
            add(pattern, State::kWarm, 1, members);
            return;
        }
        for (const State state : options_.states) {
            for (const int streams : options_.streams) {
                add(pattern, state, streams, members);
            }
        }
    }

    [[nodiscard]] std::vector<int> widths() const {
        std::vector<int> widths = options_.fan_widths;
        for (int width = 2; options_.fan_widths.empty() && width < count() - 1; width *= 2) {
            widths.push_back(width);
        }
        if (options_.fan_widths.empty()) {
            widths.push_back(count() - 1);
        }
        std::erase_if(widths, [&](int width) { return width < 1 || width >= count(); });
        std::ranges::sort(widths);
        widths.erase(std::unique(widths.begin(), widths.end()), widths.end());
        return widths;
    }

    /// Peers of a fan: the next hosts in order; those of the root's own site first; those last.
    [[nodiscard]] std::set<std::vector<int>> peer_sets(int root, int width) const {
        std::vector<int> next;
        for (int step = 1; step < count(); ++step) {
            next.push_back((root + step) % count());
        }
        const auto& site = hosts_[static_cast<std::size_t>(root)].site;
        const auto own_site = [&](int host) {
            return !site.empty() && hosts_[static_cast<std::size_t>(host)].site == site;
        };
        std::vector<int> near = next;
        std::ranges::stable_partition(near, own_site);
        std::vector<int> far = next;
        std::ranges::stable_partition(far, [&](int host) { return !own_site(host); });
        std::set<std::vector<int>> sets;
        for (std::vector<int>* order : {&next, &near, &far}) {
            order->resize(static_cast<std::size_t>(width));
            std::ranges::sort(*order);
            sets.insert(*order);
        }
        return sets;
    }

    void add_fans(Pattern pattern) {
        for (const int width : widths()) {
            for (int root = 0; root < count(); ++root) {
                for (std::vector<int> members : peer_sets(root, width)) {
                    members.insert(members.begin(), root);
                    add(pattern, options_.states.front(), options_.streams.front(), members);
                }
            }
        }
    }

    void add_relay() {
        std::vector<int> ring;
        for (int i = 0; i < count(); ++i) {
            ring.push_back(i);
        }
        add(Pattern::kRelay, options_.states.front(), options_.streams.front(), ring);
    }

    void add(Pattern pattern, State state, int streams, const std::vector<int>& members) {
        CampaignTask task;
        task.pattern = pattern;
        task.state = state;
        task.idle_s = state == State::kIdle ? options_.idle_s : 0;
        task.streams = streams;
        task.hosts = members;
        task.block = block_;
        task.id = id_of(task);
        estimate(task);
        tasks_.push_back(std::move(task));
    }

    [[nodiscard]] std::string id_of(const CampaignTask& task) const {
        std::string who;
        for (std::size_t i = 0; i < task.hosts.size(); ++i) {
            const bool to = task.pattern == Pattern::kPing || task.pattern == Pattern::kPeer ||
                            task.pattern == Pattern::kBothWays ||
                            (task.pattern == Pattern::kCrossing && i % 2 == 1);
            const bool second = i == 1 && task.pattern != Pattern::kCrossing;
            const std::string_view between = i == 0 ? "" : to ? ">" : second ? ":" : ",";
            who += fmt::format("{}{}", between, id_of_host(task.hosts[i]));
        }
        std::string id = fmt::format("b{}/{}/{}", block_, name_of(task.pattern), who);
        if (task.pattern != Pattern::kPing) {
            id += fmt::format("/{}", name_of(task.state));
            id += task.state == State::kIdle ? fmt::format("{}", task.idle_s) : "";
            id += task.streams > 1 ? fmt::format("/x{}", task.streams) : "";
        }
        return id;
    }

    [[nodiscard]] const std::string& id_of_host(int host) const {
        return hosts_[static_cast<std::size_t>(host)].id;
    }

    /// Seconds and bytes under the assumptions; transfers of one task share the assumed rate where
    /// they end or begin at one host, or cross the same border.
    void estimate(CampaignTask& task) const {
        const double rtt = options_.assumed_rtt_s;
        const std::size_t flows = flows_of(task.pattern, task.hosts).size();
        if (task.pattern == Pattern::kPing) {
            task.seconds = (kPings + kSetupRoundTrips) * rtt;
            task.bytes = task.most_bytes = kPings;
            return;
        }
        const CampaignRules& rules = options_.rules;
        const double smallest = rules.smallest_bytes > 0 ? rules.smallest_bytes : kSmallestAssumed;
        const double largest =
            rules.largest_bytes > 0 ? rules.largest_bytes : enough_bytes(rate(), rtt);
        const std::vector<double> sizes =
            size_grid(smallest, largest, rules.repeats, rules.pair_bytes);
        double sum = 0;
        for (const double size : sizes) {
            sum += size;
        }
        const double warm_up = kWarmMessages * sizes.back();
        const auto width = static_cast<double>(flows);
        task.bytes = width * (warm_up + rules.repeats * sum);
        const double most = kMostWarmMessages * sizes.back() + rules.most_repeats * sum;
        task.most_bytes = width * (rules.pair_bytes > 0 ? std::min(most, rules.pair_bytes) : most);
        const bool shares = task.pattern == Pattern::kFanIn || task.pattern == Pattern::kFanOut ||
                            task.pattern == Pattern::kCrossing;
        const double messages = rules.repeats * static_cast<double>(sizes.size()) + kWarmMessages;
        const double per_message =
            (task.state == State::kCold ? 4 : 1) * rtt + (shares ? rtt : 0) + task.idle_s;
        task.seconds = kSetupRoundTrips * rtt + messages * per_message +
                       (shares ? task.bytes : task.bytes / width) / rate();
    }

    [[nodiscard]] double rate() const { return options_.assumed_gbps * 1e9 / 8; }  // bytes/s

    const std::vector<CampaignHost>& hosts_;
    const ScheduleOptions& options_;
    int block_;
    std::vector<CampaignTask> tasks_;
};

}  // namespace

std::vector<std::vector<std::pair<int, int>>> circle_rounds(int n) {
    const int players = n + n % 2;  // an odd number gets one who sits out
    std::vector<std::vector<std::pair<int, int>>> rounds;
    for (int round = 0; round + 1 < players; ++round) {
        std::vector<std::pair<int, int>> pairs;
        const auto seat = [&](int i) { return i == 0 ? 0 : 1 + (i - 1 + round) % (players - 1); };
        for (int i = 0; i < players / 2; ++i) {
            const int a = seat(i);
            const int b = seat(players - 1 - i);
            if (a < n && b < n) {
                pairs.emplace_back(std::min(a, b), std::max(a, b));
            }
        }
        rounds.push_back(std::move(pairs));
    }
    return rounds;
}

std::vector<int> resources_of(const CampaignTask& task,
                              const std::vector<CampaignHost>& hosts,
                              const std::vector<CampaignGroup>& groups) {
    std::set<int> used(task.hosts.begin(), task.hosts.end());
    const auto count = static_cast<int>(hosts.size());
    const auto member = [&](int host, const std::string& group) {
        return std::ranges::count(hosts[static_cast<std::size_t>(host)].groups, group) > 0;
    };
    for (const Flow& flow : flows_of(task.pattern, task.hosts)) {
        for (std::size_t g = 0; g < groups.size(); ++g) {
            const bool leaves = member(flow.from, groups[g].name);
            const bool enters = member(flow.to, groups[g].name);
            if (leaves && enters && !groups[g].inside) {
                continue;
            }
            const int out = count + 2 * static_cast<int>(g);
            const int in = out + (groups[g].half_duplex ? 0 : 1);
            // The acknowledgements go the other way, but they are small.
            if (leaves) {
                used.insert(out);
            }
            if (enters) {
                used.insert(in);
            }
        }
    }
    return {used.begin(), used.end()};
}

int assign_slots(std::vector<CampaignTask*> tasks,
                 const std::vector<CampaignHost>& hosts,
                 const std::vector<CampaignGroup>& groups,
                 int first_slot) {
    std::ranges::stable_sort(tasks, [](const CampaignTask* a, const CampaignTask* b) {
        return a->seconds > b->seconds;
    });
    const std::size_t resources = hosts.size() + 2 * groups.size();
    std::vector<std::vector<bool>> taken;  // by slot, by resource
    for (CampaignTask* task : tasks) {
        const std::vector<int> needed = resources_of(*task, hosts, groups);
        const auto free_in = [&](const std::vector<bool>& slot) {
            return std::ranges::none_of(
                needed, [&](int resource) { return slot[static_cast<std::size_t>(resource)]; });
        };
        auto slot = std::ranges::find_if(taken, free_in);
        if (slot == taken.end()) {
            slot = taken.insert(taken.end(), std::vector<bool>(resources, false));
        }
        for (const int resource : needed) {
            (*slot)[static_cast<std::size_t>(resource)] = true;
        }
        task->slot = first_slot + static_cast<int>(slot - taken.begin());
    }
    return first_slot + static_cast<int>(taken.size());
}

std::vector<double> size_grid(double smallest, double largest, int repeats, double pair_bytes) {
    LONGHAUL_ASSERT(smallest >= 1);
    std::vector<double> sizes{smallest};
    while (2 * sizes.back() <= largest) {
        sizes.push_back(2 * sizes.back());
    }
    double sum = 0;
    for (const double size : sizes) {
        sum += size;
    }
    while (pair_bytes > 0 && sizes.size() > 1 &&
           kWarmMessages * sizes.back() + repeats * sum > pair_bytes) {
        sum -= sizes.back();
        sizes.pop_back();
    }
    return sizes;
}

Campaign make_campaign(const std::vector<CampaignHost>& hosts,
                       const std::vector<CampaignGroup>& groups,
                       const ScheduleOptions& options) {
    LONGHAUL_ASSERT(hosts.size() >= 2 && !options.states.empty() && !options.streams.empty());
    Campaign campaign{options.rules, hosts, groups, {}};
    int next_slot = 0;
    for (int block = 0; block < options.blocks; ++block) {
        std::vector<CampaignTask> tasks = BlockMaker(hosts, options, block).make();
        // Round trips come first: they are short, and tell early who cannot reach whom.
        for (const bool pings : {true, false}) {
            std::vector<CampaignTask*> chosen;
            for (CampaignTask& task : tasks) {
                if ((task.pattern == Pattern::kPing) == pings) {
                    chosen.push_back(&task);
                }
            }
            next_slot = assign_slots(chosen, hosts, groups, next_slot);
        }
        std::ranges::stable_sort(tasks, {}, &CampaignTask::slot);
        std::ranges::move(tasks, std::back_inserter(campaign.tasks));
    }
    return campaign;
}

}  // namespace longhaul::measure
