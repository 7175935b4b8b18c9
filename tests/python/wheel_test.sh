#!/usr/bin/env bash
# A wheel of the Python package is made from an existing build. It has module, program and configurations, and
# works in the folder where pip would install it. Usage: wheel_test.sh SOURCE BUILD VERSION PYTHON
set -euo pipefail
source_dir=$1
build=$2
version=$3
python=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
  echo "$*" >&2
  exit 1
}

libraries() { find "$build" -name '*.a' -printf '%p %T@\n' | sort; }
before=$(libraries)
cd "$source_dir/firmware/python"
TACTUS_PIP_BUILD_DIR=$build "$python" -c \
  'import build_backend, sys; print(build_backend.build_wheel(sys.argv[1]))' "$work" >"$work/name" ||
  fail "the wheel cannot be built"
[ ! -e __pycache__ ] || fail "the build leaves $PWD/__pycache__ in the checkout"
[ "$(libraries)" = "$before" ] || fail "libraries of the build that was there have been built again"
name=$(cat "$work/name")
[[ $name == tactus-$version-cp*.whl ]] || fail "the wheel is called $name, its version is $version"

cd "$work"
"$python" -m zipfile -e "$name" site
chmod +x site/tactus/bin/tactus  # pip does this, too
unset TACTUS_CONFIGS TACTUS_PROGRAM
export XDG_CACHE_HOME=$work/cache
PYTHONPATH=$work/site PYTHONDONTWRITEBYTECODE=1 "$python" -W error - "$work/site" "$version" <<'PYTHON'
import os, subprocess, sys
import tactus

site = os.path.realpath(sys.argv[1])
assert tactus.__version__ == sys.argv[2], tactus.__version__
assert os.path.realpath(tactus.program()) == site + "/tactus/bin/tactus", tactus.program()
assert all(os.path.realpath(p).startswith(site) for p in tactus.architectures().values())
told = subprocess.run([tactus.program(), "--version"], capture_output=True, text=True, check=True)
assert told.stdout.startswith("tactus " + sys.argv[2] + " ("), told.stdout
print(tactus.run(tactus.compile("mlp", "zcu104"), [[0.5] * 16]))
PYTHON

# An editable wheel names a folder with links to the sources and to the module of the build.
cd "$source_dir/firmware/python"
mkdir "$work/editable"
PYTHONDONTWRITEBYTECODE=1 TACTUS_PIP_BUILD_DIR=$build "$python" -c \
  'import build_backend, sys; print(build_backend.build_editable(sys.argv[1]))' "$work/editable" >"$work/name" ||
  fail "the editable wheel cannot be built"
cd "$work/editable"
"$python" -m zipfile -e "$(cat "$work/name")" site
PYTHONDONTWRITEBYTECODE=1 "$python" -W error - "$work/editable/site" "$source_dir" <<'PYTHON'
import os, site, subprocess, sys

site.addsitedir(sys.argv[1])
import tactus

sources = os.path.realpath(sys.argv[2]) + "/firmware/python/tactus"
assert os.path.dirname(os.path.realpath(tactus.__file__)) == sources, tactus.__file__
subprocess.run([tactus.program(), "--version"], stdout=subprocess.DEVNULL, check=True)
print(tactus.run(tactus.compile("mlp", "zcu104"), [[0.5] * 16]))
PYTHON
