//! Builds of one thing side by side, each for architectures of its own: in one image under several names, as rows of one matrix,
//! or as one image each. What one leaves out, another is for.
use super::evaluate::Found;
use crate::actions::{Action, Source};
use crate::cuda::Device;
use crate::facts::{
    ArchSource, Build, Compiles, Confidence, FleetGap, GapKind, GpuCoverage, Verdict,
};
use crate::fleet::gaps::fact;
use crate::walk::walked::Walked;
use std::collections::{BTreeMap, BTreeSet};

/// A build as it stands among others.
struct Part {
    /// Its index.
    at: usize,
    /// The architectures that it alone is for.
    archs: BTreeSet<String>,
    coverage: Vec<GpuCoverage>,
    /// Where its result lies, as far as the command says.
    output: Vec<String>,
    /// The stages or jobs that run before its result is there, its own the last.
    line: Vec<usize>,
}

/// Notes on the builds of one file what others beside them compile for.
pub(super) fn note(found: &mut [Found<'_>], walked: &Walked, fleet: &[Device]) {
    let mut groups = Groups::default();
    for (at, Found { build, step, .. }) in found.iter().enumerate() {
        let what = format!("{} {} {}", build.builder, build.title, built(&step.action));
        groups.add(at, build, what, || {
            let mut output = outputs(&step.action);
            output.push(step.state.cwd.to_string());
            (output, line(step.scope, walked))
        });
    }
    let builds = found.iter_mut().map(|found| &mut found.build);
    groups.settle(&mut builds.collect::<Vec<_>>(), fleet);
}

/// The same for builds of one command that several callers lead to, `is_asked_for` by some of them: what nobody is known to
/// build serves no GPU.
pub fn note_callers(builds: &mut [Build], fleet: &[Device], is_asked_for: fn(&Build) -> bool) {
    let mut groups = Groups::default();
    let asked_for = builds.iter().enumerate();
    for (at, build) in asked_for.filter(|(_, build)| is_asked_for(build)) {
        let what = format!("{} {} {:?}", build.builder, build.path, build.span);
        groups.add(at, build, what, || (build.worlds.clone(), Vec::new()));
    }
    groups.settle(&mut builds.iter_mut().collect::<Vec<_>>(), fleet);
}

/// Builds by what they are builds of.
#[derive(Default)]
struct Groups(BTreeMap<String, Vec<Part>>);

impl Groups {
    /// Adds a build of `what`, with its output and its line, where its list is known.
    fn add(
        &mut self,
        at: usize,
        build: &Build,
        what: String,
        lies: impl FnOnce() -> (Vec<String>, Vec<usize>),
    ) {
        let Some(archs) = archs(build) else { return };
        let (output, line) = lies();
        self.0.entry(what).or_default().push(Part {
            at,
            archs,
            coverage: build.coverage.clone(),
            output,
            line,
        });
    }

    /// Takes from the gaps of each build what others of its group are for.
    fn settle(&self, builds: &mut [&mut Build], fleet: &[Device]) {
        for group in self.0.values().filter(|group| is_divided(group)) {
            for part in group {
                settle(builds[part.at], part, group, fleet);
            }
        }
    }
}

/// The machine code that a list which somebody wrote makes; its PTX where there is none. `None` where it is not all known.
fn archs(build: &Build) -> Option<BTreeSet<String>> {
    let written = build.arch.source == ArchSource::Explicit && build.arch.alternatives.is_empty();
    if !written || build.compiles == Compiles::No || build.coverage.is_empty() {
        return None;
    }
    let images = &build.arch.images;
    let of_kind = |kind: &str| -> BTreeSet<String> {
        let names = images.iter().filter(|image| image.starts_with(kind));
        names.cloned().collect()
    };
    let sass = of_kind("sm_");
    let archs = if sass.is_empty() {
        of_kind("compute_")
    } else {
        sass
    };
    (!archs.is_empty()).then_some(archs)
}

/// Whether the builds are for several sets of architectures of which none shares any with another.
fn is_divided(group: &[Part]) -> bool {
    let sets: BTreeSet<&BTreeSet<String>> = group.iter().map(|part| &part.archs).collect();
    let apart = |set: &&BTreeSet<String>| {
        let mut others = sets.iter().filter(|other| *other != set);
        others.all(|other| set.is_disjoint(other))
    };
    sets.len() > 1 && sets.iter().all(apart)
}

/// What is built, without what tells one build of it from another.
fn built(action: &Action) -> String {
    let source = match &action.source {
        Source::Index { name, spec } => format!("{name}{}", spec.sketch()),
        Source::Tree(at) | Source::Project(at) | Source::Requirements(at) => at.clone(),
        Source::Repo { name, subdir, .. } => format!("{name} {subdir}"),
        Source::Archive(at) | Source::Wheel(at) => at.clone(),
        Source::Nothing => String::new(),
    };
    let texts = action.flags.iter().map(|flag| flag.sketch());
    let is_file = |text: &String| {
        [".cu", ".cpp", ".cc", ".ptx"]
            .iter()
            .any(|end| text.ends_with(end))
    };
    let files: Vec<String> = texts.filter(is_file).collect();
    format!("{source} {} {}", action.targets.join(" "), files.join(" "))
}

/// Options that say where a result goes.
const OUTPUT: [&str; 15] = [
    "B",
    "o",
    "O",
    "d",
    "t",
    "w",
    "output-file",
    "output",
    "outdir",
    "root",
    "target",
    "target-dir",
    "prefix",
    "wheel-dir",
    "install-prefix",
];

/// Where a command puts its result.
fn outputs(action: &Action) -> Vec<String> {
    let options = action
        .options
        .iter()
        .filter(|(name, _)| OUTPUT.contains(&&**name));
    let of_options = options.filter_map(|(_, value)| Some(value.as_ref()?.sketch()));
    let named = action.defines.iter().chain(&action.make_vars);
    let named = named.filter(|named| {
        let name = named.name.to_ascii_uppercase();
        ["PREFIX", "OUTPUT", "DESTDIR", "BUILD_DIR", "BUILDDIR"]
            .iter()
            .any(|word| name.contains(word))
    });
    let flags: Vec<String> = action.flags.iter().map(|flag| flag.sketch()).collect();
    let after = flags
        .windows(2)
        .filter(|pair| matches!(&*pair[0], "-o" | "--output-file" | "-odir"));
    let joined = flags
        .iter()
        .filter(|flag| flag.starts_with("-o") || flag.starts_with("--output-file="));
    of_options
        .chain(named.map(|named| named.value.sketch()))
        .chain(after.map(|pair| pair[1].clone()))
        .chain(joined.cloned())
        .collect()
}

/// A stage and those that it starts from; a job alone.
fn line(scope: usize, walked: &Walked) -> Vec<usize> {
    let mut line = vec![scope];
    while let Some(parent) = line.last().and_then(|at| walked.scopes.get(*at)?.parent) {
        if line.contains(&parent) {
            break;
        }
        line.push(parent);
    }
    line.reverse();
    line
}

/// Whether the results of two builds can be told from one another.
fn are_apart(one: &Part, other: &Part) -> bool {
    let follows = |a: &Part, b: &Part| a.line.last().is_none_or(|scope| b.line.contains(scope));
    if !follows(one, other) && !follows(other, one) {
        return true;
    }
    let known = |part: &Part| !part.output.iter().any(|text| text.contains('?'));
    known(one) && known(other) && one.output != other.output
}

/// Takes from the gaps of a build what others are for: certainly where the results are apart, else it is only likely a gap.
fn settle(build: &mut Build, part: &Part, group: &[Part], fleet: &[Device]) {
    let gaps = std::mem::take(&mut build.fleet.gaps);
    for gap in gaps {
        let others = || group.iter().filter(|other| other.archs != part.archs);
        let serves = |other: &Part, gpu: &str| {
            let of_gpu = other.coverage.iter().filter(|covered| covered.gpu == gpu);
            of_gpu.clone().count() > 0
                && of_gpu
                    .into_iter()
                    .all(|covered| fills(gap.kind, covered.verdict))
        };
        let (filled, rest): (Vec<&str>, Vec<&str>) = gap
            .gpus
            .iter()
            .map(String::as_str)
            .partition(|gpu| others().any(|other| serves(other, gpu)));
        let (elsewhere, perhaps): (Vec<&str>, Vec<&str>) = filled
            .into_iter()
            .partition(|gpu| others().any(|other| serves(other, gpu) && are_apart(part, other)));
        let likely = gap.confidence.min(Confidence::Likely);
        let parts = [
            (rest, gap.confidence, false),
            (perhaps, likely, false),
            (elsewhere, likely, true),
        ];
        for (gpus, confidence, elsewhere) in parts {
            // that it is built once for each is what the rule asks for
            if gpus.is_empty() || elsewhere && gap.kind == GapKind::OneArch {
                continue;
            }
            let of_gap = |device: &&Device| gpus.contains(&&*device.name);
            let devices: Vec<&Device> = fleet.iter().filter(of_gap).collect();
            let (kind, reason) = match elsewhere {
                true if gap.kind != GapKind::Jit => (GapKind::Missing, of_another(&gap.reason)),
                true => (gap.kind, of_another(&gap.reason)),
                false => (gap.kind, gap.reason.clone()),
            };
            build.fleet.gaps.push(FleetGap {
                elsewhere,
                ..fact(kind, &devices, reason, confidence)
            });
        }
    }
    if build.fleet.gaps.iter().any(|gap| gap.elsewhere) {
        // a list for the whole fleet is not what this one is for
        build.suggest.clear();
    }
}

fn of_another(reason: &str) -> String {
    format!("{reason}; another build of it, beside this one, is for them")
}

/// Whether a gap of this kind is none where another build has this to offer.
fn fills(kind: GapKind, verdict: Verdict) -> bool {
    match kind {
        GapKind::Missing
        | GapKind::Toolkit
        | GapKind::Suffix
        | GapKind::Tegra
        | GapKind::DriverPtx => {
            matches!(verdict, Verdict::Native | Verdict::Jit)
        }
        GapKind::OneArch | GapKind::Jit => verdict == Verdict::Native,
        GapKind::Driver | GapKind::Bound => false,
    }
}
