//! What the scanner makes of Dockerfiles, as tables.
use super::super::show;
use super::{Args, Dockerfile, Instruction, RunText, parse, run_text};

/// An instruction on one line: `KEYWORD --flag=value arguments {heredoc}`.
fn instruction(instruction: &Instruction) -> String {
    let mut pieces = vec![instruction.keyword.clone()];
    for flag in &instruction.flags {
        let value = flag
            .value
            .as_ref()
            .map(|value| format!("={}", show::word(value)));
        pieces.push(format!("--{}{}", flag.name, value.unwrap_or_default()));
    }
    pieces.push(match &instruction.args {
        Args::From { image, alias } => {
            let alias = alias.as_ref().map(|(name, _)| format!(" AS {name}"));
            format!("{}{}", show::word(image), alias.unwrap_or_default())
        }
        Args::Pairs(pairs) => {
            let shown = pairs.iter().map(|pair| match &pair.value {
                Some(value) => format!("{}={}", pair.name, show::word(value)),
                None => pair.name.clone(),
            });
            shown.collect::<Vec<_>>().join(" ")
        }
        Args::Shell => instruction.rest.text().to_owned(),
        Args::Exec(words) => format!("[{}]", show::words(words)),
        Args::Words(words) => show::words(words),
        Args::OnBuild(inner) => self::instruction(inner),
        Args::Broken => "?".to_owned(),
    });
    for heredoc in &instruction.heredocs {
        let kind = if heredoc.expand { "" } else { "'" };
        pieces.push(format!(
            "{{{kind}{}:{}}}",
            heredoc.delimiter,
            heredoc.body.text()
        ));
    }
    pieces.join(" ")
}

fn shown(file: &Dockerfile) -> Vec<String> {
    file.instructions.iter().map(instruction).collect()
}

/// Each row: the file after `FROM a`, its instructions, the number of problems.
fn table(rows: &[(&str, &[&str], usize)]) {
    for (text, expected, problems) in rows {
        let file = parse(&format!("FROM a\n{text}"));
        assert_eq!(shown(&file)[1..], **expected, "{text}");
        assert_eq!(
            file.problems.len(),
            *problems,
            "{text}: {:?}",
            file.problems
        );
    }
}

#[test]
fn continuations() {
    table(&[
        ("RUN a \\\n  b", &["RUN a   b"], 0),
        ("RUN a\\\nb", &["RUN ab"], 0),
        ("RUN a \\  \t\n b", &["RUN a  b"], 0),
        ("RUN a \\\n# why\n  # why\n b", &["RUN a  b"], 0),
        ("RUN a \\\n\n  \n b", &["RUN a  b"], 0),
        ("RUN a \\", &["RUN a"], 0),
        ("RUN a \\\n", &["RUN a"], 0),
        ("RUN a \\\n# end", &["RUN a"], 0),
        ("RUN a \\\\\nENV B=c", &["RUN a \\\\", "ENV B=c"], 0),
        ("RU\\\nN a", &["RUN a"], 0),
        ("\\\nRUN a", &["RUN a"], 0),
        ("RUN \\\n a && \\\n b", &["RUN a &&  b"], 0),
        ("RUN a # b \\\n c", &["RUN a # b  c"], 0),
        ("run a\r\nEnv B=c\r\n", &["RUN a", "ENV B=c"], 0),
        ("RUN a \\\r\n  b\r\n", &["RUN a   b"], 0),
        ("  \tRUN a  \n\n\nRUN b\t", &["RUN a", "RUN b"], 0),
        ("RUN a \\\n  FROM b", &["RUN a   FROM b"], 0),
        ("# RUN a \\\nRUN b", &["RUN b"], 0),
    ]);
}

