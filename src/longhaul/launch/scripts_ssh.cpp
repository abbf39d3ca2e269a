#include <array>

#include <fmt/format.h>

#include "longhaul/core/hash.hpp"
#include "longhaul/launch/detail/scripts.hpp"
#include "longhaul/launch/quote.hpp"

namespace longhaul::launch::detail {
namespace {

constexpr std::string_view kHead = R"sh(#!/bin/sh
# Copies this folder to every host by ssh and starts the job. The first failure ends it everywhere.
#   launch.sh [push|run|stop]     without a word: push, then run
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
# Folder on the hosts, quoted once more for their shells.
remote_word=@REMOTE_WORD@
count=@COUNT@
pids=''

# Runs a command on host number $1. Keys must be set up: ssh asks for nothing.
on_host() {
    case "$1" in
@TARGETS@    esac
    ssh -o BatchMode=yes -o ConnectTimeout=30 -o ServerAliveInterval=15 "$@"
}

name_of() {
    case "$1" in
@NAMES@    esac
}

# The name, quoted once more for the shell of the host.
word_of() {
    case "$1" in
@WORDS@    esac
}

# Calls a function for every host at the same time; fails when one of them fails.
for_all() {
    pids='' index=0
    while [ "$index" -lt "$count" ]; do
        "$1" "$index" &
        pids="$pids $!"
        index=$((index + 1))
    done
    failed=0
    for pid in $pids; do
        wait "$pid" || failed=1
    done
    pids=''
    return "$failed"
}

push_host() {
    name=$(name_of "$1") word=$(word_of "$1")
    (cd -- "$here" && tar -cf - -- *) | on_host "$1" \
        "umask 077 && mkdir -p $remote_word && tar -xf - -C $remote_word && printf '%s\n' $word >$remote_word/host" || {
        printf 'longhaul: host %s: could not copy the launch files\n' "$name" >&2
        return 1
    }
}
)sh";

constexpr std::string_view kRun = R"sh(
run=$(date +%s).$$

stop_host() {
    on_host "$1" "sh $remote_word/stop_host.sh $run" </dev/null || :
}

run_host() {
    name=$(name_of "$1")
    status=0
    on_host "$1" "exec sh $remote_word/start_host.sh $(word_of "$1") $run" </dev/null || status=$?
    if [ "$status" -ne 0 ]; then
        printf 'longhaul: host %s ended with status %s; ending the job\n' "$name" "$status" >&2
        kill -TERM $$
    fi
    return "$status"
}

end() {
    trap '' TERM INT HUP
    for_all stop_host || :
    wait
    exit 1
}

run() {
    trap end TERM INT HUP
    for_all run_host
}

stop() {
    run=''
    for_all stop_host
}
)sh";

constexpr std::string_view kTail = R"sh(
case "${1-all}" in
all) for_all push_host && run ;;
push) for_all push_host ;;
run) run ;;
stop) stop ;;
*)
    printf 'usage: launch.sh [push|run|stop]\n' >&2
    exit 2
    ;;
esac
)sh";

std::string ssh_target(const Host& host) {
    std::string words;
    if (!host.user.empty()) {
        words += "-l " + shell_quoted(host.user) + " ";
    }
    if (host.ssh_port != kDefaultSshPort) {
        words += fmt::format("-p {} ", host.ssh_port);
    }
    return words + "-- " + shell_quoted(host.ssh_address);
}

std::string driver(const Job& job, std::string_view run) {
    std::string targets;
    std::string names;
    std::string words;
    for (std::size_t i = 0; i < job.hosts.hosts.size(); ++i) {
        const Host& host = job.hosts.hosts[i];
        targets += fmt::format("    {}) set -- {} \"$2\" ;;\n", i, ssh_target(host));
        names += fmt::format("    {}) printf '%s' {} ;;\n", i, shell_quoted(host.name));
        words +=
            fmt::format("    {}) printf '%s' {} ;;\n", i, shell_quoted(shell_quoted(host.name)));
    }
    const std::string remote = shell_quoted(launch_dir(job));
    const std::array<Fill, 5> values{{{"REMOTE_WORD", shell_quoted(remote)},
                                      {"WORDS", std::move(words)},
                                      {"COUNT", fmt::format("{}", job.hosts.hosts.size())},
                                      {"TARGETS", std::move(targets)},
                                      {"NAMES", std::move(names)}}};
    return filled(kHead, values) + std::string(run) + std::string(kTail);
}

}  // namespace

std::string launch_dir(const Job& job) {
    if (!job.hosts.launch_dir.empty()) {
        return job.hosts.launch_dir;
    }
    const std::string content = rank_map_file(job).text + command_words(job);
    return fmt::format(
        ".longhaul/{}-{}", job.options.name, core::sha256_hex(content).substr(0, 12));
}

OutputFile ssh_launch_file(const Job& job) {
    return {"launch.sh", driver(job, kRun), true};
}

OutputFile ssh_push_file(const Job& job, std::string_view run) {
    return {"launch.sh", driver(job, run), true};
}

std::string ssh_destination(const Host& host) {
    return ssh_target(host);
}

}  // namespace longhaul::launch::detail
