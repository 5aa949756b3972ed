#!/bin/sh
# Assembles kernel.ptx for every GPU from compute capability 5.0 to 12.1 and joins the results in kernel.fatbin.
#
#   build.sh          writes kernel.fatbin
#   build.sh --check  fails if the committed kernel.fatbin differs from what it would write
#
# The tools come from the Python packages nvidia-cuda-nvcc (13.5.37: fatbinary, ptxas for 8.8 and 11.0) and
# nvidia-cuda-nvcc-cu12 (12.9.86: ptxas for all others, since 13 dropped what is older than 7.5, and machine code of an older
# assembler runs under older drivers). Where they lie is given by NVCC13 and NVCC12: the folders that hold bin/ptxas.
# Machine code runs on the same major version at its minor or higher, except on Tegra chips (5.3, 6.2, 7.2, 8.7, 8.8, 10.1,
# 11.0), which take their own only: one image for each of these and for each major, and 7.5, whose PTX is otherwise needed.
set -eu
cd "$(dirname "$0")"
: "${NVCC13:?the folder of nvidia-cuda-nvcc 13.5 that holds bin/ptxas}"
: "${NVCC12:?the folder of nvidia-cuda-nvcc-cu12 12.9 that holds bin/ptxas}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

images=
for arch in 50 53 60 62 70 72 75 80 87 90 100 101 120; do
    "$NVCC12/bin/ptxas" -arch="sm_$arch" -o "$work/$arch.cubin" kernel.ptx
    images="$images --image3=kind=elf,sm=$arch,file=$work/$arch.cubin"
done
for arch in 88 110; do
    "$NVCC13/bin/ptxas" -arch="sm_$arch" -o "$work/$arch.cubin" kernel.ptx
    images="$images --image3=kind=elf,sm=$arch,file=$work/$arch.cubin"
done
# LZ4, as nvcc did before 13: the default of 13 is read by newer drivers only.
# shellcheck disable=SC2086
"$NVCC13/bin/fatbinary" -64 --compress-all --compress-mode=speed $images --create="$work/kernel.fatbin"

if [ "${1:-}" = --check ]; then
    cmp "$work/kernel.fatbin" kernel.fatbin
    echo "kernel.fatbin is what build.sh writes"
else
    cp "$work/kernel.fatbin" kernel.fatbin
fi
