//! What the shell reader makes of shell text, as tables: text, the tree on one line, the number of problems.
use super::super::mapped::Mapped;
use super::super::show;
use super::{parse, words};

fn table(rows: &[(&str, &str, usize)]) {
    for (text, expected, problems) in rows {
        let script = parse(&Mapped::verbatim(text, 0));
        assert_eq!(show::script(&script), *expected, "{text}");
        assert_eq!(
            script.problems.len(),
            *problems,
            "{text}: {:?}",
            script.problems
        );
    }
}

/// Rows without problems.
fn clean(rows: &[(&str, &str)]) {
    let rows: Vec<_> = rows
        .iter()
        .map(|(text, shown)| (*text, *shown, 0))
        .collect();
    table(&rows);
}

#[test]
fn lists_and_pipelines() {
    clean(&[
        ("", ""),
        ("  \n\n", ""),
        ("make", "make"),
        ("a b  c", "a b c"),
        ("a && b || c", "a && b || c"),
        ("a;b\nc", "a ; b ; c"),
        ("a & b", "a & ; b"),
        ("a &", "a &"),
        ("a | b |& c", "a | b | c"),
        ("! a | b", "! a | b"),
        ("! ! a", "a"),
        ("time a | b", "a | b"),
        ("time -p a", "a"),
        ("a | time b", "a | time b"),
        ("a &&\n  # why\n b |\n c", "a && b | c"),
        ("a \\\n  && b", "a && b"),
        ("ab\\\ncd", "abcd"),
        ("a;\n", "a"),
        ("a\r\nb\r\n", "a ; b"),
        ("a \\\r\n b", "a b"),
    ]);
}

#[test]
fn comments() {
    clean(&[
        ("# x\na", "a"),
        ("a # b; c\nd", "a ; d"),
        ("a#b c", "a#b c"),
        ("a;#b\nc", "a ; c"),
        ("echo '#' \"#\" \\# x#", "echo '#' '#' '#' x#"),
        ("a $# ${#x}", "a $# ${#x}"),
    ]);
}

#[test]
fn quotes() {
    clean(&[
        ("a 'b c'd \"e f\"", "a 'b c'd 'e f'"),
        ("a \"\" ''", "a '' ''"),
        ("a b\\ c", "a b' 'c"),
        ("a \\\\ \\$x", "a '\\' '$'x"),
        ("a \"b\\\"c\\d\\$\"", "a 'b''\"c\\d''$'"),
        ("a \"x\\\ny\"", "a 'x''y'"),
        ("a 'x\ny'\nb", "a 'x\ny' ; b"),
        (
            "a $'b\\n\\t\\'c\\x41\\101\\u00e9'",
            "a 'b''\n''\t'''''c''A''A''é'",
        ),
        ("a $\"b $c\"", "a 'b '\"$c\""),
        ("a \"it's\" 'say \"x\"'", "a 'it's' 'say \"x\"'"),
        ("a\\", "a\\"),
        ("a é\\é 'ü'", "a é'é' 'ü'"),
    ]);
}

#[test]
fn parameters() {
    clean(&[
        ("a $b$c ${d}e", "a $b$c $de"),
        (
            "a $1 $12 $@ $? $$ $! $- $* $0",
            "a $1 $12 $@ $? $$ $! $- $* $0",
        ),
        ("a $ $. \"$\" $%", "a $ $. '$' $%"),
        ("a ${b:-c d}", "a ${b:-c d}"),
        ("a ${b-c} ${b:=c} ${b=c}", "a ${b-c} ${b:=c} ${b=c}"),
        (
            "a ${b:+c} ${b+c} ${b:?c} ${b?c d}",
            "a ${b:+c} ${b+c} ${b:?} ${b?}",
        ),
        (
            "a ${b#c} ${b##*/} ${b%c} ${b%%.*}",
            "a ${b#c} ${b##*/} ${b%c} ${b%%.*}",
        ),
        (
            "a ${b/c/d} ${b//c/d} ${b/c} ${b//./}",
            "a ${b/c/d} ${b//c/d} ${b/c/''} ${b//./''}",
        ),
        ("a ${b/#c/d} ${b/%c/d}", "a ${b?!} ${b?!}"),
        (
            "a ${#b} ${#} ${##} ${#-} ${#@}",
            "a ${#b} $# ${##} ${#-} ${#@}",
        ),
        (
            "a ${!b} ${b:1:2} ${b^^} ${b,,} ${b@Q}",
            "a ${b?!} ${b?!} ${b?!} ${b?!} ${b?!}",
        ),
        (
            "a ${b[@]} ${b[*]:-c} ${b[1]} ${#b[@]}",
            "a $b ${b:-c} ${b?!} ${#b}",
        ),
        ("a ${b:-${c:-$d}}e", "a ${b:-${c:-$d}}e"),
        ("a \"${b:-c \"d e\"}\"", "a \"${b:-'c ''d e'}\""),
        ("a \"${b:-it's}\" ${b:-'}'}", "a \"${b:-'it's'}\" ${b:-'}'}"),
        ("a ${b:-$(c d)}", "a ${b:-$(c d)}"),
        ("a ${b.c} ${} ${ x; }", "a <${b.c}> <${}> <${ x; }>"),
        ("a ${b:-}", "a ${b:-''}"),
        ("a ${b:-\"\"}", "a ${b:-''}"),
    ]);
}

