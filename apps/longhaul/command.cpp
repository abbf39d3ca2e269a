#include "longhaul/command.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace longhaul::app {
namespace {

constexpr std::size_t kProblemsShown = 5;

struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

core::Diagnostic system_problem(const std::string& path,
                                std::string_view action,
                                std::string_view fix) {
    return {path, "", fmt::format("cannot {}: {}", action, std::strerror(errno)), std::string(fix)};
}

/// Writes all bytes and flushes them to the disk.
bool write_all(int descriptor, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(descriptor, text.data(), text.size());
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written < 0) {
            return false;
        }
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return ::fsync(descriptor) == 0 || errno == EINVAL;
}

}  // namespace

int report(const core::Diagnostics& problems) {
    for (std::size_t i = 0; i < std::min(problems.size(), kProblemsShown); ++i) {
        fmt::print(stderr, "longhaul: {}\n", core::to_string(problems[i]));
    }
    if (problems.size() > kProblemsShown) {
        fmt::print(stderr,
                   "longhaul: and {} more {} like these\n",
                   problems.size() - kProblemsShown,
                   problems.size() - kProblemsShown == 1 ? "problem" : "problems");
    }
    return kBadInput;
}

void warn(std::string_view text) {
    print_error(fmt::format("longhaul: warning: {}\n", text));
}

void print_error(std::string_view text) {
    const std::string shown = core::printable_lines(text);
    std::fwrite(shown.data(), 1, shown.size(), stderr);
}

void print(std::string_view text) {
    const std::string shown = core::printable_lines(text);
    std::fwrite(shown.data(), 1, shown.size(), stdout);
}

std::string input_name(const std::string& path) {
    return path == "-" ? "standard input" : path;
}

core::Result<void> read_once(std::initializer_list<std::string_view> paths) {
    if (std::ranges::count(paths, "-") > 1) {
        return core::fail({"",
                           "standard input",
                           "stands for more than one file",
                           "name a file for all but one of them"});
    }
    return {};
}

core::Result<std::string> read_file(const std::string& path) {
    const bool standard_input = path == "-";
    const std::string name = input_name(path);
    struct stat status{};
    if (!standard_input && ::stat(path.c_str(), &status) != 0) {
        return core::fail(system_problem(name, "read", "check the path"));
    }
    if (!standard_input && S_ISDIR(status.st_mode)) {
        return core::fail({name, "", "is a directory", "name a file"});
    }
    const File file(standard_input ? ::fdopen(::dup(0), "rb") : std::fopen(path.c_str(), "rb"));
    if (!file) {
        return core::fail(system_problem(name, "read", "check the permissions"));
    }
    // Devices such as /dev/zero have no end; a person at a terminal has.
    if (!standard_input && (S_ISBLK(status.st_mode) ||
                            (S_ISCHR(status.st_mode) && ::isatty(::fileno(file.get())) == 0))) {
        return core::fail({name, "", "is a device", "name a file"});
    }
    std::string text;
    std::string block(1U << 16U, '\0');
    while (const std::size_t got = std::fread(block.data(), 1, block.size(), file.get())) {
        text.append(block, 0, got);
    }
    if (std::ferror(file.get()) != 0) {
        return core::fail(system_problem(name, "read", "check the file and the disk"));
    }
    return text;
}

std::string link_target(std::string path) {
    constexpr int kMostLinks = 40;  // as the kernel allows
    std::error_code error;
    for (int i = 0; i < kMostLinks && std::filesystem::is_symlink(path, error); ++i) {
        const std::filesystem::path next = std::filesystem::read_symlink(path, error);
        path = (std::filesystem::path(path).parent_path() / next).string();
    }
    return path;
}

namespace {

/// Whether both name one file, whatever the spelling; not for devices such as /dev/null.
bool one_file(const std::string& a, const std::string& b) {
    std::error_code ignored;
    if (a.empty() || b.empty() || a == "-" || b == "-") {
        return false;
    }
    if (std::filesystem::exists(a, ignored) && !std::filesystem::is_regular_file(a, ignored)) {
        return false;
    }
    const auto whole = [&](const std::string& path) {
        return std::filesystem::weakly_canonical(std::filesystem::absolute(path, ignored), ignored);
    };
    return whole(a) == whole(b) || std::filesystem::equivalent(a, b, ignored);
}

}  // namespace

