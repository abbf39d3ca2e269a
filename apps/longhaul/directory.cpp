#include "longhaul/directory.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "longhaul/command.hpp"

namespace longhaul::app {
namespace {

namespace fs = std::filesystem;

core::Diagnostic folder_problem(const std::string& path, std::string fix) {
    return {path, "", fmt::format("cannot write: {}", std::strerror(errno)), std::move(fix)};
}

mode_t creation_mask() {
    const mode_t mask = ::umask(0);
    ::umask(mask);
    return mask;
}

/// The folder that a path names: links followed, with a name that it can be replaced under, so not
/// "x/." and no "/" at the end.
std::string resolved(std::string path) {
    const auto trim = [&] {
        while (path.size() > 1 && path.back() == '/') {
            path.pop_back();
        }
    };
    trim();
    path = link_target(path);
    trim();
    std::error_code error;
    const fs::path last = fs::path(path).filename();
    if (last == "." || last == "..") {
        const fs::path known = fs::canonical(path, error);
        path = error ? path : known.string();
    }
    return path;
}

bool holds_only_files(const std::string& path) {
    std::error_code error;
    for (fs::directory_iterator entry(path, error), end; !error && entry != end;
         entry.increment(error)) {
        std::error_code unknown;
        if (fs::symlink_status(entry->path(), unknown).type() != fs::file_type::regular) {
            return false;
        }
    }
    return !error;
}

/// Why an existing entry may not be replaced; nothing when it may.
core::Result<void> check_target(const std::string& path,
                                bool replace,
                                const std::function<bool(const std::string&)>& is_ours) {
    std::error_code error;
    if (!fs::exists(path, error)) {
        return error
                   ? core::fail({path, "", "cannot be read: " + error.message(), "check the path"})
                   : core::Result<void>();
    }
    if (!fs::is_directory(path, error)) {
        return core::fail({path, "", "exists and is no folder", "name a folder to write"});
    }
    if (fs::equivalent(path, ".", error)) {
        return core::fail({path, "", "is the current folder", "name a folder inside it"});
    }
    if (fs::is_empty(path, error) && !error) {
        return {};
    }
    if (!replace) {
        return core::fail({path,
                           "",
                           "the folder exists and is not empty",
                           "name a new one, or add --force to replace what an earlier run wrote"});
    }
    if (!holds_only_files(path) || !is_ours(path)) {
        return core::fail({path,
                           "",
                           "the folder was not written by this command",
                           "--force replaces only such folders; name a new one"});
    }
    return {};
}

core::Result<void> write_files(const std::string& folder, std::span<const FolderFile> files) {
    const mode_t mask = creation_mask();
    for (const FolderFile& file : files) {
        const std::string path = folder + "/" + file.name;
        if (auto written = write_file(path, file.text); !written) {
            return written;
        }
        if (file.executable && ::chmod(path.c_str(), 0777 & ~mask) != 0) {
            return core::fail(folder_problem(path, "check the folder"));
        }
    }
    if (::chmod(folder.c_str(), 0777 & ~mask) != 0) {
        return core::fail(folder_problem(folder, "check the folder"));
    }
    return {};
}

/// Puts the new folder in the place of none, an empty one, or (with `replace`) the old one, which
/// ends up under the new one's name or is gone. Exchanging names is one step; a file system that
/// cannot do it takes two.
bool take_place(const std::string& fresh, const std::string& target, bool replace) {
    if (std::rename(fresh.c_str(), target.c_str()) == 0) {
        return true;
    }
    if (!replace || (errno != ENOTEMPTY && errno != EEXIST)) {
        return false;
    }
    if (::renameat2(AT_FDCWD, fresh.c_str(), AT_FDCWD, target.c_str(), RENAME_EXCHANGE) == 0) {
        return true;
    }
    const std::string aside = fresh + ".old";
    if (std::rename(target.c_str(), aside.c_str()) != 0) {
        return false;
    }
    if (std::rename(fresh.c_str(), target.c_str()) == 0) {
        std::error_code ignored;
        fs::remove_all(aside, ignored);
        return true;
    }
    const int reason = errno;
    std::rename(aside.c_str(), target.c_str());
    errno = reason;
    return false;
}

}  // namespace

core::Result<void> write_folder(const std::string& path,
                                std::span<const FolderFile> files,
                                bool replace,
                                const std::function<bool(const std::string&)>& is_ours) {
    const std::string target = resolved(path);
    if (auto good = check_target(target, replace, is_ours); !good) {
        return good;
    }
    std::string fresh = target + ".XXXXXX";
    if (::mkdtemp(fresh.data()) == nullptr) {
        return core::fail(
            folder_problem(path, "check that the folder above exists and is writable"));
    }
    core::Result<void> written = write_files(fresh, files);
    if (written && !take_place(fresh, target, replace)) {
        written = core::fail(folder_problem(path, "check the folder"));
    }
    std::error_code ignored;
    fs::remove_all(fresh, ignored);
    if (!written) {
        for (core::Diagnostic& problem : written.error()) {
            if (problem.file.starts_with(fresh)) {
                problem.file.replace(0, fresh.size(), path);  // the name that the user knows
            }
        }
    }
    return written;
}

}  // namespace longhaul::app
