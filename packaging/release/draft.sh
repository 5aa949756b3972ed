#!/usr/bin/env bash
# Commits the table of checksums, and leaves a draft of the release at that commit.
#
#   packaging/release/draft.sh FOLDER-WITH-THE-FILES
#
# Needs `gh` with a token in GH_TOKEN that may write contents.
set -euo pipefail
[ $# -eq 1 ] || { sed -n '2,6s/^# \{0,1\}//p' "$0" >&2; exit 2; }
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(cd "$1" && pwd)
cd "$root"
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
packaging/release/table.sh "$folder" packaging/action/SHA256SUMS

branch=release-$version
git switch --quiet --create "$branch"
git add packaging/action/SHA256SUMS
git -c user.name='kimg-lint release' -c user.email=release@users.noreply.github.com \
    commit --quiet --message "Checksums of $version"
gh auth setup-git
git push --quiet origin "$branch"
gh release create "v$version" --draft --title "$version" --target "$(git rev-parse HEAD)" --notes-file CHANGELOG.md "$folder"/*