#[test]
fn substitutions() {
    clean(&[
        ("a $(b c)d", "a $(b c)d"),
        ("a \"$(b \"c d\")\"", "a \"$(b 'c d')\""),
        ("a $(b $(c))", "a $(b $(c))"),
        ("a $(b; c | d\n)", "a $(b ; c | d)"),
        ("a $(b # c)\n)", "a $(b)"),
        ("a `b c`", "a $(b c)"),
        ("a \"`b \\\"c d\\\"`\"", "a \"$(b 'c d')\""),
        ("a `b \\`c\\``", "a $(b $(c))"),
        ("a `b \\$c`", "a $(b $c)"),
        ("a $((1 + (2*3)))b", "a <$((1 + (2*3)))>b"),
        ("a $((b); c)", "a $(( b ) ; c)"),
        ("a <(b c) >(d)", "a <<(b c)> <>(d)>"),
        ("a $(case x in y) z;; esac) w", "a $(case x y) z ;; esac) w"),
        ("a $() b", "a $() b"),
        ("a $(<f)", "a $(<f)"),
    ]);
}

#[test]
fn templates() {
    clean(&[
        ("a ${{ matrix.cuda }} b", "a <${{ matrix.cuda }}> b"),
        ("a cu${{ x['a b'] }}-y", "a cu<${{ x['a b'] }}>-y"),
        ("a \"${{ x }} y\" '${{ z }}'", "a <${{ x }}>' y' <${{ z }}>"),
        ("a '{{ z }}w' x{{y}}", "a <{{ z }}>'w' x<{{y}}>"),
        (
            "a ${{ format('{0}}}', x) }}b",
            "a <${{ format('{0}}}', x) }}>b",
        ),
        ("a {{ b\nc }}", "a {{ b ; c }}"),
        ("A=${{ x }} b", "A=<${{ x }}> b"),
        ("a ${b:-{{ c }}}", "a ${b:-<{{ c }}>}"),
        ("cat <<'E'\nx ${{ y }}\nE\n", "cat <<{'x '<${{ y }}>'\n'}"),
    ]);
}

#[test]
fn assignments() {
    clean(&[
        ("A=1", "A=1"),
        ("A= B=2 c D=3", "A='' B=2 c D=3"),
        ("A+=x a", "A+=x a"),
        ("A=\"b c\"$d", "A='b c'$d"),
        ("A=(b 'c d' $e) f", "A=(b 'c d' $e) f"),
        ("A+=(b\n c # d\n)", "A+=(b c)"),
        ("A[1]=b A[$i]=c d", "A+=<[1]>b A+=<[$i]>c d"),
        ("A=() b", "A=() b"),
        ("export A=1 B", "export A=1 B"),
        ("export A=(b c) d", "A=(b c) export d"),
        ("declare -a A+=(b $(c)\n) B=d", "A+=(b $(c)) declare -a B=d"),
        ("1A=b", "1A=b"),
        ("A-B=c", "A-B=c"),
        ("'A'=b", "'A'=b"),
        ("env A=1 b", "env A=1 b"),
        ("A=$(b) c", "A=$(b) c"),
    ]);
}

#[test]
fn redirections() {
    clean(&[
        ("a >b 2>&1 <c", "a >b 2>? <c"),
        ("a >> b 2>/dev/null", "a >>b 2>/dev/null"),
        ("a &>b &>>c", "a >b >>c"),
        ("a >|b <>c >&2 <&- 2>&-", "a >b >? >? >? 2>?"),
        ("a >& f b", "a b >f"),
        ("a <<<\"b c\" d", "a d <<<'b c'"),
        (">f", ">f"),
        (">f a", "a >f"),
        ("a 2 >b", "a 2 >b"),
        ("{ a; } >f 2>&1 | b", "{ a } >f 2>? | b"),
        ("for i in 1; do a; done <f", "for i in 1 do a done <f"),
        ("a&>f", "a >f"),
    ]);
}

