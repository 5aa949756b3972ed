# shellcheck shell=bash
# What the steps share. Sourced, not run.
set -euo pipefail

# An annotation; the text stays on its line.
say() {
    local kind=$1 text=$2
    text=${text//'%'/%25}
    text=${text//$'\r'/%0D}
    text=${text//$'\n'/%0A}
    printf '::%s title=kimg-lint::%s\n' "$kind" "$text"
}

# Ends the step: the tool could not do its work.
fail() {
    say error "$1"
    exit 2
}

# An output of the step. A value with a line break could set other outputs, so there is none.
output() {
    case $2 in
    *$'\n'* | *$'\r'*) fail "$1: a line break in \`$2\`" ;;
    esac
    printf '%s=%s\n' "$1" "$2" >>"$GITHUB_OUTPUT"
}
