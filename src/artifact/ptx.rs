//! PTX text: its language version and its target.
use crate::cuda::{Image, ImageKind, PtxIsa, Target};

/// How much of a text is looked at for its first two directives.
pub(super) const HEAD: usize = 64 << 10;

/// The image of a PTX text that begins with these bytes.
pub(super) fn read(head: &[u8]) -> Option<Image> {
    let mut words = words(head);
    (words.next()? == ".version").then_some(())?;
    let (major, minor) = words.next()?.split_once('.')?;
    (words.next()? == ".target").then_some(())?;
    let target = words.next()?.split(',').next()?;
    Some(Image {
        kind: ImageKind::Ptx,
        target: Target::from_undotted(target.strip_prefix("sm_")?)?,
        ptx_isa: Some(PtxIsa {
            major: major.parse().ok()?,
            minor: minor.parse().ok()?,
        }),
    })
}

/// The words of a text, without its comments.
fn words(mut rest: &[u8]) -> impl Iterator<Item = &str> {
    std::iter::from_fn(move || {
        loop {
            rest = rest.trim_ascii_start();
            if rest.starts_with(b"//") {
                rest = after(rest, b"\n")?;
            } else if rest.starts_with(b"/*") {
                rest = after(rest, b"*/")?;
            } else {
                break;
            }
        }
        let end = rest
            .iter()
            .position(|b| b.is_ascii_whitespace() || *b == b'/')
            .unwrap_or(rest.len());
        let (word, tail) = rest.split_at_checked(end.min(100)).filter(|_| end > 0)?;
        rest = tail;
        std::str::from_utf8(word).ok()
    })
}

fn after<'t>(text: &'t [u8], mark: &[u8]) -> Option<&'t [u8]> {
    let at = memchr::memmem::find(text, mark)?;
    text.get(at + mark.len()..)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_two_directives_name_version_and_target() {
        for (text, expected) in [
            (".version 8.7\n.target sm_90a\n", Some("sm_90a 8.7")),
            (
                "//\n// made by hand\n/* .version 1.0 */ .version 7.0 .target sm_80, debug",
                Some("sm_80 7.0"),
            ),
            (".version 8.7\n", None),
            (".version x.y\n.target sm_90", None),
            (".target sm_90\n.version 8.7", None),
            (".version 8.7\n.target sm_9", None),
            ("text", None),
            ("/* never closed", None),
        ] {
            let read = read(text.as_bytes())
                .map(|image| format!("sm_{} {}", image.target.undotted(), image.ptx_isa.unwrap()));
            assert_eq!(read.as_deref(), expected, "{text}");
        }
    }
}
