//! What the operating system shows of the driver, without calling it.
use std::fs;
use std::path::Path;

/// The driver's version, `580.159.04`, from wherever it shows; empty where it does not.
pub(super) fn driver_version() -> String {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let found = version_in(&read("/sys/module/nvidia/version"))
        .or_else(|| version_in(&read("/proc/driver/nvidia/version")))
        .or_else(|| version_in(&library()));
    found.unwrap_or_default()
}

/// The first word, or end of a word after `.so.`, that has the form of a driver's version.
fn version_in(text: &str) -> Option<String> {
    let words = text.split_whitespace().map(|word| {
        let end = word.rsplit_once(".so.").map(|(_, end)| end);
        end.unwrap_or(word)
    });
    let is_version = |word: &&str| {
        let mut parts = word.split('.');
        let branch = parts.next().unwrap_or_default();
        branch.len() == 3
            && word.len() > 3
            && branch
                .bytes()
                .chain(parts.flat_map(str::bytes))
                .all(|b| b.is_ascii_digit())
    };
    words.into_iter().find(is_version).map(str::to_owned)
}

/// The libcuda that this process has opened, links resolved; empty where that does not show.
pub(super) fn library() -> String {
    let maps = fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let paths = maps
        .lines()
        .filter_map(|line| line.find('/').and_then(|at| line.get(at..)));
    let mut found = paths.filter(|path| {
        let name = Path::new(path).file_name().unwrap_or_default();
        name.to_string_lossy().starts_with("libcuda.so")
    });
    found.next().unwrap_or_default().to_owned()
}

/// Why no GPU may be visible although there is a driver, where something shows: as a clause.
pub(super) fn why_hidden(
    visible: Option<&str>,
    proc_gpus: &Path,
    control: &Path,
) -> Option<String> {
    if let Some(value) = visible {
        return Some(format!("CUDA_VISIBLE_DEVICES is `{value}`"));
    }
    if !has_entries(proc_gpus) {
        return None;
    }
    match fs::OpenOptions::new().read(true).write(true).open(control) {
        Err(error) => Some(format!(
            "the kernel module knows GPUs, but {} cannot be opened: {error}",
            control.display()
        )),
        Ok(_) => Some(
            "the kernel module knows GPUs, but the driver shows none to this process".to_owned(),
        ),
    }
}

fn has_entries(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found() {
        for (text, expected) in [
            ("580.159.04\n", Some("580.159.04")),
            (
                "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build\nGCC version:  gcc 12.3.0",
                Some("580.159.04"),
            ),
            ("/usr/lib/libcuda.so.450.80.02", Some("450.80.02")),
            ("/usr/lib/libcuda.so.1", None),
            ("a 580 b", None),
            ("", None),
        ] {
            assert_eq!(version_in(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn a_hidden_gpu_has_a_reason() {
        let folder = std::env::temp_dir();
        let none = Path::new("/does/not/exist");
        let why = |visible, gpus| why_hidden(visible, gpus, none).unwrap_or_default();
        assert_eq!(why(Some(""), none), "CUDA_VISIBLE_DEVICES is ``");
        assert_eq!(why(None, none), "");
        if has_entries(&folder) {
            assert!(why(None, &folder).contains("cannot be opened"));
        }
    }
}
