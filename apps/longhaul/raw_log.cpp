#include "longhaul/raw_log.hpp"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace longhaul::app {
namespace {

core::Diagnostic log_problem(const std::string& path, std::string_view what) {
    return {path,
            "",
            fmt::format("cannot {}: {}", what, std::strerror(errno)),
            "check the folder, the permissions and the space on the disk"};
}

}  // namespace

RawLog::~RawLog() {
    if (descriptor_ >= 0) {
        ::close(descriptor_);
    }
}

RawLog::RawLog(RawLog&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      text_(std::move(other.text_)),
      cut_(std::move(other.cut_)) {}

core::Result<RawLog> RawLog::open(const std::string& path, bool resume) {
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (descriptor < 0) {
        return core::fail(log_problem(path, "write"));
    }
    RawLog log(path, descriptor);
    struct stat status{};
    if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
        return core::fail({path, "", "is no plain file", "name a file that can be continued"});
    }
    if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
        return core::fail(
            {path, "", "is written by another run", "wait for it, or name another file"});
    }
    if (status.st_size > 0 && !resume) {
        return core::fail({path,
                           "",
                           "exists already",
                           "add --resume to continue that campaign, or name another file"});
    }
    if (const auto loaded = log.load(); !loaded) {
        return tl::unexpected(loaded.error());
    }
    return log;
}

core::Result<void> RawLog::load() {
    std::string block(1U << 20U, '\0');
    ssize_t got = 0;
    while ((got = ::read(descriptor_, block.data(), block.size())) > 0) {
        text_.append(block, 0, static_cast<std::size_t>(got));
    }
    if (got < 0) {
        return core::fail(log_problem(path_, "read"));
    }
    const std::size_t newline = text_.rfind('\n');
    const std::size_t whole = newline == std::string::npos ? 0 : newline + 1;
    cut_ = text_.substr(whole);
    text_.resize(whole);
    return {};
}

core::Result<void> RawLog::drop_cut_line() const {
    return cut_.empty() || ::ftruncate(descriptor_, static_cast<off_t>(text_.size())) == 0
               ? core::Result<void>()
               : core::fail(log_problem(path_, "cut off its unfinished last line"));
}

core::Result<void> RawLog::append(std::string_view lines) const {
    while (!lines.empty()) {
        const ssize_t written = ::write(descriptor_, lines.data(), lines.size());
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written < 0) {
            return core::fail(log_problem(path_, "append"));
        }
        lines.remove_prefix(static_cast<std::size_t>(written));
    }
    return ::fsync(descriptor_) == 0 ? core::Result<void>()
                                     : core::fail(log_problem(path_, "append"));
}

}  // namespace longhaul::app
