#!/usr/bin/env bash
# Prints what 10,000 findings cost in each format, linting and trying edits included: processor time (user + system, median) and
# peak memory of a run over 100 written files.
#
#   benches/formats.sh [RUNS]     runs of each measurement, 3 if not given
set -euo pipefail
cd "$(dirname "$0")/.."
runs=${1:-3}

# alone: what an example depends on would switch on more of the libraries than users get
cargo build --release --locked --bin kimg-lint
rustc --edition 2024 -o target/write-inputs examples/bench-inputs.rs
inputs=target/bench-inputs
target/write-inputs "$inputs"

python3 - "$runs" "$inputs" target/release/kimg-lint <<'P'
import glob, os, statistics, sys

runs, inputs, tool = sys.argv[1:]
files = sorted(glob.glob(f"{inputs}/findings/*/Dockerfile"))

def run(arguments):
    """Seconds of processor time and MiB of memory that a run takes; its output is dropped."""
    pid = os.fork()
    if pid == 0:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        os.execv(tool, [tool, "--fleet", "A100,L4,H100,B200", *arguments, *files])
    _, _, used = os.wait4(pid, 0)
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024

for form in ["human", "concise", "json", "sarif", "github", "gitlab", "junit", "markdown", "html"]:
    measured = [run(["--format", form]) for _ in range(int(runs))]
    seconds = statistics.median(m[0] for m in measured)
    print(f"{form:10} {seconds:7.3f} s {max(m[1] for m in measured):5.0f} MiB")
P
