//! Written inputs: pieces in every combination.

/// Instructions that may follow a FROM.
pub const INSTRUCTIONS: &[&str] = &[
    "RUN a b",
    "RUN a && \\\n    b c \\\n  && d",
    "RUN a \\\n  # why\n  && b",
    "RUN a; \\\n\n  b",
    "RUN [\"a\", \"b c\"]",
    "RUN --mount=type=cache,target=/c --network=none a b",
    "RUN pip install \"torch==2.4\" 'x<3'",
    "RUN if [ -n \"$A\" ]; then b; fi",
    "RUN <<EOF\na\nb c\nEOF",
    "RUN <<-'E'\n\ta\n\tE",
    "RUN a <<E >f\nRUN b\nE",
    "RUN a <<<b",
    "RUN a \\  \n b",
    "run a",
    "  RUN a",
    "RUN\ta",
    "ENV A=1",
    "ENV A=1 B=2",
    "ENV A=\"b c\" D='e f'",
    "ENV A=b\\ c D=1",
    "ENV A=1 \\\n    B=2 \\\n    C=3",
    "ENV A b c",
    "ENV A \"b c\"",
    "ENV PATH=/a:$PATH",
    "ENV PATH /a:${PATH}",
    "ENV A=${B:-c}",
    "ENV A= B=2",
    "ENV A_1=x a=y",
    "env A=1",
    "ARG A",
    "ARG A=1",
    "ARG A=\"7.0 8.0\"",
    "ARG A=${B:-7.0 8.0}",
    "ARG A=1 B=2 C",
    "ARG A=b\\ c",
    "ARG A='b=c'",
    "LABEL a=b",
    "LABEL \"a b\"=\"c d\" e=f",
    "LABEL a.b=\"c\" \\\n  d.e='f'",
    "COPY a b",
    "COPY --from=x --chown=a:b c d/",
    "COPY [\"a b\", \"c\"]",
    "COPY a \\\n  b \\\n  c/",
    "COPY <<E /f\nENV A=b\nE",
    "ADD http://x/y /z",
    "WORKDIR /a b",
    "USER a:b",
    "CMD a b",
    "CMD [\"a\", \"b\"]",
    "ENTRYPOINT [\"a\"]",
    "ENTRYPOINT a $B",
    "SHELL [\"bash\", \"-c\"]",
    "EXPOSE 80 443/tcp",
    "VOLUME /a",
    "VOLUME [\"/a\"]",
    "STOPSIGNAL SIGTERM",
    "HEALTHCHECK --interval=5s CMD a",
    "HEALTHCHECK NONE",
    "MAINTAINER a b <c@d>",
    "ONBUILD RUN a",
    "ONBUILD COPY a b",
    "FROM b AS c",
    "FROM --platform=linux/amd64 b:${A}",
    "# a comment",
    "",
];

/// Lines that may begin a Dockerfile.
const BEGINNINGS: &[&str] = &[
    "FROM a",
    "# syntax=docker/dockerfile:1\n\nARG V=1\nFROM a:${V} AS b",
    "# a\n# b\nfrom a as b",
];

/// Dockerfiles: each instruction alone, and each before each of some others, with several beginnings and line breaks.
pub fn dockerfiles() -> Vec<String> {
    let mut files = Vec::new();
    for beginning in BEGINNINGS {
        for instruction in INSTRUCTIONS {
            files.push(format!("{beginning}\n{instruction}\n"));
            files.push(format!("{beginning}\n{instruction}"));
            files.push(format!("{beginning}\n{instruction}\n").replace('\n', "\r\n"));
        }
    }
    for first in INSTRUCTIONS {
        for second in INSTRUCTIONS.iter().step_by(3) {
            files.push(format!("FROM a\n{first}\n{second}\n"));
        }
    }
    files
}

/// Commands that may stand in a list.
pub const COMMANDS: &[&str] = &[
    "a",
    "a b 'c d' \"e f\"",
    "A=1 b",
    "A=1 B=\"c d\"",
    "A=(b 'c d') e",
    "A+=x b",
    "export A=b C",
    "a >b 2>&1",
    "a <b >>c 2>/dev/null",
    "a &>b",
    "a <<<\"b c\"",
    "a | b |& c",
    "! a",
    "time a b",
    "(a; b)",
    "{ a; b; }",
    "if a; then b; fi",
    "if a && b; then c; elif d; then e; else f; fi",
    "for x in a b; do c $x; done",
    "for x in $(a); do b; done",
    "while a; do b; done",
    "until a; do b; done",
    "case $x in a|b) c ;; *) d ;; esac",
    "f() { a; }",
    "function f { a; }",
    "[ a = b ]",
    "[[ a == b && -n $c ]]",
    "((a + 1))",
    "for ((i=0; i<3; i++)); do a; done",
    "a $(b c) \"$(d 'e f')\"",
    "a `b c`",
    "a $((1 + 2)) b",
    "a ${b:-c d} ${e%%.*} ${f/g/h} ${#i}",
    "a \"${b:-\"c d\"}\"",
    "a <(b c)",
    "a $'b\\n' $\"c\"",
    "a b\\ c \\$d",
    "a {b,c} *.d",
    "a b#c '#d'",
    "$a b",
    "\"$a\" b",
    "./a.sh --b=c",
    "env A=1 b",
    "a ${{ matrix.b }} c",
    "echo if then done",
    "cd a && b || c",
    "a; b & c",
    "sudo -E a",
    "if ! a; then { b; }; fi >c",
    "x=$(a | b) c",
];

