#!/usr/bin/env python3
"""Asks the CUDA compilers on the package registry what rules/knowledge/toolkits.yaml says of them.

toolkits.py [MINOR-RELEASE...]

Of the newest release of each minor one: which -arch its ptxas accepts, and nvcc as -gencode where the package has it; the
PTX version that ptxas reads; what is compiled for without -arch; the GPUs that the PTX of each family target is accepted
for. Prints what differs, with the row as measured. Runs ptxas and nvcc of the packages. The driver branches of the table
are in no package.
"""
import datetime
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import registry

PACKAGES = ["nvidia-cuda-nvcc-cu11", "nvidia-cuda-nvcc-cu12", "nvidia-cuda-nvcc"]
TABLE = Path(__file__).parents[3] / "rules/knowledge/toolkits.yaml"
CANDIDATES = [f"{number}{suffix}" for number in range(20, 150) for suffix in ("", "a", "f")]


def main(*wanted):
    rows = {row["version"]: row for row in map(read, TABLE.read_text().split("\n- {")[1:])}
    found = {minor: (package, version) for package in PACKAGES for minor, version in registry.newest_of_minors(package).items()}
    differing = 0
    for minor in [minor for minor in found if not wanted or minor in wanted]:
        package, version = found[minor]
        with tempfile.TemporaryDirectory() as folder:
            with registry.wheel(package, version) as file:
                zipfile.ZipFile(file).extractall(folder)
            measured = ask(Path(folder), version)
        row = rows.get(minor, {})
        keys = [key for key in ("isa", "default", "families", "targets") if row.get(key) != measured[key]]
        drift = [f"{key} is {measured[key]}, not {row.get(key)}" for key in keys]
        if measured["planned"] != measured["targets"]:
            drift.append(f"nvcc takes {measured['planned']}")
        print(f"{minor}: {measured['source']}: {'; '.join(drift) or 'as the table says'}", flush=True)
        if drift:
            differing += 1
            print(written(minor, row, measured))
    print(f"{differing} of {len(wanted or found)} differ; in no package: {', '.join(minor for minor in rows if minor not in found)}")


def read(row):
    """The fields of a row that can be measured, as the text that they have there, and the others that its text needs."""
    fields = dict(re.findall(r"(\w+): (\"[^\"]*\"|\[\{.*\}\]|\[[^\]]*\]|[^,\s}]+)", row))
    return {"families": "[]"} | fields


def written(minor, row, measured):
    """The row as it would stand in the table."""
    drivers = {"driver": "UNKNOWN", "floor": "UNKNOWN"} | {key: row[key] for key in ("driver", "driver_at_least", "floor") if key in row}
    driver = "".join(f", {key}: {value}" for key, value in drivers.items())
    families = "" if measured["families"] == "[]" else f"\n   families: {measured['families']},"
    return (
        f"- {{version: {minor}, isa: {measured['isa']}{driver}, default: {measured['default']}, trust: high, "
        f"checked: {datetime.date.today()}, source: \"measured: {measured['source']}\",{families}\n   targets: {measured['targets']}}}"
    )


def ask(folder, version):
    """What the programs of an unpacked package say, as the table writes it."""
    ptxas = next(folder.rglob("bin/ptxas"))
    ptxas.chmod(0o755)
    isa = re.search(r"current version is '([\d.]+)'", assemble(ptxas, "99.9", "75", "75").stderr)[1]
    targets = [target for target in CANDIDATES if assemble(ptxas, isa, target, target).returncode == 0]
    gpus = [target for target in targets if target.isdigit()]
    families = []
    for target in targets:
        if target.endswith("f"):
            members = [f"{gpu[:-1]}.{gpu[-1]}" for gpu in gpus if assemble(ptxas, isa, target, gpu).returncode == 0]
            families.append(f"{{target: {target}, members: [{', '.join(members)}]}}")
    nvcc = next(folder.rglob("bin/nvcc"), None)
    default, how = default_of(nvcc, ptxas)
    planned = targets
    if nvcc:
        gencode = {target: f"-gencode=arch=compute_{target},code=sm_{target}" for target in CANDIDATES}
        planned = [target for target in CANDIDATES if plan(nvcc, gencode[target]).returncode == 0]
    return {
        "isa": isa,
        "default": default,
        "families": f"[{', '.join(families)}]",
        "targets": f"[{', '.join(targets)}]",
        "planned": f"[{', '.join(planned)}]",
        "source": f"ptxas {version}; default by {how}",
    }


def assemble(ptxas, isa, target, gpu):
    """Assembles an empty kernel for `target` with -arch for `gpu`."""
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as ptx:
        ptx.write(f".version {isa}\n.target sm_{target}\n.address_size 64\n.visible .entry empty() {{ ret; }}\n")
        ptx.flush()
        command = [ptxas, f"-arch=sm_{gpu}", ptx.name, "-o", "/dev/null"]
        return subprocess.run(command, capture_output=True, text=True)


def plan(nvcc, *options):
    """What nvcc would do."""
    nvcc.chmod(0o755)
    return subprocess.run([nvcc, "--dryrun", *options, "-c", "any.cu"], capture_output=True, text=True)


def default_of(nvcc, ptxas):
    """What is compiled for if nothing is asked for, and who says so."""
    if nvcc:
        return re.search(r"^#\$ ptxas -arch=sm_(\w+)", plan(nvcc).stderr, re.M)[1], "nvcc --dryrun"
    options = subprocess.run([ptxas, "--help"], capture_output=True, text=True).stdout
    return re.search(r"--gpu-name.*?Default value:\s+'sm_(\w+)'", options, re.S)[1], "ptxas --help"


if __name__ == "__main__":
    main(*sys.argv[1:])
