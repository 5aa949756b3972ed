use super::*;
use proptest::prelude::*;

/// A value in one line: scalars in `‹›` where they are quoted or block text.
fn show(node: &Node) -> String {
    let shown = match &node.kind {
        Kind::Null => "null".to_owned(),
        Kind::Scalar(scalar) => {
            let text = scalar.text.text().replace('\n', "⏎");
            if scalar.style == Style::Plain {
                text
            } else {
                format!("‹{text}›")
            }
        }
        Kind::List(items) => {
            let items: Vec<_> = items.iter().map(show).collect();
            format!("[{}]", items.join(", "))
        }
        Kind::Map(entries) => {
            let entries: Vec<_> = entries
                .iter()
                .map(|e| format!("{}: {}", show(&e.key), show(&e.value)))
                .collect();
            format!("{{{}}}", entries.join(", "))
        }
    };
    node.tag
        .as_ref()
        .map_or(shown.clone(), |tag| format!("{tag} {shown}"))
}

fn shown(source: &str) -> String {
    let yaml = parse(source);
    assert_eq!(yaml.problems, [], "{source}");
    let documents: Vec<_> = yaml.documents.iter().map(show).collect();
    documents.join(" --- ")
}

#[test]
fn values() {
    for (source, expected) in [
        ("on: push", "{on: push}"),
        (
            "a: 8.0\nb: yes\nc: ~\nd:\ne: ''\nf: null\n",
            "{a: 8.0, b: yes, c: null, d: null, e: ‹›, f: null}",
        ),
        ("\u{feff}a: b\r\nc:\r\n- d\r\n", "{a: b, c: [d]}"),
        ("- a\n-\n- [b, {c: d}]\n", "[a, null, [b, {c: d}]]"),
        ("a\n---\nb\n...\n---\n# nothing\n", "a --- b"),
        (
            "a: !reference [b, c]\nd: !!str 5\ne: !x {f: g}",
            "{a: !reference [b, c], d: ‹5›, e: !x {f: g}}",
        ),
        ("a: &x {b: c}\nd: *x\n", "{a: {b: c}, d: {b: c}}"),
        (
            "a: &x {b: c, d: e}\nf:\n  <<: *x\n  d: g\n",
            "{a: {b: c, d: e}, f: {d: g, b: c}}",
        ),
        (
            "a: &x {b: 1}\nc: &y {b: 2, d: 3}\ne: {<<: [*x, *y]}\n",
            "{a: {b: 1}, c: {b: 2, d: 3}, e: {b: 1, d: 3}}",
        ),
        ("'<<': a", "{‹<<›: a}"),
        ("&k key: *k", "{key: key}"),
        ("? [a, b]\n: c", "{[a, b]: c}"),
        ("a: ${{ b }}\nc: '{{ d }}'", "{a: ${{ b }}, c: ‹{{ d }}›}"),
        ("", ""),
        ("# only a comment", ""),
    ] {
        assert_eq!(shown(source), expected, "{source}");
    }
}

#[test]
fn what_is_wrong_is_told_and_the_rest_is_read() {
    for (source, expected, problems) in [
        (
            "a: 1\nb: 2\na: 3",
            "{b: 2, a: 3}",
            vec!["0..1 the key `a` is there again below, and the last one counts"],
        ),
        (
            "a: *b",
            "{a: null}",
            vec!["3..5 no anchor &b stands before this alias"],
        ),
        (
            "a: &b [*b]",
            "{a: [null]}",
            vec!["7..9 this alias stands for what it is a part of, or for more than is read"],
        ),
        (
            "<<: a\nb: c",
            "{b: c}",
            vec!["0..5 << takes a map or a list of maps"],
        ),
    ] {
        let yaml = parse(source);
        let documents: Vec<_> = yaml.documents.iter().map(show).collect();
        assert_eq!(documents, [expected], "{source}");
        let told: Vec<_> = yaml
            .problems
            .iter()
            .map(|p| format!("{}..{} {}", p.span.start, p.span.end, p.message))
            .collect();
        assert_eq!(told, problems, "{source}");
    }
    let broken = parse("a: [b\n---\nc: d\n");
    assert_eq!(
        broken.documents.iter().map(show).collect::<Vec<_>>(),
        ["{c: d}"]
    );
    assert!(
        broken.problems[0].message.starts_with("not YAML: "),
        "{:?}",
        broken.problems
    );
}

