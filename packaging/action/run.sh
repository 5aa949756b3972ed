#!/usr/bin/env bash
# Runs kimg-lint once, with all outputs: annotations, summary, SARIF and JSON. Never fails on findings: finish.sh does.
#
#   run.sh lint|verify|probe
#
#   PATHS        paths or globs, one a line
#   FLEET CONFIG FAIL_ON SELECT IGNORE   as the options of these names; empty: not given
#   REQUIRE_GPU  `true`: a probe without a GPU fails
#   SARIF JSON   the files to write
#   and of the runner: GITHUB_OUTPUT GITHUB_STEP_SUMMARY RUNNER_TEMP
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=packaging/action/common.sh
. "$here/common.sh"

arguments=()
[ "$1" = lint ] || arguments+=("$1")
option() { [ -z "$2" ] || arguments+=("$1=$2"); }
option --fail-on "${FAIL_ON:-}"
if [ "$1" != probe ]; then
    option --fleet "${FLEET:-}"
    option --config "${CONFIG:-}"
    option --select "${SELECT:-}"
    option --ignore "${IGNORE:-}"
elif [ "${REQUIRE_GPU:-}" = true ]; then
    arguments+=(--require-gpu)
fi

folder=$(mktemp -d "$RUNNER_TEMP/kimg-lint.XXXXXX")
sarif=${SARIF:-$folder/$1.sarif}
json=${JSON:-$folder/$1.json}
arguments+=("--output=github=-" "--output=markdown=$folder/summary.md" "--output=sarif=$sarif" "--output=json=$json")

# Globs are expanded, words are not split. What matches nothing stays as it is, and kimg-lint says that it cannot be read.
shopt -s globstar 2>/dev/null || true
paths=()
while IFS= read -r line; do
    line=${line%$'\r'}
    IFS=
    # shellcheck disable=SC2206
    [ -z "$line" ] || paths+=($line)
    unset IFS
done <<<"${PATHS:-}"
[ "${#paths[@]}" -eq 0 ] || arguments+=(-- "${paths[@]}")

status=0
kimg-lint "${arguments[@]}" || status=$?

# The number of findings is the sum of those of each severity, as the JSON output has it.
findings=0
if [ -f "$json" ]; then
    for severity in errors warnings infos; do
        number=$(tr -d ' \n' <"$json" | grep -oE "\"summary\":\{[^}]*\"$severity\":[0-9]+" | grep -oE '[0-9]+$') || number=0
        findings=$((findings + number))
    done
    output json-file "$json"
fi
if [ -f "$folder/summary.md" ]; then cat "$folder/summary.md" >>"$GITHUB_STEP_SUMMARY"; fi
if [ -f "$sarif" ]; then output sarif-file "$sarif"; fi
output findings "$findings"
output exit-code "$status"
[ "$status" -le 1 ] || say error "kimg-lint $1 could not do its work: exit status $status"