#[test]
fn directives() {
    for (text, expected, problems) in [
        (
            "# escape=`\nFROM a\nRUN b `\n c \\\nRUN d",
            vec!["FROM a", "RUN b  c \\", "RUN d"],
            0,
        ),
        (
            "#escape = ` \nFROM a\nRUN b`\nc",
            vec!["FROM a", "RUN bc"],
            0,
        ),
        (
            "# syntax=x/y:1\n# ESCAPE=`\nFROM a\nENV B=c` d",
            vec!["FROM a", "ENV B=c' 'd"],
            0,
        ),
        (
            "# check=skip=all\n# escape=`\nFROM a\nRUN b`\nc",
            vec!["FROM a", "RUN bc"],
            0,
        ),
        (
            "# hello\n# escape=`\nFROM a\nRUN b`\nRUN c",
            vec!["FROM a", "RUN b`", "RUN c"],
            0,
        ),
        (
            "\n# escape=`\nFROM a\nRUN b`\nRUN c",
            vec!["FROM a", "RUN b`", "RUN c"],
            0,
        ),
        (
            "FROM a\n# escape=`\nRUN b`\nRUN c",
            vec!["FROM a", "RUN b`", "RUN c"],
            0,
        ),
        ("# escape=x\nFROM a", vec!["FROM a"], 1),
        ("# escape=`\n# escape=\\\nFROM a", vec!["FROM a"], 1),
        (
            "\u{feff}# escape=`\r\nFROM a\r\nRUN b`\r\nc",
            vec!["FROM a", "RUN bc"],
            0,
        ),
        ("\u{feff}FROM a", vec!["FROM a"], 0),
    ] {
        let file = parse(text);
        assert_eq!(shown(&file), expected, "{text}");
        assert_eq!(file.problems.len(), problems, "{text}: {:?}", file.problems);
    }
}

#[test]
fn comments_keep_their_order() {
    let file = parse("# syntax=x\n#a\nFROM b # no\nRUN c \\\n  ## d \n e <<E\n# f\nE\n# g");
    let comments: Vec<_> = file
        .comments
        .iter()
        .map(|comment| comment.text.as_str())
        .collect();
    assert_eq!(comments, ["syntax=x", "a", "d", "g"]);
}

#[test]
fn heredocs() {
    table(&[
        ("RUN <<E\na\nE\nRUN b", &["RUN <<E {E:a\n}", "RUN b"], 0),
        ("RUN <<'E'\n$a\nE", &["RUN <<'E' {'E:$a\n}"], 0),
        ("RUN <<\"E\"\n$a\nE", &["RUN <<\"E\" {'E:$a\n}"], 0),
        (
            "RUN <<-E\n\t\ta\n \tb\n\tE\nRUN c",
            &["RUN <<-E {E:a\n \tb\n}", "RUN c"],
            0,
        ),
        (
            "RUN bash -ex <<E >f\na\nE",
            &["RUN bash -ex <<E >f {E:a\n}"],
            0,
        ),
        (
            "RUN cat << 'E' > x\na\nE",
            &["RUN cat << 'E' > x {'E:a\n}"],
            0,
        ),
        (
            "RUN a <<A b <<B\n1\nA\n2\nB",
            &["RUN a <<A b <<B {A:1\n} {B:2\n}"],
            0,
        ),
        ("RUN 3<<E a\n1\nE", &["RUN 3<<E a {E:1\n}"], 0),
        ("RUN a <<<E\nRUN b", &["RUN a <<<E", "RUN b"], 0),
        ("RUN a '<<E'\nRUN b", &["RUN a '<<E'", "RUN b"], 0),
        ("RUN a \"<<E\"\nRUN b", &["RUN a \"<<E\"", "RUN b"], 0),
        ("RUN a=$((1<<2))\nRUN b", &["RUN a=$((1<<2))", "RUN b"], 0),
        ("RUN it's <<E\nRUN b", &["RUN it's <<E", "RUN b"], 0),
        ("RUN a <<\nRUN b", &["RUN a <<", "RUN b"], 0),
        ("RUN <<E\nE\nRUN b", &["RUN <<E {E:}", "RUN b"], 0),
        (
            "RUN <<E\na \\\nE\nRUN b",
            &["RUN <<E {E:a \\\n}", "RUN b"],
            0,
        ),
        (
            "RUN <<E\r\na\r\nE\r\nRUN b",
            &["RUN <<E {E:a\n}", "RUN b"],
            0,
        ),
        ("RUN <<E \\\n a\n1\nE", &["RUN <<E  a {E:1\n}"], 0),
        ("RUN <<E\nFROM b\nE", &["RUN <<E {E:FROM b\n}"], 0),
        ("RUN <<E\na\n E", &["RUN <<E {E:a\n E}"], 1),
        ("RUN <<E", &["RUN <<E {E:}"], 1),
        ("COPY <<E /x\n$a\nE", &["COPY /x {E:$a\n}"], 0),
        (
            "COPY --chmod=1 a <<A <<'B' /x/\n1\nA\n2\nB\nRUN c",
            &["COPY --chmod=1 a /x/ {A:1\n} {'B:2\n}", "RUN c"],
            0,
        ),
        ("ADD << E /x\n1\nE", &["ADD /x {E:1\n}"], 0),
        (
            "ONBUILD RUN <<E\na\nE\nRUN b",
            &["ONBUILD RUN <<E {E:a\n}", "RUN b"],
            0,
        ),
        ("CMD a <<E\nRUN b", &["CMD a <<E", "RUN b"], 0),
        ("ENV A=<<E\nRUN b", &["ENV A=<<E", "RUN b"], 0),
        (
            "RUN [\"a\", \"<<E\"]\nRUN b",
            &["RUN ['a' '<<E']", "RUN b"],
            0,
        ),
    ]);
}

