#!/usr/bin/env bash
# Fetches the wheels of a published release and compares them with its SHA256SUMS and its attestations.
#
#   packaging/release/fetch.sh FOLDER
#
# Needs `gh` with a token in GH_TOKEN, and the release's TAG.
set -euo pipefail
[ $# -eq 1 ] || { sed -n '2,6s/^# \{0,1\}//p' "$0" >&2; exit 2; }
gh release download "$TAG" --dir "$1" --pattern '*.whl' --pattern SHA256SUMS
cd "$1"
sha256sum --check --strict --ignore-missing SHA256SUMS
for wheel in *.whl; do
    gh attestation verify "$wheel" --repo "$GITHUB_REPOSITORY"
done
