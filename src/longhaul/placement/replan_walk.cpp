#include "longhaul/placement/replan_walk.hpp"

#include <algorithm>
#include <limits>

namespace longhaul::placement {
namespace {

constexpr double kRealGain = 1e-12;  // relative: sums in another order differ by less
constexpr double kNoLimit = std::numeric_limits<double>::infinity();

struct Seat {
    std::size_t stage = 0;
    std::size_t place = 0;
};

/// Devices that no stage holds sit in one more row.
std::vector<Seat> seats_of(const Stages& stages, std::size_t devices) {
    std::vector<Seat> seats(devices, {stages.size(), 0});
    for (std::size_t s = 0; s < stages.size(); ++s) {
        for (std::size_t i = 0; i < stages[s].size(); ++i) {
            seats[static_cast<std::size_t>(stages[s][i])] = {s, i};
        }
    }
    return seats;
}

/// Seats devices one by one, in every stage that has room, or leaves them out.
class Seating {
public:
    Seating(Shape shape,
            std::size_t devices,
            const std::function<bool()>& stop,
            const std::function<void(const Stages&)>& meet)
        : dp_(static_cast<std::size_t>(shape.dp)),
          devices_(devices),
          stop_(stop),
          meet_(meet),
          stages_(static_cast<std::size_t>(shape.pp)) {}

