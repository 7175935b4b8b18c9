#!/usr/bin/env bash
# Makes the Debian packages, checks their fields and contents, unpacks them and uses the unpacked files. Usage:
# debian_test.sh BUILD_DIR PYTHON. PYTHON is empty if there is no module. Exit code 77: skipped.
set -euo pipefail
build=$1
python=$2
source "$(dirname "${BASH_SOURCE[0]}")/check_tree.sh"

for program in cpack dpkg-deb dpkg-shlibdeps; do
  command -v "$program" >/dev/null || {
    echo "skipped: $program was not found; on Debian: apt-get install cmake dpkg-dev"
    exit 77
  }
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cpack --config "$build/CPackConfig.cmake" -B "$work/packages" >"$work/cpack.log" 2>&1 ||
  fail "cpack failed: $(tail -n 20 "$work/cpack.log")"
# Without dpkg-shlibdeps the package would name no libraries; so there is none.
if cpack --config "$build/CPackConfig.cmake" -D TACTUS_SHLIBDEPS=/nonexistent -B "$work/no_tools" \
  >"$work/no_tools.log" 2>&1; then
  fail "cpack makes a package without dpkg-shlibdeps"
fi
grep -q "apt-get install dpkg-dev" "$work/no_tools.log" || fail "cpack said: $(cat "$work/no_tools.log")"
cd "$work/packages"
runs=$(echo tactus_*.deb)
develops=$(echo tactus-dev_*.deb)
[ -f "$runs" ] && [ -f "$develops" ] || fail "there are other packages: $(ls)"

field() { dpkg-deb -f "$1" "$2"; }
[ "$(field "$runs" Package)" = tactus ] || fail "the package has another name"
needs=$(field "$runs" Depends)
for library in libsystemc libonnx libprotobuf libboost-program-options libfmt libc6; do
  [[ $needs == *"$library"* ]] || fail "$library is not among what the package needs: $needs"
done
[ -z "$python" ] || [[ $needs == *"python3-numpy"* ]] || fail "numpy is not among $needs"
[[ $(field "$develops" Depends) == *"tactus (= "* ]] || fail "tactus-dev does not need tactus"
dpkg-deb -c "$runs" | grep -E '\.(a|h)$' && fail "the package has files for development"

dpkg-deb -x "$runs" "$work/root"
dpkg-deb -x "$develops" "$work/root"
[ "$(find "$work/root" -maxdepth 1 -mindepth 1)" = "$work/root/usr" ] ||
  fail "the packages have files outside of /usr"
if command -v lintian >/dev/null; then
  told=$(lintian --fail-on error --allow-root "$runs" "$develops" 2>&1) || fail "lintian: $told"
fi
check_tree "$(realpath "$work")/root/usr" "$python"
find "$work/root" -name tactusConfig.cmake | grep -q . || fail "there is no tactusConfig.cmake"
ls -l "$work"/packages/*.deb | awk '{ print $5, $9 }'
echo "Debian packages: all well"