#[test]
fn env_arg_and_label() {
    table(&[
        ("ENV A=1 B=\"2 3\" C=d\\ e", &["ENV A=1 B='2 3' C=d' 'e"], 0),
        ("ENV A b  c", &["ENV A=b  c"], 0),
        ("ENV A \"b c\" d", &["ENV A='b c' d"], 0),
        ("ENV A B=c", &["ENV A=B=c"], 0),
        ("ENV A= B=2", &["ENV A='' B=2"], 0),
        ("ENV A=\"\" B=''", &["ENV A='' B=''"], 0),
        ("ENV A=b\"c d\"e F=g", &["ENV A=b'c d'e F=g"], 0),
        ("ENV a.b=1 X-Y=2", &["ENV a.b=1 X-Y=2"], 0),
        ("ENV A=\"7.0 \\\n 8.0\" B=1", &["ENV A='7.0 '' 8.0' B=1"], 0),
        ("ENV A=7.0 \\\n  B=2", &["ENV A=7.0 B=2"], 0),
        ("ENV A=1 # x", &["ENV A=1"], 2),
        ("ENV A", &["ENV ?"], 1),
        ("ENV", &["ENV ?"], 1),
        ("ENV A=$B${C}d \\$E '$F' \"$G\"", &["ENV A=$B$Cd"], 3),
        (
            "ENV A=$B${C}d E=\\$E F='$F' G=\"$G\\$\\x\"",
            &["ENV A=$B$Cd E='$'E F='$F' G=\"$G\"'$''\\x'"],
            0,
        ),
        (
            "ENV A=${B:-c} D=${E:+f} G=${H-i} J=${K+l}",
            &["ENV A=${B:-c} D=${E:+f} G=${H-i} J=${K+l}"],
            0,
        ),
        (
            "ENV A=${B:?c d} E=${F#g} H=${I%%j} K=${L/m/n} O=${P//q/r}",
            &["ENV A=${B:?} E=${F#g} H=${I%%j} K=${L/m/n} O=${P//q/r}"],
            0,
        ),
        ("ENV A=$(b) C=`d` E=*", &["ENV A=$(b) C=`d` E=*"], 0),
        ("ENV A=$ B=$. C=$$ D=$1", &["ENV A=$ B=$. C=$$ D=$1"], 0),
        ("ENV A=${B^^} C=d", &["ENV A=<${B^^}> C=d"], 1),
        (
            "ENV A={{ b }} C=${{ d }}e",
            &["ENV A=<{{ b }}> C=<${{ d }}>e"],
            0,
        ),
        ("ENV A=\"b", &["ENV A='b'"], 1),
        ("ENV A='b C=d", &["ENV A='b C=d'"], 1),
        ("ENV A=${B C=d", &["ENV A=<${B C=d>"], 2),
        ("ARG A", &["ARG A"], 0),
        ("ARG A=1 B=2 C", &["ARG A=1 B=2 C"], 0),
        ("ARG A=", &["ARG A=''"], 0),
        ("ARG A=${B:-7.0 8.0}", &["ARG A=${B:-7.0 8.0}"], 0),
        ("ARG L=\"7.0 7.5\"", &["ARG L='7.0 7.5'"], 0),
        ("ARG A=\"${B:-\"c d\"}\"", &["ARG A=\"${B:-'c d'}\""], 0),
        ("ARG A='7.0 8.0+PTX'", &["ARG A='7.0 8.0+PTX'"], 0),
        ("LABEL \"a b\"=c d=\"e f\"", &["LABEL a b=c d='e f'"], 0),
        ("LABEL description a b c", &["LABEL description=a b c"], 0),
    ]);
}

