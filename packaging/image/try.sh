#!/usr/bin/env bash
# Builds the last stage of the Dockerfile with Debian's buildah, without a registry, and runs the image.
#
#   packaging/image/try.sh PROGRAM DEBIAN-ROOT
#
# PROGRAM is a kimg-lint that was built on Debian 12 or older, and stands for the first stage; DEBIAN-ROOT is a folder that
# debootstrap made (`debootstrap --variant=minbase bookworm DEBIAN-ROOT`), and stands for debian:bookworm-slim. Needs root.
set -euo pipefail
[ $# -eq 2 ] || { sed -n '2,7s/^# \{0,1\}//p' "$0" >&2; exit 2; }
root=$(cd "$(dirname "$0")/../.." && pwd)
program=$(realpath "$1")
debian=$(realpath "$2")

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Storage of its own, without the kernel's overlays: works inside containers, too.
buildah() { command buildah --root "$work/storage" --runroot "$work/run" --storage-driver vfs "$@"; }

image() {
    local made
    made=$(buildah from scratch)
    buildah copy --quiet "$made" "$2" "$3" >/dev/null
    buildah commit --quiet "$made" "$1" >/dev/null
    buildah rm "$made" >/dev/null
}
image docker.io/library/debian:bookworm-slim "$debian" /
image localhost/built "$program" /source/target/release/kimg-lint

buildah build --isolation chroot --pull-never --build-context build=container-image://localhost/built \
    --tag localhost/kimg-lint "$root"
made=$(buildah from --pull-never localhost/kimg-lint)
echo "user $(buildah inspect --format '{{.OCIv1.Config.User}}' localhost/kimg-lint), entrypoint $(buildah inspect --format '{{.OCIv1.Config.Entrypoint}}' localhost/kimg-lint)"
run() { buildah run --isolation chroot --user 65532:65532 --volume "$root:/work:ro" "$made" -- /usr/local/bin/kimg-lint "$@"; }
run --version
run examples/good/Dockerfile
status=0
run examples/bad/Dockerfile >/dev/null || status=$?
[ "$status" -eq 1 ]
run probe
