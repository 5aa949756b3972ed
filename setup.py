"""What `language: python` of pre-commit installs from this repository: nothing but the published wheel of the same version.

The wheel itself is described in packaging/wheel. If that description stood here, every machine that installs the hook would
compile the linter.
"""

from setuptools import setup

# Moves together with the version in Cargo.toml; tests/packaging.rs compares them.
VERSION = "0.1.0"

setup(
    name="kimg-lint-hook",
    version=VERSION,
    py_modules=[],
    install_requires=[f"kimg-lint=={VERSION}"],
)
