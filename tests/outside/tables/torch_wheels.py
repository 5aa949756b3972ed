#!/usr/bin/env python3
"""Lists the architectures of torch's wheels on the package registry against rules/knowledge/torch-wheels.yaml.

torch_wheels.py KIMG-LINT [MINOR-RELEASE...]

Takes the newest wheel of each minor release for x86_64 Linux, one at a time: they hold 0.5 to 0.9 GB. The variant is the
one that the wheel names itself. Full is what libtorch_cuda has of torch's own list, partial what it has besides. Prints
what differs, and each library of which a tenth or more lacks something that is full.
"""
import json
import re
import subprocess
import sys
import zipfile
from collections import Counter
from pathlib import Path

import registry

TABLE = Path(__file__).parents[3] / "rules/knowledge/torch-wheels.yaml"
PYTHON = ["--python-version=3.11", "--implementation=cp", "--abi=cp311"]
PLATFORM = [f"--platform={name}_x86_64" for name in ("manylinux_2_28", "manylinux_2_17", "manylinux2014", "manylinux1", "linux")]
MAIN = re.compile(r"libtorch_cuda(_cu|_cpp)?\.so$")


def main(program, *wanted):
    rows = [read(row) for row in TABLE.read_text().split("\n- {")[1:]]
    rows = [row for row in rows if row.get("default") == "true"]
    found = {minor: version for minor, version in registry.newest_of_minors("torch").items() if not wanted or minor in wanted}
    differing = 0
    for minor, version in found.items():
        with registry.wheel("torch", version, *PYTHON, *PLATFORM) as file:
            size = file.stat().st_size
            measured, remarks = ask(program, file)
        row = next((row for row in rows if number(row["from"]) <= number(minor) <= number(row["to"])), {})
        drift = [f"{key} is {measured[key]}, not {row.get(key)}" for key in measured if row.get(key, "[]") != measured[key]]
        differing += bool(drift)
        print(f"torch {version}, {size / 1e6:.0f} MB: {'; '.join(drift) or 'as the table says'}", *remarks, sep="\n    ", flush=True)
    print(f"{differing} of {len(found)} differ")


def read(row):
    """The fields of a row, as their text."""
    return dict(re.findall(r"(\w+): (\[[^\]]*\]|[^,\s}]+)", row))


def number(release):
    return [int(part) for part in release.split(".")]


def ask(program, wheel):
    """What a wheel holds, as the table writes it, and what its libraries lack."""
    variant = re.search(r"^__version__ = '[^+']+\+?(\w*)'", zipfile.ZipFile(wheel).read("torch/version.py").decode(), re.M)[1]
    listed = subprocess.run([program, "archs", "--format", "json", wheel], stdout=subprocess.PIPE, check=True).stdout
    artifacts = json.loads(listed)["artifacts"]
    held = {Path(artifact["member"]).name: (artifact["containers"], counts(artifact)) for artifact in artifacts}
    own = {name.removeprefix("sm_") for artifact in artifacts for name in artifact["package"]["own_list"].split()}
    main = set().union(*(images for name, (_, images) in held.items() if MAIN.match(name)))
    full, partial = in_order(main & own), in_order(main - own)
    remarks = []
    for name, (containers, images) in held.items():
        lacking = [f"{target} in {images[target]}" for target in full if images[target] < 0.9 * containers]
        if lacking:
            remarks.append(f"of the {containers} containers of {name}: {', '.join(lacking)}")
    return {"variant": variant, "full": f"[{', '.join(full)}]", "partial": f"[{', '.join(partial)}]"}, remarks


def counts(artifact):
    """{target: images}; PTX is called `compute_80`, so that it differs from any row."""
    prefix = {"sass": "", "ptx": "compute_"}
    names = {prefix.get(image["kind"], "other_") + image["arch"].removeprefix("sm_"): image["count"] for image in artifact["images"]}
    return Counter(names)


def in_order(targets):
    return sorted(targets, key=lambda target: (int(re.search(r"\d+", target)[0]), target))


if __name__ == "__main__":
    main(*sys.argv[1:])
