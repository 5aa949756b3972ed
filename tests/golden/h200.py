#!/usr/bin/env python3
"""Compares `kimg-lint verify` with what the driver of an H200 said to every fatbin of some libraries.

  h200.py LOADS.txt WHEEL...

LOADS.txt has for each library its size, the number of its fatbins, and how many the driver loaded. The wheels
have to hold the same versions (torch 2.11.0 and the libraries of CUDA 13.0.2); a library of another size is
left out. KIMG_LINT names the program, by default target/release/kimg-lint.
"""
import json, os, pathlib, re, subprocess, sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("KIMG_LINT", str(ROOT / "target/release/kimg-lint"))
LINE = re.compile(r"^(\S+) (\d+) fatbins (\d+) .*?\{(.*)\}")

golden = {}
for line in open(sys.argv[1]):
    if match := LINE.match(line):
        loaded = re.search(r"\(0, 'pred_ok'.*?\): (\d+)", match[4])
        golden[match[1]] = int(match[2]), int(loaded[1]) if loaded else 0, int(match[3])
command = [PROGRAM, "verify", "--fleet", "9.0", "--format", "json", *sys.argv[2:]]
output = json.loads(subprocess.run(command, stdout=subprocess.PIPE).stdout)
print("| library | the driver loads | kimg-lint says |\n|---|---|---|")
failed = False
for artifact in output["artifacts"]:
    name = artifact.get("member", artifact["path"]).rsplit("/", 1)[-1]
    size, loaded, of = golden.get(name, (None, None, None))
    if artifact["size"] == size:
        c = artifact["coverage"][0]
        ours = c["native"] + c["jit"] + c["dispatch_served"], c["of"]
        failed |= ours != (loaded, of)
        print(f"| {name} | {loaded} of {of} | {ours[0]} of {ours[1]} |")
sys.exit(failed)
