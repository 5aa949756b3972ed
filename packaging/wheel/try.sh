#!/usr/bin/env bash
# Installs the wheel of a folder into a clean environment, and runs it in both ways.
#
#   packaging/wheel/try.sh FOLDER-WITH-THE-WHEEL
set -euo pipefail
[ $# -eq 1 ] || { sed -n '2,4s/^# \{0,1\}//p' "$0" >&2; exit 2; }
root=$(cd "$(dirname "$0")/../.." && pwd)
wheels=$(cd "$1" && pwd)
version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$root/Cargo.toml" | head -n 1)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work"
start=$EPOCHREALTIME
"$work/bin/pip" install --quiet --disable-pip-version-check --no-index --find-links "$wheels" "kimg-lint==$version"
awk -v from="$start" -v to="$EPOCHREALTIME" 'BEGIN { printf "%.1f s to install\n", to - from }'
cd "$work"
for command in "bin/kimg-lint" "bin/python -m kimg_lint"; do
    # shellcheck disable=SC2086
    [ "$($command --version)" = "kimg-lint $version" ]
    status=0
    # shellcheck disable=SC2086
    $command "$root/examples/bad/Dockerfile" >/dev/null || status=$?
    [ "$status" -eq 1 ]
    # The driver is opened at run time: without one, the probe says so and that is no error.
    # shellcheck disable=SC2086
    $command probe >/dev/null
    echo "$command: works"
done
du -b "$wheels"/kimg_lint-"$version"-*.whl