    bool run(std::size_t device, std::size_t left_out) {
        if (stop_ && stop_()) {
            return false;
        }
        if (device == devices_) {
            meet_(stages_);
            return true;
        }
        if (left_out > 0 && !run(device + 1, left_out - 1)) {
            return false;
        }
        for (std::vector<int>& stage : stages_) {
            if (stage.size() < dp_) {
                stage.push_back(static_cast<int>(device));
                const bool whole = run(device + 1, left_out);
                stage.pop_back();
                if (!whole) {
                    return false;
                }
            }
        }
        return true;
    }

private:
    std::size_t dp_;
    std::size_t devices_;
    const std::function<bool()>& stop_;
    const std::function<void(const Stages&)>& meet_;
    Stages stages_;
};

}  // namespace

double placements_of(Shape shape, std::size_t devices) {
    double placements = 1;
    for (std::size_t seat = 0; seat < shape.cells(); ++seat) {
        placements *= static_cast<double>(devices - seat) /
                      static_cast<double>(seat % static_cast<std::size_t>(shape.dp) + 1);
    }
    return placements;
}

bool seat_every_way(Shape shape,
                    std::size_t devices,
                    const std::function<bool()>& stop,
                    const std::function<void(const Stages&)>& meet) {
    return Seating(shape, devices, stop, meet).run(0, devices - shape.cells());
}

void MoveArchive::offer(int moves, double score, const Stages& stages) {
    Entry& entry = entries_[static_cast<std::size_t>(moves)];
    if (entry.stages.empty() || score < entry.score * (1 - kRealGain)) {
        entry = {score, stages};
    }
}

void MoveArchive::merge(const MoveArchive& other) {
    for (std::size_t m = 0; m < entries_.size(); ++m) {
        if (!other.entries_[m].stages.empty()) {
            offer(static_cast<int>(m), other.entries_[m].score, other.entries_[m].stages);
        }
    }
}

const MoveArchive::Entry* MoveArchive::best_within(int limit) const {
    const Entry* best = nullptr;
    const auto last = std::min(static_cast<std::size_t>(std::max(limit, 0)), entries_.size() - 1);
    for (std::size_t m = 0; m <= last; ++m) {
        const Entry& entry = entries_[m];
        if (!entry.stages.empty() &&
            (best == nullptr || entry.score < best->score * (1 - kRealGain))) {
            best = &entry;
        }
    }
    return best;
}

MoveWalk::MoveWalk(const Problem& problem, const OldWork& old, Stages start)
    : problem_(problem),
      old_(old),
      now_(std::move(start)),
      exchange_(now_.size()),
      edges_(now_.size(), 0) {
    const std::vector<Seat> seats = seats_of(now_, problem.devices());
    for (std::size_t device = 0; device < seats.size(); ++device) {
        if (seats[device].stage == now_.size()) {
            spare_.push_back(static_cast<int>(device));
        }
    }
    moves_ = count_moves(old_, now_);
    if (!pairs_make_the_score(problem)) {
        terms_.emplace(problem, now_);
        total_ = terms_->total();
        return;
    }
    for (std::size_t s = 0; s < now_.size(); ++s) {
        exchange_[s] = group_exchange(problem_.costs.exchange, now_[s]).seconds;
        if (s > 0) {
            edges_[s] = solver_.solve(problem_.costs.pipeline, now_[s - 1], now_[s]);
        }
    }
    total_ = sum();
}

double MoveWalk::sum() const {
    double total = *std::ranges::max_element(exchange_);
    for (const double edge : edges_) {
        total += edge;
    }
    return total;
}

/// Moves of a device at a stage; those that are left out load nothing.
int MoveWalk::cost(int device, std::size_t stage) const {
    return stage == now_.size()
               ? 0
               : moves_of(old_, device, static_cast<int>(stage), static_cast<int>(now_.size()));
}

int MoveWalk::move_change(std::size_t s, std::size_t i, std::size_t t, std::size_t j) const {
    const int a = row(s)[i];
    const int b = row(t)[j];
    return cost(a, t) + cost(b, s) - cost(a, s) - cost(b, t);
}

void MoveWalk::rescore(std::size_t s) {
    for (const std::size_t edge : {s, s + 1}) {
        if (edge > 0 && edge < now_.size()) {
            edges_[edge] = solver_.solve(problem_.costs.pipeline, now_[edge - 1], now_[edge]);
        }
    }
}

bool MoveWalk::try_swap(std::size_t s, std::size_t i, std::size_t t, std::size_t j, double limit) {
    const int change = move_change(s, i, t, j);
    std::swap(seat(s, i), seat(t, j));
    if (terms_ ? !try_terms(s, t, limit) : !try_pairs(s, t, limit)) {
        std::swap(seat(s, i), seat(t, j));
        return false;
    }
    moves_ += change;
    return true;
}

bool MoveWalk::try_terms(std::size_t s, std::size_t t, double limit) {
    terms_->update(now_, s, t);
    if (terms_->total() > limit) {
        terms_->restore();
        return false;
    }
    total_ = terms_->total();
    return true;
}

bool MoveWalk::try_pairs(std::size_t s, std::size_t t, double limit) {
    kept_exchange_ = exchange_;
    kept_edges_ = edges_;
    for (const std::size_t stage : {s, t}) {
        if (stage < now_.size()) {
            exchange_[stage] = group_exchange(problem_.costs.exchange, now_[stage]).seconds;
        }
    }
    // What does not change and the new exchange alone may be too much already.
    double total = *std::ranges::max_element(exchange_);
    for (std::size_t e = 1; e < now_.size(); ++e) {
        const bool touched = e == s || e == t || e == s + 1 || e == t + 1;
        total += touched ? 0 : edges_[e];
    }
    if (total <= limit) {
        rescore(s);
        rescore(t);
        total = sum();
    }
    if (total > limit) {
        std::swap(exchange_, kept_exchange_);
        std::swap(edges_, kept_edges_);
        return false;
    }
    total_ = total;
    return true;
}

void anneal_moves(MoveWalk& walk,
                  double price,
                  int limit,
                  const AnnealOptions& options,
                  core::Random random,
                  MoveArchive& archive) {
    const std::size_t pp = walk.stages().size();
    const std::size_t rows = walk.rows();
    archive.offer(walk.moves(), walk.score(), walk.stages());
    if (rows < 2) {
        return;
    }
    Cooling cooling(options, scale_of(walk.score()));
    for (std::uint64_t done = 0; done < options.evaluations; ++done) {
        if (done % options.stop_interval == 0 && options.stop && options.stop()) {
            return;
        }
        const std::size_t s = random.index(pp);
        const std::size_t t = (s + 1 + random.index(rows - 1)) % rows;
        // A few draws look for a partner that does not add moves: random ones nearly always do.
        const std::size_t i = random.index(walk.row(s).size());
        std::size_t j = random.index(walk.row(t).size());
        for (int draw = 0; draw < 3 && walk.move_change(s, i, t, j) > 0; ++draw) {
            j = random.index(walk.row(t).size());
        }
        const int change = walk.move_change(s, i, t, j);
        if (walk.moves() + change > limit) {
            continue;
        }
        const double worst = cooling.limit(walk.score(), done, random) - price * change;
        if (walk.try_swap(s, i, t, j, worst)) {
            archive.offer(walk.moves(), walk.score(), walk.stages());
        }
    }
}

void relink(MoveWalk& walk,
            const Stages& target,
            std::size_t width,
            MoveArchive& archive,
            std::uint64_t& evaluations) {
    const std::size_t devices = target.size() * target.front().size() +
                                (walk.rows() > target.size() ? walk.row(target.size()).size() : 0);
    const std::vector<Seat> goal = seats_of(target, devices);
    while (true) {
        archive.offer(walk.moves(), walk.score(), walk.stages());
        struct Swap {
            Seat a, b;
        };
        std::vector<Swap> swaps;
        for (std::size_t s = 0; s < walk.rows(); ++s) {
            for (std::size_t i = 0; i < walk.row(s).size(); ++i) {
                const std::size_t t = goal[static_cast<std::size_t>(walk.row(s)[i])].stage;
                for (std::size_t j = 0; t != s && j < walk.row(t).size(); ++j) {
                    if (goal[static_cast<std::size_t>(walk.row(t)[j])].stage != t) {
                        swaps.push_back({{s, i}, {t, j}});
                    }
                }
            }
        }
        if (swaps.empty()) {
            return;
        }
        const std::size_t stride = (swaps.size() + width - 1) / width;
        double least = kNoLimit;
        Swap best = swaps.front();
        for (std::size_t k = 0; k < swaps.size(); k += stride) {
            const auto [a, b] = swaps[k];
            ++evaluations;
            if (walk.try_swap(a.stage, a.place, b.stage, b.place, least * (1 - kRealGain))) {
                least = walk.score();
                best = swaps[k];
                archive.offer(walk.moves(), walk.score(), walk.stages());
                walk.try_swap(a.stage, a.place, b.stage, b.place, kNoLimit);
            }
        }
        walk.try_swap(best.a.stage, best.a.place, best.b.stage, best.b.place, kNoLimit);
    }
}

}  // namespace longhaul::placement
