//! What is said about a file, without the places.
use kimg_lint::config::{Config, Layer, NAME};
use kimg_lint::lint::lint_text;
use kimg_lint::report::Report;
use std::path::Path;
use std::sync::LazyLock;

/// What is learned and said about a file, for a fleet.
pub fn report(path: &str, text: &str) -> Report {
    static CONFIG: LazyLock<Config> = LazyLock::new(|| {
        let text = "fleet: {all: {gpus: [T4, A100, H100], driver: \"550\"}}";
        let layer = Layer::parse(NAME, Path::new("/repository"), text).unwrap();
        Config::new(&[layer]).unwrap()
    });
    let place = Path::new("/repository").join(path);
    lint_text(path, text, &CONFIG, &place).unwrap()
}

/// What is found, built and installed in a file: sorted lines, without positions, and without the words of commands.
pub fn answer(path: &str, text: &str) -> Vec<String> {
    let report = report(path, text);
    let findings = report.findings.iter().map(|finding| {
        format!(
            "{} {:?} {:?} {:?} {:?}, suppressed: {}",
            finding.code,
            finding.severity,
            finding.confidence,
            finding.builder,
            finding.gpus,
            finding.suppressed.is_some()
        )
    });
    let builds = report.builds.iter().map(|build| {
        format!(
            "{} compiles {:?} {:?} {:?} by {:?} {:?} {:?}, nvcc {:?}, CUDA {}, torch {}",
            build.builder,
            build.compiles,
            build.diagnosis,
            build.outcome,
            build.arch.knob,
            build.arch.text,
            build.arch.images,
            build.nvcc,
            build.toolkit.version,
            build.torch.version
        )
    });
    let installs = report.installs.iter();
    let installs = installs.map(|install| format!("{} {}", install.name, install.version));
    let images = report.images.iter();
    let images = images.map(|image| format!("image {} {:?}", image.reference, image.nvcc));
    let mut lines: Vec<String> = findings
        .chain(builds)
        .chain(installs)
        .chain(images)
        .collect();
    lines.sort();
    // what two jobs share by an anchor stands in one place, and is said once
    if !path.ends_with("Dockerfile") {
        lines.dedup();
    }
    lines
}
