//! Paths inside an image or a repository, with `/` between folders.

/// Whether a path is an address on the network, which some tools take in place of a file.
pub fn is_url(path: &str) -> bool {
    ["http://", "https://", "ftp://"]
        .iter()
        .any(|scheme| path.starts_with(scheme))
}

/// `path` seen from `base`, normalised; unknown parts are `?`.
pub fn join(base: &str, path: &str) -> String {
    if is_url(path) {
        return path.to_owned();
    }
    let full = if path.starts_with('/') || path.starts_with('?') {
        path.to_owned()
    } else {
        format!("{base}/{path}")
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in full.split('/') {
        match part {
            "" | "." => {}
            ".." => match parts.last() {
                Some(&last) if last != "?" => {
                    parts.pop();
                }
                _ => {}
            },
            part => parts.push(part),
        }
    }
    let joined = parts.join("/");
    if joined.starts_with('?') {
        joined
    } else {
        format!("/{joined}")
    }
}
