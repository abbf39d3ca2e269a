#include "longhaul/study/exchange_tasks.hpp"

#include <algorithm>
#include <map>

#include "longhaul/core/assert.hpp"

namespace longhaul::study {
namespace {

using placement::Exchange;
using Tasks = std::vector<int>;
using Members = std::vector<std::size_t>;

class ExchangeTasks {
public:
    ExchangeTasks(StepGraph& graph, const ExchangeJob& job, std::span<const int> ready)
        : graph_(graph), job_(job), ready_(ready.begin(), ready.end()), done_(ready.size()) {
        LONGHAUL_ASSERT(ready.size() == job.plan.group.size());
    }

    std::vector<Tasks> build() {
        switch (job_.kind) {
            case Exchange::kSharded:
                sharded(everyone(), job_.gb);
                break;
            case Exchange::kRing:
                ring();
                break;
            case Exchange::kCentral:
                central();
                break;
            case Exchange::kTree:
                tree();
                break;
            case Exchange::kHierarchical:
                hierarchical();
                break;
        }
        return std::move(done_);
    }

private:
    [[nodiscard]] std::size_t size() const { return ready_.size(); }

    [[nodiscard]] Members everyone() const {
        Members all(size());
        for (std::size_t i = 0; i < all.size(); ++i) {
            all[i] = i;
        }
        return all;
    }

    Task labelled(TaskKind kind, std::size_t member) const {
        Task task = job_.label;
        task.kind = kind;
        task.device = job_.plan.group[member];
        task.replica = job_.replica[member];
        return task;
    }

    int send(TaskKind kind, std::size_t from, std::size_t to, double gb, int after) {
        Task task = labelled(kind, from);
        task.peer = job_.plan.group[to];
        task.gb = gb;
        const int id = graph_.add(task);
        graph_.wait(id, after);
        return id;
    }

    /// A message to each of the others, nearest successor first, so that no two begin with the same
    /// receiver.
    void spread(TaskKind kind,
                const Members& members,
                std::size_t from,
                double gb,
                int after,
                std::vector<Tasks>& arrivals) {
        int previous = -1;
        for (std::size_t step = 1; step < members.size(); ++step) {
            const std::size_t to = (from + step) % members.size();
            const int id = send(kind, members[from], members[to], gb, after);
            if (job_.one_peer_at_a_time && previous >= 0) {
                graph_.wait(id, previous);
            }
            previous = id;
            arrivals[members[to]].push_back(id);
        }
    }

    /// The moment at which a member has its own part and all that arrived.
    int sum(std::size_t member, const Tasks& arrived) {
        const int id = graph_.add(labelled(TaskKind::kSum, member));
        graph_.wait(id, ready_[member]);
        for (const int message : arrived) {
            graph_.wait(id, message);
        }
        return id;
    }

    /// Every member owns one part of `gb`: it collects that part, then hands out the sum.
    void sharded(const Members& members, double gb) {
        if (members.size() < 2) {
            return;
        }
        const double part = gb / static_cast<double>(members.size());
        std::vector<Tasks> reduced(size());
        for (std::size_t i = 0; i < members.size(); ++i) {
            spread(TaskKind::kReduce, members, i, part, ready_[members[i]], reduced);
        }
        for (std::size_t i = 0; i < members.size(); ++i) {
            const int owned = sum(members[i], reduced[members[i]]);
            spread(TaskKind::kGather, members, i, part, owned, done_);
        }
    }

    void ring() {
        const Tasks& order = job_.plan.order;
        const double part = job_.gb / static_cast<double>(size());
        Tasks holds(ready_);  // by place on the ring: what the next message of a member waits for
        for (std::size_t i = 0; i < size(); ++i) {
            holds[i] = ready_[static_cast<std::size_t>(order[i])];
        }
        for (std::size_t step = 0; step + 2 < 2 * size(); ++step) {
            const bool reduces = step + 1 < size();
            Tasks next(size());
            for (std::size_t i = 0; i < size(); ++i) {
                const std::size_t to = (i + 1) % size();
                const auto from_member = static_cast<std::size_t>(order[i]);
                const auto to_member = static_cast<std::size_t>(order[to]);
                const int id = send(reduces ? TaskKind::kReduce : TaskKind::kGather,
                                    from_member,
                                    to_member,
                                    part,
                                    holds[i]);
                if (reduces) {
                    next[to] = sum(to_member, {id});
                } else {
                    next[to] = id;
                    done_[to_member].push_back(id);
                }
            }
            holds = std::move(next);
        }
    }

