#include "longhaul/schedule/slots.hpp"

#include <algorithm>

#include "longhaul/core/assert.hpp"

namespace longhaul::schedule {

SlotTable::SlotTable(std::size_t slots, SlotIndex index, double timeout_ms, std::uint64_t seed)
    : table_(slots), index_(index), timeout_ms_(timeout_ms), seed_(mix_bits(seed)) {
    LONGHAUL_ASSERT(slots >= 1 && timeout_ms >= 0);
}

std::size_t SlotTable::place_of(std::uint64_t id) const {
    return (index_ == SlotIndex::kRing ? id : mix_bits(id ^ seed_)) % table_.size();
}

void SlotTable::leave(Slot& slot, double time_ms, Eviction why, std::vector<Partial>& out) {
    out.push_back({slot.id, slot.contributors, slot.sum, time_ms, why});
    slot.contributors = 0;
    --occupied_;
}

bool SlotTable::arrive(const Contribution& contribution, std::vector<Partial>& out) {
    expire(contribution.time_ms, out);
    const std::size_t place = place_of(contribution.id);
    Slot& slot = table_[place];
    if (slot.contributors != 0 && slot.id != contribution.id) {
        leave(slot, contribution.time_ms, Eviction::kConflict, out);
    }
    if (slot.contributors == 0) {
        slot = {contribution.id, 0, 0, ++tenants_};
        peak_ = std::max(peak_, ++occupied_);
        if (timeout_ms_ > 0) {
            due_.push_back({contribution.time_ms + timeout_ms_, place, slot.tenant});
        }
    } else if ((slot.contributors & contribution.contributor) != 0) {
        return false;
    }
    slot.contributors |= contribution.contributor;
    slot.sum += contribution.value;
    if ((contribution.expected & ~slot.contributors) == 0) {
        leave(slot, contribution.time_ms, Eviction::kComplete, out);
    }
    return true;
}

void SlotTable::expire(double time_ms, std::vector<Partial>& out) {
    while (!due_.empty() && due_.front().time_ms <= time_ms) {
        Slot& slot = table_[due_.front().slot];
        if (slot.contributors != 0 && slot.tenant == due_.front().tenant) {
            leave(slot, due_.front().time_ms, Eviction::kTimeout, out);
        }
        due_.pop_front();
    }
}

void SlotTable::flush(double time_ms, std::vector<Partial>& out) {
    expire(time_ms, out);
    for (Slot& slot : table_) {
        if (slot.contributors != 0) {
            leave(slot, time_ms, Eviction::kFlush, out);
        }
    }
    due_.clear();
}

void SlotTable::wipe(std::vector<Partial>& lost) {
    for (Slot& slot : table_) {
        if (slot.contributors != 0) {
            leave(slot, 0, Eviction::kFlush, lost);
        }
    }
    due_.clear();
}

}  // namespace longhaul::schedule
