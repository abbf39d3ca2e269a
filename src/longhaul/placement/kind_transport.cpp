#include "longhaul/placement/kind_transport.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "longhaul/core/assert.hpp"

namespace longhaul::placement {
namespace {

constexpr std::uint64_t bit_of(std::size_t i) {
    return std::uint64_t{1} << (i % 64);
}

/// The first `count` bits.
void set_all(std::vector<std::uint64_t>& words, std::size_t count) {
    words.assign((count + 63) / 64, ~std::uint64_t{0});
    if (count % 64 != 0) {
        words.back() = bit_of(count) - 1;
    }
}

}  // namespace

double BottleneckTransport::solve(const core::Grid<double>& costs,
                                  std::span<const int> a,
                                  std::span<const int> b) {
    int missing = load(costs, a, b);
    threshold_ = lower_threshold();
    open_pairs();
    missing -= fill_directly();
    while (missing > 0) {
        missing -= augment();
    }
    return threshold_;
}

/// Classes present, supplies, demands and the costs between them; returns the devices to pair.
int BottleneckTransport::load(const core::Grid<double>& costs,
                              std::span<const int> a,
                              std::span<const int> b) {
    left_.clear();
    right_.clear();
    supply_.clear();
    demand_.clear();
    int devices = 0;
    for (std::size_t k = 0; k < a.size(); ++k) {
        if (a[k] > 0) {
            left_.push_back(static_cast<int>(k));
            supply_.push_back(a[k]);
            devices += a[k];
        }
        if (b[k] > 0) {
            right_.push_back(static_cast<int>(k));
            demand_.push_back(b[k]);
        }
    }
    price_.resize(left_.size() * right_.size());
    flow_.assign(price_.size(), 0);
    double* price = price_.data();
    for (const int from : left_) {
        const double* row = costs.row(from).data();
        for (const int to : right_) {
            *price++ = row[to];
        }
    }
    row_before_.resize(right_.size());
    column_before_.resize(left_.size());
    return devices;
}

double BottleneckTransport::lower_threshold() const {
    double bound = 0;
    for (std::size_t i = 0; i < left_.size(); ++i) {
        double least = price_[i * right_.size()];
        for (std::size_t j = 1; j < right_.size(); ++j) {
            least = std::min(least, price_[i * right_.size() + j]);
        }
        bound = std::max(bound, least);
    }
    for (std::size_t j = 0; j < right_.size(); ++j) {
        double least = price_[j];
        for (std::size_t i = 1; i < left_.size(); ++i) {
            least = std::min(least, price_[i * right_.size() + j]);
        }
        bound = std::max(bound, least);
    }
    return bound;
}

void BottleneckTransport::open_pairs() {
    column_words_ = (right_.size() + 63) / 64;
    row_words_ = (left_.size() + 63) / 64;
    open_.assign(left_.size() * column_words_, 0);
    sending_.assign(right_.size() * row_words_, 0);
    const double* price = price_.data();
    for (std::size_t i = 0; i < left_.size(); ++i) {
        std::uint64_t* open = &open_[i * column_words_];
        for (std::size_t j = 0; j < right_.size(); ++j) {
            open[j / 64] |= static_cast<std::uint64_t>(*price++ <= threshold_) << (j % 64);
        }
    }
}

/// Sends what fits over open pairs without moving earlier bundles.
int BottleneckTransport::fill_directly() {
    int sent = 0;
    for (std::size_t i = 0; i < left_.size(); ++i) {
        for (std::size_t j = 0; j < right_.size() && supply_[i] > 0; ++j) {
            if (demand_[j] > 0 && price_[i * right_.size() + j] <= threshold_) {
                const int units = std::min(supply_[i], demand_[j]);
                supply_[i] -= units;
                demand_[j] -= units;
                flow_[i * right_.size() + j] = units;
                sending_[j * row_words_ + i / 64] |= bit_of(i);
                sent += units;
            }
        }
    }
    return sent;
}

/// One path from any row with supply left to any column with demand left, moving earlier bundles
/// aside; the threshold rises until there is one. Returns the units sent.
int BottleneckTransport::augment() {
    set_all(unseen_, right_.size());
    set_all(unreached_, left_.size());
    queue_.clear();
    for (std::size_t i = 0; i < left_.size(); ++i) {
        if (supply_[i] > 0) {
            queue_.push_back(static_cast<int>(i));
            column_before_[i] = -1;
            unreached_[i / 64] &= ~bit_of(i);
        }
    }
    while (true) {
        while (!queue_.empty()) {
            const int row = queue_.back();
            queue_.pop_back();
            const int end = reach_from(row);
            if (end >= 0) {
                return send_to(end);
            }
        }
        raise_threshold();
    }
}

/// Visits the open columns of a row, and the rows that send to these. Returns a column with demand,
/// or -1.
int BottleneckTransport::reach_from(int row) {
    for (std::size_t word = 0; word < column_words_; ++word) {
        std::uint64_t found = open_[row * column_words_ + word] & unseen_[word];
        unseen_[word] &= ~found;
        for (; found != 0; found &= found - 1) {
            const std::size_t column = word * 64 + std::countr_zero(found);
            row_before_[column] = row;
            if (demand_[column] > 0) {
                return static_cast<int>(column);
            }
            for (std::size_t other = 0; other < row_words_; ++other) {
                std::uint64_t rows = sending_[column * row_words_ + other] & unreached_[other];
                unreached_[other] &= ~rows;
                for (; rows != 0; rows &= rows - 1) {
                    const std::size_t next = other * 64 + std::countr_zero(rows);
                    column_before_[next] = static_cast<int>(column);
                    queue_.push_back(static_cast<int>(next));
                }
            }
        }
    }
    return -1;
}

/// To the cheapest pair from what was reached to what was not: any pairing must cross there. Rows
/// that gain a column are searched again.
void BottleneckTransport::raise_threshold() {
    double least = std::numeric_limits<double>::infinity();
    const auto crossings = [&](auto visit) {
        for (std::size_t i = 0; i < left_.size(); ++i) {
            if ((unreached_[i / 64] & bit_of(i)) != 0) {
                continue;
            }
            for (std::size_t word = 0; word < column_words_; ++word) {
                for (std::uint64_t rest = unseen_[word]; rest != 0; rest &= rest - 1) {
                    const std::size_t j = word * 64 + std::countr_zero(rest);
                    visit(i, j, price_[i * right_.size() + j]);
                }
            }
        }
    };
    crossings([&](std::size_t, std::size_t, double price) { least = std::min(least, price); });
    LONGHAUL_ASSERT_NORMAL(least < std::numeric_limits<double>::infinity());
    threshold_ = std::max(threshold_, least);
    crossings([&](std::size_t i, std::size_t j, double price) {
        if (price <= threshold_) {
            open_[i * column_words_ + j / 64] |= bit_of(j);
            if (queue_.empty() || queue_.back() != static_cast<int>(i)) {
                queue_.push_back(static_cast<int>(i));
            }
        }
    });
}

/// Sends along the path that ends in a column as many units as all its parts allow.
int BottleneckTransport::send_to(int column) {
    const std::size_t width = right_.size();
    int units = demand_[column];
    int row = row_before_[column];
    while (column_before_[row] >= 0) {
        units = std::min(units, flow_[row * width + column_before_[row]]);
        row = row_before_[column_before_[row]];
    }
    units = std::min(units, supply_[row]);
    supply_[row] -= units;
    demand_[column] -= units;
    for (int to = column; to >= 0;) {
        const int from = row_before_[to];
        flow_[from * width + to] += units;
        sending_[to * row_words_ + from / 64] |= bit_of(from);
        to = column_before_[from];
        if (to >= 0 && (flow_[from * width + to] -= units) == 0) {
            sending_[to * row_words_ + from / 64] &= ~bit_of(from);
        }
    }
    return units;
}

}  // namespace longhaul::placement
