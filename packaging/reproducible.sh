#!/usr/bin/env bash
# Builds the last commit in two folders, whose paths differ in length, and compares the programs byte by byte.
#
#   packaging/reproducible.sh [FOLDER]   where to build; a temporary folder, if not given
#
# Takes two release builds, and a gigabyte at a time. Both are made by the Rust of this machine; another version makes other bytes.
set -euo pipefail
[ $# -le 1 ] || { sed -n '2,6s/^# \{0,1\}//p' "$0" >&2; exit 2; }
root=$(cd "$(dirname "$0")/.." && pwd)
commit=$(git -C "$root" rev-parse HEAD)
work=$(mktemp -d ${1:+-p "$1"})
trap 'rm -rf "$work"' EXIT
unset CARGO_TARGET_DIR

# build FOLDER PROGRAM: a clone built there, of which only the program is kept.
build() {
    git clone --quiet --no-checkout "$root" "$1"
    git -C "$1" checkout --quiet --detach "$commit"
    (cd "$1" && cargo build --quiet --release --locked --bin kimg-lint)
    mv "$1/target/release/kimg-lint" "$2"
    rm -rf "$1"
}

build "$work/a" "$work/first"
build "$work/another folder/of a longer name" "$work/second"
sha256sum "$work/first" "$work/second"
cmp "$work/first" "$work/second"
