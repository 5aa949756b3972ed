//! PowerShell, as far as it does what shell text does: rewritten as shell text whose bytes keep their places.
use super::mapped::Mapped;

/// What a test that is not understood becomes: one whose answer nobody knows.
const UNKNOWN_TEST: &str = "[ -f ? ]";

/// What a value that is computed becomes.
const COMPUTED: &str = "\"$(computed)\"";

/// The script as shell text: settings, commands, conditions; what is neither is left out.
pub fn as_shell(text: &Mapped) -> Mapped {
    let mut writer = Writer {
        text,
        out: Mapped::default(),
        open: Vec::new(),
    };
    let source = text.text();
    let mut start = 0;
    let mut end = 0;
    for line in source.split_inclusive('\n') {
        end += line.len();
        let statement = source.get(start..end).unwrap_or_default();
        // a backtick continues the line, and so does an open parenthesis
        if !line.trim_end().ends_with('`') && !is_open(statement) {
            writer.line(start, end);
            start = end;
        }
    }
    if start < end {
        writer.line(start, end);
    }
    writer.out
}

/// Whether a parenthesis is not closed yet. One that is never closed ends with the statement that is long past any real one.
fn is_open(statement: &str) -> bool {
    const LONGEST: usize = 4096;
    let mut depth = 0_i32;
    let mut quote = None;
    for c in statement.chars() {
        match (quote, c) {
            (Some(q), _) if q == c => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '#') => return false,
            (None, '(') => depth += 1,
            (None, ')') => depth -= 1,
            _ => {}
        }
    }
    depth > 0 && statement.len() < LONGEST
}

struct Writer<'t> {
    text: &'t Mapped,
    out: Mapped,
    /// What closes the blocks that are open.
    open: Vec<&'static str>,
}