#[test]
fn from() {
    for (text, expected, problems) in [
        ("FROM a", "FROM a", 0),
        (
            "FROM --platform=$B a:${V:-x} AS name",
            "FROM --platform=$B a:${V:-x} AS name",
            0,
        ),
        ("from a as B-c.d", "FROM a AS B-c.d", 0),
        ("FROM a@sha256:12 As b", "FROM a@sha256:12 AS b", 0),
        ("FROM \"a\"", "FROM 'a'", 0),
        (
            "FROM {{ base }}:{{ tag }} AS x",
            "FROM <{{ base }}>:<{{ tag }}> AS x",
            0,
        ),
        ("FROM a:${V%+*}", "FROM a:${V%+*}", 0),
        ("FROM a b", "FROM a", 1),
        ("FROM a AS", "FROM a", 1),
        ("FROM", "FROM ?", 1),
    ] {
        let file = parse(text);
        assert_eq!(shown(&file), [expected], "{text}");
        assert_eq!(file.problems.len(), problems, "{text}: {:?}", file.problems);
    }
}

#[test]
fn other_forms() {
    table(&[
        ("RUN [\"a\", \"b c\"]", &["RUN ['a' 'b c']"], 0),
        (
            "RUN [\"sh\",\"-c\",\"\\u0041 \\/ \\n\\\"\"]",
            &["RUN ['sh' '-c' 'A'' ''/ ''\n''\"']"],
            0,
        ),
        ("CMD [\"\\ud83d\\ude00\"]", &["CMD ['😀']"], 0),
        ("RUN [ -d x ] && y", &["RUN [ -d x ] && y"], 0),
        ("RUN ['a']", &["RUN ['a']"], 0),
        ("RUN [\"a\", 1]", &["RUN ?"], 1),
        ("ENTRYPOINT []", &["ENTRYPOINT []"], 0),
        ("CMD", &["CMD "], 0),
        ("CMD [\"$A\"]", &["CMD ['$A']"], 0),
        ("SHELL [\"bash\", \"-c\"]", &["SHELL ['bash' '-c']"], 0),
        ("SHELL bash", &["SHELL ?"], 1),
        ("COPY [\"a b\", \"/c d/\"]", &["COPY [a b /c d/]"], 0),
        ("COPY [\"$A\", \"/c\"]", &["COPY [$A /c]"], 0),
        (
            "COPY --from=b --chown=c:d e f/",
            &["COPY --from=b --chown=c:d e f/"],
            0,
        ),
        ("COPY --link a b", &["COPY --link a b"], 0),
        (
            "RUN --mount=type=cache,target=/c --network=none -- a --b",
            &["RUN --mount=type=cache,target=/c --network=none a --b"],
            0,
        ),
        (
            "RUN --mount=type=secret,id=x \\\n  a",
            &["RUN --mount=type=secret,id=x a"],
            0,
        ),
        (
            "RUN --mount=target=\"a b\" c",
            &["RUN --mount=target='a b' c"],
            0,
        ),
        (
            "RUN --device=nvidia.com/gpu=all a",
            &["RUN --device=nvidia.com/gpu=all a"],
            0,
        ),
        ("WORKDIR /a b/$C", &["WORKDIR /a b/$C"], 0),
        ("USER a:b", &["USER a:b"], 0),
        ("EXPOSE 80 443/tcp", &["EXPOSE 80 443/tcp"], 0),
        (
            "HEALTHCHECK --interval=5s CMD a b",
            &["HEALTHCHECK --interval=5s CMD a b"],
            0,
        ),
        ("HEALTHCHECK", &["HEALTHCHECK ?"], 1),
        ("MAINTAINER O'Brien", &["MAINTAINER 'O'Brien'"], 0),
        ("VOLUME [\"/a\"]", &["VOLUME [/a]"], 0),
        ("ONBUILD ENV A=b", &["ONBUILD ENV A=b"], 0),
        ("ONBUILD ONBUILD RUN a", &["ONBUILD ONBUILD ?"], 1),
        ("FOO bar\nRUN a", &["FOO ?", "RUN a"], 1),
        ("{% if x %}\nRUN a\n{% endif %}", &["RUN a"], 2),
    ]);
}