    void central() {
        const auto root = static_cast<std::size_t>(job_.plan.order.front());
        Tasks arrived;
        int previous = -1;
        for (std::size_t i = 0; i < size(); ++i) {
            if (i == root) {
                continue;
            }
            arrived.push_back(send(TaskKind::kReduce, i, root, job_.gb, ready_[i]));
            if (job_.one_peer_at_a_time && previous >= 0) {
                graph_.wait(arrived.back(), previous);
            }
            previous = arrived.back();
        }
        const int whole = sum(root, arrived);
        const Members members = everyone();
        spread(TaskKind::kGather, members, root, job_.gb, whole, done_);
        done_[root].push_back(whole);
    }

    /// Flows of a tree join parents and children both ways.
    void tree() {
        std::vector<Members> beside(size());
        for (const placement::Flow& flow : job_.plan.flows) {
            beside[static_cast<std::size_t>(flow.from)].push_back(
                static_cast<std::size_t>(flow.to));
        }
        const auto root = static_cast<std::size_t>(job_.plan.order.front());
        Members order{root};  // parents before children
        Members parent(size(), root);
        for (std::size_t k = 0; k < order.size(); ++k) {
            for (const std::size_t child : beside[order[k]]) {
                if (child != parent[order[k]] && child != root) {
                    parent[child] = order[k];
                    order.push_back(child);
                }
            }
        }
        LONGHAUL_ASSERT(order.size() == size());
        std::vector<Tasks> arrived(size());
        for (std::size_t k = size(); k-- > 1;) {
            const std::size_t child = order[k];
            arrived[parent[child]].push_back(
                send(TaskKind::kReduce, child, parent[child], job_.gb, sum(child, arrived[child])));
        }
        Tasks holds(size(), sum(root, arrived[root]));
        done_[root].push_back(holds[root]);
        for (std::size_t k = 1; k < size(); ++k) {
            const std::size_t child = order[k];
            holds[child] =
                send(TaskKind::kGather, parent[child], child, job_.gb, holds[parent[child]]);
            done_[child].push_back(holds[child]);
        }
    }

    void hierarchical() {
        std::map<int, Members> regions;  // owners first
        std::vector<char> owns(size(), 0);
        const auto join = [&](std::size_t member) {
            const int device = job_.plan.group[member];
            regions[job_.region[static_cast<std::size_t>(device)]].push_back(member);
        };
        for (const int owner : job_.plan.order) {
            join(static_cast<std::size_t>(owner));
            owns[static_cast<std::size_t>(owner)] = 1;
        }
        const std::size_t owners = job_.plan.order.size() / regions.size();
        for (std::size_t member = 0; member < size(); ++member) {
            if (owns[member] == 0) {
                join(member);
            }
        }
        const double part = job_.gb / static_cast<double>(owners);
        std::vector<Tasks> inside(size());
        for (const auto& [region, members] : regions) {
            to_owners(members, owners, part, inside);
        }
        for (auto& [region, members] : regions) {
            for (std::size_t q = 0; q < owners; ++q) {
                ready_[members[q]] = sum(members[q], inside[members[q]]);
            }
        }
        for (std::size_t q = 0; q < owners; ++q) {
            Members across;
            for (const auto& [region, members] : regions) {
                across.push_back(members[q]);
            }
            sharded(across, part);
        }
        for (const auto& [region, members] : regions) {
            from_owners(members, owners, part);
        }
    }

    void to_owners(const Members& members,
                   std::size_t owners,
                   double part,
                   std::vector<Tasks>& inside) {
        for (std::size_t i = 0; i < members.size(); ++i) {
            int previous = -1;
            for (std::size_t step = 0; step < owners; ++step) {
                const std::size_t q = (i + step) % owners;
                if (q == i) {
                    continue;
                }
                const int id =
                    send(TaskKind::kReduce, members[i], members[q], part, ready_[members[i]]);
                if (job_.one_peer_at_a_time && previous >= 0) {
                    graph_.wait(id, previous);
                }
                previous = id;
                inside[members[q]].push_back(id);
            }
        }
    }

    void from_owners(const Members& members, std::size_t owners, double part) {
        Tasks whole(owners);
        for (std::size_t q = 0; q < owners; ++q) {
            whole[q] = sum(members[q], done_[members[q]]);
            done_[members[q]].push_back(whole[q]);
        }
        for (std::size_t q = 0; q < owners; ++q) {
            spread(TaskKind::kGather, members, q, part, whole[q], done_);
        }
    }

    StepGraph& graph_;
    const ExchangeJob& job_;
    Tasks ready_;
    std::vector<Tasks> done_;
};

}  // namespace

std::vector<std::vector<int>> add_exchange(StepGraph& graph,
                                           const ExchangeJob& job,
                                           std::span<const int> ready) {
    if (ready.size() < 2) {
        return std::vector<Tasks>(ready.size());
    }
    return ExchangeTasks(graph, job, ready).build();
}

}  // namespace longhaul::study