#[test]
fn heredocs() {
    clean(&[
        ("cat <<E\na $b\nE\nc", "cat <<{'a '\"$b\"'\n'} ; c"),
        ("cat <<'E'\na $b\nE\nc", "cat <<{'a $b\n'} ; c"),
        ("cat <<\"E F\"\na\nE F\nc", "cat <<{'a\n'} ; c"),
        ("cat <<\\E\n$a\nE\n", "cat <<{'$a\n'}"),
        ("cat <<-E\n\t\ta\n\tE\nc", "cat <<{'a\n'} ; c"),
        ("cat << E >f\nx\nE\nc", "cat <<{'x\n'} >f ; c"),
        ("a <<A <<B\n1\nA\n2\nB\nc", "a <<{'1\n'} <<{'2\n'} ; c"),
        ("a <<E && b\n1\nE\nc", "a <<{'1\n'} && b ; c"),
        ("a <<E | b \\\n -c\n1\nE\nd", "a <<{'1\n'} | b -c ; d"),
        ("a <<E 'x\ny'\n1\nE\nd", "a 'x\ny' <<{'1\n'} ; d"),
        ("a <<E # it's\n1\nE\nd", "a <<{'1\n'} ; d"),
        ("x=$(cat <<E\n1\nE\n)\nd", "x=$(cat <<{'1\n'}) ; d"),
        ("if a <<E; then\n1\nE\nb; fi", "if a <<{'1\n'} then b fi"),
        ("a <<E\nE\nb", "a <<{''} ; b"),
        (
            "a <<E\n$(b <<F\n1\nF\n)\nE\nc",
            "a <<{\"$(b <<{'1\n'})\"'\n'} ; c",
        ),
        (
            "a <<E\n\"x\" \\$y \\z `w`\nE",
            "a <<{'\"x\" ''$y \\z '\"$(w)\"'\n'}",
        ),
        ("a <<E\r\nx\r\nE\r\nb", "a <<{'x''\n'} ; b"),
        ("3<<E a\n1\nE", "a 3<<{'1\n'}"),
        ("a <<E\nx\\\nE\ny\nE\nb", "a <<{'x''E\ny\n'} ; b"),
    ]);
}

#[test]
fn compound_commands() {
    clean(&[
        ("{ a; b; }", "{ a ; b }"),
        ("{ a\n}", "{ a }"),
        ("(a; b) && c", "( a ; b ) && c"),
        ("(a)", "( a )"),
        ("((a)) && b", "<((a))> && b"),
        ("if a; then b; fi", "if a then b fi"),
        (
            "if a && b; then c; elif d; then e; else f; fi; g",
            "if a && b then c elif d then e else f fi ; g",
        ),
        ("while a; do b; done", "while a do b done"),
        ("until a\ndo\nb\ndone", "while a do b done"),
        (
            "for x in 1 \"2 3\" $y; do z; done",
            "for x in 1 '2 3' $y do z done",
        ),
        ("for x\ndo a; done", "for x do a done"),
        ("for x; do a; done", "for x do a done"),
        ("for x in; do a; done", "for x in  do a done"),
        ("for x in 1 2\ndo a; done", "for x in 1 2 do a done"),
        ("select x in 1; do a; done", "for x in 1 do a done"),
        (
            "for ((i=0; i<3; i++)); do a; done; b",
            "while <((i=0; i<3; i++))> do a done ; b",
        ),
        ("for x in 1; { a; }", "for x in 1 do a done"),
        (
            "case $x in a|b) c;; (d) e ;; *) f; esac",
            "case $x a|b) c ;; d) e ;; *) f ;; esac",
        ),
        (
            "case x in\n a)\n  b\n  ;;&\n *) ;;\nesac",
            "case x a) b ;; *)  ;; esac",
        ),
        ("case x in a) ;& b) c\nesac", "case x a)  ;; b) c ;; esac"),
        ("f() { a; }; f", "f() { a } ; f"),
        ("f () ( a )", "f() ( a )"),
        ("function f { a; }", "f() { a }"),
        ("function f() { a; } >g", "f() { a } >g"),
        ("f()\n{ a\n}\nb", "f() { a } ; b"),
        (
            "[[ $a == b && ( c -lt 3 || -z $d ) ]] && e",
            "<[[ $a == b && ( c -lt 3 || -z $d ) ]]> && e",
        ),
        ("[[ a =~ ^(b|c)$ ]]; d", "<[[ a =~ ^(b|c)$ ]]> ; d"),
        ("[ a = b ] && c", "[ a = b ] && c"),
        ("coproc a b; c", "<coproc a b> ; c"),
        ("coproc N { a; b; } >f; c", "<coproc N { a; b; } >f> ; c"),
        ("rm !(a|b) c", "rm !<(a|b)> c"),
        ("{ a; } && { b; }", "{ a } && { b }"),
        ("if ! a; then b; fi", "if ! a then b fi"),
        (
            "if [ -n \"$a\" ]; then { b; }; fi | c",
            "if [ -n \"$a\" ] then { b } fi | c",
        ),
    ]);
}

