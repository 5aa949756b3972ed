//! Breaking text into lines.

/// Breaks each line of a text between words so that it has at most `width` characters, where it can. What stands between
/// backticks is to be copied and stays whole.
pub(super) fn wrap(text: &str, width: usize) -> String {
    text.lines()
        .map(|line| wrap_line(line, width))
        .collect::<Vec<_>>()
        .join("\n")
}

fn wrap_line(line: &str, width: usize) -> String {
    let mut wrapped = String::new();
    let mut columns = 0;
    for word in words(line) {
        let length = word.chars().count();
        if columns > 0 && columns + 1 + length > width {
            wrapped.push('\n');
            columns = 0;
        } else if columns > 0 {
            wrapped.push(' ');
            columns += 1;
        }
        wrapped.push_str(word);
        columns += length;
    }
    wrapped
}

/// The words of a line; spaces between backticks do not separate.
fn words(line: &str) -> impl Iterator<Item = &str> {
    let mut quoted = false;
    line.split(move |c: char| {
        quoted ^= c == '`';
        c == ' ' && !quoted
    })
    .filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_words_only() {
        for (text, width, expected) in [
            ("", 10, ""),
            ("one", 10, "one"),
            ("one two three", 7, "one two\nthree"),
            ("one two three", 8, "one two\nthree"),
            ("one  two", 20, "one two"),
            (
                "pip install --no-build-isolation x",
                14,
                "pip install\n--no-build-isolation\nx",
            ),
            ("write `ENV A=1 B=2` here", 12, "write\n`ENV A=1 B=2`\nhere"),
            ("a\nb", 10, "a\nb"),
        ] {
            assert_eq!(wrap(text, width), expected, "{text}");
        }
    }
}