impl Writer<'_> {
    /// One logical line: the bytes `start..end`.
    fn line(&mut self, start: usize, end: usize) {
        let source = self.text.text();
        let whole = source.get(start..end).unwrap_or_default();
        let from = start + (whole.len() - whole.trim_start().len());
        let to = start + whole.trim_end().len();
        if from < to {
            self.statement(from, to);
        }
        self.insert("\n", to.min(source.len()));
    }

    fn statement(&mut self, mut from: usize, to: usize) {
        let text = self.text.text();
        let at = |from: usize| text.get(from..to).unwrap_or_default();
        if at(from).starts_with('}') {
            from += 1 + at(from + 1).len() - at(from + 1).trim_start().len();
            if !at(from).to_ascii_lowercase().starts_with("else") {
                let closer = self.open.pop().unwrap_or(":");
                self.insert(closer, from.min(to));
                self.insert(";", from.min(to));
                if from < to {
                    self.statement(from, to);
                }
                return;
            }
        }
        let line = at(from);
        let lower = line.to_ascii_lowercase();
        let block = line.find('{').filter(|_| is_keyword(&lower));
        if let Some(brace) = block {
            return self.block(&lower, from, brace, to);
        }
        if let Some((name, operator, value)) = assignment(line) {
            return self.assign(&name, operator, from + value, to);
        }
        if lower.starts_with("param") || lower.starts_with("function ") || lower.starts_with("@") {
            return;
        }
        // a string by itself is printed
        if line.starts_with(['"', '\'']) {
            self.insert("echo ", from);
        }
        let skip = ["write-output ", "write-host "]
            .iter()
            .find(|word| lower.starts_with(**word));
        if let Some(word) = skip {
            self.insert("echo ", from);
            from += word.len();
        } else if let Some(rest) = line.strip_prefix("& ") {
            from = to - rest.len();
        }
        self.command(from, to);
    }

    /// `if (…) {`, `foreach (…) {`, with what follows the brace.
    fn block(&mut self, lower: &str, from: usize, brace: usize, to: usize) {
        let condition = self.text.text().get(from..from + brace).unwrap_or_default();
        let (opener, closer) = if lower.starts_with("if") {
            (format!("if {}; then ", test(condition)), "fi")
        } else if lower.starts_with("elseif") {
            (format!("elif {}; then ", test(condition)), "")
        } else if lower.starts_with("else") {
            ("else ".to_owned(), "")
        } else {
            ("{ ".to_owned(), "}")
        };
        self.insert(&opener, from);
        if !closer.is_empty() {
            self.open.push(closer);
        }
        let text = self.text.text();
        let inside = from + brace + 1;
        let rest = text.get(inside..to).unwrap_or_default();
        let inner = rest.trim_end().strip_suffix('}');
        let length = inner.unwrap_or(rest).trim().len();
        let first = inside + (rest.len() - rest.trim_start().len());
        if length > 0 {
            self.statement(first, (first + length).min(to));
        } else {
            self.insert(":", inside.min(to));
        }
        self.insert(";", to);
        if inner.is_some() {
            let closer = self.open.pop().unwrap_or_default();
            self.insert(closer, to);
        }
    }

    /// `$env:NAME = "value"`
    fn assign(&mut self, name: &str, operator: &str, value: usize, to: usize) {
        let export = if name.len() > 4 && begins(name, "env:") {
            "export "
        } else {
            ""
        };
        let name = name.rsplit(':').next().unwrap_or(name);
        self.insert(&format!("{export}{name}{operator}"), value);
        let text = self.text.text().get(value..to).unwrap_or_default();
        let parts: Vec<&str> = text.split(" + ").map(str::trim).collect();
        if !parts.iter().all(|part| is_one_value(part)) {
            return self.insert(COMPUTED, value);
        }
        for part in parts {
            let start = part.as_ptr() as usize - self.text.text().as_ptr() as usize;
            let bare = part.starts_with('$');
            if bare {
                self.insert("\"", start);
            }
            self.copy(start, start + part.len());
            if bare {
                self.insert("\"", start + part.len());
            }
        }
    }

    /// A command; `| Out-File $env:GITHUB_ENV -Append` appends to a file.
    fn command(&mut self, from: usize, to: usize) {
        let text = self.text.text().get(from..to).unwrap_or_default();
        let lower = text.to_ascii_lowercase();
        let piped = ["| out-file", "| add-content", "| tee-object"]
            .iter()
            .find_map(|pipe| Some((lower.find(pipe)?, pipe.len())));
        let Some((pipe, length)) = piped else {
            return self.copy(from, to);
        };
        self.copy(from, from + pipe);
        let rest = from + pipe + length;
        let words = self.text.text().get(rest..to).unwrap_or_default();
        let target = words
            .split_whitespace()
            .find(|word| !word.starts_with('-') && !is_encoding(word));
        if let Some(target) = target {
            let start = target.as_ptr() as usize - self.text.text().as_ptr() as usize;
            self.insert(" >> ", rest.min(to));
            self.copy(start, start + target.len());
        }
    }

    /// Bytes as they are, but for what the shell would take otherwise.
    fn copy(&mut self, from: usize, to: usize) {
        let text = self.text.text();
        let mut done = from;
        let mut at = from;
        while at < to {
            let rest = text.get(at..to).unwrap_or_default();
            let (length, instead) = if rest.starts_with("${{") {
                (rest.find("}}").map_or(3, |end| end + 2), None)
            } else if rest.len() > 5 && begins(rest, "$env:") {
                (5, Some("$"))
            } else if rest.len() > 6 && begins(rest, "${env:") {
                (6, Some("${"))
            } else if let Some(escaped) = rest.strip_prefix('`') {
                // before a line break it continues the line, elsewhere it escapes
                let breaks = escaped.starts_with(['\n', '\r']);
                (1, Some(if breaks { "\\" } else { "" }))
            } else if rest.starts_with('\\') {
                (1, Some("/"))
            } else {
                (rest.chars().next().map_or(1, char::len_utf8), None)
            };
            if let Some(instead) = instead {
                self.out.append(self.text, done..at);
                self.insert(instead, at);
                done = at + length;
            }
            at += length;
        }
        self.out
            .append(self.text, done..to.max(done).min(text.len()));
    }

    fn insert(&mut self, text: &str, at: usize) {
        let origin = self.text.origin(at);
        self.out.push_all_from(text, origin);
    }
}

fn is_encoding(word: &str) -> bool {
    ["utf8", "utf-8", "ascii", "utf8nobom", "unicode"]
        .iter()
        .any(|name| word.eq_ignore_ascii_case(name))
}

fn is_keyword(lower: &str) -> bool {
    [
        "if", "else", "foreach", "for", "while", "try", "catch", "finally", "switch",
    ]
    .iter()
    .any(|word| {
        lower
            .strip_prefix(word)
            .is_some_and(|rest| rest.starts_with([' ', '(', '{']) || rest.starts_with("if"))
    })
}

