//! `pyproject.toml`: who builds the project, and what it passes to CMake. Keys are found line by line under their table's
//! head; a value that goes on over lines counts where each of its lines can be read alone.
use crate::actions::Named;
use crate::span::Span;
use crate::walk::value::{Site, Value};

/// What a `pyproject.toml` says of the build.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Pyproject {
    /// The project's name.
    pub name: Option<String>,
    /// `build-backend`.
    pub backend: Option<String>,
    /// The build backend lies in the project itself, or runs code of the project.
    pub own_code: bool,
    /// Defines that scikit-build-core passes to CMake.
    pub defines: Vec<Named>,
    /// The folder of `CMakeLists.txt`.
    pub cmake_dir: Option<String>,
}

/// Reads a `pyproject.toml`, the run's file of this number.
pub fn read(text: &str, file: u16) -> Pyproject {
    let mut found = Pyproject::default();
    let mut table = String::new();
    let mut list = String::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let trimmed = line.trim();
        if trimmed.starts_with('[')
            && trimmed.ends_with(']')
            && !trimmed.contains('=')
            && list.is_empty()
        {
            table = trimmed.trim_matches(['[', ']']).to_owned();
            found.own_code |= table.starts_with("tool.hatch.build") && table.contains("hooks");
            continue;
        }
        let head = trimmed
            .split_once('=')
            .filter(|(key, _)| is_key(key.trim()));
        let key = match head {
            Some((key, value)) => {
                let opens = value.trim_start().starts_with('[') && !value.contains(']');
                let name = key.trim().trim_matches('"').to_owned();
                list = if opens { name.clone() } else { String::new() };
                name
            }
            None => list.clone(),
        };
        if head.is_none() && trimmed.starts_with(']') {
            list.clear();
        }
        let mut strings = strings(line, start);
        if let Some((key_text, _)) = head
            && key_text.contains('"')
        {
            strings.remove(0);
        }
        found.key(&table, &key, &strings, trimmed, file);
    }
    found
}

impl Pyproject {
    fn key(&mut self, table: &str, key: &str, strings: &[(String, Span)], line: &str, file: u16) {
        let first = strings.first();
        let text = || first.map(|(text, _)| text.clone());
        let path = format!("{table}.{key}");
        match path.as_str() {
            "project.name" | "tool.poetry.name" => self.name = text(),
            "build-system.build-backend" => self.backend = text(),
            "build-system.backend-path"
            | "tool.poetry.build"
            | "tool.poetry.build.script"
            | "tool.pdm.build.custom-hook"
            | "tool.setuptools.ext-modules" => self.own_code = true,
            "tool.scikit-build.cmake.source-dir" => self.cmake_dir = text(),
            "tool.scikit-build.cmake.args" => {
                for (text, span) in strings {
                    if let Some((name, value)) =
                        text.strip_prefix("-D").and_then(|d| d.split_once('='))
                    {
                        let from = span.end as usize - value.len();
                        self.define(
                            name.split(':').next().unwrap_or(name),
                            value,
                            Span::new(from, span.end as usize),
                            file,
                        );
                    }
                }
            }
            _ => {
                if let Some(name) = path.strip_prefix("tool.scikit-build.cmake.define.") {
                    match first {
                        Some((value, span)) => self.define(name, value, *span, file),
                        None if line.ends_with("true") => {
                            self.define(name, "ON", Span::default(), file)
                        }
                        None if line.ends_with("false") => {
                            self.define(name, "OFF", Span::default(), file)
                        }
                        None => {}
                    }
                }
            }
        }
    }

    fn define(&mut self, name: &str, value: &str, span: Span, file: u16) {
        let site = (!span.is_empty()).then_some(Site { file, span });
        self.defines.push(Named {
            name: name.to_owned(),
            value: Value::literal(value, site),
        });
    }
}

fn is_key(key: &str) -> bool {
    !key.is_empty()
        && key
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.' | b'"'))
}

/// The strings of a line, without escapes, and where they stand.
fn strings(line: &str, start: usize) -> Vec<(String, Span)> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(open) = line[from..].find(['"', '\'', '#']) {
        let open = from + open;
        let quote = &line[open..=open];
        if quote == "#" {
            break;
        }
        let Some(length) = line[open + 1..].find(quote) else {
            break;
        };
        let inside = open + 1..open + 1 + length;
        found.push((
            line[inside.clone()].to_owned(),
            Span::new(start + inside.start, start + inside.end),
        ));
        from = inside.end + 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_build_is_found() {
        let text = "[build-system]\r\nrequires = [\n  \"scikit-build-core>=0.8\", # x = 1\n]\nbuild-backend = \"scikit_build_core.build\"\n\
                    [project]\nname = 'warp'\n[tool.scikit-build]\ncmake.source-dir = \"native\"\ncmake.args = [\n  \"-DA:STRING=80;90\",\n]\n\
                    [tool.scikit-build.cmake.define]\n\"B\" = \"ON\"\nC = true\n";
        let found = read(text, 3);
        assert_eq!(found.backend.as_deref(), Some("scikit_build_core.build"));
        assert_eq!(found.name.as_deref(), Some("warp"));
        assert_eq!(found.cmake_dir.as_deref(), Some("native"));
        let defines: Vec<String> = found
            .defines
            .iter()
            .map(|d| format!("{}={}", d.name, d.value.sketch()))
            .collect();
        assert_eq!(defines, ["A=80;90", "B=ON", "C=ON"]);
        let span = found.defines[0].value.site().unwrap().span;
        assert_eq!(&text[span.range()], "80;90");
        for odd in [
            "",
            "[",
            "= 1",
            "a = \"",
            "[build-system]\nbuild-backend = 3",
            "é = \"ü",
        ] {
            assert_eq!(read(odd, 1).backend, None, "{odd}");
        }
    }
}
