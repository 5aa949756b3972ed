#!/usr/bin/env bash
# Writes SHA256SUMS beside a release's files, and into another file the part of it that the action goes by.
#
#   packaging/release/table.sh FOLDER-WITH-THE-FILES TABLE
set -euo pipefail
[ $# -eq 2 ] || { sed -n '2,4s/^# \{0,1\}//p' "$0" >&2; exit 2; }
sums=$(mktemp)
rm -f "$1/SHA256SUMS"
(cd "$1" && sha256sum -- *) >"$sums"
mv "$sums" "$1/SHA256SUMS"
grep '\.tar\.gz$' "$1/SHA256SUMS" >"$2"