#[test]
fn template_statements() {
    table(&[
        ("{%- if x %}\nRUN a\n{% endif %}", &["RUN a"], 2),
        ("{{\n def x:\n-}}\nRUN a", &["RUN a"], 1),
        ("{{ steps }}\nRUN a", &["RUN a"], 1),
        ("{% if x %}RUN a\nRUN b", &["RUN a", "RUN b"], 1),
        (
            "RUN a && \\\n{{ if x }}\n b \\\n{{ end }}\n c",
            &["RUN a &&  b  c"],
            2,
        ),
        (
            "RUN a && \\\n{{ b }}\nRUN c",
            &["RUN a && {{ b }}", "RUN c"],
            0,
        ),
        ("{% if\n{% if\nRUN a", &["{% ?", "{% ?", "RUN a"], 2),
    ]);
}

#[test]
fn files_without_a_stage() {
    for (text, expected) in [
        ("", 1),
        ("# only a comment\n", 1),
        ("RUN a\nRUN b", 1),
        ("ARG A=1\nFROM a", 0),
        ("ARG A=1\nENV B=c\nFROM a", 1),
    ] {
        assert_eq!(parse(text).problems.len(), expected, "{text}");
    }
}

#[test]
fn what_the_shell_of_a_run_sees() {
    for (text, expected) in [
        ("RUN a && \\\n b", "a && b"),
        ("RUN <<E\na $b\nc\nE", "a $b ; c"),
        ("RUN <<'E'\na $b\nE", "a $b"),
        ("RUN <<-E\n\tif a; then\n\t\tb\n\tfi\n\tE", "if a then b fi"),
        ("RUN <<E bash -ex\na\nE", "bash -ex <<{'a\n'}"),
        ("RUN bash <<E\na\nE", "bash <<{'a\n'}"),
        ("RUN bash <<'E' && c\n$a\nE", "bash <<{'$a\n'} && c"),
        ("RUN cat <<E > /x && b\n1\nE", "cat <<{'1\n'} >/x && b"),
        (
            "RUN a <<A && b <<-B\n1\nA\n\t2\n\tB",
            "a <<{'1\n'} && b <<{'2\n'}",
        ),
        ("RUN python3 <<E\nimport x\nE", "python3 <<{'import x\n'}"),
        (
            "RUN <<E\n#!/usr/bin/env python3\nimport x\nE",
            "/usr/bin/env python3: #!/usr/bin/env python3\nimport x\n",
        ),
        ("RUN --mount=type=cache,target=/c <<E\na\nE", "a"),
        ("RUN [\"a\"]", "none"),
        ("CMD a b", "a b"),
    ] {
        let file = parse(&format!("FROM a\n{text}"));
        let shown = match run_text(&file.instructions[1]) {
            Some(RunText::Program { interpreter, body }) => {
                format!("{interpreter}: {}", body.text())
            }
            Some(run) => show::script(&run.script().unwrap()),
            None => "none".to_owned(),
        };
        assert_eq!(shown, expected, "{text}");
    }
}

