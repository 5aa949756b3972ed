"""What the package registry that pip is set up for has. Nothing of a package is run, and no file stays."""
import contextlib
import re
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

PIP = [sys.executable, "-m", "pip"]
SOURCE = re.compile(r"Found link ([^#\s]+\.(?:tar\.gz|zip))(?:#\S*)? \(from .*, version: (\S+)$", re.M)


def newest_of_minors(package):
    """{minor release: its newest version} of what has a wheel, oldest first."""
    newest = {}
    for version in _releases(package, "--only-binary=:all:")[0]:
        newest.setdefault(".".join(version.split(".")[:2]), version)
    return dict(reversed(newest.items()))


@contextlib.contextmanager
def wheel(package, version, *options):
    """The file of a wheel, for as long as the block lasts."""
    with tempfile.TemporaryDirectory() as folder:
        command = [*PIP, "download", "--quiet", "--no-cache-dir", "--no-deps", "--only-binary=:all:", *options]
        subprocess.run([*command, f"--dest={folder}", f"{package}=={version}"], check=True)
        yield next(Path(folder).iterdir())


@contextlib.contextmanager
def source(package):
    """The newest version, and the file of its source distribution; None twice if it has none.

    pip says where the file is and is not asked to fetch it: it would run the package's build to learn its metadata.
    """
    versions, log = _releases(package, "-vv")
    addresses = {version: address for address, version in SOURCE.findall(log)}
    with tempfile.TemporaryDirectory() as folder:
        if not versions or versions[0] not in addresses:
            yield None, None
            return
        address = addresses[versions[0]]
        file = Path(folder, address.rsplit("/", 1)[1])
        urllib.request.urlretrieve(address, file)
        yield versions[0], file


def _releases(package, *options):
    """The versions that pip sees, newest first, and all that it printed."""
    done = subprocess.run([*PIP, "index", "versions", *options, package], capture_output=True, text=True)
    listed = re.search(r"Available versions: (.*)", done.stdout)
    return listed[1].split(", ") if listed else [], done.stdout
