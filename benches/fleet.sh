#!/usr/bin/env bash
# Prints what a fleet costs: processor time (user + system, median and least) of a run over one file of 60 lines.
#
#   benches/fleet.sh [RUNS]     runs of each measurement, 300 if not given
set -euo pipefail
cd "$(dirname "$0")/.."
runs=${1:-300}

# alone: what an example depends on would switch on more of the libraries than users get
cargo build --release --locked --bin kimg-lint
rustc --edition 2024 -o target/write-inputs examples/bench-inputs.rs
inputs=target/bench-inputs
target/write-inputs "$inputs"
# a repository each: else those of the others would be searched for who builds it
find "$inputs" -name Dockerfile -execdir mkdir -p .git \;

python3 - "$runs" "$inputs/one/Dockerfile" target/release/kimg-lint <<'P'
import os, statistics, sys

runs, file, tool = sys.argv[1:]

# 50 names, of many providers, the last ones of the table among them.
NAMES = [f"aws:{family}.{size}" for family in ["g4dn", "g5", "g6", "g6e", "g7", "g7e", "p3", "p4d", "p5", "p6-b200"]
         for size in ["xlarge", "12xlarge", "48xlarge"]]
NAMES += ["a2-highgpu-1g", "a3-highgpu-8g", "a4-highgpu-8g", "g2-standard-4", "Standard_NC4as_T4_v3", "Standard_NC24ads_A100_v4",
          "Standard_ND96isr_H100_v5", "BM.GPU.H100.8", "BM.GPU.B200.8", "gpu_1x_a10", "gpu_8x_h100_sxm5", "gd-8xh100ib-i128",
          "b300-8x", "gpu-l40s-a", "H100-1-80G", "AMPERE_80", "l4x1", "a10g-small", "linux.g5.4xlarge.nvidia.gpu",
          "linux-amd64-gpu-rtxpro6000-latest-1"]
assert len(set(NAMES)) == 50

def run(command):
    """Seconds of processor time of a command; its output is dropped."""
    pid = os.fork()
    if pid == 0:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        os.execv(command[0], command)
    _, status, used = os.wait4(pid, 0)
    assert os.waitstatus_to_exitcode(status) in (0, 1), command
    return used.ru_utime + used.ru_stime

CASES = {
    "--version": ["--version"],
    "no fleet": [file],
    "one GPU": ["--fleet", "H100", file],
    "50 instance names": ["--fleet", ",".join(NAMES), file],
}
# In turn, so that what else runs on the machine meets all alike.
times = {name: [] for name in CASES}
for _ in range(int(runs)):
    for name, arguments in CASES.items():
        times[name].append(run([tool, *arguments]))
for name, measured in times.items():
    print(f"{name:20} median {statistics.median(measured) * 1000:6.2f} ms   least {min(measured) * 1000:6.2f} ms")
P
