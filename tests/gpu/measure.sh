#!/bin/bash
# What `kimg-lint probe` shows on a machine with an NVIDIA GPU, CUDA's nvcc and torch: docs/gpu-results.md is written from it.
#
#   measure.sh KIMG_LINT OUT
#
# KIMG_LINT is the release binary, OUT a folder for what comes back: `log`, and the JSON of each part. The last line counts the
# expectations that failed.
set -u
kimg=$(realpath "$1"); out=$2
here=$(dirname "$(realpath "$0")"); root=$(realpath "$here/../..")
work=$(mktemp -d); cd "$work" || exit 1
failed=0

measure() {
say() { echo; echo "## $*"; }
# expect WHAT STATUS COMMAND...: runs it and compares the exit status.
expect() {
    local what=$1 status=$2; shift 2
    echo "\$ $(printf '%q ' "$@" | sed "s#$kimg#kimg-lint#g; s#$work/##g; s#$root/##g")"
    "$@"; local got=$?
    if [ "$got" = "$status" ]; then echo "ok: $what (status $got)"; else echo "FAILED: $what: status $got, not $status"; failed=$((failed + 1)); fi
}
# check WHAT FILE EXPRESSION: a Python expression over the JSON of a probe, `p` the first GPU.
check() {
    if python3 - "$2" "$3" <<'PY'
import json, sys
report = json.load(open(sys.argv[1])); p = (report["probes"] or [{}])[0]
load = p.get("artifacts", [])
total = {k: sum(a[k] for a in load) for k in ("loaded", "agree", "of", "undecided", "missing", "dispatch", "skipped")}
print("  ", total if load else "")
ok = eval(sys.argv[2])
if not ok:
    for a in load:
        for d in a["disagree"][:5]: print("  ", a["path"], d)
sys.exit(not ok)
PY
    then echo "ok: $1"; else echo "FAILED: $1"; failed=$((failed + 1)); fi
}

say "the machine"
date -u +%F
nvidia-smi --query-gpu=name,driver_version,compute_cap --format=csv,noheader
nvcc --version | grep release
cc=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -1 | tr -d .)

say "our kernel"
expect "both ways are right" 0 "$kimg" probe --require-gpu
expect "a product is right 50 times" 0 "$kimg" probe --stress 50
"$kimg" probe --stress 5 --format json > "$out/kernel.json"
check "values right" "$out/kernel.json" 'p["sass"]["ok"] and p["ptx"]["ok"] and p["stress"]["wrong_runs"] == 0'
expect "without JIT the PTX is refused" 0 "$kimg" probe --no-jit
expect "the user's setting is a finding" 1 env CUDA_DISABLE_PTX_JIT=1 "$kimg" probe --format concise
expect "a hidden GPU is told" 0 env CUDA_VISIBLE_DEVICES= "$kimg" probe
expect "a hidden GPU is not enough" 2 env CUDA_VISIBLE_DEVICES= "$kimg" probe --require-gpu --format concise
mkdir stub; ln -s "$(find / -path '*/stubs/libcuda.so' -not -path '/proc/*' 2>/dev/null | head -1)" stub/libcuda.so
expect "a stub is told" 0 env LD_LIBRARY_PATH="$work/stub" "$kimg" probe

say "the cost beside that of a context"
if [ -e stub/libcuda.so ]; then cc -o context "$here/context.c" stub/libcuda.so; fi
# One GPU, since the C program takes one.
CUDA_VISIBLE_DEVICES=0 python3 - "$kimg" "$work/context" <<'PY'
import subprocess, sys, time
def took(*command):
    start = time.perf_counter(); subprocess.run(command, check=True, stdout=subprocess.DEVNULL); return (time.perf_counter() - start) * 1e3
rows = [(took(sys.argv[2]), took(sys.argv[1], "probe")) for _ in range(12)][2:]
bare, probe = sorted(a for a, _ in rows), sorted(b for _, b in rows)
print(f"context alone: median {bare[5]:.1f} ms ({bare[0]:.1f} to {bare[-1]:.1f}); probe: median {probe[5]:.1f} ms ({probe[0]:.1f} to {probe[-1]:.1f}); difference {probe[5] - bare[5]:.1f} ms")
PY

echo "GPUs: $("$kimg" probe --format json | python3 -c 'import json, sys; print(len(json.load(sys.stdin)["probes"]))')"

say "the load matrix"
mkdir matrix
targets="75 80 86 87 88 89 90 90a 100 100a 100f 103 103a 103f 110 110a 110f 120 120a 120f 121 121a 121f"
for t in $targets; do
    echo "-cubin -arch=sm_$t -o matrix/cubin_$t.cubin"
    echo "-ptx -arch=compute_$t -o matrix/ptx_$t.ptx"
    echo "-fatbin -gencode arch=compute_$t,code=sm_$t -o matrix/fat_sass_$t.fatbin"
    echo "-fatbin -gencode arch=compute_$t,code=compute_$t -o matrix/fat_ptx_$t.fatbin"