/// `$env:NAME = value`: the name, the shell's operator, and where the value begins.
fn assignment(line: &str) -> Option<(String, &'static str, usize)> {
    let rest = line.strip_prefix('$')?;
    let length = rest.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | ':')))?;
    let name = rest.get(..length)?;
    let after = rest.get(length..)?;
    let trimmed = after.trim_start();
    let (operator, value) = match trimmed.strip_prefix("+=") {
        Some(value) => ("+=", value),
        None => ("=", trimmed.strip_prefix('=')?),
    };
    let value = value.trim_start();
    (!name.is_empty() && !value.starts_with('='))
        .then(|| (name.to_owned(), operator, line.len() - value.len()))
}

/// A string, a number or another variable, and nothing else.
fn is_one_value(text: &str) -> bool {
    let text = text.trim();
    for quote in ['"', '\''] {
        if let Some(rest) = text.strip_prefix(quote) {
            return rest
                .strip_suffix(quote)
                .is_some_and(|inner| !inner.contains(quote) && !inner.contains("$("));
        }
    }
    let word = |c: char| c.is_ascii_alphanumeric() || "_.:$;+-".contains(c);
    !text.is_empty()
        && (text.chars().all(word) || (text.starts_with("${{") && text.ends_with("}}")))
}

/// `($a -eq 'b')` as a test of the shell.
fn test(condition: &str) -> String {
    let inner = condition
        .split_once('(')
        .and_then(|(_, rest)| rest.rsplit_once(')'))
        .map_or("", |(inner, _)| inner.trim());
    let parts = [(" -eq ", "="), (" -ne ", "!=")]
        .iter()
        .find_map(|(word, operator)| Some((inner.split_once(word)?, operator)));
    match parts {
        Some(((left, right), operator)) if is_one_value(left) && is_one_value(right) => {
            let shell = |side: &str| side.trim().replace("$env:", "$").replace("$Env:", "$");
            let quoted = |side: &str| {
                let side = shell(side);
                if side.starts_with(['"', '\'']) {
                    side
                } else {
                    format!("\"{side}\"")
                }
            };
            format!("[ {} {operator} {} ]", quoted(left), quoted(right))
        }
        _ => UNKNOWN_TEST.to_owned(),
    }
}

/// Whether a text begins with a word, in letters of either case.
fn begins(text: &str, word: &str) -> bool {
    let start = text.get(..word.len());
    start.is_some_and(|start| start.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powershell_as_shell() {
        for (text, expected) in [
            ("pip install .", "pip install ."),
            ("$env:A = \"8.0;9.0\"", "export A=\"8.0;9.0\""),
            ("$Env:A='x'", "export A='x'"),
            ("$env:A += \" x\"", "export A+=\" x\""),
            ("$a = 12", "a=12"),
            ("$env:A = $env:A + ' b'", "export A=\"$A\"' b'"),
            (
                "$a = @(\n (b 'c)'),\n d\n)\nmake",
                "a=\"$(computed)\"\nmake",
            ),
            ("$a = (Get-Item x).Name", "a=\"$(computed)\""),
            ("$env:A = ${{ matrix.x }}", "export A=\"${{ matrix.x }}\""),
            ("$env:A = '${{ matrix.x }}'", "export A='${{ matrix.x }}'"),
            ("cmake .. `\n  -DA=\"$env:A\"", "cmake .. \\\n  -DA=\"$A\""),
            ("\"A=1\" >> $env:GITHUB_ENV", "echo \"A=1\" >> $GITHUB_ENV"),
            (
                "Write-Output \"A=1\" | Out-File -FilePath $env:GITHUB_ENV -Encoding utf8 -Append",
                "echo \"A=1\"  >> $GITHUB_ENV",
            ),
            (
                "echo \"A=1\" | Add-Content $env:GITHUB_ENV",
                "echo \"A=1\"  >> $GITHUB_ENV",
            ),
            ("& .\\b.ps1 x", "./b.ps1 x"),
            (
                "if ($env:A -eq 'b') { make }",
                "if [ \"$A\" = 'b' ]; then make;fi",
            ),
            (
                "if (Test-Path x) {\n  a\n} else {\n  b\n}",
                "if [ -f ? ]; then :;\na\nelse :;\nb\nfi;",
            ),
            ("foreach ($x in $y) {\n a\n}", "{ :;\na\n};"),
        ] {
            let shell = as_shell(&Mapped::verbatim(text, 10));
            assert_eq!(shell.text().trim_end(), expected, "{text}");
        }
    }

    #[test]
    fn bytes_keep_their_places() {
        let text = "$env:A = 'b'\npython setup.py";
        let shell = as_shell(&Mapped::verbatim(text, 100));
        let at = shell.text().find("setup.py").unwrap();
        assert_eq!(
            shell.origin(at) as usize,
            100 + text.find("setup.py").unwrap()
        );
    }
}