/// Scripts: each command alone, each joined with each, each inside each of some frames.
pub fn scripts() -> Vec<String> {
    let mut scripts: Vec<String> = COMMANDS.iter().map(|&command| command.to_owned()).collect();
    for (at, first) in COMMANDS.iter().enumerate() {
        for (nth, second) in COMMANDS.iter().enumerate() {
            let join = [
                " && ", " || ", "; ", "\n", " | ", " &\n", "; \\\n  ", " # c\n",
            ][(at + nth) % 8];
            scripts.push(format!("{first}{join}{second}"));
        }
        for frame in [
            "( @ )",
            "{ @; }",
            "if @; then @; fi",
            "x=$( @ )",
            "a \"$( @ )\"",
            "for x in y; do\n@\ndone",
            "case x in\n  y) @ ;;\nesac",
            "f() {\n@\n}",
            "set -ex && \\\n  @",
        ] {
            scripts.push(frame.replace('@', first));
        }
    }
    for body in ["a $b", "$(c)\n\td", ""] {
        for line in ["cat <<E", "cat <<'E' >f", "cat <<E | b && c", "x=$(cat <<E"] {
            let close = if line.starts_with('x') { "\n)" } else { "" };
            scripts.push(format!("{line}\n{body}\nE{close}\nd"));
        }
    }
    scripts
}

/// Keys of YAML maps.
pub const YAML_KEYS: &[&str] = &[
    "a", "on", "\"b c\"", "'d'", "1", "8.0", "e.f/g-h", "$i", "? j\n", "k l", "~", "true", "é",
    "!t m", "&n o",
];

/// Values as CI files write them, and harder ones; lines after the first are indented by who uses them.
pub const YAML_VALUES: &[&str] = &[
    "a",
    "a b",
    "''",
    "\"\"",
    "~",
    "null",
    "true",
    "yes",
    "off",
    "1",
    "010",
    "0x1f",
    "0o17",
    "1_000",
    "8.0",
    "9.0a",
    "1e3",
    ".inf",
    ".nan",
    "-1",
    "+1",
    "12.4.1",
    "2024-01-01",
    "7.0 7.5 8.0+PTX",
    "'7.0;7.5'",
    "\"8.6\"",
    "${{ matrix.cuda }}",
    "$A",
    "'$A'",
    "\"${A}\"",
    "a # b",
    "a#b",
    "a: b",
    "http://a/b:c",
    "'it''s'",
    "\"a\\tb\"",
    "\"\\u00e9\\x41\"",
    "\"a\\\n b\"",
    "\"a\n\n b\"",
    "'a\n b\n\n\n c'",
    "a\nb\nc",
    "a\n\nb",
    "|\na\nb",
    "|-\na\n\nb",
    "|+\na\n\n",
    "|\n\n\na",
    "|2\n  a\n b",
    ">\na\nb",
    ">-\na\n\nb\n  c\nd",
    ">+\na\n",
    "|\na \\\n  b && \\\n  c",
    "|\n# a\nb",
    "|\n  a\n b\nc",
    "[a, b]",
    "[]",
    "{}",
    "{a: b, c: [d]}",
    "[\n  a,\n  'b',\n]",
    "{\n  a: 1,\n  \"b\": 2\n}",
    "[a, [b, [c]]]",
    "{a}",
    "[a: b]",
    "- a\n- b",
    "- a\n-\n- b: c\n  d: e",
    "a: b\nc: d",
    "a:\n- b\n- c\nd:\n  e: f",
    "&x a",
    "&x {a: b}",
    "!!str 5",
    "!!int \"5\"",
    "!reference [a, b]",
    "!t {a: b}",
    "!t a",
    "&x !t a",
    "a:\n  b: &y {c: d}\n  e:\n    <<: *y\n    c: f",
    "a: &y [1, 2]\nb: *y",
    "a: &y {c: 1}\nb: &z {d: 2, c: 3}\ne:\n  <<: [*y, *z]",
    "-a",
    "- -a",
    ":a",
    "?a",
    "a:b",
    "@a",
    "%a",
    "*",
    "a\tb",
    "'a",
    "\"\\q\"",
    "é ü",
    "\u{1f600}",
    "=",
    "a ,b",
    "[a,b , c]",
    "{a: , b}",
    "\"a\": b",
    "? a\n: b\n? c",
    "|\n\ta",
    "key: [a,\n  b]",
    "--- a",
];
