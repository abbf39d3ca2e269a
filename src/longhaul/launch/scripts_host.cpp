#include <array>

#include "longhaul/launch/detail/scripts.hpp"
#include "longhaul/launch/quote.hpp"

namespace longhaul::launch::detail {
namespace {

constexpr std::string_view kStartHost = R"sh(#!/bin/sh
# Starts the processes of one host and waits for them; the first failure ends the others.
#   start_host.sh HOST [RUN]      RUN tells one start from another
# shellcheck disable=SC1003,SC2016,SC2317 # quoted values stay as they are; a trap calls end
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
state=${LONGHAUL_STATE_DIR:-$here}
host=${1:?the name of the host is missing}
pids=''
@OWNER@run=${2-none}
if [ -e "$state/pid" ] && read -r other _ <"$state/pid" && kill -0 "$other" 2>/dev/null; then
    printf 'longhaul: host %s: this job runs already; launch.sh stop ends it\n' "$host" >&2
    exit 1
fi

# A process that has only just been forked can lose a signal, so it looks for this file as well.
end() {
    trap '' TERM INT HUP
    printf '' >"$state/ended" || :
    # shellcheck disable=SC2086 # a list of process ids; the last one may not be in it yet
    kill -TERM $pids ${!-} 2>/dev/null || :
    wait
    rm -f -- "$state/pid"
    exit 1
}
unless_ended() {
    [ ! -e "$state/ended" ] || exit 1
    "$@"
}
trap end TERM INT HUP
rm -f -- "$state/ended"
printf '%s %s\n' "$$" "$run" >"$state/pid"
if [ -e "$state/stopped" ] && read -r other <"$state/stopped" && [ "$other" = "$run" ]; then
    end # stop_host.sh came first
fi

# Runs a command; passes a signal on to it (with force after 30 s); its failure ends the others.
child() {
    command='' ended='' killer='' status=0
    trap 'ended=1; [ -z "$command" ] || kill -TERM "$command" 2>/dev/null || :' TERM
    unless_ended
    unless_ended exec "$@" &
    command=$!
    [ -z "$ended" ] || kill -TERM "$command" 2>/dev/null || :
    wait "$command" || status=$?
    [ "$status" -ne 0 ] || exit 0
    trap '' TERM
    kill -TERM $$
    if kill -0 "$command" 2>/dev/null; then
        (sleep 30; kill -KILL "$command") >/dev/null 2>&1 &
        killer=$!
        wait "$command" 2>/dev/null || :
        kill -KILL "$killer" 2>/dev/null || :  # it ignores TERM, as its parent does
    fi
    exit "$status"
}

@CHILDREN@
failed=0
for pid in $pids; do
    wait "$pid" || failed=1
done
rm -f -- "$state/pid"
exit "$failed"
)sh";

constexpr std::string_view kOwner = R"sh(if [ "$(cat -- "$here/host")" != "$host" ]; then
    printf 'longhaul: host %s: %s was last written for host %s; %s\n' "$host" "$here" \
        "$(cat -- "$here/host")" 'set launch_dir to a folder that hosts do not share' >&2
    exit 1
fi
)sh";

constexpr std::string_view kStopHost = R"sh(#!/bin/sh
# Ends what start_host.sh runs on this host; no error when nothing runs.
#   stop_host.sh [RUN]      with RUN, only that start
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
[ $# -eq 0 ] || printf '%s\n' "$1" >"$here/stopped" || :  # for a start that is still on its way
if [ -e "$here/pid" ] && read -r pid run <"$here/pid" && [ "${1-$run}" = "$run" ]; then
    kill -TERM "$pid" 2>/dev/null || :
fi
)sh";

}  // namespace

OutputFile start_host_file(std::string_view children, bool pushed) {
    const std::array<Fill, 2> values{{{"OWNER", std::string(pushed ? kOwner : std::string_view())},
                                      {"CHILDREN", std::string(children)}}};
    return {"start_host.sh", filled(kStartHost, values), true};
}

OutputFile stop_host_file() {
    return {"stop_host.sh", std::string(kStopHost), true};
}

std::vector<OutputFile> ssh_files(const Job& job,
                                  const Identity& identity,
                                  std::string_view children) {
    return {verifier_file(),
            rank_exec_file(job, identity),
            start_host_file(children, true),
            stop_host_file(),
            ssh_launch_file(job)};
}

}  // namespace longhaul::launch::detail