#[test]
fn reserved_words_only_where_a_command_begins() {
    clean(&[
        (
            "echo if then fi do done { } ! case esac in",
            "echo if then fi do done { } ! case esac in",
        ),
        ("echo }; a", "echo } ; a"),
        ("{echo a", "{echo a"),
        ("'if' a", "'if' a"),
        ("if_x a", "if_x a"),
        ("echo time for", "echo time for"),
        ("A=1 if", "A=1 if"),
        ("a {b,c} }", "a {b,c} }"),
        ("in a", "in a"),
    ]);
}

#[test]
fn broken_syntax_is_one_opaque_command() {
    table(&[
        ("a && && b; c", "a && <&& b> ; c", 1),
        (") a; b", "<) a> ; b", 1),
        ("a \"b\nc", "<a \"b> ; c", 1),
        ("a 'b; c\nd", "<a 'b; c> ; d", 1),
        ("a `b\nc", "<a `b> ; c", 1),
        ("a ${b\nc", "<a ${b> ; c", 1),
        ("a $(b\nc", "a $(b ; c)", 1),
        ("if a; then b", "if a then b fi", 1),
        ("if a; b; fi; c", "if a ; b then  fi ; c", 1),
        ("while a; b", "while a ; b do  done", 1),
        ("for x in a; do b", "for x in a do b done", 1),
        ("{ a; b", "{ a ; b }", 1),
        ("( a; b", "( a ; b )", 1),
        (
            "for $x in y; do z; done",
            "<for $x in y> ; <do z> ; <done>",
            3,
        ),
        ("( { a ) b", "( { a } ) ; <b>", 2),
        ("done; a", "<done> ; a", 1),
        ("a (b); c", "<a (b)> ; c", 1),
        ("a |", "a", 1),
        ("a && ", "a", 1),
        ("; a", "a", 1),
        ("a >; b", "a >? ; b", 1),
        ("a <<E\nb\n", "a <<{'b\n'}", 1),
        ("[[ a\nb", "<[[ a> ; b", 1),
        ("f() a; b", "<f() a> ; b", 1),
        ("case x a) b", "case x esac ; <a) b>", 2),
        ("A=(b\nc", "<A=(b> ; c", 1),
        ("{ a; } b", "{ a } ; <b>", 1),
        ("((a)) b", "<((a))> ; <b>", 1),
        ("a | | b\nc", "a | <| b> ; c", 1),
    ]);
}

#[test]
fn text_that_is_only_split() {
    for (text, expected) in [
        ("-DA=1 -DB='2 3'", "-DA=1 -DB='2 3'"),
        ("-DA=80;90 #b & c", "-DA=80;90 #b & c"),
        (" a\n\tb ", "a b"),
        ("a $b ${c:-d e}", "a $b ${c:-d e}"),
        ("a 'b c", "a <'b c>"),
        ("", ""),
    ] {
        assert_eq!(
            show::words(&words(&Mapped::verbatim(text, 0))),
            expected,
            "{text}"
        );
    }
}

/// All kinds of nesting by turns, on the stack that a worker thread has.
#[test]
fn mixed_nesting_fits_a_small_stack() {
    let mixed = "if \"$(f() { while case ${a:-\"`x=($(( <( until for x in \"${b#$({ (";
    let read = move || {
        parse(&Mapped::verbatim(&mixed.repeat(1000), 0))
            .problems
            .len()
    };
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(read);
    assert!(thread.unwrap().join().unwrap() > 0);
}

#[test]
fn deep_nesting_ends_in_a_problem() {
    for opening in [
        "$(",
        "(",
        "{ ",
        "if ",
        "\"$(",
        "${a:-",
        "while ",
        "case x in y) ",
        "f() { ",
        "<(",
        "a=(",
        "((",
        "$((",
        "[[ ",
        "x=${a:-\"",
        "if a; then ",
        "for x in 1; do ",
    ] {
        let script = parse(&Mapped::verbatim(&opening.repeat(100_000), 0));
        assert!(!script.problems.is_empty(), "{opening}");
    }
}

#[test]
fn a_text_with_too_many_parts_ends_in_a_problem() {
    let script = parse(&Mapped::verbatim(&"a\n".repeat(1_000_000), 0));
    assert_eq!(script.problems.len(), 1);
    assert!(matches!(
        script.items.last().unwrap().first.commands[0],
        super::Command::Opaque { .. }
    ));
}
