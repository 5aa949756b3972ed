#!/usr/bin/env python3
"""Compares `kimg-lint archs` with cuobjdump's answers for public wheels.

  wheels.py GOLDEN.json CACHE [NAME...]     NAME: a prefix of a wheel's file name; without, every wheel

GOLDEN.json lists wheels by name, version, file name and sha256, and for each member with device code the
multiset of images that cuobjdump listed (for Windows libraries, after their section was lifted into an ELF
file). Wheels that are not in CACHE are downloaded there with pip. Prints a Markdown table; exit status 1 on
any difference. KIMG_LINT names the program, by default target/release/kimg-lint.
"""
import collections, hashlib, json, os, pathlib, re, subprocess, sys, time

SAMPLE = 600  # of a wheel with more members than this, the golden answers hold the first so many
ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("KIMG_LINT", str(ROOT / "target/release/kimg-lint"))


def fetch(wheel, cache):
    """The wheel's path, downloaded if need be; its checksum is that of the golden answers."""
    path = cache / wheel["filename"]
    if not path.exists():
        python, abi, platforms = wheel["filename"][:-4].split("-")[-3:]
        # A stable-ABI wheel names the oldest Python; packages may ask for a newer one.
        version = re.match(r"cp3\d+", python.split(".")[-1]) if abi.startswith("cp") else None
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
        command += ["--dest", str(cache), "--python-version", version[0][2:] if version else "312"]
        command += ["--implementation", "cp"]
        for tag in abi.split("."):
            command += ["--abi", tag]
        for tag in platforms.split("."):
            command += ["--platform", tag]
        subprocess.run(command + [f"{wheel['name']}=={wheel['version']}"], check=True)
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    if digest.hexdigest() != wheel["sha256"]:
        raise SystemExit(f"{path}: not the wheel of the golden answers")
    return path


def listed(images):
    """A multiset as cuobjdump lists it: `f` is not recorded in machine code, LTO is not listed."""
    counts = collections.Counter()
    for image in images:
        if image["kind"] != "lto":
            arch = image["arch"].rstrip("f") if image["kind"] == "sass" else image["arch"]
            counts[image["kind"], arch] += image["count"]
    return counts


def ours(path, *options):
    run = subprocess.run([PROGRAM, "archs", "--format", "json", *options, path], stdout=subprocess.PIPE)
    output = json.loads(run.stdout)
    return {a.get("member", ""): a for a in output["artifacts"]}, run.returncode


def differences(wheel, path):
    """Members that differ, with both answers."""
    found, status = ours(path)
    wrong = [] if status == 0 else [("", f"exit status {status}")]
    seen = {name: listed(a["images"]) for name, a in found.items()}
    with_all = None
    for member in wheel["members"]:
        name = member["member"]
        theirs, mine = listed(member["entries"]), seen.pop(name, collections.Counter())
        if theirs != mine:
            wrong.append((name, f"cuobjdump {dict(theirs - mine)}, kimg-lint {dict(mine - theirs)}"))
        # Where 13.5 failed on a valid cubin, its answer for --all is cut short.
        if "entries_all" in member and "tool_13_5" not in member:
            if with_all is None:
                with_all = {n: listed(a["images"]) for n, a in ours(path, "--all")[0].items()}
            if listed(member["entries_all"]) != with_all.get(name, collections.Counter()):
                wrong.append((name, "--all differs"))
    # Members that the golden answers do not name carry nothing that cuobjdump lists.
    if len(wheel["members"]) == SAMPLE:
        seen = {}
    wrong += [(name, f"kimg-lint alone: {dict(counts)}") for name, counts in seen.items() if counts]
    return wrong, found


def main():
    golden, cache = json.load(open(sys.argv[1])), pathlib.Path(sys.argv[2])
    wanted = sys.argv[3:]
    cache.mkdir(parents=True, exist_ok=True)
    print("| wheel | members | images | outside the sections | differences | seconds |")
    print("|---|---|---|---|---|---|")
    failed = False
    for wheel in golden:
        if wanted and not any(wheel["filename"].startswith(name) for name in wanted):
            continue
        path = fetch(wheel, cache)
        start = time.monotonic()
        wrong, found = differences(wheel, path)
        seconds = time.monotonic() - start
        images = sum(i["count"] for a in found.values() for i in a["images"])
        outside = sum(i["count"] for a in found.values() for i in a.get("outside_sections", []))
        members = sum(1 for a in found.values() if a["images"])
        title = f"{wheel['name']} {wheel['version']}" + (" (Windows)" if "win_amd64" in path.name else "")
        print(f"| {title} | {members} | {images} | {outside} | {len(wrong)} | {seconds:.1f} |", flush=True)
        failed = failed or bool(wrong)
        for name, what in wrong[:5]:
            print(f"{path.name}!{name}: {what}", file=sys.stderr, flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
