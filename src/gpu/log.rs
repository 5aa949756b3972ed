//! The driver's log of errors (`CUDA_LOG_FILE`, driver 575 and newer): which failures of a program matter here.
use crate::facts::{FailureKind, LoggedFailure};

/// What the log says of images, PTX and launches; equal failures are counted. Programs ask the driver much that it refuses
/// without harm (functions that it has not, contexts that are not there yet), which is left out.
pub(super) fn failures(log: &str) -> Vec<LoggedFailure> {
    let mut failures: Vec<LoggedFailure> = Vec::new();
    let mut kernel = String::new();
    for line in log.lines() {
        let message = message(line);
        if let Some(name) = between(message, "Kernel (", ")") {
            kernel = name.to_owned();
        }
        let Some(failure) = returned(message, &kernel) else {
            continue;
        };
        kernel.clear();
        let same = failures.iter_mut().find(|known| {
            LoggedFailure {
                count: known.count,
                ..failure.clone()
            } == **known
        });
        match same {
            Some(known) => known.count += 1,
            None => failures.push(failure),
        }
    }
    failures
}

/// What follows `[time][thread][CUDA][E] `.
fn message(line: &str) -> &str {
    line.rsplit_once("][E] ")
        .map_or(line, |(_, message)| message)
}

/// `Returning 209 (CUDA_ERROR_NO_BINARY_FOR_GPU) from cuLibraryGetKernel`.
fn returned(message: &str, kernel: &str) -> Option<LoggedFailure> {
    let (code, rest) = message.strip_prefix("Returning ")?.split_once(' ')?;
    let code = code.parse().ok()?;
    let (_, function) = rest.rsplit_once(" from ")?;
    let kind = match code {
        209 => FailureKind::NoImage,
        218 | 220..=223 => FailureKind::PtxRefused,
        0 => return None,
        _ if function.starts_with("cuLaunch") => FailureKind::Launch,
        _ => return None,
    };
    Some(LoggedFailure {
        kind,
        code,
        name: between(rest, "(", ")").unwrap_or_default().to_owned(),
        function: function.trim().to_owned(),
        kernel: kernel.to_owned(),
        count: 1,
    })
}

fn between<'t>(text: &'t str, before: &str, after: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(before)?;
    rest.split_once(after).map(|(inside, _)| inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As an H200 under driver 580.159 wrote it.
    const MISSING: &str = "\
[06:50:37.596][140461697294336][CUDA][E] Error handling fatbinary, to get more information when using CUDA Driver APIs use the CU_JIT_ERROR_LOG_BUFFER and CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES parameters
[06:50:37.638][140461697294336][CUDA][E] No available relocatable PTX entries for GPU
[06:50:37.638][140461697294336][CUDA][E] No device code available for GPU ISA 90
[06:50:37.638][140461697294336][CUDA][E] Kernel (_Z5probePf) cannot be found in library due to compilation error, to get more information when using CUDA Driver APIs use the CU_JIT_ERROR_LOG_BUFFER and CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES parameters
[06:50:37.638][140461697294336][CUDA][E] Returning 209 (CUDA_ERROR_NO_BINARY_FOR_GPU) from cuLibraryGetKernel
";

    #[test]
    fn failures_that_matter_are_found() {
        let twice = format!("{MISSING}{MISSING}");
        for (log, expected) in [
            ("", ""),
            (
                MISSING,
                "NoImage 209 CUDA_ERROR_NO_BINARY_FOR_GPU cuLibraryGetKernel _Z5probePf x1",
            ),
            (
                &twice,
                "NoImage 209 CUDA_ERROR_NO_BINARY_FOR_GPU cuLibraryGetKernel _Z5probePf x2",
            ),
            (
                "[a][b][CUDA][E] Returning 500 (CUDA_ERROR_NOT_FOUND) from cuGetProcAddress_v2",
                "",
            ),
            (
                "[a][b][CUDA][E] Returning 222 (CUDA_ERROR_UNSUPPORTED_PTX_VERSION) from cuModuleLoadData",
                "PtxRefused 222 CUDA_ERROR_UNSUPPORTED_PTX_VERSION cuModuleLoadData  x1",
            ),
            (
                "[a][b][CUDA][E] Returning 701 (CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES) from cuLaunchKernel",
                "Launch 701 CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES cuLaunchKernel  x1",
            ),
            ("Returning nonsense", ""),
            ("Returning 209", ""),
        ] {
            let shown: Vec<String> = failures(log)
                .iter()
                .map(|f| {
                    format!(
                        "{:?} {} {} {} {} x{}",
                        f.kind, f.code, f.name, f.function, f.kernel, f.count
                    )
                })
                .collect();
            assert_eq!(shown.join("\n"), expected, "{log}");
        }
    }
}