#[test]
fn templates() {
    let source = "name: {{ name }}-x\n{% if cuda %}\nscript:\n  - pip install {{ pin(\"a\") }} {# why #}\n{% endif %}\n";
    let yaml = parse(source);
    assert_eq!(
        yaml.documents.iter().map(show).collect::<Vec<_>>(),
        ["{name: {{ name }}-x, script: [pip install {{ pin(\"a\") }}]}"]
    );
    assert_eq!(yaml.problems.len(), 1, "{:?}", yaml.problems);
    let yaml = parse_template("{% set a = 1 %}\nb: {{ a }}\nb: c\n");
    assert_eq!(
        yaml.documents.iter().map(show).collect::<Vec<_>>(),
        ["{b: c}"]
    );
    assert_eq!(yaml.problems, []);
    let yaml = parse("a: [\n{{ b\n");
    assert_eq!(
        (yaml.documents.len(), yaml.problems.len()),
        (0, 1),
        "one note for what cannot be read"
    );
}

#[test]
fn spans_of_keys_values_and_comments() {
    let source = "# é\nké: \"v\" # c\nrun: |-\n  a\n\n    b\n  # d\n\nl:\n  - x\n  - y\n# e\n";
    let yaml = parse(source);
    let text = |span: Span| &source[span.range()];
    let root = &yaml.documents[0];
    let entries: Vec<_> = root
        .entries()
        .iter()
        .map(|e| (text(e.key.span), text(e.value.span), text(e.span)))
        .collect();
    assert_eq!(
        entries,
        [
            ("ké", "\"v\"", "ké: \"v\""),
            ("run", "a\n\n    b\n  # d", "run: |-\n  a\n\n    b\n  # d"),
            ("l", "- x\n  - y", "l:\n  - x\n  - y"),
        ]
    );
    let comments: Vec<_> = yaml.comments.iter().map(|&span| text(span)).collect();
    assert_eq!(comments, ["# é", "# c", "# d", "# e"]);
    let run = root.get("run").and_then(Node::scalar).unwrap();
    let b = run.text().find('b').unwrap();
    assert_eq!(text(run.span(b, b + 1)), "b");
    assert_eq!(run.text(), "a\n\n  b\n# d");
}

/// Every byte of every scalar stands where it is said to, but for decoded escapes and folded breaks.
#[test]
fn bytes_of_scalars() {
    for source in [
        "a b",
        "a\n  b\n\n  c  \n d",
        "'it''s'",
        "'a\n  b\n\n\n  c ''d'' '",
        r#""a\tb\"c\\""#,
        r#""\u00e9\x41\U0001F600\uD83D\uDE00\N""#,
        "\"a \\\n  b\\\n\n   c\\  \n  d\"",
        "|\n a\n  b\n\n\n c\n",
        "|+\n\n\n a\n\n\n",
        "|2-\n   a\n  b\n",
        "|\n a\n  \n b",
        "|\r\n a\r\n\r\n  b\r\n",
        ">\n a\n b\n\n c\n   d\n   e\n\n f\n",
        ">-\n\n a\n \tb\n c  \n d",
        ">\n \n\n a é\n b\n",
        "|\n {{ a }}\n  {{ b }}\n",
        "|\n a   \n\n  \n",
        "|-  # why\n  a",
        "&x !y |\n  a\n",
    ] {
        for (before, after) in [("", ""), ("k: ", ""), ("- - ", ""), ("k:\n  - ", "\nz:\n")] {
            let indented = source.replace('\n', if before.is_empty() { "\n" } else { "\n      " });
            let source = format!("{before}{indented}{after}");
            let yaml = parse(&source);
            assert_eq!(yaml.problems, [], "{source}");
            let mut exact = true;
            yaml.documents
                .iter()
                .for_each(|node| exact &= placed(node, &source));
            assert!(exact, "{source:?}");
        }
    }
}

/// Whether all scalars have their places: what differs from the file is an escaped character or a folded break.
fn placed(node: &Node, source: &str) -> bool {
    let children = match &node.kind {
        Kind::Null => return true,
        Kind::Scalar(scalar) => {
            return scalar.text.text().char_indices().all(|(at, char)| {
                let from = scalar.text.origin(at) as usize;
                let bytes = source.as_bytes();
                let there = source
                    .get(from..)
                    .is_some_and(|rest| rest.starts_with(char));
                let escaped = from > 0 && bytes[from - 1] == b'\\';
                let folded = char.is_whitespace() && bytes[from].is_ascii_whitespace();
                there || escaped || folded
            });
        }
        Kind::List(items) => items.iter().collect::<Vec<_>>(),
        Kind::Map(entries) => entries.iter().flat_map(|e| [&e.key, &e.value]).collect(),
    };
    children.into_iter().all(|child| placed(child, source))
}

