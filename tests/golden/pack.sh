#!/usr/bin/env bash
# Packs a folder as a golden archive: pack.sh FOLDER ARCHIVE.tar.xz. The same files always give the same bytes,
# and everybody may overwrite and remove the unpacked files.
set -euo pipefail
[ $# -eq 2 ] || { echo "usage: pack.sh FOLDER ARCHIVE.tar.xz" >&2; exit 2; }
tar --create --format=ustar --sort=name --owner=0 --group=0 --numeric-owner \
  --mtime=@1704067200 --mode=u=rwX,go=rX \
  --directory "$(dirname "$1")" "$(basename "$1")" | xz -9e --threads=1 >"$2.part"
mv "$2.part" "$2"
