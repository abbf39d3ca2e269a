#include "longhaul/runtime/run.hpp"

#include <algorithm>
#include <array>

#include <sys/mman.h>
#include <unistd.h>

#include "longhaul/core/document.hpp"
#include "longhaul/emulate/fd.hpp"
#include "longhaul/emulate/run.hpp"
#include "longhaul/runtime/aggregator_process.hpp"
#include "longhaul/runtime/coordinator.hpp"
#include "longhaul/runtime/island.hpp"

namespace longhaul::runtime {
namespace {

std::string read_whole(int fd) {
    std::string text;
    std::array<char, 65536> part{};
    for (off_t at = 0;;) {
        const ssize_t size = pread(fd, part.data(), part.size(), at);
        if (size <= 0) {
            return text;
        }
        text.append(part.data(), static_cast<std::size_t>(size));
        at += size;
    }
}

}  // namespace

core::Result<TrialRun> run_trial(const Session& session,
                                 const std::function<void(const std::string&)>& warn) {
    const emulate::Fd log(memfd_create("longhaul-trial", MFD_CLOEXEC));
    if (!log) {
        return emulate::system_failure("", "memory file", "a kernel with memfd_create");
    }
    emulate::Order order;
    const int log_fd = log.get();
    order.tasks.push_back(
        {std::nullopt, [&session, log_fd] { return run_coordinator(session, log_fd); }});
    for (std::size_t i = 0; i < session.islands(); ++i) {
        const auto island = static_cast<int>(i);
        order.tasks.push_back({i, [&session, island] { return run_island(session, island); }});
        order.tasks.push_back({session.islands() + i,
                               [&session, island] { return run_aggregator(session, island); }});
    }
    order.ready = [&](int, const std::vector<std::string>& warnings) {
        std::ranges::for_each(warnings, warn);
    };
    auto outcome = emulate::run(session.wan, order);
    if (!outcome) {
        return tl::unexpected(outcome.error());
    }
    TrialRun run;
    run.traffic = std::move(outcome->traffic);
    run.counters = std::move(outcome->counters);
    const std::string text = read_whole(log.get());
    if (text.empty()) {
        run.exit_code = std::max(1, outcome->exit_code);
        return run;
    }
    const auto document = core::parse_json(text, "log of the trial");
    if (!document) {
        return tl::unexpected(document.error());
    }
    run.trial = judge(session, document->root);
    return run;
}

}  // namespace longhaul::runtime
