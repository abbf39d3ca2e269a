#include "longhaul/core/pool.hpp"

#include <atomic>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace longhaul::core {
namespace {

TEST(ParallelFor, RunsEachIndexOnce) {
    for (int threads = 1; threads <= 4; ++threads) {
        for (const std::size_t count : {0, 1, 2, 3, 1000}) {
            std::vector<std::atomic<int>> runs(count);
            parallel_for(count, threads, [&](std::size_t i) { ++runs[i]; });
            for (const std::atomic<int>& run : runs) {
                EXPECT_EQ(run, 1);
            }
        }
    }
}

TEST(ParallelFor, UsesNoMoreThreadsThanAsked) {
    for (int threads = 1; threads <= 4; ++threads) {
        std::mutex mutex;
        std::set<std::thread::id> ids;
        parallel_for(200, threads, [&](std::size_t) {
            const std::scoped_lock lock(mutex);
            ids.insert(std::this_thread::get_id());
        });
        EXPECT_LE(ids.size(), static_cast<std::size_t>(threads));
        EXPECT_GE(ids.size(), 1U);
    }
}

TEST(ParallelFor, OneThreadIsTheCaller) {
    parallel_for(3, 1, [caller = std::this_thread::get_id()](std::size_t) {
        EXPECT_EQ(std::this_thread::get_id(), caller);
    });
}

TEST(ParallelFor, RethrowsTheLowestIndexAfterAllHaveEnded) {
    for (int threads = 1; threads <= 4; ++threads) {
        std::atomic<int> runs = 0;
        try {
            parallel_for(100, threads, [&](std::size_t i) {
                ++runs;
                if (i % 10 == 7) {
                    throw std::runtime_error(std::to_string(i));
                }
            });
            ADD_FAILURE() << "nothing was thrown";
        } catch (const std::runtime_error& error) {
            EXPECT_STREQ(error.what(), "7");
        }
        EXPECT_EQ(runs, 100);
    }
}

TEST(ParallelFor, NeedsAThread) {
    EXPECT_THROW(parallel_for(1, 0, [](std::size_t) {}), std::logic_error);
}

}  // namespace
}  // namespace longhaul::core
