// The file that a campaign appends to: one writer at a time, on the disk before the next task.
#pragma once

#include <string>
#include <string_view>

#include "longhaul/core/diagnostic.hpp"

namespace longhaul::app {

class RawLog {
public:
    /// Opens and locks. A file that has something is taken only when `resume`; a last line that
    /// its writer did not finish is cut off.
    [[nodiscard]] static core::Result<RawLog> open(const std::string& path, bool resume);
    ~RawLog();
    RawLog(RawLog&& other) noexcept;
    RawLog& operator=(RawLog&&) = delete;
    RawLog(const RawLog&) = delete;
    RawLog& operator=(const RawLog&) = delete;

    /// What was there when it was opened.
    [[nodiscard]] const std::string& text() const { return text_; }
    /// Whether an unfinished line was cut off.
    [[nodiscard]] bool was_cut() const { return cut_; }
    /// Appends in one write and waits for the disk.
    [[nodiscard]] core::Result<void> append(std::string_view lines) const;

private:
    RawLog(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
    [[nodiscard]] core::Result<void> load();

    std::string path_;
    int descriptor_ = -1;
    std::string text_;
    bool cut_ = false;
};

}  // namespace longhaul::app
