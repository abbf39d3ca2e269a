#include "longhaul/study/step_graph.hpp"

#include <array>

#include "longhaul/core/assert.hpp"

namespace longhaul::study {

std::string_view name_of(TaskKind kind) {
    constexpr std::array<std::string_view, 8> kNames{
        "forward", "backward", "update", "sum", "activation", "gradient", "reduce", "gather"};
    return kNames.at(static_cast<std::size_t>(kind));
}

int StepGraph::add(const Task& task) {
    tasks_.push_back(task);
    waits_.push_back(0);
    return static_cast<int>(tasks_.size()) - 1;
}

void StepGraph::wait(int task, int earlier) {
    edges_.push_back({earlier, task});
    ++waits_[static_cast<std::size_t>(task)];
}

void StepGraph::schedule(int task) {
    programs_[static_cast<std::size_t>(this->task(task).device)].push_back(task);
}

void StepGraph::close() {
    first_.assign(tasks_.size() + 1, 0);
    for (const Edge& edge : edges_) {
        ++first_[static_cast<std::size_t>(edge.earlier) + 1];
    }
    for (std::size_t i = 1; i < first_.size(); ++i) {
        first_[i] += first_[i - 1];
    }
    followers_.resize(edges_.size());
    std::vector<std::size_t> next = first_;
    for (const Edge& edge : edges_) {
        followers_[next[static_cast<std::size_t>(edge.earlier)]++] = edge.task;
    }
    edges_.clear();
    edges_.shrink_to_fit();
}

std::span<const int> StepGraph::followers(int task) const {
    const auto i = static_cast<std::size_t>(task);
    LONGHAUL_ASSERT(i + 1 < first_.size());
    return std::span(followers_).subspan(first_[i], first_[i + 1] - first_[i]);
}

}  // namespace longhaul::study
