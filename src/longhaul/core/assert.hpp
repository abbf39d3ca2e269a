// Assertions of broken invariants, in three levels. Bad input is never an assertion: it is a
// Result.
#pragma once

// Level 1 (light) costs next to nothing and stays on in releases, 2 (normal) may cost a few per
// cent, 3 (heavy) may change the complexity and is on in the dev and asan presets.
#ifndef LONGHAUL_ASSERT_LEVEL
#define LONGHAUL_ASSERT_LEVEL 1
#endif

namespace longhaul::core::detail {
[[noreturn]] void assertion_failed(const char* condition, const char* file, int line);
}  // namespace longhaul::core::detail

#define LONGHAUL_ASSERT_IMPL(condition) \
    (static_cast<bool>(condition)       \
         ? static_cast<void>(0)         \
         : ::longhaul::core::detail::assertion_failed(#condition, __FILE__, __LINE__))

#if LONGHAUL_ASSERT_LEVEL >= 1
#define LONGHAUL_ASSERT(condition) LONGHAUL_ASSERT_IMPL(condition)
#else
#define LONGHAUL_ASSERT(condition) static_cast<void>(0)
#endif

#if LONGHAUL_ASSERT_LEVEL >= 2
#define LONGHAUL_ASSERT_NORMAL(condition) LONGHAUL_ASSERT_IMPL(condition)
#else
#define LONGHAUL_ASSERT_NORMAL(condition) static_cast<void>(0)
#endif

#if LONGHAUL_ASSERT_LEVEL >= 3
#define LONGHAUL_ASSERT_HEAVY(condition) LONGHAUL_ASSERT_IMPL(condition)
#else
#define LONGHAUL_ASSERT_HEAVY(condition) static_cast<void>(0)
#endif
