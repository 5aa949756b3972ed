#!/usr/bin/env bash
# Builds the wheel of this machine's system into a folder, with a maturin of its own.
#
#   packaging/wheel/build.sh FOLDER
set -euo pipefail
[ $# -eq 1 ] || { sed -n '2,4s/^# \{0,1\}//p' "$0" >&2; exit 2; }
root=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)

tools=$(mktemp -d)
trap 'rm -rf "$tools"' EXIT
python3 -m venv "$tools"
"$tools/bin/pip" install --quiet 'maturin>=1.9,<2.0'
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$root/target}
cd "$root/packaging/wheel"
"$tools/bin/maturin" build --release --out "$out"
