//! Text from files, made safe to print: what a terminal would obey becomes something that it shows.
use std::borrow::Cow;

/// The text without characters that move the cursor, change colours or reorder what is read. Line breaks go, too.
pub(super) fn plain(text: &str) -> Cow<'_, str> {
    if text.bytes().all(is_printable) || text.chars().all(|c| shown(c) == c) {
        return Cow::Borrowed(text);
    }
    text.chars().map(shown).collect()
}

/// Whether a byte is a character that is shown as it is.
pub(super) fn is_printable(byte: u8) -> bool {
    (b' '..=b'~').contains(&byte)
}

/// What stands for a character: itself, or for a control character its picture.
pub(super) fn shown(c: char) -> char {
    match c {
        '\u{0}'..='\u{1f}' => char::from_u32(0x2400 + c as u32).unwrap_or('\u{fffd}'),
        '\u{7f}' => '\u{2421}',
        '\u{80}'..='\u{9f}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{2069}'
        | '\u{feff}' => '\u{fffd}',
        _ => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_terminal_obeys_is_printed() {
        for (text, expected) in [
            (
                "TORCH_CUDA_ARCH_LIST=\"8.0;9.0\" ñ 漢",
                "TORCH_CUDA_ARCH_LIST=\"8.0;9.0\" ñ 漢",
            ),
            ("\u{1b}[31mred", "␛[31mred"),
            ("a\nb\tc\r", "a␊b␉c␍"),
            ("del\u{7f}", "del␡"),
            ("\u{9b}1m", "\u{fffd}1m"),
            ("evil\u{202e}txt", "evil\u{fffd}txt"),
        ] {
            assert_eq!(plain(text), expected);
        }
    }
}
