#!/usr/bin/env bash
# Puts the release of kimg-lint that belongs to this commit of the action on PATH, or fails.
#
# SHA256SUMS beside this script is the table of that release: who pins the action by its hash pins the program. The archive,
# not the program, is kept in the tool cache, and it is compared with the table each time.
#
#   RELEASES     where releases are, without a slash at the end; the archive is at $RELEASES/vVERSION/ARCHIVE
#   ATTESTATION  auto: ask `gh`, where it is there and has a token; require: fail where it cannot be asked; off
#   GH_TOKEN     its token
#   and of the runner: RUNNER_OS RUNNER_ARCH RUNNER_TEMP RUNNER_TOOL_CACHE GITHUB_OUTPUT GITHUB_PATH
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=packaging/action/common.sh
. "$here/common.sh"

repository=kimg-lint/kimg-lint
table=${SUMS:-$here/SHA256SUMS}

case $RUNNER_OS-$RUNNER_ARCH in
Linux-X64) target=x86_64-unknown-linux-gnu ;;
Linux-ARM64) target=aarch64-unknown-linux-gnu ;;
macOS-X64) target=x86_64-apple-darwin ;;
macOS-ARM64) target=aarch64-apple-darwin ;;
Windows-X64) target=x86_64-pc-windows-msvc ;;
*) fail "there is no release for $RUNNER_OS on $RUNNER_ARCH" ;;
esac

row=$(grep -E "^[0-9a-f]{64}  kimg-lint-[0-9][^ /]*-$target\.tar\.gz$" "$table") ||
    fail "this commit of the action has no release for $target: use the commit of a release"
sum=${row%% *}
archive=${row##* }
version=${archive#kimg-lint-}
version=${version%"-$target.tar.gz"}

# The sum of a file, whichever program this system has for it.
sum_of() {
    if command -v sha256sum >/dev/null; then sha256sum <"$1"; else shasum -a 256 <"$1"; fi | cut -d ' ' -f 1
}

cache=$RUNNER_TOOL_CACHE/kimg-lint/$version
kept=$cache/$archive
if [ -f "$kept" ] && [ "$(sum_of "$kept")" = "$sum" ]; then
    echo "$archive: in the tool cache"
else
    mkdir -p "$cache"
    new=$(mktemp "$cache/new.XXXXXX")
    trap 'rm -f "$new"' EXIT
    url=$RELEASES/v$version/$archive
    echo "$archive: from $url"
    curl --fail --silent --show-error --location --retry 3 --output "$new" "$url" || fail "$url cannot be fetched"
    got=$(sum_of "$new")
    [ "$got" = "$sum" ] || fail "$archive is not what was released: its SHA-256 is $got, not $sum"
    mv "$new" "$kept"
fi

if [ "$ATTESTATION" != off ]; then
    if [ -n "${GH_TOKEN:-}" ] && gh attestation --help >/dev/null 2>&1; then
        gh attestation verify "$kept" --repo "$repository" ||
            fail "$archive has no attestation that it was built by $repository"
    elif [ "$ATTESTATION" = require ]; then
        fail "the attestation cannot be checked: \`gh\` with \`gh attestation\`, and a token, are needed"
    else
        echo "$archive: its attestation was not checked, since gh or a token is missing; its SHA-256 was"
    fi
fi

# A folder of this job: a program that another job could have replaced is not run.
bin=$(mktemp -d "$RUNNER_TEMP/kimg-lint.XXXXXX")
tar -xzf "$kept" -C "$bin"
program=$(find "$bin" -type f \( -name kimg-lint -o -name kimg-lint.exe \) | head -n 1)
[ -n "$program" ] || fail "no program is in $archive"
chmod +x "$program"
said=$("$program" --version) || fail "the program does not start here; it needs glibc 2.17 or newer on Linux"
[ "$said" = "kimg-lint $version" ] || fail "the program says that it is $said, not $version"

echo "${program%/*}" >>"$GITHUB_PATH"
output version "$version"
