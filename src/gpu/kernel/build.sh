#!/bin/sh
# Assembles each kernel for every GPU from compute capability 5.0 to 12.1 and joins the results: fill.ptx in fill.fatbin,
# product.ptx in product.fatbin.
#
#   build.sh          writes the fatbins
#   build.sh --check  fails if a committed fatbin differs from what it would write
#
# The tools come from the Python packages nvidia-cuda-nvcc (13.5.37: fatbinary, and ptxas for 8.8 and 11.0) and
# nvidia-cuda-nvcc-cu12 (12.9.86: ptxas for all others, since 13 dropped what is older than 7.5). Where they lie is given by
# NVCC13 and NVCC12: the folders that hold bin/ptxas.
# Machine code runs on the same major version at its minor or higher, except on Tegra chips (5.3, 6.2, 7.2, 8.7, 8.8, 10.1,
# 11.0), which take their own only: one image for each of these, for the start of each major version, and for 7.5.
set -eu
cd "$(dirname "$0")"
: "${NVCC13:?the folder of nvidia-cuda-nvcc 13.5 that holds bin/ptxas}"
: "${NVCC12:?the folder of nvidia-cuda-nvcc-cu12 12.9 that holds bin/ptxas}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for kernel in fill product; do
    images=
    for arch in 50 53 60 62 70 72 75 80 87 88 90 100 101 110 120; do
        case $arch in
            88 | 110) ptxas=$NVCC13/bin/ptxas ;;
            *) ptxas=$NVCC12/bin/ptxas ;;
        esac
        "$ptxas" -arch="sm_$arch" -o "$work/$arch.cubin" "$kernel.ptx"
        images="$images --image3=kind=elf,sm=$arch,file=$work/$arch.cubin"
    done
    # LZ4, as nvcc did before 13: the default of 13 is read by newer drivers only.
    # shellcheck disable=SC2086
    "$NVCC13/bin/fatbinary" -64 --compress-all --compress-mode=speed $images --create="$work/$kernel.fatbin"
    if [ "${1:-}" = --check ]; then
        cmp "$work/$kernel.fatbin" "$kernel.fatbin"
        echo "$kernel.fatbin is what build.sh writes"
    else
        cp "$work/$kernel.fatbin" "$kernel.fatbin"
    fi
done
