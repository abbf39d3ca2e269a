#include "longhaul/emulate/program.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

namespace longhaul::emulate {
namespace {

constexpr int kNotFound = 127;
constexpr int kCannotRun = 126;
constexpr int kKilled = 128;

/// One line of an error, as the command line prints it; the process is about to end.
void complain(const std::string& text) {
    static_cast<void>(write(STDERR_FILENO, text.data(), text.size()));
}

[[noreturn]] void execute(const std::vector<std::string>& words) {
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (const std::string& word : words) {
        arguments.push_back(
            const_cast<char*>(word.c_str()));  // NOLINT(*-const-cast): as execvp asks
    }
    arguments.push_back(nullptr);
    execvp(arguments[0], arguments.data());
    const int error = errno;
    complain(fmt::format("longhaul: {}: cannot run it: {}; give a program that exists here\n",
                         core::shown(words[0]),
                         std::strerror(error)));
    _exit(error == ENOENT ? kNotFound : kCannotRun);
}

/// Signals as a new program expects them.
void default_signals() {
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    signal(SIGPIPE, SIG_DFL);
}

/// The file behind a descriptor of another process, for setns.
Fd open_of(int pid, const std::string& name) {
    return Fd(open(fmt::format("/proc/{}/{}", pid, name).c_str(), O_RDONLY | O_CLOEXEC));
}

std::string read_all(int fd) {
    std::string text;
    std::array<char, 4096> part{};
    for (off_t at = 0;;) {
        const ssize_t size = pread(fd, part.data(), part.size(), at);
        if (size <= 0) {
            return text;
        }
        text.append(part.data(), static_cast<std::size_t>(size));
        at += size;
    }
}

/// The network and UTS namespaces of a host.
core::Result<std::pair<Fd, Fd>> find_host(int pid, const std::string& host) {
    const Fd index = open_of(pid, fmt::format("fd/{}", kIndexFd));
    if (!index) {
        return system_failure("--pid",
                              fmt::format("process {} holds no emulated WAN", pid),
                              "inside of one nothing is needed; outside give the number that "
                              "`longhaul emulate WAN.toml` prints, and be the same user or root");
    }
    std::istringstream lines(read_all(index.get()));
    std::string name;
    std::string names;
    int network = 0;
    int uts = 0;
    while (lines >> name >> network >> uts) {
        names += " " + name;
        if (name == host) {
            return std::pair(open_of(pid, fmt::format("fd/{}", network)),
                             open_of(pid, fmt::format("fd/{}", uts)));
        }
    }
    return core::fail({"",
                       "",
                       "no host " + core::shown(host),
                       names.empty() ? "this is no emulated WAN" : "it must be one of:" + names});
}

/// Whether a namespace is the one in which this process is.
bool same_namespace(int fd, const char* kind) {
    struct stat other{};
    struct stat own{};
    return fstat(fd, &other) == 0 &&
           stat(fmt::format("/proc/self/ns/{}", kind).c_str(), &own) == 0 &&
           other.st_ino == own.st_ino;
}

/// From outside: into the user, mount and process namespaces of the WAN. A new process is in them.
core::Result<void> go_inside(int pid) {
    const Fd user = open_of(pid, "ns/user");
    const Fd mounts = open_of(pid, "ns/mnt");
    const Fd processes = open_of(pid, "ns/pid");
    const Fd folder(open(".", O_PATH | O_DIRECTORY | O_CLOEXEC));
    const bool ready = user && mounts && processes;
    if (!ready || (!same_namespace(user.get(), "user") && setns(user.get(), CLONE_NEWUSER) != 0) ||
        setns(processes.get(), CLONE_NEWPID) != 0 || setns(mounts.get(), CLONE_NEWNS) != 0) {
        return system_failure(
            "--pid", "cannot enter the WAN", "be the user who started it, or root");
    }
    static_cast<void>(fchdir(folder.get()));
    return {};
}

int wait_for(pid_t child) {
    signal(SIGINT, SIG_IGN);  // a terminal sends it to the child as well
    signal(SIGQUIT, SIG_IGN);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return exit_code_of(status);
}

std::string joined(const std::vector<Host>& hosts, auto text_of) {
    std::string text;
    for (const Host& host : hosts) {
        text += (text.empty() ? "" : " ") + text_of(host);
    }
    return text;
}

}  // namespace

int exit_code_of(int wait_status) {
    return WIFSIGNALED(wait_status) ? kKilled + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

Program make_program(const Wan& wan,
                     const Namespaces& namespaces,
                     std::size_t host,
                     std::vector<std::string> words) {
    const bool control = host == wan.hosts.size();
    const HostNamespaces& where = control ? namespaces.control : namespaces.hosts[host];
    Program program{control ? kControl : wan.hosts[host].name,
                    where.network.get(),
                    where.names.get(),
                    std::move(words),
                    {}};
    program.environment = {
        {"LONGHAUL_EMULATE_HOSTS", joined(wan.hosts, [](const Host& h) { return h.name; })},
        {"LONGHAUL_EMULATE_ADDRESSES",
         joined(wan.hosts, [](const Host& h) { return address_text(h.address); })},
        {"LONGHAUL_EMULATE_CONTROL_ADDRESSES",
         joined(wan.hosts, [](const Host& h) { return address_text(h.control); })},
        {"LONGHAUL_EMULATE_CONTROL", address_text(wan.control_host)},
        {"LONGHAUL_EMULATE_HOST", program.host},
        {"LONGHAUL_EMULATE_ADDRESS",
         address_text(control ? wan.control_host : wan.hosts[host].address)},
    };
    return program;
}

void become(const Program& program) {
    if (setns(program.network, CLONE_NEWNET) != 0 || setns(program.names, CLONE_NEWUTS) != 0) {
        complain(fmt::format("longhaul: host {}: cannot enter its namespaces: {}\n",
                             program.host,
                             std::strerror(errno)));
        _exit(kCannotRun);
    }
    for (const auto& [key, value] : program.environment) {
        setenv(key.c_str(), value.c_str(), 1);
    }
    default_signals();
    execute(program.words);
}

core::Result<int> enter(int pid, const std::string& host, const std::vector<std::string>& words) {
    auto found = find_host(pid == 0 ? 1 : pid, host);
    if (!found) {
        return tl::unexpected(found.error());
    }
    const Program program{
        host, found->first.get(), found->second.get(), words, {{"LONGHAUL_EMULATE_HOST", host}}};
    if (pid == 0) {
        become(program);
    }
    if (const auto inside = go_inside(pid); !inside) {
        return tl::unexpected(inside.error());
    }
    const pid_t child = fork();
    if (child < 0) {
        return system_failure("--pid", "fork", "the WAN may have ended; start it again");
    }
    if (child == 0) {
        become(program);
    }
    return wait_for(child);
}

}  // namespace longhaul::emulate
