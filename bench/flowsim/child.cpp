#include "child.hpp"

#include <cstdlib>
#include <ctime>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "longhaul/core/assert.hpp"

namespace longhaul::bench {
namespace {

void write_all(int file, const double* values, std::size_t count) {
    const auto* bytes = reinterpret_cast<const char*>(values);  // NOLINT: to be read back as is
    std::size_t left = count * sizeof(double);
    while (left > 0) {
        const ssize_t written = ::write(file, bytes, left);
        if (written <= 0) {
            std::_Exit(1);
        }
        bytes += written;
        left -= static_cast<std::size_t>(written);
    }
}

std::vector<double> read_all(int file) {
    std::vector<char> bytes;
    std::vector<char> piece(1 << 16);
    for (ssize_t count = 0; (count = ::read(file, piece.data(), piece.size())) > 0;) {
        bytes.insert(bytes.end(), piece.begin(), piece.begin() + count);
    }
    std::vector<double> values(bytes.size() / sizeof(double));
    std::copy_n(bytes.data(),
                values.size() * sizeof(double),
                reinterpret_cast<char*>(values.data()));  // NOLINT: as they were written
    return values;
}

}  // namespace

double cpu_seconds() {
    timespec time{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

FlowRun run_in_child(const std::function<FlowRun()>& work) {
    int ends[2] = {-1, -1};  // NOLINT: the form that pipe() asks for
    LONGHAUL_ASSERT(::pipe(ends) == 0);
    const pid_t child = ::fork();
    LONGHAUL_ASSERT(child >= 0);
    if (child == 0) {
        ::close(ends[0]);
        const FlowRun run = work();
        write_all(ends[1], &run.cpu_s, 1);
        write_all(ends[1], run.arrival_s.data(), run.arrival_s.size());
        std::_Exit(0);
    }
    ::close(ends[1]);
    const std::vector<double> values = read_all(ends[0]);
    ::close(ends[0]);
    int status = 0;
    rusage usage{};
    LONGHAUL_ASSERT(::wait4(child, &status, 0, &usage) == child);
    LONGHAUL_ASSERT(WIFEXITED(status) && WEXITSTATUS(status) == 0 && !values.empty());
    return {{values.begin() + 1, values.end()},
            values.front(),
            static_cast<double>(usage.ru_maxrss) * 1024 / 1e6};
}

}  // namespace longhaul::bench
