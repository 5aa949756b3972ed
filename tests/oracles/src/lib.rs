//! Other parsers as oracles for kimg-lint's readers: wherever one of them accepts a text, it must see in it what kimg-lint sees.
//! They are no part of the product: each refuses valid input, and what is known to be silently wrong in them is stated as a rule.
pub mod dockerfiles;
pub mod inputs;
pub mod scripts;
pub mod yaml;

/// Runs `check` where recursion may go deep: the oracles recurse once per line or per bracket, and overflow aborts.
pub fn with_large_stack<T: Send + 'static>(check: impl FnOnce() -> T + Send + 'static) -> T {
    let thread = std::thread::Builder::new()
        .stack_size(512 << 20)
        .spawn(check);
    match thread.map(std::thread::JoinHandle::join) {
        Ok(Ok(result)) => result,
        Ok(Err(panic)) => std::panic::resume_unwind(panic),
        Err(error) => panic!("no thread: {error}"),
    }
}

/// The files below the folder that the environment variable `KIMG_CORPUS` names, read as UTF-8; none if it is not set.
pub fn corpus() -> Vec<(std::path::PathBuf, String)> {
    let mut files = Vec::new();
    let mut folders: Vec<_> = std::env::var_os("KIMG_CORPUS")
        .map(Into::into)
        .into_iter()
        .collect();
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir::<std::path::PathBuf>(folder)
            .into_iter()
            .flatten()
            .flatten();
        for path in entries.map(|entry| entry.path()) {
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(text) = std::fs::read_to_string(&path) {
                files.push((path, text));
            }
        }
    }
    files.sort();
    files
}
