// Fork-join over indexed tasks. Results never depend on the number of threads, because each task
// knows only its index.
#pragma once

#include <cstddef>
#include <functional>

namespace longhaul::core {

/// Runs task(0) .. task(count - 1), each once, on at most `threads` threads (>= 1; the caller's is
/// one of them). Returns when all are done. When tasks throw, the exception of the lowest index is
/// rethrown after all have ended.
void parallel_for(std::size_t count, int threads, const std::function<void(std::size_t)>& task);

}  // namespace longhaul::core
