#!/usr/bin/env bash
# Makes the archive and the table of a release from the wheel of a folder, and has the action's own script install it.
#
#   packaging/release/try.sh FOLDER-WITH-THE-WHEEL
#
# For x86-64 Linux. The table that is committed stays as it is.
set -euo pipefail
[ $# -eq 1 ] || { sed -n '2,6s/^# \{0,1\}//p' "$0" >&2; exit 2; }
root=$(cd "$(dirname "$0")/../.." && pwd)
wheels=$(cd "$1" && pwd)
version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$root/Cargo.toml" | head -n 1)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/v$version" "$work/temp" "$work/tools"
cp "$wheels"/kimg_lint-"$version"-*.whl "$work/v$version/"
"$root/packaging/release/archive.sh" x86_64-unknown-linux-gnu "$work/v$version"
"$root/packaging/release/table.sh" "$work/v$version" "$work/table"

RELEASES=file://$work SUMS=$work/table ATTESTATION=off RUNNER_OS=Linux RUNNER_ARCH=X64 RUNNER_TEMP=$work/temp \
    RUNNER_TOOL_CACHE=$work/tools GITHUB_OUTPUT=$work/output GITHUB_PATH=$work/path "$root/packaging/action/install.sh"
"$(head -n 1 "$work/path")/kimg-lint" --version
cat "$work/v$version/SHA256SUMS"
