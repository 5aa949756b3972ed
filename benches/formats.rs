//! How long 10,000 findings take in each format; `docs/performance.md` says what for.
#[allow(dead_code, reason = "the other inputs are for the other benchmark")]
mod inputs;

use divan::Bencher;
use kimg_lint::config::{Config, Layer, NAME};
use kimg_lint::facts::Facts;
use kimg_lint::lint::{Options, observe};
use kimg_lint::report::{Format, Report, Terminal, human};
use std::path::Path;

const FINDINGS: usize = 10_000;

fn main() {
    divan::main();
}

fn report() -> Report {
    let text = "fleet: {all: {gpus: [A100, L4, H100, B200]}}";
    let layer = Layer::parse(NAME, Path::new("/repository"), text);
    let config = layer.and_then(|layer| Config::new(&[layer]));
    let config = config.unwrap_or_else(|error| panic!("{error}"));
    let options = Options {
        fleet: config.fleet(Path::new("/repository/Dockerfile")),
        ..Options::default()
    };
    let mut facts = Facts::default();
    for (file, text) in inputs::full_of_findings().iter().enumerate() {
        let path = format!("docker/{file}.Dockerfile");
        facts.append(observe(&path, text, &options));
    }
    let findings = config
        .settings
        .judge(&mut facts, true, kimg_lint::date::Date::today());
    let mut findings = findings.unwrap_or_else(|error| panic!("{error}"));
    assert!(findings.len() >= FINDINGS, "{}", findings.len());
    findings.truncate(FINDINGS);
    Report::new(facts, findings)
}

#[divan::bench(args = Format::all(), sample_count = 10)]
fn ten_thousand_findings(bencher: Bencher, format: &Format) {
    let report = report();
    let terminal = Terminal {
        color: true,
        unicode: true,
        width: 100,
    };
    bencher.bench(|| {
        let mut out = Vec::new();
        let written = format.write(&report, &mut out, |out| {
            human::write(&report, out, terminal, false)
        });
        written.unwrap_or_else(|error| panic!("{error}"));
        out
    });
}