core::Result<void> check_apart(const std::vector<std::string>& written,
                               const std::vector<std::string>& read) {
    if (std::ranges::count(written, "-") > 1) {
        return core::fail({"", "-", "standard output is named twice", "one file at most as -"});
    }
    for (std::size_t i = 0; i < written.size(); ++i) {
        for (const std::string& input : read) {
            if (one_file(written[i], input)) {
                return core::fail(
                    {written[i], "", "is read and would be overwritten", "name another file"});
            }
        }
        for (std::size_t j = 0; j < i; ++j) {
            if (one_file(written[i], written[j])) {
                return core::fail({written[i], "", "would be written twice", "name another file"});
            }
        }
    }
    return {};
}

bool on_stdout(const std::vector<std::string>& written) {
    return std::ranges::find(written, "-") != written.end();
}

core::Result<void> check_json_alone(bool json, const std::vector<std::string>& written) {
    if (json && on_stdout(written)) {
        return core::fail({"",
                           "--json",
                           "standard output would hold its object and the file that is named -",
                           "name a file to write, or leave --json out"});
    }
    return {};
}

core::Result<void> check_writable(const std::string& path) {
    std::error_code ignored;
    if (path.empty() || path == "-") {
        return {};
    }
    if (std::filesystem::is_directory(path, ignored)) {
        return core::fail({path, "", "is a directory", "name a file to write"});
    }
    const bool exists = std::filesystem::exists(path, ignored);
    const bool plain = !exists || std::filesystem::is_regular_file(path, ignored);
    // A plain file is replaced, so its folder counts; anything else is written in place.
    const std::string folder = std::filesystem::path(link_target(path)).parent_path().string();
    const std::string checked = !plain ? path : folder.empty() ? "." : folder;
    if (::access(checked.c_str(), W_OK) != 0) {
        return core::fail(
            system_problem(path, "write", "check that its folder exists and is writable"));
    }
    return {};
}

core::Result<void> write_file(const std::string& path, std::string_view text) {
    if (path == "-") {
        print(text);
        return {};
    }
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) {
        return core::fail({path, "", "is a directory", "name a file to write"});
    }
    // Devices and pipes are written in place: renaming over them would replace them.
    if (std::filesystem::exists(path, ignored) &&
        !std::filesystem::is_regular_file(path, ignored)) {
        const int sink = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
        const bool good = sink >= 0 && write_all(sink, text);
        const auto problem = system_problem(path, "write", "check the path");
        if (sink >= 0) {
            ::close(sink);
        }
        return good ? core::Result<void>() : core::fail(problem);
    }
    const std::string target = link_target(path);  // not the link is replaced, but the file
    if (std::filesystem::is_symlink(target, ignored)) {
        return core::fail({path, "", "cannot write: the links form a ring", "name a file"});
    }
    std::string temporary = target + ".XXXXXX";
    const int descriptor = ::mkostemp(temporary.data(), O_CLOEXEC);
    if (descriptor < 0) {
        return core::fail(
            system_problem(path, "write", "check that its folder exists and is writable"));
    }
    const mode_t mask = ::umask(0);
    ::umask(mask);
    bool good = write_all(descriptor, text) && ::fchmod(descriptor, 0666 & ~mask) == 0;
    const auto written =
        good ? core::Diagnostic() : system_problem(path, "write", "free some space");
    good = ::close(descriptor) == 0 && good;
    if (good && std::rename(temporary.c_str(), target.c_str()) == 0) {
        return {};
    }
    const auto problem =
        written.what.empty() ? system_problem(path, "write", "check the folder") : written;
    ::unlink(temporary.c_str());
    return core::fail(problem);
}

}  // namespace longhaul::app
