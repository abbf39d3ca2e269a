#include "longhaul/emulate/supervisor.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <optional>

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

namespace longhaul::emulate {
namespace {

/// Lines of one output of one program, passed on with a prefix.
struct Stream {
    Fd fd;
    int target = 0;
    std::string prefix;
    std::string line;
};

void write_all(int fd, std::string_view text) {
    while (!text.empty()) {
        const ssize_t size = write(fd, text.data(), text.size());
        if (size < 0 && errno != EINTR) {
            return;
        }
        text.remove_prefix(size > 0 ? static_cast<std::size_t>(size) : 0);
    }
}

/// Passes on what there is to read. False at its end.
bool relay(Stream& stream) {
    std::array<char, 65536> part{};
    const ssize_t size = read(stream.fd.get(), part.data(), part.size());
    if (size < 0) {
        return errno == EAGAIN || errno == EINTR;
    }
    stream.line.append(part.data(), static_cast<std::size_t>(size));
    std::string out;
    std::size_t begin = 0;
    for (std::size_t end = 0; (end = stream.line.find('\n', begin)) != std::string::npos;) {
        out += stream.prefix + stream.line.substr(begin, end + 1 - begin);
        begin = end + 1;
    }
    stream.line.erase(0, begin);
    if (size == 0 && !stream.line.empty()) {
        out += stream.prefix + stream.line + "\n";
        stream.line.clear();
    }
    write_all(stream.target, out);
    return size > 0;
}

class Supervisor {
public:
    explicit Supervisor(Supervised supervised) : given_(std::move(supervised)) {}
    [[noreturn]] void run();

private:
    struct Child {
        pid_t pid = 0;
        std::optional<int> code;
    };

    void prepare();
    void start_all();
    void start(const Program& program);
    void on_signal();
    void collect();
    void finish_if_done();

    Supervised given_;
    Fd signals_;
    std::vector<Child> children_;
    std::vector<Stream> streams_;
};

/// Ends with the emulator; has the processes of its namespace under /proc; can be asked where the
/// hosts are.
void Supervisor::prepare() {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    close(given_.emulator_end);
    if (unshare(CLONE_NEWNS) == 0) {
        mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr);
    }
    const Fd index(memfd_create("longhaul-emulate", MFD_CLOEXEC));
    write_all(index.get(), given_.index);
    dup3(index.get(), kIndexFd, O_CLOEXEC);
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, nullptr);
    signals_ = Fd(signalfd(-1, &all, SFD_NONBLOCK | SFD_CLOEXEC));
    write_all(given_.life.get(), "1");
}

void Supervisor::start(const Program& program) {
    std::array<Fd, 2> read_ends;
    std::array<Fd, 2> write_ends;
    for (std::size_t i = 0; i < 2 && given_.prefixed; ++i) {
        std::array<int, 2> ends{-1, -1};
        static_cast<void>(pipe2(ends.data(), O_CLOEXEC));
        read_ends[i] = Fd(ends[0]);
        write_ends[i] = Fd(ends[1]);
    }
    const pid_t pid = fork();
    if (pid == 0) {
        for (int i = 0; i < 2 && given_.prefixed; ++i) {
            dup2(write_ends[static_cast<std::size_t>(i)].get(), STDOUT_FILENO + i);
        }
        become(program);
    }
    children_.push_back({pid, pid < 0 ? std::optional(1) : std::nullopt});
    for (int i = 0; i < 2 && given_.prefixed; ++i) {
        Fd& end = read_ends[static_cast<std::size_t>(i)];
        fcntl(end.get(), F_SETFL, O_NONBLOCK);
        streams_.push_back({std::move(end), STDOUT_FILENO + i, program.site.name + ": ", ""});
    }
}

void Supervisor::start_all() {
    for (const Program& program : given_.programs) {
        start(program);
    }
}

void Supervisor::collect() {
    int status = 0;
    for (pid_t pid = 0; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
        const auto child = std::ranges::find(children_, pid, &Child::pid);
        if (child != children_.end()) {
            child->code = exit_code_of(status);
        }
    }
}

/// What the emulator passes on goes to the programs. What a terminal sends has reached them
/// already.
void Supervisor::on_signal() {
    signalfd_siginfo info{};
    while (read(signals_.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
        const auto number = static_cast<int>(info.ssi_signo);
        if (number == SIGCHLD) {
            collect();
        } else if (info.ssi_code != SI_KERNEL) {
            for (const Child& child : children_) {
                if (!child.code) {
                    kill(child.pid, number);
                }
            }
        }
    }
}

void Supervisor::finish_if_done() {
    const auto running = [](const Child& child) { return !child.code; };
    if (children_.empty() || std::ranges::any_of(children_, running)) {
        return;
    }
    for (Stream& stream : streams_) {
        while (relay(stream) && !stream.line.empty()) {
        }
    }
    const auto failed = [](const Child& child) { return *child.code != 0; };
    const auto first = std::ranges::find_if(children_, failed);
    _exit(first == children_.end() ? 0 : *first->code);
}

void Supervisor::run() {
    prepare();
    start_all();
    for (;;) {
        std::vector<pollfd> polled{{signals_.get(), POLLIN, 0}, {given_.life.get(), POLLIN, 0}};
        for (const Stream& stream : streams_) {
            polled.push_back({stream.fd.get(), POLLIN, 0});
        }
        poll(polled.data(), polled.size(), -1);
        if (polled[1].revents != 0) {
            _exit(1);  // the emulator is gone
        }
        for (std::size_t i = streams_.size(); i-- > 0;) {
            if (polled[i + 2].revents != 0 && !relay(streams_[i])) {
                streams_.erase(streams_.begin() + static_cast<std::ptrdiff_t>(i));
            }
        }
        if (polled[0].revents != 0) {
            on_signal();
        }
        finish_if_done();
    }
}

}  // namespace

core::Result<int> start_supervisor(Supervised supervised) {
    const Fd own(open("/proc/self/ns/pid", O_RDONLY | O_CLOEXEC));
    if (unshare(CLONE_NEWPID) != 0) {
        return system_failure("", "new process namespace", "a kernel with process namespaces");
    }
    const pid_t pid = fork();
    if (pid < 0) {
        return system_failure("", "fork", "fewer processes");
    }
    if (pid == 0) {
        Supervisor(std::move(supervised)).run();
    }
    // Later children, of a sanitizer say, are none of the network; refused without root.
    static_cast<void>(setns(own.get(), CLONE_NEWPID));
    return pid;
}

}  // namespace longhaul::emulate
