// The file that a campaign appends to: one writer at a time, on the disk before the next task.
#pragma once

#include <string>
#include <string_view>

#include "longhaul/core/diagnostic.hpp"

namespace longhaul::app {

class RawLog {
public:
    /// Opens and locks, and changes nothing. A file that has something is taken only when `resume`.
    [[nodiscard]] static core::Result<RawLog> open(const std::string& path, bool resume);
    ~RawLog();
    RawLog(RawLog&& other) noexcept;
    RawLog& operator=(RawLog&&) = delete;
    RawLog(const RawLog&) = delete;
    RawLog& operator=(const RawLog&) = delete;

    /// The whole lines that were there when it was opened.
    [[nodiscard]] const std::string& text() const { return text_; }
    /// What stood behind them: a last line that its writer did not finish.
    [[nodiscard]] const std::string& cut_line() const { return cut_; }
    /// Takes that line off the file: call it before append, and only for a file of measurements.
    [[nodiscard]] core::Result<void> drop_cut_line() const;
    /// Appends in one write and waits for the disk.
    [[nodiscard]] core::Result<void> append(std::string_view lines) const;

private:
    RawLog(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
    [[nodiscard]] core::Result<void> load();

    std::string path_;
    int descriptor_ = -1;
    std::string text_;
    std::string cut_;
};

}  // namespace longhaul::app
