//! Arrays of strings in JSON, whose strings keep their places.
use super::super::mapped::Mapped;
use serde::de::IgnoredAny;

/// What an argument in square brackets turned out to be.
pub(super) enum Array {
    /// An array of strings: each unescaped, with the range of its quotes in the text.
    Strings(Vec<(Mapped, std::ops::Range<usize>)>),
    /// Valid JSON, but an array of something else.
    NotStrings,
    /// No JSON: the argument is plain text.
    NotJson,
}

/// Reads the text as a JSON array.
pub(super) fn array(text: &Mapped) -> Array {
    let source = text.text();
    if !source.trim_start().starts_with('[') {
        return Array::NotJson;
    }
    let mut reader = Reader {
        text,
        bytes: source.as_bytes(),
        at: 0,
    };
    match reader.strings() {
        Some(strings) => Array::Strings(strings),
        None if serde_json::from_str::<Vec<IgnoredAny>>(source).is_ok() => Array::NotStrings,
        None => Array::NotJson,
    }
}

struct Reader<'t> {
    text: &'t Mapped,
    bytes: &'t [u8],
    at: usize,
}

impl Reader<'_> {
    fn skip_blanks(&mut self) {
        while matches!(self.bytes.get(self.at), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    /// Takes `byte`, blanks around it skipped, if it comes next.
    fn take(&mut self, byte: u8) -> bool {
        self.skip_blanks();
        let found = self.bytes.get(self.at) == Some(&byte);
        self.at += usize::from(found);
        self.skip_blanks();
        found
    }

    fn strings(&mut self) -> Option<Vec<(Mapped, std::ops::Range<usize>)>> {
        let mut strings = Vec::new();
        if !self.take(b'[') {
            return None;
        }
        if !self.take(b']') {
            loop {
                let start = self.at;
                let string = self.string()?;
                strings.push((string, start..self.at));
                if self.take(b']') {
                    break;
                }
                if !self.take(b',') {
                    return None;
                }
            }
        }
        (self.at == self.bytes.len()).then_some(strings)
    }

    fn string(&mut self) -> Option<Mapped> {
        let mut string = Mapped::default();
        if self.bytes.get(self.at) != Some(&b'"') {
            return None;
        }
        self.at += 1;
        let mut from = self.at;
        loop {
            match self.bytes.get(self.at)? {
                b'"' => {
                    string.append(self.text, from..self.at);
                    self.at += 1;
                    return Some(string);
                }
                b'\\' => {
                    string.append(self.text, from..self.at);
                    let place = self.text.origin(self.at + 1);
                    let character = self.escape()?;
                    string.push(character.encode_utf8(&mut [0; 4]), place);
                    from = self.at;
                }
                0..0x20 => return None,
                _ => self.at += 1,
            }
        }
    }

    /// Decodes the escape at the cursor and goes past it.
    fn escape(&mut self) -> Option<char> {
        let character = match self.bytes.get(self.at + 1)? {
            b'"' => '"',
            b'\\' => '\\',
            b'/' => '/',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => return self.unicode(),
            _ => return None,
        };
        self.at += 2;
        Some(character)
    }

    /// `\uXXXX`, or two of them that make a surrogate pair; a lone surrogate becomes U+FFFD.
    fn unicode(&mut self) -> Option<char> {
        let first = self.unit()?;
        if let Some(character) = char::from_u32(first) {
            return Some(character);
        }
        let before = self.at;
        if (0xd800..0xdc00).contains(&first)
            && self.bytes.get(self.at..self.at + 2) == Some(b"\\u")
            && let second = self.unit()?
            && (0xdc00..0xe000).contains(&second)
        {
            return char::from_u32(0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00));
        }
        self.at = before;
        Some(char::REPLACEMENT_CHARACTER)
    }

    /// The number of the `\uXXXX` at the cursor.
    fn unit(&mut self) -> Option<u32> {
        let digits = self.bytes.get(self.at + 2..self.at + 6)?;
        if !digits.iter().all(u8::is_ascii_hexdigit) {
            return None;
        }
        self.at += 6;
        u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    }
}
