//! NVIDIA's own libraries, known by name. They choose kernels by GPU themselves and carry many that are for some
//! GPUs only, so that a kernel that is missing for one says little.

/// The library's name for people, by the start of its file's name, the longer first.
const LIBRARIES: [(&str, &str); 24] = [
    ("cublasLt", "cuBLASLt"),
    ("cublas", "cuBLAS"),
    ("cudnn", "cuDNN"),
    ("cudss", "cuDSS"),
    ("cufftMp", "cuFFTMp"),
    ("cufftw", "cuFFT"),
    ("cufft", "cuFFT"),
    ("cupti", "CUPTI"),
    ("checkpoint", "CUPTI"),
    ("curand", "cuRAND"),
    ("cusolverMg", "cuSOLVER"),
    ("cusolver", "cuSOLVER"),
    ("cusparseLt", "cuSPARSELt"),
    ("cusparse", "cuSPARSE"),
    ("cutensor", "cuTENSOR"),
    ("nccl", "NCCL"),
    ("npp", "NPP"),
    ("nvinfer", "TensorRT"),
    ("nvjpeg", "nvJPEG"),
    ("nvperf", "CUPTI"),
    ("nvrtc", "NVRTC"),
    ("nvJitLink", "nvJitLink"),
    ("nvshmem", "NVSHMEM"),
    ("cufile", "cuFile"),
];

/// What NVIDIA calls the library in a file of this path; empty for any other.
pub(super) fn name(path: &str) -> &'static str {
    let file = path.rsplit(['/', '\\', '!']).next().unwrap_or_default();
    let library = [".so", ".dll", ".a", ".lib"]
        .iter()
        .any(|ending| file.contains(ending));
    let name = file.strip_prefix("lib").unwrap_or(file);
    let known = LIBRARIES.iter().find(|(start, _)| {
        // The name ends there, but for parts of it and versions: cudnn_ops, cublas64_12.
        name.strip_prefix(start).is_some_and(|rest| {
            !rest.starts_with(|c: char| c.is_ascii_alphabetic())
                || matches!(*start, "npp" | "nvinfer")
        })
    });
    known.filter(|_| library).map_or("", |(_, name)| name)
}

#[cfg(test)]
mod tests {
    #[test]
    fn vendor_libraries_are_known_by_name() {
        for (path, name) in [
            ("nvidia/cublas/lib/libcublasLt.so.12", "cuBLASLt"),
            ("torch/lib/libcusparseLt-f80c68d1.so.0", "cuSPARSELt"),
            ("bin/cublas64_12.dll", "cuBLAS"),
            ("libcudnn_engines_precompiled.so.9", "cuDNN"),
            ("libnppif.so.12", "NPP"),
            ("x.whl!libnccl.so.2", "NCCL"),
            ("torch/lib/libtorch_cuda.so", ""),
            ("libnccltests.so", ""),
            ("nccl.h", ""),
        ] {
            assert_eq!(super::name(path), name, "{path}");
        }
    }
}
