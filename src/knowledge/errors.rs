//! Error codes and messages that have to do with architectures.
use super::record::CudaError;
use super::tables::ERRORS;

/// What is known of a code (`209`), a name (`cudaErrorNoKernelImageForDevice`) or a pasted message: the closest first, empty where
/// nothing is.
pub fn find(text: &str) -> Vec<&'static CudaError> {
    let text = plain(text);
    if let Ok(code) = text.parse::<u16>() {
        return ERRORS.iter().filter(|e| e.codes.contains(&code)).collect();
    }
    let mut found: Vec<(usize, &CudaError)> = ERRORS
        .iter()
        .map(|error| (closeness(error, &text), error))
        .filter(|(closeness, _)| *closeness > 0)
        .collect();
    found.sort_by_key(|(closeness, _)| std::cmp::Reverse(*closeness));
    if found.is_empty() {
        // A message that none of the pieces is in may still say its number.
        return ERRORS
            .iter()
            .filter(|error| says_code(error, &text))
            .collect();
    }
    found.into_iter().map(|(_, error)| error).collect()
}

/// The length of the longest piece of an error that a message has; 0 for none.
fn closeness(error: &CudaError, text: &str) -> usize {
    let names = error.names.iter().map(|name| (plain(name), name.len()));
    let pieces = error
        .messages
        .iter()
        .map(|piece| (plain(piece), piece.len()));
    let fitting = names.chain(pieces).filter(|(piece, _)| has(text, piece));
    fitting.map(|(_, length)| length).max().unwrap_or(0)
}

/// Whether a text has the parts of a piece, which `…` separates, in their order.
fn has(text: &str, piece: &str) -> bool {
    let mut rest = text;
    piece.split('…').map(str::trim).all(|part| {
        let Some(at) = rest.find(part) else {
            return false;
        };
        rest = rest.get(at + part.len()..).unwrap_or_default();
        true
    })
}

/// `error 209`, `error code 209`, `(209)`.
fn says_code(error: &CudaError, text: &str) -> bool {
    error.codes.iter().any(|code| {
        ["error ", "error code ", "error: ", "error = ", "code=", "("]
            .iter()
            .any(|before| {
                let said = format!("{before}{code}");
                text.match_indices(&said).any(|(at, said)| {
                    let next = text.get(at + said.len()..).unwrap_or_default();
                    !next.starts_with(|c: char| c.is_ascii_digit())
                })
            })
    })
}

/// A text in lower case and on one line.
fn plain(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_names_and_messages_are_known() {
        for (text, title) in [
            ("98", "98:"),
            ("200", "200:"),
            ("209", "209:"),
            ("218", "218:"),
            ("222", "222:"),
            ("223", "223:"),
            ("300", "300:"),
            ("301", "301:"),
            ("500", "500:"),
            ("999", "999:"),
            ("cudaErrorNoKernelImageForDevice", "209:"),
            ("cuModuleLoad returned CUDA_ERROR_NO_BINARY_FOR_GPU", "209:"),
            (
                "RuntimeError: CUDA error: no kernel image is available\n for execution on the device\nCUDA kernel errors might be",
                "209:",
            ),
            ("the launch failed with error 209", "209:"),
            ("Error code 222", "222:"),
            ("CUDA error: device kernel image is invalid", "200:"),
            ("CUDA error: invalid device function", "98:"),
            (
                "CUDA error: the provided PTX was compiled with an unsupported toolchain.",
                "222:",
            ),
            (
                "ptxas application ptx input, line 9; fatal : Unsupported .version 9.5; current version is '9.0'",
                "222:",
            ),
            ("PTX JIT compiler library not found", "221:"),
            ("CUDA error: named symbol not found", "500:"),
            (
                "NVIDIA GeForce RTX 5090 with CUDA capability sm_120 is not compatible with the current PyTorch installation.",
                "PyTorch:",
            ),
            (
                "Found GPU0 Tesla K40 which is of cuda capability 3.5.\n PyTorch no longer supports this GPU because it is too old.",
                "PyTorch:",
            ),
            (
                "Found GPU0 NVIDIA L4 which is of compute capability (CC) 8.9.\nThe following list shows the CCs this version of PyTorch was built for and the hardware CCs it supports:",
                "PyTorch:",
            ),
            (
                "nvcc fatal   : Unsupported gpu architecture 'compute_120'",
                "nvcc fatal",
            ),
            (
                "ptxas fatal   : Value 'sm_121a' is not defined for option 'gpu-name'",
                "ptxas fatal",
            ),
            (
                "    arch_list[-1] += '+PTX'\nIndexError: list index out of range",
                "torch: arch_list",
            ),
            (
                "ValueError: Unknown CUDA arch (8.0,8.6) or GPU not supported",
                "torch: Unknown",
            ),
            (
                "RuntimeError: Not compiled with GPU support",
                "Not compiled",
            ),
        ] {
            let found = find(text);
            assert!(
                found.first().is_some_and(|e| e.title.starts_with(title)),
                "{text}: {found:?}"
            );
        }
        for text in [
            "",
            "42",
            "segmentation fault",
            "error 2090",
            "file not found",
            "CUDA",
        ] {
            assert!(find(text).is_empty(), "{text}");
        }
    }
}
