#!/usr/bin/env bash
# The script ./tactus runs with stand-ins for the programs that it calls: what it refuses, removes and installs,
# and its exit codes. Usage: wrapper_test.sh WRAPPER
set -euo pipefail
wrapper=$1
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
root="$work/a clone (x)"
mkdir -p "$root" "$work/bin"
cp "$wrapper" "$root/tactus"
export CALLS=$work/calls TERM=xterm
unset TACTUS_BUILD_DIR TACTUS_NO_INSTALL TACTUS_JOBS

stand_in() {  # name, script
  printf '#!/bin/bash\n%s\n' "$2" >"$work/bin/$1"
  chmod +x "$work/bin/$1"
}
stand_in dpkg-query 'shift 2; for p; do [[ " ${MISSING:-} " == *" $p "* ]] || echo "$p install ok installed"; done'
stand_in id 'echo "${USER_ID:-0}"'
stand_in sudo 'echo "sudo: a password is required" >&2; exit 1'
stand_in apt-get 'echo "apt-get $*" >>"$CALLS"; [ -z "${APT_FAILS:-}" ] || { seq 98; echo "E: no network" >&2; exit 100; }'
stand_in cmake 'echo "cmake $*" >>"$CALLS"
while [ $# -gt 0 ]; do case $1 in -S) s=$2;; -B) b=$2;; -DTACTUS_TESTS=*) t=${1#*=};; esac; shift; done
[ -z "${CMAKE_FAILS:-}" ] || { echo "CMake Error at x: no"; exit 1; }
printf "CMAKE_HOME_DIRECTORY:INTERNAL=%s\nTACTUS_TESTS:BOOL=%s\n" "$s" "$t" >"$b/CMakeCache.txt"; touch "$b/build.ninja"'
stand_in ninja 'echo "ninja $*" >>"$CALLS"
for a; do [ "$a" != -n ] || { echo "${DRY:-[1/2] x}"; exit 0; }; done
b=$2; echo "[1/2] x"; [ -z "${NINJA_FAILS:-}" ] || { echo "FAILED: x"; echo "x.cpp:1: error"; exit 1; }
mkdir -p "$b/firmware"; printf "#!/bin/bash\necho ran \"\$@\"; exit \${CODE:-0}\n" >"$b/firmware/tactus"; chmod +x "$b/firmware/tactus"'
stand_in ctest 'mkdir -p Testing/Temporary; printf "x_test.cpp:3: Skipped\n/y is not there\n" >Testing/Temporary/LastTest.log
echo "1/3 Test #1: a ...***Skipped"; echo "${SUMMARY:-100% tests passed, 0 tests failed out of 3}"; exit "${CTEST_CODE:-0}"'

failures=0
run() {  # expected code, arguments of ./tactus; environment variables come before "run"
  local expected=$1 code=0
  shift
  : >"$CALLS"
  PATH="$work/bin:$PATH" "$root/tactus" "$@" >"$work/out" 2>"$work/err" </dev/null || code=$?
  last=$(tail -n 1 "$work/err")
  [ "$code" -eq "$expected" ] || fault "ends with $code in place of $expected: $(cat "$work/err")"
  ! grep -q $'\e' "$work/out" "$work/err" || fault "control sequences without a terminal"
}
fault() {
  echo "line ${BASH_LINENO[1]}: $1"
  failures=$((failures + 1))
}
has() { grep -qF -- "$2" "$work/$1" || fault "no \"$2\" in $1: $(cat "$work/$1")"; }
last_line() { [[ "$last" == *"$1"* ]] || fault "the last line is: $last"; }

# In a new folder the script configures without tests, builds, and runs the program, whose exit code it returns.
run 0 --version
has out "ran --version"
has calls "-DTACTUS_TESTS=OFF"
[ -f "$root/build/release/.tactus-build" ] || fault "no marker"
CODE=3 DRY="ninja: no work to do." run 3 run "a b"
has out "ran run a b"
! grep -q "^cmake" "$CALLS" || fault "configured again"
# `test` configures with tests. A failed test gives exit code 1.
run 0 test
has calls "-DTACTUS_TESTS=ON"
has out "1 skipped. What they need:"
has out "1: /y is not there"
has out "2 passed, 0 failed"
SUMMARY="67% tests passed, 1 tests failed out of 3" CTEST_CODE=8 run 1 test
has out "1 passed, 1 failed"
MISSING="chromium munge" APT_FAILS=1 run 0 test --full
has err "cannot install chromium munge"

# `packages` configures and builds nothing.
MISSING="g++ libgtest-dev" run 0 packages
has calls "apt-get install -y -qq --no-install-recommends g++ libgtest-dev"
! grep -q "^cmake\|^ninja" "$CALLS" || fault "something was built"

# If packages cannot be installed, the exit code is 2 and the last line says how to install them.
line="apt-get update && apt-get install -y --no-install-recommends"
MISSING="g++ ninja-build" run 0 --version
has calls "apt-get install -y -qq --no-install-recommends g++ ninja-build"
MISSING="g++ ninja-build" APT_FAILS=1 run 2 --version
last_line "$line g++ ninja-build"
[ "$(wc -l <"$work/err")" -lt 15 ] || fault "too many lines"
MISSING="g++" USER_ID=1000 run 2 --version
last_line "$line g++"
MISSING="g++" TACTUS_NO_INSTALL=1 run 2 --version
last_line "$line g++"
[ ! -s "$CALLS" ] || fault "something was called"
MISSING="libgtest-dev" APT_FAILS=1 run 0 bench
MISSING="libgtest-dev" APT_FAILS=1 run 2 test
NINJA_FAILS=1 run 2 --version
last_line "tactus-build.log"
has err "x.cpp:1: error"

# Folders of other projects are not changed.
other="$work/other (y)"
mkdir "$other"
echo "int main() {}" >"$other/main.cpp"
TACTUS_BUILD_DIR=$other run 2 --version
last_line "set TACTUS_BUILD_DIR"
printf "CMAKE_HOME_DIRECTORY:INTERNAL=/home/u/project\n" >"$other/CMakeCache.txt"
TACTUS_BUILD_DIR=$other run 2 --version
has err "/home/u/project"
last_line "set TACTUS_BUILD_DIR"
[ "$(ls -A "$other" | tr '\n' ' ')" = "CMakeCache.txt main.cpp " ] || fault "changed: $(ls -A "$other")"
[ ! -s "$CALLS" ] || fault "something was called"
# A folder that was configured by hand for this source folder is used.
printf "CMAKE_HOME_DIRECTORY:INTERNAL=%s\n" "$root" >"$other/CMakeCache.txt"
touch "$other/build.ninja"
TACTUS_BUILD_DIR=$other run 0 --version
! grep -q "^cmake" "$CALLS" || fault "configured again"
[ -f "$other/main.cpp" ] || fault "removed"

# A moved clone is configured again. Other files in its build folder are kept.
echo mine >"$root/build/release/notes"
mv "$root" "$work/moved"
root=$work/moved
CMAKE_FAILS=1 run 2 --version
last_line "tactus-configure.log"
run 0 --version
has calls "--fresh"
run 0 --version
! grep -q "^cmake" "$CALLS" || fault "configured again"
[ -f "$root/build/release/notes" ] || fault "removed"

# If the checkout cannot be written, the last line says what to do.
if [ "$(/usr/bin/id -u)" -ne 0 ]; then
  rm -rf "$root/build"
  chmod a-w "$root"
  run 2 --version
  last_line "set TACTUS_BUILD_DIR"
  chmod u+w "$root"
else
  TACTUS_BUILD_DIR=/proc/none run 2 --version
  last_line "set TACTUS_BUILD_DIR"
fi

[ "$failures" -eq 0 ] || exit 1
echo "all as expected"
