#include "longhaul/core/pool.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <vector>

#include "longhaul/core/assert.hpp"

namespace longhaul::core {

void parallel_for(std::size_t count, int threads, const std::function<void(std::size_t)>& task) {
    LONGHAUL_ASSERT(threads >= 1);
    std::vector<std::exception_ptr> failures(count);
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
        for (std::size_t i = next++; i < count; i = next++) {
            try {
                task(i);
            } catch (...) {
                failures[i] = std::current_exception();
            }
        }
    };
    {
        const std::size_t helpers = std::min<std::size_t>(static_cast<std::size_t>(threads), count);
        std::vector<std::jthread> pool;
        for (std::size_t i = 1; i < helpers; ++i) {
            pool.emplace_back(work);
        }
        work();
    }
    for (const std::exception_ptr& failure : failures) {
        if (failure) {
            std::rethrow_exception(failure);
        }
    }
}

}  // namespace longhaul::core
