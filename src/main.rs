//! The `kimg-lint` command (temporary).
#![allow(clippy::all)]
use kimg_lint::{lint, report, rules};
use std::io::Write as _;
fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let json = args.iter().any(|a| a == "json");
    let human = args.iter().any(|a| a == "human");
    let set = rules::RuleSet::new(rules::builtin());
    for path in args.iter().filter(|a| !a.starts_with("--") && *a != "json" && *a != "human") {
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let facts = lint::observe(&path, &text, &Default::default());
        let findings = set.judge(&facts, Default::default()).unwrap();
        let r = report::Report::new(facts, findings);
        if json { report::json::write(&r, &mut std::io::stdout()).unwrap(); continue; }
        for b in &r.builds {
            println!("{}:{} [{}] {:?} {:?} src={:?} text={:?} images={:?} diag={:?} out={:?}: {} | {} | lost={:?} faults={:?} cmd={}", b.path, b.span.line, b.builder, b.compiles, b.confidence, b.arch.source, b.arch.text, b.arch.images, b.diagnosis, b.outcome, b.outcome_text, b.suggest, b.lost.iter().map(|l| (&l.name, l.why)).collect::<Vec<_>>(), b.faults.iter().map(|f| &f.reason).collect::<Vec<_>>(), b.command);
        }
        report::concise::write(&r, &mut std::io::stdout()).unwrap();
    }
}
