//! Names of members: where a member may claim to lie.

/// A member's name with `/` between its parts and without `.`; an error for one that leads out.
pub(super) fn member(raw: &[u8]) -> Result<String, String> {
    let name = String::from_utf8_lossy(raw);
    let shown = || name.chars().take(200).collect::<String>();
    if name.starts_with('/') {
        return Err(format!("{}: an absolute name", shown()));
    }
    let parts: Vec<&str> = name
        .split('/')
        .filter(|p| !matches!(*p, "" | "."))
        .collect();
    if parts.contains(&"..") {
        return Err(format!("{}: the name leads out of the archive", shown()));
    }
    Ok(parts.join("/"))
}

/// Whether a symbolic link at `name` leads out of the archive it is in. An absolute target names a place
/// in the file system that the archive becomes.
pub(super) fn leads_out(name: &str, target: &[u8]) -> bool {
    let target = String::from_utf8_lossy(target);
    if target.starts_with('/') {
        return false;
    }
    let mut depth = name.split('/').count() as i64 - 1;
    target.split('/').any(|part| {
        match part {
            ".." => depth -= 1,
            "" | "." => {}
            _ => depth += 1,
        }
        depth < 0
    })
}

/// The name of a member of a member.
pub(super) fn join(outer: &str, inner: &str) -> String {
    match (outer.is_empty(), inner.is_empty()) {
        (true, _) => inner.to_owned(),
        (_, true) => outer.to_owned(),
        _ => format!("{outer}!{inner}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_inside() {
        for (raw, name) in [
            ("a/b.so", Some("a/b.so")),
            ("./a//b.so", Some("a/b.so")),
            ("a/..b", Some("a/..b")),
            ("/etc/passwd", None),
            ("a/../../b", None),
            ("..", None),
        ] {
            assert_eq!(member(raw.as_bytes()).ok().as_deref(), name, "{raw}");
        }
        for (name, target, out) in [
            ("a/b", "../c", false),
            ("a/b", "../../c", true),
            ("a", "/etc/x", false),
            ("a/b/c", "../x/../../y", false),
        ] {
            assert_eq!(leads_out(name, target.as_bytes()), out, "{name} {target}");
        }
    }
}
