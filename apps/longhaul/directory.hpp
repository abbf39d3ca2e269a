// A whole folder of results, written so that a crash leaves either the old one or the new one.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "longhaul/core/diagnostic.hpp"

namespace longhaul::app {

/// One file of a folder.
struct FolderFile {
    std::string name;  ///< plain, without "/"
    std::string text;
    bool executable = false;
};

/// Writes the files into a new folder beside `path` and renames it to `path`. An existing empty
/// folder is replaced. One that is not empty is refused, unless `replace` is given: then it is
/// swapped for the new one, but only if it holds nothing but plain files and `is_ours(path)` says
/// that an earlier run wrote it.
[[nodiscard]] core::Result<void> write_folder(
    const std::string& path,
    std::span<const FolderFile> files,
    bool replace,
    const std::function<bool(const std::string&)>& is_ours);

}  // namespace longhaul::app
