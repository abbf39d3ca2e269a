#include "longhaul/emulate/program.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>
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

/// The sites of a network that runs, as its first process tells them.
core::Result<std::vector<Site>> find_sites(int pid) {
    const Fd index = open_of(pid, fmt::format("fd/{}", kIndexFd));
    std::istringstream lines(index ? read_all(index.get()) : "");
    std::vector<Site> sites;
    for (Site site;
         lines >> site.name >> site.network >> site.names >> site.address >> site.control;) {
        sites.push_back(site);
    }
    if (sites.empty()) {
        return core::fail(
            {"",
             "",
             fmt::format("process {} holds no emulated network", pid),
             "inside of one nothing is needed; outside give --pid with the number that "
             "longhaul emulate prints, as the same user or root"});
    }
    return sites;
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

/// One field of all hosts, with blanks between.
std::string joined(const std::vector<Site>& sites, std::string Site::* field) {
    std::string text;
    for (const Site& site : sites) {
        if (site.name != kControl) {
            text += (text.empty() ? "" : " ") + site.*field;
        }
    }
    return text;
}

void limit_files(std::uint64_t open_files) {
    rlimit limit{};
    if (open_files > 0 && getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = std::min<rlim_t>(open_files, limit.rlim_max);
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

}  // namespace

int exit_code_of(int wait_status) {
    return WIFSIGNALED(wait_status) ? kKilled + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

std::vector<Site> sites_of(const Wan& wan, const Namespaces& namespaces) {
    std::vector<Site> sites;
    for (std::size_t i = 0; i < wan.hosts.size(); ++i) {
        const HostNamespaces& made = namespaces.hosts[i];
        sites.push_back({wan.hosts[i].name,
                         made.network.get(),
                         made.names.get(),
                         address_text(wan.hosts[i].address),
                         address_text(wan.hosts[i].control)});
    }
    const std::string address = address_text(wan.control_host);
    const HostNamespaces& control = namespaces.control;
    sites.push_back({kControl, control.network.get(), control.names.get(), address, address});
    return sites;
}

std::string index_text(const std::vector<Site>& sites) {
    std::string text;
    for (const Site& site : sites) {
        text += fmt::format(
            "{} {} {} {} {}\n", site.name, site.network, site.names, site.address, site.control);
    }
    return text;
}

Program make_program(const std::vector<Site>& sites,
                     std::size_t site,
                     std::vector<std::string> words) {
    return {sites[site],
            std::move(words),
            nullptr,
            {{"LONGHAUL_EMULATE_HOSTS", joined(sites, &Site::name)},
             {"LONGHAUL_EMULATE_ADDRESSES", joined(sites, &Site::address)},
             {"LONGHAUL_EMULATE_CONTROL_ADDRESSES", joined(sites, &Site::control)},
             {"LONGHAUL_EMULATE_CONTROL", sites.back().address},
             {"LONGHAUL_EMULATE_HOST", sites[site].name},
             {"LONGHAUL_EMULATE_ADDRESS", sites[site].address}},
            0};
}

void become(const Program& program) {
    if (setns(program.site.network, CLONE_NEWNET) != 0 ||
        setns(program.site.names, CLONE_NEWUTS) != 0) {
        complain(fmt::format("longhaul: host {}: cannot enter its namespaces: {}\n",
                             program.site.name,
                             std::strerror(errno)));
        _exit(kCannotRun);
    }
    for (const auto& [key, value] : program.environment) {
        setenv(key.c_str(), value.c_str(), 1);
    }
    limit_files(program.open_files);
    default_signals();
    if (program.body) {
        _exit(program.body());
    }
    execute(program.words);
}

core::Result<int> enter(int pid, const std::string& host, const std::vector<std::string>& words) {
    const int holder = pid == 0 ? 1 : pid;
    const auto sites = find_sites(holder);
    if (!sites) {
        return tl::unexpected(sites.error());
    }
    const auto site = std::ranges::find(*sites, host, &Site::name);
    if (site == sites->end()) {
        return core::fail(
            {"",
             "",
             "no host " + core::shown(host),
             fmt::format("it must be {} or one of: {}", kControl, joined(*sites, &Site::name))});
    }
    Program program = make_program(*sites, static_cast<std::size_t>(site - sites->begin()), words);
    const Fd network = open_of(holder, fmt::format("fd/{}", site->network));
    const Fd names = open_of(holder, fmt::format("fd/{}", site->names));
    program.site.network = network.get();
    program.site.names = names.get();
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
