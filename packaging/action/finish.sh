#!/usr/bin/env bash
# Sums up what ran: the exit status of the action is the worst of its steps'.
#
#   STATUSES  exit statuses, separated by spaces; a step that did not run has none
#   COUNTS    numbers of findings
#   and of the runner: GITHUB_OUTPUT
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=packaging/action/common.sh
. "$here/common.sh"

worst=0
for status in $STATUSES; do
    [ "$status" -le "$worst" ] || worst=$status
done
findings=0
for count in $COUNTS; do findings=$((findings + count)); done
output findings "$findings"
output exit-code "$worst"
exit "$worst"
