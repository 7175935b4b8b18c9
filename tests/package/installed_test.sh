#!/usr/bin/env bash
# Installs the build into a temporary prefix and uses the program, the Python module and the example of
# embedding there. The example is built from the installed files only: with CMake, with pkg-config and by hand.
# Then installs each component alone, in an empty folder.
# Usage: installed_test.sh BUILD_DIR PYTHON CXX. PYTHON is empty if there is no module.
set -euo pipefail
build=$1
python=$2
cxx=$3
source "$(dirname "${BASH_SOURCE[0]}")/check_tree.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$(realpath "$work")/usr
cmake --install "$build" --prefix "$prefix" >"$work/install.log" ||
  fail "cmake --install failed: $(tail -n 5 "$work/install.log")"
check_tree "$prefix" "$python"

# No installed file for builds names a path of the source or build tree.
source_dir=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$build/CMakeCache.txt")
if grep -rlF -e "$source_dir/" -e "$build/" "$prefix"/lib*/cmake "$prefix"/lib*/pkgconfig \
  "$prefix"/lib*/*/cmake "$prefix"/lib*/*/pkgconfig 2>/dev/null; then
  fail "these files name the source or the build folder"
fi

example=$work/embedding
cp -r "$prefix/share/doc/tactus/firmware/examples/embedding" "$example"

cmake -S "$example" -B "$work/with_cmake" -DCMAKE_PREFIX_PATH="$prefix" \
  -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_BUILD_TYPE=Release >"$work/cmake.log" 2>&1 ||
  fail "find_package(tactus) failed: $(tail -n 20 "$work/cmake.log")"
cmake --build "$work/with_cmake" >"$work/build.log" 2>&1 ||
  fail "the example does not build: $(tail -n 20 "$work/build.log")"
first=$("$work/with_cmake/embedding" mlp)
echo "$first"
[[ $first =~ ^mlp\ on\ zcu104:\ ([0-9]+)\ cycles ]] || fail "the example printed: $first"

# The example gives the same cycles as the program.
"$prefix/bin/tactus" compile mlp.onnx --board zcu104 -o again >/dev/null
"$prefix/bin/tactus" run --model again/*.tmodel --input <(printf '%s\n' "$(printf '0,%.0s' {1..31})0") \
  --stats stats.json >/dev/null
cycles=$(sed -n 's/^  "cycles": \([0-9]*\),$/\1/p' stats.json | head -n 1)
[ "${BASH_REMATCH[1]}" = "$cycles" ] || fail "the example says ${BASH_REMATCH[1]}, tactus run $cycles"

export PKG_CONFIG_PATH
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name tactus.pc)")
program=$(pkg-config --variable=program tactus)
[ -x "$program" ] || fail "tactus.pc names the program $program"
# shellcheck disable=SC2046
"$cxx" -O1 "-DTACTUS_PROGRAM=\"$program\"" $(pkg-config --cflags tactus) "$example/main.cpp" \
  $(pkg-config --libs tactus) -o "$work/with_pkg_config" || fail "pkg-config does not do"
[ "$("$work/with_pkg_config" mlp)" = "$first" ] || fail "built with pkg-config it differs"

# Each component is installed alone. The component development works without the program, relative to which
# boards' files are usually found.
install_alone() {
  cmake --install "$build" --prefix "$work/$1" --component "$1" >"$work/install.log" ||
    fail "cmake --install --component $1 failed: $(tail -n 5 "$work/install.log")"
}
install_alone program
prints '^zcu104 ' "$work/program/bin/tactus" boards
[ ! -e "$work/program/include" ] || fail "component program has headers"
install_alone documents
has "$work/documents/share/man/man1/tactus.1.gz"
has "$work/documents/share/bash-completion/completions/tactus"
[ ! -e "$work/documents/bin" ] || fail "component documents has programs"
install_alone development
[ ! -e "$work/development/bin" ] || fail "component development has programs"
library=$(dirname "$(find "$work/development" -name libtactus.so)")
cmake -S "$example" -B "$work/development_only" -DCMAKE_PREFIX_PATH="$work/development" \
  -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_BUILD_TYPE=Release >"$work/cmake.log" 2>&1 ||
  fail "find_package(tactus) failed without the program: $(tail -n 20 "$work/cmake.log")"
# The platform, in an empty folder, runs a model in as many cycles as `tactus run`.
platform=$work/platform
mkdir "$platform"
cp "$prefix"/share/doc/tactus/firmware/examples/platform/* "$platform"
cmake -S "$platform" -B "$platform/build" -DCMAKE_PREFIX_PATH="$work/development" \
  -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_BUILD_TYPE=Release >"$work/cmake.log" 2>&1 ||
  fail "find_package(tactus) failed for the platform: $(tail -n 20 "$work/cmake.log")"
cmake --build "$platform/build" >"$work/build.log" 2>&1 ||
  fail "the platform does not build: $(tail -n 20 "$work/build.log")"
"$prefix/bin/tactus" compile mlp.onnx --arch "$prefix/share/tactus/configs/arch/pynqz1.tarch" -o net \
  >/dev/null
told=$(cd "$platform" && env -u TACTUS_CONFIGS ./build/platform "$work"/net/*.tmodel tcu.vcd)
"$prefix/bin/tactus" run --model net/*.tmodel --memory fixed --axi-data-bits 128 --read-latency 20 \
  --write-latency 5 --stats fixed.json >/dev/null
cycles=$(sed -n 's/^  "cycles": \([0-9]*\),$/\1/p' fixed.json | head -n 1)
[[ $told == *": $cycles cycles"* ]] || fail "the platform says $told, tactus run $cycles cycles"
has "$platform/tcu.vcd"

# shellcheck disable=SC2046
"$cxx" -O1 -DTACTUS_PROGRAM='""' $(pkg-config --cflags fmt systemc) -std=c++17 \
  -I"$work/development/include/tactus" "$example/main.cpp" -L"$library" -ltactus \
  -o "$work/by_hand" || fail "-ltactus does not do"
[ "$(TACTUS_CONFIGS=$prefix/share/tactus/configs "$work/by_hand" mlp)" = "$first" ] ||
  fail "built by hand it differs"
echo "installed tree: all well"
