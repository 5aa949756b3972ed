#!/usr/bin/env bash
# The way of a new user, step by step, in a repository made for it; docs/first-hour.md tells it.
#
#   packaging/first-hour.sh FOLDER-WITH-THE-WHEEL
#
# Needs git, pre-commit on PATH, and a package index for setuptools; the wheel comes from the folder. Each command is shown with
# its seconds; one that ends otherwise than it should ends this, too.
set -euo pipefail
[ $# -eq 1 ] || { sed -n '2,7s/^# \{0,1\}//p' "$0" >&2; exit 2; }
root=$(cd "$(dirname "$0")/.." && pwd)
wheels=$(cd "$1" && pwd)
version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$root/Cargo.toml" | head -n 1)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PIP_FIND_LINKS=$wheels PRE_COMMIT_HOME=$work/pre-commit
export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.org
export GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.org

count=0
first=$EPOCHREALTIME
since() { awk -v from="$1" -v to="$EPOCHREALTIME" 'BEGIN { printf "%.1f", to - from }'; }

# Runs a command of the user, which should end with the given status.
user() {
    local wanted=$1 status=0 start=$EPOCHREALTIME
    shift
    count=$((count + 1))
    "$@" >"$work/log" 2>&1 || status=$?
    printf '%5s s  status %s  %s\n' "$(since "$start")" "$status" "$*"
    [ "$status" -eq "$wanted" ] || { cat "$work/log" >&2; exit 1; }
}

# The repository that the user has.
git clone --quiet "$root" "$work/kimg-lint"
git init --quiet "$work/demo"
cd "$work/demo"
cat >Dockerfile <<'EOF'
FROM nvidia/cuda:12.4.1-devel-ubuntu22.04
RUN apt-get update && apt-get install -y --no-install-recommends git python3-pip
RUN pip install torch==2.5.1 --index-url https://download.pytorch.org/whl/cu124
RUN pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat@v1.4.0
EOF
git add Dockerfile
git commit --quiet -m "An image that works on our machine"

python3 -m venv "$work/venv"
PATH=$work/venv/bin:$PATH
user 0 pip install --quiet --disable-pip-version-check "kimg-lint==$version"
user 1 kimg-lint Dockerfile
user 0 kimg-lint why Dockerfile:4
user 0 kimg-lint init
# An edit: the fleet.
sed -i 's/^#fleet:/fleet:/; s/^#  training: .*/  ours: {gpus: [A100, L4]}/' .kimg-lint.yaml
user 1 kimg-lint Dockerfile
grep -q 'ENV TORCH_CUDA_ARCH_LIST="8.0+PTX"' "$work/log"
user 1 kimg-lint --diff Dockerfile
grep -q '^+ENV TORCH_CUDA_ARCH_LIST="8.0+PTX"' "$work/log"
user 0 kimg-lint --fix Dockerfile

# An edit: the hook, as docs/ci.md has it, from this repository.
printf 'repos:\n- repo: %s\n  rev: %s\n  hooks:\n  - id: kimg-lint\n' \
    "$work/kimg-lint" "$(git -C "$work/kimg-lint" rev-parse HEAD)" >.pre-commit-config.yaml
user 0 pre-commit install
git add .
user 0 git commit -m "A list, a fleet and a hook"
sed -i 's/8.0+PTX/8,0/' Dockerfile
git add .
user 1 git commit -m "A slip of the finger"
grep -q KIMG105 "$work/log"
git restore --staged --worktree Dockerfile

# The workflow, as docs/ci.md has it.
mkdir -p .github/workflows
awk '/^name: kimg-lint$/ { copy = 1 } /^```$/ { copy = 0 } copy' "$root/docs/ci.md" >.github/workflows/kimg-lint.yml
git add .
user 0 git commit -m "The linter in CI"
echo "$count commands, $(since "$first") s"
