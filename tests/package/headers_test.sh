#!/usr/bin/env bash
# Installs the component development and checks its headers: only the public headers and those that they include
# are installed; each compiles alone; the guide's table names the public ones.
# Usage: headers_test.sh BUILD_DIR CXX SOURCE_DIR
set -euo pipefail
build=$1
cxx=$2
source_dir=$3
source "$(dirname "${BASH_SOURCE[0]}")/check_tree.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/usr" --component development >"$work/install.log" ||
  fail "cmake --install failed: $(tail -n 5 "$work/install.log")"
include=$work/usr/include/tactus
cd "$include"
PKG_CONFIG_PATH=$(dirname "$(find "$work/usr" -name tactus.pc)")
export PKG_CONFIG_PATH
read -ra flags <<<"-fsyntax-only $(pkg-config --cflags tactus)"

# The installed headers are those that the compiler reads for all public headers.
public=$work/public.txt
grep -v '^#' "$source_dir/firmware/package/public_headers.txt" >"$public"
sed 's/.*/#include "&"/' "$public" >"$work/public.cpp"
"$cxx" "${flags[@]}" -M "$work/public.cpp" | tr -s ' \\' '\n' | grep / | xargs realpath |
  sed -n "s|^$(realpath "$include")/||p" | sort -u \
  >"$work/read.txt"
find . -type f | sed 's|^\./||' | sort >"$work/installed.txt"
diff "$work/read.txt" "$work/installed.txt" ||
  fail "the headers installed (>) are not those that public_headers.txt needs (<)"

# Each header compiles alone. SystemC is most of the work, so it is precompiled for the headers that include it
# themselves or by way of others (<tlm> includes it). No other declarations become visible to them by that.
including() { grep -rlE "$1" . | sed 's|^\./||' | sort -u; }
systemc='#include <(systemc|tlm)>'
read -ra with_systemc <<<"$(including "$systemc" | tr '\n' ' ')"
for ((known = 0; known < ${#with_systemc[@]};)); do
  known=${#with_systemc[@]}
  read -ra with_systemc <<<"$(including "$systemc|#include \"($(IFS='|'; echo "${with_systemc[*]}"))\"" | tr '\n' ' ')"
done
precompiled=$work/systemc.h
echo '#include <systemc>' >"$precompiled"
"$cxx" "${flags[@]:1}" -x c++-header "$precompiled" -o "$precompiled.gch"
compile_alone() {
  echo "#include \"$1\"" | "${@:2}" -x c++ - || { echo "$1 does not compile alone" >&2; return 255; }
}
export -f compile_alone
each_alone() {
  xargs -P "$(nproc)" -I {} bash -c 'compile_alone "$@"' _ {} "$@" || fail "a header does not compile alone"
}
printf '%s\n' "${with_systemc[@]}" | each_alone "$cxx" "${flags[@]}" -include "$precompiled"
comm -23 "$work/installed.txt" <(printf '%s\n' "${with_systemc[@]}") | each_alone "$cxx" "${flags[@]}"

# The guide's table names the public headers.
guide=$source_dir/firmware/guides/embedding.md
grep '^| `[a-z_/]*\.h`' "$guide" | grep -oE '[a-z_/0-9]+\.h' | sort >"$work/guide.txt"
diff "$work/guide.txt" <(sort "$public") || fail "$guide (<) and public_headers.txt (>) name other headers"
echo "$(wc -l <"$work/installed.txt") headers, $(wc -l <"$public") of them public: all well"
