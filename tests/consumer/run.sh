#!/bin/sh
# Installs a build into a fresh prefix, moves the prefix, and builds and runs the consumer project
# against it. Usage: run.sh SOURCE_DIR BUILD_DIR
set -eu
source=$1
build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/first" >/dev/null
prefix="$work/moved prefix" # a package must not care where it lies, nor mind a blank
mv "$work/first" "$prefix"
if grep -rlF -e "$source" -e "$build" "$prefix"/lib*/cmake "$prefix/include"; then
    echo "FAILED: the files above name folders of the build"
    exit 1
fi

"$prefix/bin/longhaul" --version
"$prefix/bin/longhaul" --help >/dev/null

cmake -S "$source/tests/consumer" -B "$work/build" -G Ninja "-DCMAKE_PREFIX_PATH=$prefix" \
    -DCMAKE_CXX_FLAGS="-Wall -Wextra -Werror" >"$work/log" 2>&1 ||
    { cat "$work/log" && exit 1; }
cmake --build "$work/build" >"$work/log" 2>&1 || { cat "$work/log" && exit 1; }
for program in "$work/build"/use_*; do
    "$program"
done

# The version is checked: 0.1 is not 0.2.
mkdir "$work/newer"
cat >"$work/newer/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(newer LANGUAGES CXX)
find_package(longhaul 0.2 QUIET)
if(longhaul_FOUND)
  message(FATAL_ERROR "0.2 was asked for and an older version accepted")
endif()
END
cmake -S "$work/newer" -B "$work/newer/build" -G Ninja "-DCMAKE_PREFIX_PATH=$prefix" >"$work/log" 2>&1 ||
    { cat "$work/log" && exit 1; }
echo "consumer: all checks passed"
