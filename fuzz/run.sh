#!/usr/bin/env bash
# Fuzzes targets for so many seconds of processor time each; see docs/reliability.md.
#
#   fuzz/run.sh [--keep] [--built] SECONDS [TARGET…]   without a target, all
#
# --keep adds the time to fuzz/times.tsv, --built takes the programs as they were built before.
# An input that ends the program, takes more than 256 MiB or more than a second of processor time stays in fuzz/artifacts, and
# the script fails after the other targets. SANITIZER=address builds with AddressSanitizer, which needs more memory.
set -euo pipefail
cd "$(dirname "$0")"

keep='' built=''
while :; do
    case ${1-} in
    --keep) keep=yes ;;
    --built) built=yes ;;
    *) break ;;
    esac
    shift
done
[ $# -ge 1 ] || { sed -n '2,6s/^# \{0,1\}//p' run.sh >&2; exit 2; }
seconds=$1
shift
[ $# -gt 0 ] || mapfile -t all < <(sed -n 's/^    ("\(.*\)", .*),$/\1/p' src/lib.rs)
targets=("${@:-${all[@]}}")

sanitizer=${SANITIZER:-none}
programs=${CARGO_TARGET_DIR:-target}/x86_64-unknown-linux-gnu/release
scratch=$(mktemp -d -p "$([ -w /dev/shm ] && echo /dev/shm || echo /tmp)")
trap 'rm -rf "$scratch"' EXIT
export TMPDIR=$scratch

[ "$sanitizer" = none ] && memory=256 || memory=2048
TIMEFORMAT='%U %S'

build() {
    cargo +nightly fuzz build --sanitizer "$sanitizer" --fuzz-dir . "$1" >"$scratch/build" 2>&1 || {
        cat "$scratch/build" >&2
        exit 1
    }
}

# The options of a target beside those of all.
options() {
    case $1 in
    # what they read stays in memory as long as the program runs: a few at a time
    config | rules) echo "-rss_limit_mb=1024 -runs=20000 -max_len=8192" ;;
    device_code | containers | end_to_end) echo "-rss_limit_mb=$memory -max_len=65536" ;;
    *) echo "-rss_limit_mb=$memory -max_len=8192" ;;
    esac
}

# Folders with inputs of a target.
corpora() {
    mkdir -p "corpus/$1"
    echo "corpus/$1"
    [ ! -d "seeds/$1" ] || echo "seeds/$1"
    case $1 in
    device_code) echo ../tests/fixtures/artifacts/out ;;
    containers) printf '%s\n' ../tests/fixtures/artifacts/out ../tests/fixtures/images/out ;;
    esac
}

# Keeps an input that was slow only if it takes a second of processor time when it runs alone.
weigh() {
    local slow took
    for slow in "artifacts/$1"/slow-unit-* "artifacts/$1"/timeout-*; do
        [ -e "$slow" ] || continue
        took=$({ time "$programs/$1" -timeout=100 "$slow" >"$scratch/log" 2>&1; } 2>&1)
        awk -v took="$took" 'BEGIN { split(took, s, " "); exit s[1] + s[2] >= 1 }' && rm "$slow" || echo "$slow: $took s"
    done
}

# One run of at most a minute: prints executions, processor time and edges.
run() {
    local took log=$scratch/log
    local -a folders flags
    mapfile -t folders < <(corpora "$1")
    read -ra flags < <(options "$1")
    took=$({ time "$programs/$1" "${folders[@]}" "${flags[@]}" -max_total_time="$2" -timeout=20 -report_slow_units=2 \
        -artifact_prefix="artifacts/$1/" -print_final_stats=1 >"$log" 2>&1 || true; } 2>&1)
    if grep -q 'Test unit written' "$log"; then
        cp "$log" "artifacts/$1/log"
    fi
    awk -v took="$took" '
        { for (i = 1; i < NF; i++) if ($i == "cov:" && $(i + 1) > edges) edges = $(i + 1) }
        match($0, /^#[0-9]+/) { last = substr($0, 2, RLENGTH - 1) }
        /number_of_executed_units/ { last = $2 }
        END { split(took, s, " "); printf "%d\t%.1f\t%d\n", last, s[1] + s[2], edges }' "$log"
}

# Adds a run to the table: executions and time add up, the most edges count.
add() {
    awk -v target="$1" -v runs="$2" -v time="$3" -v edges="$4" 'BEGIN { FS = OFS = "\t" }
        $1 == target { $2 += runs; $3 = sprintf("%.1f", $3 + time); if (edges > $4) $4 = edges; found = 1 }
        { print }
        END { if (!found) print target, runs, sprintf("%.1f", time), edges, 0 }' times.tsv >"$scratch/times"
    cat "$scratch/times" >times.tsv
}

faults=0
for target in "${targets[@]}"; do
    [ -n "$built" ] || build "$target"
    mkdir -p "artifacts/$target"
    left=$seconds
    while [ "${left%.*}" -gt 0 ]; do
        IFS=$'\t' read -r runs time edges < <(run "$target" "$(awk -v left="$left" 'BEGIN { print left < 20 ? 20 : left < 60 ? int(left) : 60 }')")
        [ -z "$keep" ] || add "$target" "$runs" "$time" "$edges"
        printf '%s: %s executions, %s s, %s edges\n' "$target" "$runs" "$time" "$edges"
        weigh "$target"
        if [ -n "$(ls -A "artifacts/$target")" ]; then
            faults=$((faults + 1))
            echo "$target: see fuzz/artifacts/$target"
            break
        fi
        left=$(awk -v left="$left" -v time="$time" 'BEGIN { print left - (time > 1 ? time : 1) }')
    done
done
[ "$faults" -eq 0 ]
