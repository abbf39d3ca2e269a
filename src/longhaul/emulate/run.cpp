#include "longhaul/emulate/run.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>

#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "longhaul/emulate/engine.hpp"
#include "longhaul/emulate/namespaces.hpp"
#include "longhaul/emulate/supervisor.hpp"

namespace longhaul::emulate {
namespace {

constexpr int kPatience = 3;  // signals to end before the command is killed

/// As many open files as the system allows: three or so a host. Returns the limit before.
std::uint64_t raise_file_limit() {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
        return 0;
    }
    const std::uint64_t before = limit.rlim_cur;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    return before;
}

core::Result<Fd> take_signals() {
    sigset_t wanted;
    sigemptyset(&wanted);
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGCHLD}) {
        sigaddset(&wanted, number);
    }
    sigprocmask(SIG_BLOCK, &wanted, nullptr);
    Fd signals(signalfd(-1, &wanted, SFD_NONBLOCK | SFD_CLOEXEC));
    if (!signals) {
        return system_failure("", "signalfd", "a kernel with signalfd");
    }
    return signals;
}

std::vector<Program> programs_of(const std::vector<Site>& sites,
                                 const Order& order,
                                 std::uint64_t open_files) {
    const std::size_t control = sites.size() - 1;
    std::vector<Program> programs;
    for (const Task& task : order.tasks) {
        programs.push_back(make_program(sites, task.on.value_or(control), {}));
        programs.back().body = task.body;
    }
    for (std::size_t i = 0; i < sites.size() && !order.command.empty(); ++i) {
        if (order.each ? i != control : i == order.on.value_or(control)) {
            programs.push_back(make_program(sites, i, order.command));
            programs.back().open_files = open_files;
        }
    }
    return programs;
}

/// The emulator's side of a running WAN.
class Emulation {
public:
    Emulation(const Wan& wan, const Order& order, Namespaces namespaces, std::uint64_t open_files)
        : order_(order),
          namespaces_(std::move(namespaces)),
          engine_(wan, devices(namespaces_)),
          open_files_(open_files) {}

    core::Result<Outcome> run(const Wan& wan, const Fd& signals);

private:
    static std::vector<int> devices(const Namespaces& namespaces) {
        std::vector<int> all;
        for (const HostNamespaces& host : namespaces.hosts) {
            all.push_back(host.tun.get());
        }
        return all;
    }
    core::Result<void> start(const Wan& wan);
    Traffic traffic();
    void on_signal(const Fd& signals);
    void pass_on(int number, bool from_terminal);

    const Order& order_;
    Namespaces namespaces_;
    Engine engine_;
    std::uint64_t open_files_;  // limit of the programs
    Fd life_;
    int first_ = 0;  // the supervisor
    int ends_ = 0;   // signals that asked for the end
    int exit_code_ = 0;
};

core::Result<void> Emulation::start(const Wan& wan) {
    std::array<int, 2> ends{-1, -1};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
        return system_failure("", "socket pair", "raise the limit of open files (ulimit -n)");
    }
    const std::vector<Site> sites = sites_of(wan, namespaces_);
    Supervised supervised{programs_of(sites, order_, open_files_),
                          order_.each,
                          Fd(ends[0]),
                          ends[1],
                          index_text(sites)};
    life_ = Fd(ends[1]);
    const auto pid = start_supervisor(std::move(supervised));
    if (!pid) {
        return tl::unexpected(pid.error());
    }
    first_ = *pid;
    char ready = 0;
    if (read(life_.get(), &ready, 1) != 1) {
        return core::fail({"", "", "the first process of the network ended at once", "try again"});
    }
    return {};
}

Traffic Emulation::traffic() {
    Traffic traffic = engine_.traffic();
    for (std::size_t i = 0; i < traffic.hosts.size(); ++i) {
        traffic.hosts[i].overruns = namespaces_.hosts[i].overruns();
    }
    return traffic;
}

void Emulation::pass_on(int number, bool from_terminal) {
    if (order_.command.empty() && order_.tasks.empty()) {
        engine_.stop();
        return;
    }
    ++ends_;
    if (ends_ >= kPatience) {
        kill(first_, SIGKILL);
    } else if (!from_terminal) {
        kill(first_, number);
    }
}

void Emulation::on_signal(const Fd& signals) {
    signalfd_siginfo info{};
    while (read(signals.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
        const auto number = static_cast<int>(info.ssi_signo);
        if (number == SIGUSR1) {
            if (order_.asked) {
                order_.asked(traffic(), engine_.counters());
            }
        } else if (number == SIGCHLD) {
            int status = 0;
            if (waitpid(first_, &status, WNOHANG) == first_) {
                exit_code_ = exit_code_of(status);
                first_ = 0;
                engine_.stop();
            }
        } else {
            pass_on(number, info.ssi_code == SI_KERNEL);
        }
    }
}

core::Result<Outcome> Emulation::run(const Wan& wan, const Fd& signals) {
    core::Result<void> done = start(wan);
    if (done) {
        done = engine_.watch(signals.get(), [&] { on_signal(signals); });
    }
    if (done && order_.ready) {
        order_.ready(first_, namespaces_.warnings);
    }
    if (done) {
        done = engine_.run();
    }
    if (first_ > 0) {
        kill(first_, SIGKILL);
        waitpid(first_, nullptr, 0);
    }
    if (!done) {
        return tl::unexpected(done.error());
    }
    return Outcome{exit_code_, traffic(), engine_.counters()};
}

}  // namespace

core::Result<Outcome> run(const Wan& wan, const Order& order) {
    const std::uint64_t open_files = raise_file_limit();
    const auto signals = take_signals();
    if (!signals) {
        return tl::unexpected(signals.error());
    }
    if (const auto able = become_able(); !able) {
        return tl::unexpected(able.error());
    }
    auto namespaces = make_namespaces(wan);
    if (!namespaces) {
        return tl::unexpected(namespaces.error());
    }
    Emulation emulation(wan, order, std::move(*namespaces), open_files);
    return emulation.run(wan, *signals);
}

}  // namespace longhaul::emulate
