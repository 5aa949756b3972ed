//! `ar` archives: static libraries, thin ones too, and Debian packages.
use super::content::Content;
use super::context::Context;
use super::tape::{Mapped, Stream, Tape};

const MAGIC: &[u8] = b"!<arch>\n";
const THIN: &[u8] = b"!<thin>\n";
const HEADER: usize = 60;
/// Most bytes of a table of long names.
const NAMES: u64 = 4 << 20;

/// Whether these bytes begin an archive.
pub(super) fn is_archive(head: &[u8]) -> bool {
    head.starts_with(MAGIC) || head.starts_with(THIN)
}

/// What a walk over an archive meets.
pub(super) enum Member<'m> {
    /// A member with its bytes.
    Inside(String, Content<'m>),
    /// A member of a thin archive: the name of a file next to it.
    Beside(String),
    /// Damage at an offset; the walk ends there.
    Damage(u64, String),
}

/// Visits every member in order, each within its share of the budget.
pub(super) fn walk(content: Content, context: &Context, mut visit: impl FnMut(Member, &Context)) {
    match content {
        Content::Bytes(bytes) => {
            let mut tape = Mapped::new(bytes, 0, bytes.len() as u64);
            members(&mut tape, |tape, found, size| {
                let at = tape.offset();
                let body = super::le::clip(bytes, at, at.saturating_add(size));
                context.member(|context| {
                    visit(found.with(at, || Content::Bytes(body)), context);
                });
            });
        }
        Content::Stream(mut stream) => members(&mut stream, |stream, found, size| {
            let at = stream.offset();
            context.member(|context| {
                let body = || {
                    let body = Box::new(std::io::Read::take(stream, size));
                    Content::Stream(Stream::new(body, Some(size), context.budget))
                };
                visit(found.with(at, body), context);
            });
        }),
    }
}

enum Found {
    Inside(String),
    Beside(String),
    Damage(String),
}

impl Found {
    fn with<'m>(self, at: u64, body: impl FnOnce() -> Content<'m>) -> Member<'m> {
        match self {
            Self::Inside(name) => Member::Inside(name, body()),
            Self::Beside(name) => Member::Beside(name),
            Self::Damage(message) => Member::Damage(at, message),
        }
    }
}

/// Reads member headers; `visit` may read the body that the tape then stands at.
fn members<T: Tape>(tape: &mut T, mut visit: impl FnMut(&mut T, Found, u64)) {
    let thin = tape.peek(8) == THIN;
    tape.skip(8);
    let mut long_names = Vec::new();
    loop {
        let head = tape.peek(HEADER).to_vec();
        if head.is_empty() && tape.failure().is_none() {
            return;
        }
        let Some(size) = size_of(&head) else {
            let message = match tape.failure() {
                Some(failure) => failure.to_owned(),
                None => "no member header where one should be".to_owned(),
            };
            return visit(tape, Found::Damage(message), 0);
        };
        tape.skip(HEADER as u64);
        let start = tape.offset();
        let raw = String::from_utf8_lossy(head.get(..16).unwrap_or_default())
            .trim_end()
            .to_owned();
        let mut body = size;
        match raw.as_str() {
            "/" | "/SYM64/" | "__.SYMDEF" | "__.SYMDEF SORTED" => {}
            "//" => long_names = tape.peek(size.min(NAMES) as usize).to_vec(),
            _ => match name_of(&raw, &long_names, size, tape) {
                Some(name) if thin => {
                    body = 0;
                    visit(tape, Found::Beside(name), 0);
                }
                Some(name) => {
                    let left = size.saturating_sub(tape.offset() - start);
                    visit(tape, Found::Inside(name), left);
                }
                None => {
                    let message = format!("the member name {raw} is not in the table of names");
                    visit(tape, Found::Damage(message), 0);
                }
            },
        }
        let Some(end) = start
            .checked_add(body)
            .and_then(|end| end.checked_add(body & 1))
        else {
            return visit(tape, Found::Damage(format!("a member of {size} bytes")), 0);
        };
        let end_of_body = end - (body & 1);
        tape.skip(end_of_body.saturating_sub(tape.offset()));
        if tape.offset() < end_of_body {
            let message = format!("ends in the member {raw}");
            return visit(tape, Found::Damage(message), 0);
        }
        tape.skip(end.saturating_sub(tape.offset()));
    }
}

/// The size in a member's header; `None` if it is no header.
fn size_of(head: &[u8]) -> Option<u64> {
    (head.get(58..60)? == b"`\n").then_some(())?;
    std::str::from_utf8(head.get(48..58)?)
        .ok()?
        .trim()
        .parse()
        .ok()
}

/// The name in the forms `name/` (GNU), `/12` (in the table), `#1/20` (in front of the body).
fn name_of(raw: &str, long: &[u8], size: u64, tape: &mut impl Tape) -> Option<String> {
    if let Some(length) = raw.strip_prefix("#1/") {
        let length: u64 = length.parse().ok()?;
        let length = length.min(size).min(4096);
        let name = tape.peek(length as usize).to_vec();
        tape.skip(length);
        let name = name.split(|&b| b == 0).next()?;
        return Some(String::from_utf8_lossy(name).into_owned());
    }
    if let Some(at) = raw.strip_prefix('/') {
        let at: usize = at.parse().ok()?;
        let name = long.get(at..)?.split(|&b| b == b'\n').next()?;
        let name = String::from_utf8_lossy(name);
        return Some(name.strip_suffix('/').unwrap_or(&name).to_owned());
    }
    Some(raw.strip_suffix('/').unwrap_or(raw).to_owned())
}
