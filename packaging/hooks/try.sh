#!/usr/bin/env bash
# Installs the hooks of this repository as a user would and commits with them: a bad Dockerfile is refused, a good one passes.
#
#   packaging/hooks/try.sh FOLDER-WITH-THE-WHEEL [pre-commit|prek]...
#
# Needs the tools on PATH and a package index for setuptools; the wheel itself comes from the folder. Prints seconds.
set -euo pipefail

[ $# -ge 1 ] || { sed -n '2,6s/^# \{0,1\}//p' "$0" >&2; exit 2; }
root=$(cd "$(dirname "$0")/../.." && pwd)
wheels=$(cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- pre-commit prek

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The wheel is taken from the folder, and nothing of an earlier run is used.
export PIP_FIND_LINKS=$wheels UV_FIND_LINKS=$wheels
export PRE_COMMIT_HOME=$work/pre-commit PREK_HOME=$work/prek
export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.org
export GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.org

# The hook repository: what is committed here, and nothing else.
git clone --quiet "$root" "$work/hooks"
rev=$(git -C "$work/hooks" rev-parse HEAD)

# What happened, in what time; fails where it is not what should happen.
expect() {
    local wanted=$1 what=$2 start=$EPOCHREALTIME status=0
    shift 2
    "$@" >"$work/log" 2>&1 || status=$?
    awk -v from="$start" -v to="$EPOCHREALTIME" -v what="$what" 'BEGIN { printf "%6.1f s  %s\n", to - from, what }'
    if [ "$wanted" = refused ] && [ "$status" -ne 0 ] && grep -q 'KIMG1' "$work/log"; then return; fi
    if [ "$wanted" = passed ] && [ "$status" -eq 0 ]; then return; fi
    cat "$work/log" >&2
    echo "$what: exit status $status, which should have been ${wanted}" >&2
    exit 1
}

for tool in "$@"; do
    echo "$tool $("$tool" --version | awk '{ print $2 }')"
    user=$work/user-$tool
    git init --quiet "$user"
    cd "$user"
    cp "$root/examples/bad/Dockerfile" Dockerfile
    git add Dockerfile
    expect refused "try-repo, first use: bad file refused" "$tool" try-repo "$work/hooks" kimg-lint --files Dockerfile

    printf 'repos:\n- repo: %s\n  rev: %s\n  hooks:\n  - id: kimg-lint\n  - id: kimg-lint-ci\n' "$work/hooks" "$rev" \
        >.pre-commit-config.yaml
    git add .pre-commit-config.yaml
    "$tool" install >/dev/null
    expect refused "commit: bad file refused" git commit -m bad
    expect refused "commit again, all installed: bad file refused" git commit -m bad
    cp "$root/examples/good/Dockerfile" Dockerfile
    git add Dockerfile
    expect passed "commit: good file passes" git commit -m good
    cd "$work"
done
