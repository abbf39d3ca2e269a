#!/bin/bash
# Tries the two commands of the README on a machine that has nothing: makes a bare Debian 12 root with
# debootstrap, copies the committed tree into it, and runs ./dev demo and ./dev test inside.
#
#     sudo tools/fresh_root.sh [COMMAND...]     each COMMAND is one line, default: "demo" "test"
#
# Needs root, debootstrap, a Debian mirror, and about 2 GB in $TMPDIR (default /tmp). Leaves nothing
# behind. Prints the time of each step; the second demo must be done in seconds without apt.
set -euo pipefail
cd "$(dirname "$0")/.."
[ "$(id -u)" -eq 0 ] || { echo "fresh_root: run this as root (debootstrap and chroot need it)" >&2; exit 2; }
command -v debootstrap >/dev/null || { echo "fresh_root: apt-get install debootstrap first" >&2; exit 2; }
[ $# -gt 0 ] || set -- demo test

root=$(mktemp -d "${TMPDIR:-/tmp}/fresh-root.XXXXXX")
cleanup() {
    # Packages may have mounted or started nothing, but a mount under a folder that is deleted is a
    # disaster, so look first.
    local mounts
    mounts=$(awk -v root="$root/" 'index($2, root) == 1 {print $2}' /proc/mounts | sort -r)
    local mount
    for mount in $mounts; do
        umount "$mount" || umount -l "$mount"
    done
    rm -rf --one-file-system "$root"
}
trap cleanup EXIT
trap 'exit 130' INT TERM HUP

step() {
    local name=$1 begin=$SECONDS status=0
    shift
    printf '\n== %s\n' "$name"
    "$@" </dev/null || status=$?
    printf '== %s: exit %d, %d s\n' "$name" "$status" "$((SECONDS - begin))"
    return "$status"
}

inside() {
    chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 "$@"
}

step "debootstrap" debootstrap --variant=minbase bookworm "$root" >"$root.log" || { tail "$root.log"; exit 1; }
rm -f "$root.log"
rm -rf "$root/var/lib/apt/lists" # as in the images that most people start from
# Names that this machine resolves by its own file have to resolve inside as well.
cp /etc/hosts /etc/resolv.conf "$root/etc/" 2>/dev/null || true
mount -t proc proc "$root/proc"
tree="/opt/a source tree/longhaul" # a folder with blanks, no git
mkdir -p "$root$tree"
git archive HEAD | tar -x -C "$root$tree"

for line in "$@"; do
    # shellcheck disable=SC2086  # "run --version" is two words
    step "./dev $line" inside "$tree/dev" $line
done
# shellcheck disable=SC2086
set -- $1
begin=$SECONDS
step "./dev $* again" inside "$tree/dev" "$@" >"$root/again" 2>&1 || { cat "$root/again"; exit 1; }
if grep -q 'dev: installing' "$root/again" || [ $((SECONDS - begin)) -gt 30 ]; then
    echo "fresh_root: the second ./dev $* installed something or took longer than 30 s"
    exit 1
fi
tail -n 1 "$root/again"
printf '\nfresh_root: all of it works on a bare Debian 12\n'
