#!/usr/bin/env python3
"""Lints whole repositories, without a fleet and with one, and prints the counts that docs/field-test.md gives.

  field.py PROGRAM FOLDER [FLEET]

FOLDER/OWNER+NAME/ holds a git directory; its newest commit is linted in a folder of its own with an empty `.git`. FLEET is
A100,L4,H100 if not given. Whether a finding is right is for a person to read.
"""
import collections, json, os, pathlib, subprocess, sys, tempfile, time


def git_directory(folder):
    """The git directory of a repository, which may lie deeper; None without one."""
    return next((p for p in (folder, folder / ".git", folder / "repo", folder / "repo/.git") if (p / "HEAD").is_file()), None)


def check_out(folder, tree):
    """Writes the newest commit's files; what the git directory lacks stays away."""
    git = git_directory(folder)
    if git is None:
        return False
    (tree / ".git").mkdir()
    index = tree / ".git" / "index"
    command = ["git", f"--git-dir={git}", f"--work-tree={tree}", "-c", "core.bare=false"]
    # `git archive` would end at the first file that is not there
    offline = {**os.environ, "GIT_NO_LAZY_FETCH": "1", "GIT_INDEX_FILE": str(index)}
    for step in (["read-tree", "HEAD"], ["checkout-index", "--all", "--force"]):
        subprocess.run([*command, *step], stderr=subprocess.DEVNULL, env=offline)
    index.unlink(missing_ok=True)
    return len(os.listdir(tree)) > 1


def lint(program, tree, *options):
    """The report, or None where there is none, and the seconds that it took."""
    began = time.monotonic()
    run = subprocess.run([program, *options, "--format", "json"], cwd=tree, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    took = time.monotonic() - began
    return (json.loads(run.stdout) if run.stdout and run.returncode >= 0 else None), took


def main():
    program, folder = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
    fleet = sys.argv[3] if len(sys.argv) > 3 else "A100,L4,H100"
    count, slowest = collections.Counter(), 0.0
    for repository in sorted(folder.iterdir()):
        with tempfile.TemporaryDirectory() as scratch:
            tree = pathlib.Path(scratch)
            if not check_out(repository, tree):
                count["absent"] += 1
                continue
            count["repositories"] += 1
            count["held"] += sum(len(files) for _, _, files in os.walk(tree))
            plain, took = lint(program, tree)
            fleeted, _ = lint(program, tree, "--fleet", fleet)
        slowest = max(slowest, took)
        count["slow"] += took > 2
        if plain is None or fleeted is None:
            count["crashes"] += 1
            print(f"{repository.name}: no report", file=sys.stderr)
            continue
        count["building"] += bool(plain["builds"])
        count["builds"] += len(plain["builds"])
        for key, value in plain["summary"].items():
            count[key] += value
        for key in ("errors", "warnings"):
            count[f"more {key}"] += fleeted["summary"][key] - plain["summary"][key]
    print(f"repositories  {count['repositories']}, of them {count['building']} with a command that builds something; not there: {count['absent']}")
    print(f"files in them, linted  {count['held']}, {count['files']}")
    print(f"builds found  {count['builds']}")
    print(f"without a fleet  {count['errors']} errors, {count['warnings']} warnings, {count['infos']} infos")
    print(f"more with {fleet}  {count['more errors']} errors, {count['more warnings']} warnings")
    print(f"crashes, files that could not be read  {count['crashes']}, {count['unreadable']}")
    print(f"runs over 2 s  {count['slow']}, the slowest {slowest:.1f} s")


main()