done | xargs -P 16 -I{} sh -c "nvcc {} '$here/kernel.cu'"
for pair in "75 90" "80 100" "90a 100f" "86 120"; do
    set -- $pair
    nvcc -fatbin -gencode "arch=compute_$1,code=sm_$1" -gencode "arch=compute_$2,code=[sm_$2,compute_$2]" -o "matrix/fat_$1_$2.fatbin" "$here/kernel.cu"
    nvcc -fatbin -gencode "arch=compute_$1,code=[sm_$1,compute_$1]" -gencode "arch=compute_$2,code=sm_$2" -o "matrix/fat_$1ptx_$2.fatbin" "$here/kernel.cu"
done
ls matrix | wc -l
for how in "" --no-jit --force-jit; do
    "$kimg" probe $how --format json matrix > "$out/matrix$how.json"
    check "every verdict of the matrix holds ($how)" "$out/matrix$how.json" 'total["loaded"] >= 95 and total["agree"] == total["of"] == total["loaded"]'
done

say "a package"
mkdir package; cp matrix/fat_*.fatbin package; nvcc -shared -Xcompiler -fPIC -gencode "arch=compute_$cc,code=[sm_$cc,compute_$cc]" -o package/libext.so "$here/kernel.cu"
(cd package && python3 -m zipfile -c ../ext-1.0-py3-none-linux_x86_64.whl . )
tar cf nested.tar ext-1.0-py3-none-linux_x86_64.whl
for package in ext-1.0-py3-none-linux_x86_64.whl nested.tar; do
    "$kimg" probe --format json "$package" > "$out/$package.json"; echo "status $?"
    check "the members of $package are loaded" "$out/$package.json" 'total["loaded"] >= 50 and total["agree"] == total["of"] == total["loaded"] and total["skipped"] == 0'
done
"$kimg" probe --format json - < ext-1.0-py3-none-linux_x86_64.whl > "$out/stdin.json"
check "and so are those of standard input" "$out/stdin.json" 'total["loaded"] >= 50 and total["agree"] == total["of"]'
ls "${TMPDIR:-/tmp}" | grep -c '^\.tmp' | sed 's/^/temporary folders left: /'

say "images of CUDA 13.5, and damaged ones"
"$kimg" probe --format json "$root/tests/fixtures/artifacts/out" > "$out/fixtures.json"; echo "status $?"
check "every verdict holds, and nothing that is damaged was loaded" "$out/fixtures.json" 'total["agree"] == total["of"] > 50 and total["skipped"] > 5'
"$kimg" probe --format concise "$root/tests/fixtures/artifacts/out" | sort | cut -c1-260

say "libraries"
lib=$(python3 -c 'import torch, os; print(os.path.dirname(torch.__file__))')
nv=$(python3 -c 'import nvidia, os; print(list(nvidia.__path__)[0])')
libs=$(ls "$lib"/lib/libtorch_cuda.so; find -L "$nv" -name 'libcublas.so*' -o -name 'libcublasLt.so*' -o -name 'libcurand.so*' -o -name 'libcusparse.so*' -o -name 'libcufft.so*' -o -name 'libnccl.so*' -o -name 'libcusolver.so*')
time "$kimg" probe --format json $libs > "$out/libraries.json"; echo "status $?"
time "$kimg" probe $libs | sed "s#$lib#torch#g; s#$nv#nvidia#g"
"$kimg" archs $libs | sed "s#$lib#torch#g; s#$nv#nvidia#g"
check "at least 3,500 containers, all as predicted" "$out/libraries.json" 'total["loaded"] >= 3500 and total["agree"] == total["of"] == total["loaded"]'

say "programs"
nvcc -arch=sm_100 -o sm100 "$here/kernel.cu"
nvcc -gencode arch=compute_80,code=compute_80 -o ptx80 "$here/kernel.cu"
nvcc -arch="sm_$cc" -o native "$here/kernel.cu"
expect "alone it sees nothing" 0 ./sm100
expect "its swallowed launch is found" 1 "$kimg" probe -- ./sm100
expect "a program that is right" 0 "$kimg" probe -- ./native
expect "PTX is compiled" 0 "$kimg" probe -- ./ptx80
expect "and fails without the compiler" 1 "$kimg" probe --no-jit --format concise -- ./ptx80
nvcc -gencode "arch=compute_$cc,code=sm_$cc" -o sass "$here/kernel.cu"
expect "machine code alone fails when PTX is forced" 1 "$kimg" probe --force-jit --format concise -- ./sass
expect "two processes, the first at fault" 1 "$kimg" probe --format concise -- sh -c './sm100; ./native'
expect "two processes, the second at fault" 1 "$kimg" probe --format concise -- sh -c './native; ./sm100'
expect "two processes at once" 1 "$kimg" probe --format concise -- sh -c './sm100 & ./ptx80; wait'
expect "a program's own status stays" 7 "$kimg" probe --format concise -- sh -c './native; exit 7'
expect "torch does not alarm" 0 "$kimg" probe -- python3 -c 'import torch; a = torch.ones(512, 512, device="cuda"); print((a @ a).sum().item())'

say "result"
echo "$failed expectations failed"
return "$failed"
}

set -o pipefail
measure 2>&1 | tee "$out/log"