/// Counts values, for what may grow.
fn count(node: &Node) -> usize {
    let children: usize = match &node.kind {
        Kind::Null | Kind::Scalar(_) => 0,
        Kind::List(items) => items.iter().map(count).sum(),
        Kind::Map(entries) => entries
            .iter()
            .map(|e| count(&e.key) + count(&e.value))
            .sum(),
    };
    1 + children
}

#[test]
fn blank_text_in_a_block_stands_where_it_is() {
    for source in [
        "|2\n\n    \n|\n  ",
        "|2\n\n    \r\n|\n  ",
        "a: |+ # b\n\n \nc: d\n",
    ] {
        for node in &parse(source).documents {
            assert!(placed(node, source), "{source:?}");
        }
    }
}

#[test]
fn hostile_input_ends_in_a_note_within_bounds() {
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..10 {
        let before = level - 1;
        let aliases = vec![format!("*a{before}"); 10].join(", ");
        bomb.push_str(&format!("a{level}: &a{level} [{aliases}]\n"));
    }
    let merges = format!(
        "a: &a {{{}}}\n{}",
        (0..1000)
            .map(|n| format!("k{n}: v"))
            .collect::<Vec<_>>()
            .join(", "),
        "b: {<<: *a}\n".repeat(1000)
    );
    let deep: String = (1..2000)
        .map(|n| format!("- &b{n} [[[[[[*b{}]]]]]]\n", n - 1))
        .collect();
    let cases = [
        ("lists", "[".repeat(50_000)),
        ("dashes", "- ".repeat(50_000)),
        ("maps", "{a: ".repeat(4_000)),
        (
            "indented maps",
            (0..4_000)
                .map(|n| format!("{}a:\n", " ".repeat(n)))
                .collect(),
        ),
        ("aliases", bomb),
        ("merges", merges),
        ("deep aliases", format!("- &b0 x\n{deep}")),
        (
            "anchored text",
            format!(
                "a: &a {}\n{}",
                "x".repeat(1 << 20),
                (0..200).map(|n| format!("b{n}: *a\n")).collect::<String>()
            ),
        ),
        ("twins", "a: b\n".repeat(50_000)),
        ("keys", "? ".repeat(50_000)),
        ("tags", "!a ".repeat(50_000)),
        ("templates", "a: {{ b }} {% c %}\n  [".repeat(20_000)),
    ];
    for (name, source) in cases {
        let yaml = parse(&source);
        assert!(!yaml.problems.is_empty(), "{name} ends without a note");
        assert!(
            yaml.problems
                .iter()
                .all(|p| source.get(p.span.range()).is_some()),
            "{name}"
        );
        let values: usize = yaml.documents.iter().map(count).sum();
        assert!(values < 600_000, "{name} became {values} values");
    }
}

#[test]
fn long_input_is_read() {
    let comments = format!("a:\n{}  b: c\n", "  # d\n".repeat(10_000));
    assert_eq!(shown(&comments), "{a: {b: c}}");
    let long = "x y\\n'".repeat(200_000);
    for source in [
        format!("a: \"{long}\""),
        format!("a: |\n  {long}"),
        format!("a: >\n  {}", "x\n  ".repeat(300_000)),
        format!("a: '{}'", "''".repeat(500_000)),
    ] {
        let yaml = parse(&source);
        assert_eq!(yaml.problems, []);
        assert!(yaml.documents.iter().all(|node| placed(node, &source)));
    }
}

proptest! {
    #[test]
    fn any_text_at_all(source in proptest::collection::vec(proptest::sample::select(PIECES), 0..40).prop_map(|pieces| pieces.concat())) {
        for yaml in [parse(&source), parse_template(&source)] {
            for node in &yaml.documents {
                prop_assert!(placed(node, &source), "{source:?}");
            }
            for span in yaml.comments.iter().copied().chain(yaml.problems.iter().map(|p| p.span)) {
                prop_assert!(source.get(span.range()).is_some(), "{source:?}");
            }
        }
    }
}

/// Pieces of YAML that meet in every order.
const PIECES: &[&str] = &[
    "a", "é", "b: ", "- ", "\n", "\n  ", "\n    ", "\r\n", "|\n  ", "|-\n", ">\n  ", ">+\n", "'",
    "''", "\"", "\\", "\\n", "\\\n", "\\u00e9", "[", "]", "{", "}", ", ", "&x ", "*x", "<<: ",
    "!t ", "# c", "? ", ": ", "---\n", "...\n", "%", "{{ x }}", "{% if %}", "\t", " ", "\u{feff}",
    "~", "|2\n",
];
