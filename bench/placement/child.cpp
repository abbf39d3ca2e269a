// in_child: a fork, a pipe, and what wait4 says of the child.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "measure.hpp"

namespace longhaul::bench {
namespace {

using core::Result;
using core::Value;

tl::unexpected<core::Diagnostics> failure(std::string what) {
    return core::fail({"", "child process", std::move(what), ""});
}

void write_all(int pipe, const std::string& text) {
    std::size_t done = 0;
    while (done < text.size()) {
        const ssize_t written = ::write(pipe, text.data() + done, text.size() - done);
        if (written < 0) {
            return;  // the reader is gone; nothing is left to tell
        }
        done += static_cast<std::size_t>(written);
    }
}

std::string read_all(int pipe) {
    std::string text;
    char buffer[4096];
    for (ssize_t count = 0; (count = ::read(pipe, buffer, sizeof buffer)) != 0;) {
        if (count > 0) {
            text.append(buffer, static_cast<std::size_t>(count));
        } else if (errno != EINTR) {
            break;
        }
    }
    return text;
}

[[noreturn]] void run_child(const std::function<Result<Value>()>& work, int limit_s, int pipe) {
    const rlimit limit{static_cast<rlim_t>(limit_s), static_cast<rlim_t>(limit_s)};
    setrlimit(RLIMIT_CPU, &limit);
    const Result<Value> value = work();
    Value answer = Value::object();
    if (value) {
        answer.set("value", *value);
    } else {
        answer.set("error", core::to_string(value.error().front()));
    }
    write_all(pipe, core::write_json(answer));
    ::_exit(0);  // nothing of the parent's is flushed or destroyed here
}

}  // namespace

Result<Value> in_child(const std::function<Result<Value>()>& work, int limit_s, double& peak_mb) {
    int ends[2] = {};
    if (::pipe(ends) != 0) {
        return failure(std::strerror(errno));
    }
    const pid_t child = ::fork();
    if (child < 0) {
        return failure(std::strerror(errno));
    }
    if (child == 0) {
        ::close(ends[0]);
        run_child(work, limit_s, ends[1]);
    }
    ::close(ends[1]);
    const std::string text = read_all(ends[0]);
    ::close(ends[0]);
    int status = 0;
    rusage usage{};
    ::wait4(child, &status, 0, &usage);
    peak_mb = std::max(peak_mb, static_cast<double>(usage.ru_maxrss) * 1.024e-3);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        return failure(WIFSIGNALED(status) ? fmt::format("ended by signal {}", WTERMSIG(status))
                                           : fmt::format("exit code {}", WEXITSTATUS(status)));
    }
    const Result<core::Document> answer = core::parse_json(text, "child process");
    if (!answer) {
        return tl::unexpected(answer.error());
    }
    if (const Value* error = answer->root.find("error")) {
        return failure(error->string);
    }
    return *answer->root.find("value");
}

}  // namespace longhaul::bench
