// The line that tells, on a terminal, that a long command still works.
#pragma once

#include <atomic>
#include <string>
#include <utility>

namespace longhaul::app {

/// Shows "longhaul: <what>, 12 s" on standard error and rewrites it at most once a second. Nothing
/// is shown in the first seconds, or where standard error is no terminal. Cleared at the end.
class Progress {
public:
    Progress(std::string what, bool wanted);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// What goes on from now; not while another thread may call `show`.
    void now(std::string what) { what_ = std::move(what); }

    /// Called by any thread, as often as it likes.
    void show(double elapsed_s);

private:
    std::string what_;
    bool wanted_;
    std::atomic<long> shown_{1};  ///< the second shown last; 1 = none yet
};

}  // namespace longhaul::app
