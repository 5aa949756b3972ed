//! The `kimg-lint` command.
fn main() {
    for path in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let facts = kimg_lint::lint::observe(&path, &text, &Default::default());
        for b in &facts.builds {
            println!(
                "{}:{} [{}] {:?} {:?} src={:?} text={:?} images={:?} diag={:?} out={:?}: {} | {} | lost={:?} faults={:?} cmd={}",
                b.path,
                b.span.line,
                b.builder,
                b.compiles,
                b.confidence,
                b.arch.source,
                b.arch.text,
                b.arch.images,
                b.diagnosis,
                b.outcome,
                b.outcome_text,
                b.suggest,
                b.lost.iter().map(|l| (&l.name, l.why)).collect::<Vec<_>>(),
                b.faults.iter().map(|f| &f.reason).collect::<Vec<_>>(),
                b.command
            );
        }
        for i in &facts.inputs {
            for p in &i.problems {
                println!("{}:{}: {}", path, p.span.line, p.message);
            }
        }
    }
}