#[test]
fn spans_point_into_the_file() {
    let source = "FROM a\nENV X=1 \\\n  ARCHS=\"7.0 \\\n8.0\"\nRUN <<E\nmake $A\nE\nRUN z";
    let file = parse(source);
    let at = |span: crate::span::Span| &source[span.range()];
    let env = &file.instructions[1];
    assert_eq!(at(env.span), "ENV X=1 \\\n  ARCHS=\"7.0 \\\n8.0\"");
    let Args::Pairs(pairs) = &env.args else {
        panic!("{env:?}")
    };
    assert_eq!(at(pairs[1].span), "ARCHS=\"7.0 \\\n8.0\"");
    let value = pairs[1].value.as_ref().unwrap();
    assert_eq!(at(value.span), "\"7.0 \\\n8.0\"");
    let parts: Vec<_> = value.parts.iter().map(|part| at(part.span())).collect();
    assert_eq!(parts, ["7.0 ", "8.0"]);
    let run = &file.instructions[2];
    assert_eq!(at(run.span), "RUN <<E\nmake $A\nE");
    assert_eq!(at(run.heredocs[0].span), "make $A\n");
    assert_eq!(at(run.heredocs[0].marker), "<<E");
    let script = run_text(run).unwrap().script().unwrap();
    let super::super::shell::Command::Simple(make) = &script.items[0].first.commands[0] else {
        panic!("{script:?}")
    };
    assert_eq!(at(make.span), "make $A");
}

#[test]
fn long_instructions_are_read_whole() {
    let file = parse(&format!("FROM a\nRUN a{}", " \\\n && b c".repeat(10_000)));
    let script = run_text(&file.instructions[1]).unwrap().script().unwrap();
    assert_eq!(
        (script.items.len(), script.items[0].rest.len()),
        (1, 10_000)
    );
    assert_eq!((file.problems.len(), script.problems.len()), (0, 0));

    let file = parse(&format!(
        "FROM a\nRUN a{}\nRUN b",
        " \\\n# c\n\n x".repeat(200_000)
    ));
    assert_eq!((file.instructions.len(), file.comments.len()), (3, 200_000));
    let script = run_text(&file.instructions[1]).unwrap().script().unwrap();
    let super::super::shell::Command::Simple(command) = &script.items[0].first.commands[0] else {
        panic!("no simple command")
    };
    assert_eq!(command.words.len(), 200_001);
}

#[test]
fn limits_end_in_a_problem() {
    for (text, instructions) in [
        ("#\n".repeat(600_000), 0),
        (
            format!("FROM a\nENV A={}y\nRUN b", "xxxxxxxxx\\\n".repeat(1 << 17)),
            3,
        ),
        (format!("FROM a\nENV A={}", "${B:-".repeat(100_000)), 2),
        (format!("FROM a\nRUN --a={}", "`\\".repeat(40_000)), 2),
        (format!("FROM a\nCOPY {}\n", "<<E ".repeat(20_000)), 2),
    ] {
        let file = parse(&text);
        assert_eq!(file.instructions.len(), instructions);
        assert!(!file.problems.is_empty());
        assert!(
            file.problems
                .iter()
                .all(|problem| problem.message.len() < 200)
        );
    }
}
