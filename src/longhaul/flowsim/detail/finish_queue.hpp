// Which bundle has a flow that ends next: a binary heap whose keys can be changed.
#pragma once

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "longhaul/flowsim/time.hpp"

namespace longhaul::flowsim {

/// Holds each id at most once. Equal times come in the order of ids. All calls O(log size).
class FinishQueue {
public:
    /// Puts the id at that time, wherever it was; kNever takes it out.
    void set(std::uint32_t id, Time time) {
        if (id >= place_.size()) {
            place_.resize(id + 1, kOut);
        }
        if (time == kNever) {
            remove(id);
            return;
        }
        if (place_[id] == kOut) {
            place_[id] = heap_.size();
            heap_.push_back({time, id});
        } else {
            heap_[place_[id]].time = time;
        }
        down(up(place_[id]));
    }
    [[nodiscard]] bool empty() const { return heap_.empty(); }
    [[nodiscard]] Time time() const { return heap_.front().time; }
    [[nodiscard]] std::uint32_t id() const { return heap_.front().id; }

private:
    static constexpr std::size_t kOut = std::numeric_limits<std::size_t>::max();

    struct Item {
        Time time;
        std::uint32_t id;
        [[nodiscard]] bool before(const Item& other) const {
            return time != other.time ? time < other.time : id < other.id;
        }
    };

    void remove(std::uint32_t id) {
        const std::size_t place = place_[id];
        if (place == kOut) {
            return;
        }
        swap(place, heap_.size() - 1);
        heap_.pop_back();
        place_[id] = kOut;
        if (place < heap_.size()) {
            down(up(place));
        }
    }
    void swap(std::size_t a, std::size_t b) {
        std::swap(heap_[a], heap_[b]);
        place_[heap_[a].id] = a;
        place_[heap_[b].id] = b;
    }
    std::size_t up(std::size_t i) {
        while (i > 0 && heap_[i].before(heap_[(i - 1) / 2])) {
            swap(i, (i - 1) / 2);
            i = (i - 1) / 2;
        }
        return i;
    }
    void down(std::size_t i) {
        while (2 * i + 1 < heap_.size()) {
            std::size_t child = 2 * i + 1;
            if (child + 1 < heap_.size() && heap_[child + 1].before(heap_[child])) {
                ++child;
            }
            if (!heap_[child].before(heap_[i])) {
                return;
            }
            swap(i, child);
            i = child;
        }
    }

    std::vector<Item> heap_;
    std::vector<std::size_t> place_;
};

}  // namespace longhaul::flowsim
