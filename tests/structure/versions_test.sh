#!/usr/bin/env bash
# The version in CMakeLists.txt is the program's, and also stands in changelog and citation; the scripts that
# workflows call exist. Usage: versions_test.sh SOURCE VERSION PROGRAM
set -euo pipefail
source_dir=$1
version=$2
program=$3
cd "$source_dir"
failures=0
fault() {
  echo "$*"
  failures=$((failures + 1))
}

told=$("$program" --version)
[[ $told == "tactus $version ("* ]] || fault "--version prints \"$told\", CMakeLists.txt says $version"

entry=$(grep -m 1 -E '^## [0-9]' CHANGELOG.md || true)
[[ $entry =~ ^##\ ([0-9.]+)\ -\ ([0-9]{4}-[0-9]{2}-[0-9]{2})$ ]] ||
  fault "CHANGELOG.md: the newest version's heading is \"$entry\"; expected \"## VERSION - YYYY-MM-DD\""
[ "${BASH_REMATCH[1]:-}" = "$version" ] ||
  fault "CHANGELOG.md: the newest version is ${BASH_REMATCH[1]:-none}, CMakeLists.txt says $version"
date=${BASH_REMATCH[2]:-}
# The file's own data, and those of the citation that it prefers, which are indented.
for indent in "" "  "; do
  grep -qx "${indent}version: $version" CITATION.cff ||
    fault "CITATION.cff: a version is not $version"
  grep -qx "${indent}date-released: $date" CITATION.cff ||
    fault "CITATION.cff: a date-released is not $date, the date in CHANGELOG.md"
done
grep -qx "  year: ${date%%-*}" CITATION.cff || fault "CITATION.cff: the year is not ${date%%-*}"
! grep -n '^version *=' firmware/python/pyproject.toml ||
  fault "firmware/python/pyproject.toml: a version of its own"

# Scripts are called by "- run: ./script" and in lines of "run: |" blocks.
scripts=$(grep -hoE '(run: |^ +)\.[A-Za-z/_.-]+' .github/workflows/*.yml | sed 's/^.* //' | sort -u)
[ -n "$scripts" ] || fault "no workflow calls a script"
for script in $scripts; do
  [ -x "$script" ] || fault "a workflow calls $script, which is no program"
done

[ "$failures" -eq 0 ] || exit 1
echo "one version: $version; workflows call $(tr '\n' ' ' <<<"$scripts")"
