#!/usr/bin/env python3
"""Times `kimg-lint archs` against cuobjdump, and on wheels against inflating alone.

  archs.py CUOBJDUMP LIBRARY... -- WHEEL...

Prints Markdown tables. On a machine that does other work at the same time the wall times of two workers say
little; the CPU times, kimg-lint's against inflating alone, still do. Each time is the smallest of several runs with a warm page cache, so that other work on
the machine counts least; RssAnon is the largest seen while polling /proc. Build with
`cargo build --release --bins --examples` first. The wheels' bound is max(largest member, sum / cores) of
`examples/inflate`, which inflates with the same library and does nothing else.
"""
import json, os, pathlib, subprocess, sys, time

ROOT = pathlib.Path(__file__).resolve().parents[1] / "target/release"
PROGRAM, INFLATE = str(ROOT / "kimg-lint"), str(ROOT / "examples/inflate")
CORES = len(os.sched_getaffinity(0))


def run(command):
    """Seconds of one run."""
    start = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - start


def best(command, times):
    return min(run(command) for _ in range(times))


def rss_anon(command):
    """The largest RssAnon of a run, in MiB."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    most = 0
    while process.poll() is None:
        try:
            for line in open(f"/proc/{process.pid}/status"):
                if line.startswith("RssAnon"):
                    most = max(most, int(line.split()[1]))
        except OSError:
            pass
        time.sleep(0.001)
    return most / 1024


def main():
    cuobjdump, *rest = sys.argv[1:]
    libraries, wheels = rest[: rest.index("--")], rest[rest.index("--") + 1 :]
    print(f"{CORES} cores\n\n| library | MB | cuobjdump, ms | kimg-lint, ms | ratio | RssAnon, MiB |")
    print("|---|---|---|---|---|---|")
    for path in libraries:
        theirs = best([cuobjdump, "--list-elf", "--list-ptx", path], 3) * 1000
        ours = best([PROGRAM, "archs", path], 20) * 1000
        size, rss = os.path.getsize(path) / 1e6, rss_anon([PROGRAM, "archs", path])
        name = os.path.basename(path)
        print(f"| {name} | {size:.0f} | {theirs:.0f} | {ours:.1f} | {theirs / ours:.0f} | {rss:.1f} |", flush=True)
    print("\n| wheel | MB | largest, s | sum, s | bound, s | kimg-lint, s | ratio | CPU ratio | RssAnon, MiB |")
    print("|---|---|---|---|---|---|---|---|---|")
    for path in wheels:
        floors, walls, theirs, cpus = [], [], [], []
        for _ in range(7):  # in turns, so that a change of the machine's load meets both
            before = os.times()
            floors.append(json.loads(subprocess.check_output([INFLATE, path])))
            between = os.times()
            walls.append(run([PROGRAM, "archs", path]))
            after = os.times()
            theirs.append(between.children_user - before.children_user)
            cpus.append(after.children_user - between.children_user)
        largest, total = (min(floor[key] for floor in floors) for key in ("largest", "sum"))
        bound, ours, cpu = max(largest, total / CORES), min(walls), min(cpus) / min(theirs)
        size, rss = os.path.getsize(path) / 1e6, rss_anon([PROGRAM, "archs", path])
        name = "-".join(os.path.basename(path).split("-")[:2])
        print(f"| {name} | {size:.0f} | {largest:.2f} | {total:.2f} | {bound:.2f} | {ours:.2f} | {ours / bound:.2f} | {cpu:.2f} | {rss:.1f} |", flush=True)


if __name__ == "__main__":
    main()
