#!/usr/bin/env bash
# Makes the archive of a release for one target out of the wheel for it: the same program with its licences, and beside the
# archive what it is made of, as CycloneDX (maturin puts that into the wheel).
#
#   packaging/release/archive.sh TARGET FOLDER-WITH-THE-WHEEL
set -euo pipefail
[ $# -eq 2 ] || { sed -n '2,5s/^# \{0,1\}//p' "$0" >&2; exit 2; }
root=$(cd "$(dirname "$0")/../.." && pwd)
target=$1
folder=$(cd "$2" && pwd)
version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$root/Cargo.toml" | head -n 1)
name=kimg-lint-$version-$target

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m zipfile -e "$folder"/kimg_lint-"$version"-*.whl "$work/wheel"
mkdir "$work/$name"
cp "$work/wheel/kimg_lint-$version.data/scripts"/kimg-lint* "$work/$name/"
cp "$work/wheel/kimg_lint-$version.dist-info/sboms/kimg-lint.cyclonedx.json" "$folder/kimg-lint-$target.cdx.json"
chmod +x "$work/$name"/kimg-lint*
cp "$root"/LICENSE-* "$root/README.md" "$root/CHANGELOG.md" "$work/$name/"
# Nothing of this machine is in it, so that the same files make the same archive.
time=$(git -C "$root" log -1 --format=%ct)
if tar --version | grep -q GNU; then
    tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$time" -cf - "$name" | gzip -n9 >"$folder/$name.tar.gz"
else
    tar -C "$work" --uid 0 --gid 0 -cf - "$name" | gzip -n9 >"$folder/$name.tar.gz"
fi
echo "$folder/$name.tar.gz"
