"""``python -m kimg_lint``: the program that was installed together with this package."""

import os
import subprocess
import sys
import sysconfig
from importlib.metadata import PackageNotFoundError, files


def program():
    """The path of the program: where the installation says that it put it, else the scripts folder of this Python."""
    name = "kimg-lint" + (sysconfig.get_config_var("EXE") or "")
    try:
        installed = [file for file in files("kimg-lint") or [] if file.name == name]
    except PackageNotFoundError:
        installed = []
    paths = [os.fspath(file.locate()) for file in installed]
    paths.append(os.path.join(sysconfig.get_path("scripts"), name))
    for path in paths:
        if os.path.isfile(path):
            return path
    sys.exit(f"kimg-lint: the program is at none of {', '.join(paths)}: install the package again")


def main():
    command = [program(), *sys.argv[1:]]
    if os.name == "nt":
        sys.exit(subprocess.run(command, check=False).returncode)
    os.execv(command[0], command)


if __name__ == "__main__":
    main()
