#!/usr/bin/env python3
"""Looks for the variables of the builder records in the packages' newest sources.

builders.py [--repositories FOLDER] [RECORD...]

A record with a repository in FOLDER (FOLDER/OWNER+NAME/ holds a git directory) is compared with its newest commit; the
others with the newest source distribution on the package registry. Nothing of the sources is run. Prints, for each record,
the variables that occur nowhere in the files of the build, and those with an architecture in their name that the files
read and the record does not know. Both are there to be read: old spellings have to stay, and many a variable is another's.
"""
import argparse
import re
import subprocess
import tarfile
import zipfile
from pathlib import Path

import registry

TABLE = Path(__file__).parents[3] / "rules/knowledge/builders"
# Read by CMake, nvcc and torch themselves: a source that honours them need not name them.
OF_TOOLS = {"TORCH_CUDA_ARCH_LIST", "CMAKE_CUDA_ARCHITECTURES", "CMAKE_CUDA_FLAGS", "CUDAARCHS", "extra_compile_args"}
NAME = r"[A-Za-z][A-Za-z0-9_]*"
BUILD_FILE = re.compile(
    r"(\.(py|toml|rs|cmake|mk|sh|bzl|bazel|bazelrc|m4|ac|am|in|pri)"
    r"|CMakeLists\.txt|CMakePresets\.json|meson[\w.]*|[Mm]akefile[\w.]*|Dockerfile[\w.]*|configure|WORKSPACE)$"
)
PASSED_OVER = re.compile(r"(^|/)(\.github|tests?|docs?|examples?|benchmarks?)/")
LARGEST = 2 << 20
READS = re.compile(
    rf"""environ(?:\.get|\.pop|\.setdefault)?\s*[\[(]\s*["']({NAME})["']"""
    rf"""|getenv\(\s*["']({NAME})["']"""
    rf"""|env::var(?:_os)?\(\s*"({NAME})"|\b(?:option_)?env!\(\s*"({NAME})\""""
    rf"""|\$?ENV\{{({NAME})\}}"""
    rf"""|(?:^|\s)(?:option|cmake_dependent_option)\s*\(\s*({NAME})"""
    rf"""|(?:^|\s)set\s*\(\s*({NAME})[^)]*\sCACHE\s"""
)
OF_ARCHITECTURES = re.compile(r"ARCH(?!IVE|ED|64)|GENCODE|CAPABILIT|COMPUTE_CAP|(^|_)SM(_|S?\d|S?$)|NVCC_?FLAGS|FORCE_CUDA|FORCE_BUILD")
OF_OTHERS = re.compile(r"AMD|CARGO_CFG|CPU|HIP|INTEL|MARGIN|MUSA|OSX|ROCM|SYCL")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--repositories", type=Path, metavar="FOLDER")
    options.add_argument("records", nargs="*", metavar="RECORD")
    options = options.parse_args()
    compared = clean = 0
    without = []
    for record in records():
        if options.records and record["id"] not in options.records:
            continue
        origin, gone, unknown = compare(record, options.repositories)
        if not origin:
            without.append(record["id"])
            continue
        compared += 1
        clean += not gone and not unknown
        print(f"{record['id']} ({origin}): gone: {', '.join(gone) or '-'}; not known: {', '.join(unknown) or '-'}", flush=True)
    print(f"{compared} records compared, {clean} without a difference; no source for: {', '.join(without)}")


def records():
    """What the comparison needs of every record."""
    for file in sorted(TABLE.iterdir()):
        for text in file.read_text().split("\n---\n"):
            facts = text.split("\nexamples:")[0]
            knobs = re.findall(rf"\{{name: ({NAME}), in: (?:env|define|make)\b", facts)
            conditions = re.findall(rf"\b(?:env|define|make): \{{({NAME}):", facts)
            yield {
                "id": re.search(r"^id: (\S+)", text, re.M)[1],
                "packages": re.findall(r"\{pypi: ([\w.-]+)", facts),
                "repositories": re.findall(r"\{repo: ([\w.-]+/[\w.-]+)", facts.split("\nsources:")[0]),
                "variables": sorted({*knobs, *conditions} - OF_TOOLS),
                "known": set(re.findall(NAME, facts)) | OF_TOOLS,
            }


def compare(record, folder):
    """Where the sources are from, what is gone, and what is not known."""
    for repository in record["repositories"]:
        if git := folder and git_directory(folder, repository):
            commit = git_of(git, "log", "-1", "--format=%h of %cs").decode().strip()
            return f"{repository} {commit}", *differences(record, of_repository(git))
    for package in record["packages"][:2] if record["variables"] else []:
        with registry.source(package) as (version, file):
            if file:
                return f"{package} {version}", *differences(record, of_archive(file))
    return None, [], []


def differences(record, texts):
    """The variables of a record that no text holds, and those that texts read and the record does not know."""
    seen, read = set(), set()
    for text in texts:
        seen |= {name for name in record["variables"] if name in text}
        read |= {next(filter(None, groups)) for groups in READS.findall(text)}
    unknown = sorted(name for name in read - record["known"] if OF_ARCHITECTURES.search(name) and not OF_OTHERS.search(name))
    return [name for name in record["variables"] if name not in seen], unknown


def wanted(path, size):
    return size <= LARGEST and BUILD_FILE.search(path) and not PASSED_OVER.search(path)


def of_archive(file):
    """The files of the build in a source distribution."""
    if file.suffix == ".zip":
        with zipfile.ZipFile(file) as archive:
            for entry in archive.infolist():
                if wanted(entry.filename, entry.file_size):
                    yield archive.read(entry).decode(errors="replace")
        return
    with tarfile.open(file) as archive:
        for entry in archive:
            if entry.isfile() and wanted(entry.name, entry.size):
                yield archive.extractfile(entry).read().decode(errors="replace")


def of_repository(git):
    """The files of the build in the newest commit of a repository."""
    for line in git_of(git, "ls-tree", "-r", "-l", "-z", "HEAD").decode(errors="replace").split("\0"):
        if (entry := re.match(r"\d+ blob (\w+) +(\d+)\t(.*)", line, re.S)) and wanted(entry[3], int(entry[2])):
            yield git_of(git, "cat-file", "blob", entry[1]).decode(errors="replace")


def git_directory(folder, repository):
    name = repository.replace("/", "+").lower()
    found = next((path for path in folder.iterdir() if path.name.lower() == name), None)
    return found and next((path.parent for path in found.rglob("HEAD") if (path.parent / "objects").is_dir()), None)


def git_of(git, *arguments):
    return subprocess.run(["git", f"--git-dir={git}", *arguments], stdout=subprocess.PIPE).stdout


if __name__ == "__main__":
    main()
