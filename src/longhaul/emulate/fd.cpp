#include "longhaul/emulate/fd.hpp"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>

namespace longhaul::emulate {

Fd::~Fd() {
    if (fd_ >= 0) {
        close(fd_);
    }
}

tl::unexpected<core::Diagnostics> system_failure(const std::string& where,
                                                 const std::string& what,
                                                 const std::string& fix) {
    const int error = errno;
    return core::fail({"", where, fmt::format("{}: {}", what, std::strerror(error)), fix});
}

bool write_text(const std::string& path, const std::string& text) {
    const Fd file(open(path.c_str(), O_WRONLY | O_CLOEXEC));
    return file && write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

}  // namespace longhaul::emulate
