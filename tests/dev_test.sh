#!/bin/sh
# Runs ./dev under dash or sh against stand-ins for apt, dpkg, sudo, cmake and ctest, and checks what
# it calls and says. Usage: dev_test.sh SOURCE_DIR
# shellcheck disable=SC2016  # the stand-ins are scripts in quotes
set -eu
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree="$work/a source tree" # a path with blanks
stubs=$work/bin
mkdir -p "$tree" "$stubs"
cp "$source/dev" "$source/CMakePresets.json" "$tree/"
for tool in sh dash env sed grep cat find dirname basename rm mkdir nproc getconf pwd tr sort xargs touch chmod; do
    path=$(command -v $tool) || continue
    case $path in /*) ln -s "$path" "$stubs/$tool" ;; esac
done

stub() {
    printf '#!/bin/sh\necho "%s $*" >>"%s/calls"\n%s\n' "$1" "$work" "$2" >"$stubs/$1"
    chmod +x "$stubs/$1"
}

everything='case " $* " in *g++*) for p in "$@"; do echo "$p=installed"; done ;; esac'
reset() {
    : >"$work/calls"
    rm -rf "$tree/build"
    stub dpkg-query "$everything"
    stub apt-get ':'
    stub apt-cache 'for p in "$@"; do [ "$p" = policy ] || printf "%s:\n  Candidate: 1.0\n" "$p"; done'
    stub id 'echo 0'
    rm -f "$stubs/sudo"
    stub ctest ':'
    # Configuring writes what a real build folder has; building makes a program that prints its arguments.
    stub cmake 'case $1 in
    --preset) mkdir -p build/release/apps/longhaul; touch build/release/build.ninja
        mode=$(printf "%s\n" "$@" | sed -n "s/-DLONGHAUL_DEVELOPER_MODE=//p")
        printf "CMAKE_HOME_DIRECTORY:INTERNAL=%s\nLONGHAUL_DEVELOPER_MODE:BOOL=%s\n" "$(pwd -P)" "$mode" >build/release/CMakeCache.txt ;;
    --build) mkdir -p build/release/bench/placement
        for program in apps/longhaul/longhaul bench/placement/bench_placement; do
            printf "#!/bin/sh\necho program \"\$@\"\n" >build/release/$program
            chmod +x build/release/$program
        done; echo noise ;;
    esac'
}

dev() {
    status=0
    (cd / && PATH=$stubs DEV_CMAKE_ARGS='' "$tree/dev" "$@") >"$work/out" 2>"$work/err" </dev/null || status=$?
}

fail() {
    echo "FAILED: $*"
    for file in calls out err; do
        echo "--- $file" && cat "$work/$file"
    done
    exit 1
}

expect_status() { [ "$status" -eq "$1" ] || fail "$2: exit $status, not $1"; }
expect() { grep -q -- "$2" "$work/$1" || fail "$3: no '$2' in $1"; }
expect_no() { ! grep -q -- "$2" "$work/$1" || fail "$3: '$2' in $1"; }

name="all installed: no apt at all, output of the program alone on stdout"
reset
dev run place --pp 8
expect_status 0 "$name"
expect_no calls '^apt' "$name"
[ "$(cat "$work/out")" = "program place --pp 8" ] || fail "$name"
expect calls 'DEVELOPER_MODE=OFF' "$name"

name="second run: no configure step"
: >"$work/calls"
dev demo
expect_no calls 'cmake --preset' "$name"
[ "$(cat "$work/out")" = "program demo" ] || fail "$name"

name="test after demo: configures with tests and passes arguments to ctest"
dev test -R 'place|fabric'
expect calls 'DEVELOPER_MODE=ON' "$name"
expect calls '^ctest --preset release -j [0-9]* -R place|fabric' "$name"

name="demo after test: keeps the configuration"
: >"$work/calls"
dev demo
expect_no calls 'cmake --preset' "$name"

name="bench placement: builds that program with tests configured, passes arguments on"
reset
dev bench placement --only "two words"
expect_status 0 "$name"
expect calls 'DEVELOPER_MODE=ON' "$name"
expect calls '--target bench_placement$' "$name"
[ "$(cat "$work/out")" = "program --only two words" ] || fail "$name"

name="missing packages, root: says which and why, installs, no update"
reset
stub dpkg-query 'echo "cmake=installed"; exit 1'
dev build
expect_status 0 "$name"
expect err 'installing g++ .*needed to build the program' "$name"
expect calls 'apt-get -q install -y --no-install-recommends g++ ' "$name"
expect_no calls 'install.* cmake ' "$name"
expect_no calls 'update' "$name"
expect_no calls 'libgtest' "$name"

name="unknown to the package lists: one update, then install"
reset
stub dpkg-query 'exit 1'
stub apt-cache 'printf "cmake:\n  Candidate: (none)\n"'
dev build
[ "$(grep -c 'apt-get.*update' "$work/calls")" -eq 1 ] || fail "$name"
expect calls 'install' "$name"

name="not root: through sudo"
reset
stub dpkg-query 'exit 1'
stub id 'echo 1000'
stub sudo '"$@"'
dev build
expect calls '^sudo env DEBIAN_FRONTEND=noninteractive apt-get -q install' "$name"

name="not root, no sudo: names the packages and goes on with the tools there are"
reset
stub dpkg-query 'exit 1'
stub id 'echo 1000'
dev run x
expect_status 0 "$name"
expect err 'not root and there is no sudo' "$name"
expect err 'libcli11-dev' "$name"
expect_no calls '^apt-get' "$name"

name="apt fails: clear message, goes on only if the tool is there"
reset
stub dpkg-query 'exit 1'
stub apt-get 'exit 100'
rm "$stubs/cmake"
dev build
expect_status 1 "$name"
expect err 'apt could not install' "$name"
expect err 'cmake is not there' "$name"

name="not Debian: names the packages"
reset
rm -f "$stubs/apt-get" "$stubs/dpkg-query" "$stubs/apt-cache" "$stubs/cmake"
dev demo
expect_status 1 "$name"
expect err 'not Debian' "$name"
expect err 'nlohmann-json3-dev' "$name"

name="moved tree: starts afresh instead of failing"
reset
dev build
sed 's,HOME_DIRECTORY:INTERNAL=.*,HOME_DIRECTORY:INTERNAL=/elsewhere,' "$tree/build/release/CMakeCache.txt" >"$work/cache"
cp "$work/cache" "$tree/build/release/CMakeCache.txt"
dev build
expect err 'starting afresh' "$name"

name="unknown command"
dev nonsense
expect_status 1 "$name"
expect err 'unknown command nonsense' "$name"
[ ! -s "$work/out" ] || fail "$name: something on stdout"

echo "dev: all checks passed"
