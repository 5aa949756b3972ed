#!/usr/bin/env bash
# Runs kimg-lint and zizmor over the same 200 workflows, and kimg-lint over one Dockerfile whose callers are among 50 workflows
# and over a tree of 5,000 files of which 300 matter; prints processor time (user + system) and wall time, medians.
#
#   benches/workflows.sh [RUNS]     runs of each measurement, 5 if not given
#
# zizmor comes from the package index, into a virtual environment outside of the repository; where it cannot be had, kimg-lint is
# measured alone.
set -euo pipefail
cd "$(dirname "$0")/.."
runs=${1:-5}

cargo build --release --locked --bin kimg-lint

venv=${TMPDIR:-/tmp}/kimg-lint-workflows
[ -x "$venv/bin/zizmor" ] || { python3 -m venv "$venv" && "$venv/bin/pip" install --quiet zizmor; } || true
"$venv/bin/zizmor" --version || echo 'zizmor: not here'

python3 - "$runs" target/release/kimg-lint "$venv/bin/zizmor" <<'P'
import os, pathlib, shutil, statistics, sys, time

runs, ours, theirs = int(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3]
root = pathlib.Path("target/bench-workflows").absolute()
shutil.rmtree(root, ignore_errors=True)

def workflow(n):
    """About 60 lines: a matrix of four rows, settings on three levels, a build in a container."""
    steps = "".join(f"""
      - name: step {i}
        run: |
          echo "PART_{i}=${{{{ matrix.cuda }}}}-{n}" >> "$GITHUB_ENV"
          python -m pip install --upgrade pip setuptools
          test -d build || mkdir build
""" for i in range(6))
    return f"""on: [push, pull_request]
env:
  LEVEL: workflow
jobs:
  wheels:
    strategy:
      matrix:
        os: [ubuntu-22.04, ubuntu-24.04]
        cuda: ["12.4.1", "12.6.3"]
    runs-on: ${{{{ matrix.os }}}}
    container: nvidia/cuda:${{{{ matrix.cuda }}}}-devel-ubuntu22.04
    env:
      TORCH_CUDA_ARCH_LIST: ${{{{ matrix.cuda == '12.4.1' && '8.0;9.0+PTX' || '8.0;9.0;10.0+PTX' }}}}
    steps:
      - uses: actions/checkout@v4{steps}
      - run: pip wheel --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
"""

def put(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)

flat = root / "flat/.github/workflows"
for n in range(200):
    put(flat / f"w{n:03}.yml", workflow(n))
tree = root / "tree"
for n in range(5000):
    if n % 50 < 2:
        put(tree / f".github/workflows/w{n:04}.yml", workflow(n))
    elif n % 50 == 2:
        put(tree / f"images/i{n:04}/Dockerfile", "FROM nvidia/cuda:12.4.1-devel-ubuntu22.04\nRUN nvcc -arch=sm_80 a.cu\n")
    else:
        put(tree / f"src/part{n % 97}/file{n:04}.py", "import os\n" * 40)

# who builds the Dockerfile is looked for where a build waits for an argument without a value
called = root / "called"
put(called / ".git/HEAD", "ref: refs/heads/main\n")
put(called / "Dockerfile", "FROM nvidia/cuda:12.4.1-devel-ubuntu22.04\nARG ARCHS\nRUN cmake -S a -B b -DUSE_CUDA=ON -DCMAKE_CUDA_ARCHITECTURES=$ARCHS\n")
for n in range(50):
    put(called / f".github/workflows/w{n:02}.yml", workflow(n) + f"      - run: docker build --build-arg ARCHS={80 + n % 2} .\n")

def run(command, folder):
    """Seconds of processor time and of wall time that a command takes in a folder; its output is dropped."""
    began = time.perf_counter()
    pid = os.fork()
    if pid == 0:
        os.chdir(folder)
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        os.execv(command[0], command)
    _, _, used = os.wait4(pid, 0)
    return used.ru_utime + used.ru_stime, time.perf_counter() - began

def measure(command, folder):
    run(command, folder)
    measured = [run(command, folder) for _ in range(runs)]
    return [statistics.median(column) for column in zip(*measured)]

paths = [str(path) for path in sorted(flat.glob("*.yml"))]
for name, command, folder in [
    ("200 workflows, kimg-lint", [ours, *paths], root / "flat"),
    ("200 workflows, zizmor", [theirs, "--offline", *paths], root / "flat"),
    ("callers among 50, kimg-lint", [ours, "Dockerfile"], called),
    ("5,000 files, kimg-lint", [ours], tree),
]:
    if not os.path.exists(command[0]):
        continue
    cpu, wall = measure(command, folder)
    print(f"{name:28} {cpu:7.3f} s of processor time {wall:7.3f} s of wall time")
P
