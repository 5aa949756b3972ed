#!/usr/bin/env bash
# Measures again what docs/performance.md, docs/artifacts.md and docs/field-test.md give figures of, other tools in the same run,
# and prints one table with machine, versions and date.
#
#   benches/all.sh [PART…]     archs, compare, formats, fleet, workflows, scores, field, wheels; all, if not given
#
# RUNS is how often a command is measured, if not as often as the pages say. Needs GNU time and a package index, and a machine that
# does nothing else. What is in no repository is named in the environment; without it the table says `not here`:
#
#   WHEELS    public wheels, as tests/golden/wheels.py downloads them (archs, wheels)
#   GOLDEN    what cuobjdump says of them, a JSON file (wheels)
#   LABELS    labels of public files: score.py and manifest.jsonl (scores)
#   FILES     those files, each under its id (scores)
#   MIRRORS   git directories, OWNER+NAME, of the repositories that they are from (scores)
#   FIELD     git directories, OWNER+NAME, of other repositories (field)
#
# Ends with status 1 if a part fails.
set -euo pipefail
cd "$(dirname "$0")/.."
program=target/release/kimg-lint
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

row() { printf '| %s | %s | %s |\n' "$@"; }

# Rows of a part: a line's first column is what was measured. Cells of a Markdown table get their column's title.
rows() {
    awk -v part="$1" '
        /^\|[-|]+$/ { next }
        /^\|/ {
            cells = split($0, cell, / *\| */)
            if (!table) { for (i in cell) title[i] = cell[i]; table = 1; next }
            text = ""
            for (i = 3; i < cells; i++) text = text (i > 3 ? "; " : "") title[i] " " cell[i]
            print "| " part " | " cell[2] " | " text " |"
            next
        }
        { table = 0 }
        /^ *$/ { next }
        { gsub(/\|/, "/"); gsub(/^ +/, "  "); rest = "" }
        match($0, /  +|: /) { rest = substr($0, RSTART + RLENGTH); $0 = substr($0, 1, RSTART - 1); gsub(/ +/, " ", rest) }
        { print "| " part " | " $0 " | " rest " |" }'
}

# part NAME COMMAND…: the rows of what a command prints.
part() {
    local name=$1
    shift
    if ! "$@" >"$work/out" 2>"$work/err"; then
        failed=1
        row "$name" failed "$(tail -n 1 "$work/err")"
    fi
    rows "$name" <"$work/out"
}

# The newest wheel of a name in WHEELS.
wheel() { find "${WHEELS:-$work}" -name "$1-*manylinux*_x86_64.whl" 2>/dev/null | sort -V | tail -n 1; }

# library WHEEL NAME: takes a library out of a wheel and prints its path.
library() {
    python3 - "$@" "$work" <<'P'
import os, shutil, sys, zipfile

wheel, name, folder = sys.argv[1:]
with zipfile.ZipFile(wheel) as archive:
    member = next(m for m in archive.namelist() if os.path.basename(m) == name)
    with archive.open(member) as packed, open(os.path.join(folder, name), "wb") as out:
        shutil.copyfileobj(packed, out)
print(os.path.join(folder, name))
P
}

archs() {
    local torch vllm cublas cuobjdump tools=${TMPDIR:-/tmp}/kimg-lint-cuobjdump
    torch=$(wheel torch) vllm=$(wheel vllm) cublas=$(wheel nvidia_cublas)
    [ -n "$torch" ] && [ -n "$vllm" ] && [ -n "$cublas" ] || { row archs 'wheels of torch, vllm, nvidia_cublas' 'not here'; return; }
    [ -d "$tools" ] || { python3 -m venv "$tools" && "$tools/bin/pip" install --quiet nvidia-cuda-cuobjdump; } >"$work/err" 2>&1 || true
    cuobjdump=$(find "$tools" -name cuobjdump -type f 2>/dev/null)
    [ -n "$cuobjdump" ] || { row archs cuobjdump 'not here'; return; }
    chmod +x "$cuobjdump"
    row archs cuobjdump "$("$cuobjdump" --version | grep -o 'V[0-9][0-9.]*')"
    cargo build --quiet --release --locked --bins --examples
    part archs python3 benches/archs.py "$cuobjdump" "$(library "$torch" libtorch_cuda.so)" "$(library "$cublas" libcublasLt.so.13)" -- \
        "$torch" "$vllm" "$cublas"
    rm -f "$work"/*.so*
}

compare() { part compare benches/compare.sh "${RUNS:-7}"; }
formats() { part formats benches/formats.sh "${RUNS:-3}"; }
fleet() { part fleet benches/fleet.sh "${RUNS:-60}"; }
workflows() { part workflows benches/workflows.sh "${RUNS:-5}"; }

# score WHAT KINDS ARGUMENT…: the scores of the files of some kinds.
score() {
    part "scores, $2, $1" python3 "$LABELS/score.py" "$LABELS/manifest.jsonl" "${@:3}" "$program" --kind "$2"
}

scores() {
    local kinds
    [ -n "${LABELS-}" ] || { row scores labels 'not here'; return; }
    for kinds in dockerfile workflow,action gitlab,circleci,travis,jenkins,compose,cog; do
        if [ -n "${FILES-}" ]; then score alone "$kinds" "$FILES"; else row "scores, $kinds" files 'not here'; fi
        if [ -n "${MIRRORS-}" ]; then
            score 'in its repository' "$kinds" --mirrors "$MIRRORS"
        else
            row "scores, $kinds" repositories 'not here'
        fi
    done
}

field() {
    [ -n "${FIELD-}" ] || { row field 'other repositories' 'not here'; return; }
    part field python3 benches/field.py "$program" "$FIELD"
}

wheels() {
    [ -n "${GOLDEN-}" ] && [ -n "${WHEELS-}" ] || { row wheels 'golden answers, wheels' 'not here'; return; }
    part wheels python3 tests/golden/wheels.py "$GOLDEN" "$WHEELS"
}

parts=("$@")
[ $# -gt 0 ] || parts=(archs compare formats fleet workflows scores field wheels)
for name in "${parts[@]}"; do
    case $name in
    archs | compare | formats | fleet | workflows | scores | field | wheels) ;;
    *) sed -n '2,19s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
    esac
done

cargo build --quiet --release --locked --bin kimg-lint
cat <<TABLE
| part | what | measured |
|---|---|---|
| machine | date | $(date -u +%F) |
| machine | processor | $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores |
| machine | memory, MiB | $(awk '/^MemTotal/ { print int($2 / 1024) }' /proc/meminfo) |
| machine | system | $(uname -sr) |
| machine | load before | $(cut -d' ' -f1-3 /proc/loadavg) |
| versions | kimg-lint | $($program --version | cut -d' ' -f2), commit $(git describe --always --dirty) |
| versions | Rust | $(rustc --version | cut -d' ' -f2) |
TABLE
for name in "${parts[@]}"; do
    "$name"
done
exit "$failed"
