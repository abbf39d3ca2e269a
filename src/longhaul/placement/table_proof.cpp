#include "longhaul/placement/table_proof.hpp"

#include <algorithm>

namespace longhaul::placement {
namespace {

constexpr std::size_t kMostDevices = 60'000;  // counts are 16 bits wide
constexpr std::size_t kMostStages = 1'500'000;
constexpr int kSlices = 20;
constexpr std::uint64_t kTries[] = {8, 4, 3};  // parts of the work that is left, over open slices
constexpr double kRungs[] = {0.3, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 1};

}  // namespace

TableProof::TableProof(std::unique_ptr<TableModel> model, Shape shape, std::vector<int> sizes)
    : model_(std::move(model)),
      shape_(shape),
      sizes_(std::move(sizes)),
      bounds_(*model_, shape_, sizes_),
      root_path_(bounds_.root()) {}

bool TableProof::applicable(Shape shape, const std::vector<int>& sizes) {
    return sizes.size() <= kMaxPackedClasses && shape.devices() <= kMostDevices;
}

double TableProof::root_bound() {
    return model_->root_exchange() + root_path_;
}

/// Slices of equal width from the least data-parallel term to what the incumbent leaves for it.
std::vector<TableProof::Part> TableProof::cut(double incumbent) const {
    std::vector<Part> parts;
    const double low = model_->root_exchange();
    const double high = incumbent - root_path_;
    for (int i = 0; i < kSlices && low < high; ++i) {
        const double floor = low + (high - low) * i / kSlices;
        const double cap = low + (high - low) * (i + 1) / kSlices;
        parts.push_back({{floor, cap, i == 0}, floor + root_path_, false});
    }
    return parts;
}

/// All stages of the slices; slices with too many stages are closed.
std::optional<StageList> TableProof::list(std::vector<Part>& parts) {
    for (std::size_t open = parts.size(); open > 0; open -= (open + 3) / 4) {
        const std::uint64_t before = left_;
        std::optional<StageList> stages = StageList::list(*model_,
                                                          sizes_,
                                                          shape_.dp,
                                                          parts[open - 1].slice.cap,
                                                          kMostStages,
                                                          left_ / 4,
                                                          limits_->stop);
        left_ = before - std::min(before, stages ? stages->size() * 8 : before / 4);
        if (!stages && limits_->stop && limits_->stop()) {
            return std::nullopt;
        }
        if (stages) {
            for (std::size_t i = open; i < parts.size(); ++i) {
                parts[i].closed = true;
            }
            return stages;
        }
    }
    return std::nullopt;
}

/// Searches one slice below a target; false when the work did not do.
bool TableProof::raise(TableSearch& search, Part& part, double target, std::uint64_t work) {
    SliceLimits limits = *limits_;
    limits.work = std::min(work, left_);
    SliceResult found = search.run(part.slice, target, limits);
    left_ -= std::min(left_, found.work);
    result_.nodes += found.nodes;
    if (model_->exact() && !found.counts.empty() && found.value < result_.best) {
        result_.best = found.value;
        result_.counts = std::move(found.counts);
    }
    if (!found.complete) {
        return false;
    }
    part.excluded = std::max(part.excluded, found.value);
    part.closed = found.value < target;
    return true;
}

TableProofResult TableProof::run(double incumbent, const SliceLimits& limits) {
    limits_ = &limits;
    left_ = limits.work;
    result_ = {};
    result_.best = incumbent;
    std::vector<Part> parts = cut(incumbent);
    const double start = std::min(incumbent, root_bound());
    std::optional<StageList> stages;
    if (shape_.dp <= kMaxStageDevices && left_ > 0 && !parts.empty()) {
        stages = list(parts);
    }
    if (stages) {
        TableSearch search(*model_, *stages, shape_, sizes_);
        for (const std::uint64_t part_of_work : kTries) {
            const auto open = std::ranges::count_if(parts, [&](const Part& part) {
                return !part.closed && part.excluded < result_.best;
            });
            const std::uint64_t share = left_ / part_of_work / std::max<std::uint64_t>(open, 1);
            for (Part& part : parts) {
                if (!part.closed && part.excluded < result_.best) {
                    (void)raise(search, part, result_.best, share);
                }
            }
        }
        bool going = true;
        for (const double rung : kRungs) {
            const double target = start + rung * (result_.best - start);
            for (Part& part : parts) {
                if (going && !part.closed && part.excluded < target) {
                    going = raise(search, part, target, left_);
                }
            }
        }
    }
    result_.bound = result_.best;
    for (const Part& part : parts) {
        result_.bound = std::min(result_.bound, part.excluded);
    }
    result_.work = limits.work - left_;
    return std::move(result_);
}

}  // namespace longhaul::placement
