//! Batch files, as far as they do what shell text does: rewritten as shell text whose bytes keep their places.
use super::mapped::Mapped;

/// The script as shell text: settings and commands; conditions and labels are left out.
pub fn as_shell(text: &Mapped) -> Mapped {
    let mut out = Mapped::default();
    let mut at = 0;
    for line in text.text().split_inclusive('\n') {
        let start = at + (line.len() - line.trim_start().len());
        at += line.len();
        let end = start + line.trim().len();
        statement(text, start, end, &mut out);
        out.push_all_from("\n", text.origin(end));
    }
    out
}

fn statement(text: &Mapped, from: usize, to: usize, out: &mut Mapped) {
    let line = text.text().get(from..to).unwrap_or_default();
    let line = line.trim_start_matches('@');
    let from = to - line.len();
    let lower = line.to_ascii_lowercase();
    let first = lower.split([' ', '(']).next().unwrap_or_default();
    match first {
        "" | "rem" | "echo" if !line.contains('>') => {}
        "if" | "for" | "goto" | "setlocal" | "endlocal" | "exit" | ")" => {}
        _ if line.starts_with(':') => {}
        "call" => copy(text, from + "call ".len().min(line.len()), to, out),
        "set" => set(text, from, to, out),
        _ => copy(text, from, to, out),
    }
}

/// `set NAME=value`, `set "NAME=value"`: the value goes on to the end of the line.
fn set(text: &Mapped, from: usize, to: usize, out: &mut Mapped) {
    let line = text.text().get(from..to).unwrap_or_default();
    let rest = line["set".len()..].trim_start();
    let rest = rest
        .strip_prefix('"')
        .map_or(rest, |inner| inner.strip_suffix('"').unwrap_or(inner));
    let start = rest.as_ptr() as usize - text.text().as_ptr() as usize;
    let Some((name, value)) = rest
        .split_once('=')
        .filter(|(name, _)| !name.starts_with('/'))
    else {
        return;
    };
    let value_at = start + name.len() + 1;
    out.push_all_from("export ", text.origin(from));
    out.append(text, start..value_at);
    out.push_all_from("\"", text.origin(value_at));
    copy(text, value_at, value_at + value.len(), out);
    out.push_all_from("\"", text.origin(value_at));
}

/// Bytes as they are, but for variables, continuations and the separators of paths.
fn copy(text: &Mapped, from: usize, to: usize, out: &mut Mapped) {
    let mut done = from;
    let mut at = from;
    while at < to {
        let rest = text.text().get(at..to).unwrap_or_default();
        let variable = rest.strip_prefix('%').and_then(|rest| {
            let name = rest
                .split('%')
                .next()
                .filter(|name| name.len() < rest.len())?;
            let is_name =
                !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
            is_name.then_some(name)
        });
        let (length, instead) = if let Some(name) = variable {
            (name.len() + 2, Some(format!("${{{name}}}")))
        } else if rest == "^" {
            (1, Some("\\".to_owned()))
        } else if rest.starts_with('\\') {
            (1, Some("/".to_owned()))
        } else if rest.starts_with("${{") {
            (rest.find("}}").map_or(3, |end| end + 2), None)
        } else {
            (rest.chars().next().map_or(1, char::len_utf8), None)
        };
        if let Some(instead) = instead {
            out.append(text, done..at);
            out.push_all_from(&instead, text.origin(at));
            done = at + length;
        }
        at += length;
    }
    out.append(text, done..to.max(done));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batch_as_shell() {
        for (text, expected) in [
            ("set A=8.0;9.0", "export A=\"8.0;9.0\""),
            ("set \"A=%B% x\"", "export A=\"${B} x\""),
            ("set /p A=x", ""),
            ("call b.bat x", "b.bat x"),
            ("cmake .. ^\n -DA=%A%", "cmake .. \\\n-DA=${A}"),
            ("echo A=1>> %GITHUB_ENV%", "echo A=1>> ${GITHUB_ENV}"),
            (
                "@echo off\nrem x\nif exist y (\n pip install .\n)",
                "\n\n\npip install .",
            ),
            ("python tools\\setup.py", "python tools/setup.py"),
        ] {
            let shell = as_shell(&Mapped::verbatim(text, 10));
            assert_eq!(shell.text().trim_end(), expected, "{text}");
        }
    }
}
