//! Libraries of torch whose wheel is for the CPU, beside a torch for CUDA.
use super::fit::cuda_of;
use crate::cuda::Device;
use crate::facts::{Confidence, FleetFit, GapKind, Install};
use crate::fleet::gaps::fact;
use crate::walk::files::Files;
use crate::walk::walked::{TorchInstall, Walked};

/// Those that are there in the end: without them torch runs on the fleet, and their operators do not.
pub(super) fn installs(walked: &Walked, files: &Files<'_>, fleet: &[Device]) -> Vec<Install> {
    let libraries = walked.torch_libraries.iter().enumerate();
    let found = libraries.filter_map(|(index, library)| {
        let later = &walked.torch_libraries[index + 1..];
        let stays = !later.iter().any(|other| replaces(other, library, walked));
        let for_cpu = library.installed.variant.as_deref() == Some("cpu");
        let torch = &walked.scopes.get(library.scope)?.end.torch;
        let cuda = cuda_of(torch).filter(|_| stays && for_cpu)?;
        let name = library.installed.by.rsplit(' ').next()?.to_owned();
        let gpus: Vec<&Device> = fleet.iter().collect();
        let reason = format!("it is for the CPU, and the torch beside it is for CUDA {cuda}");
        let confidence = match library.sure {
            true => Confidence::Certain,
            false => Confidence::Likely,
        };
        let gap = fact(GapKind::Missing, &gpus, reason, confidence);
        let version = library.installed.version.as_deref();
        let release = version
            .map(|version| format!(" {version}"))
            .unwrap_or_default();
        Some(Install {
            suggest: format!("{name}{release} for {}", cuda.variant()),
            name,
            version: version.unwrap_or("unknown").to_owned(),
            variant: "cpu".to_owned(),
            path: files.path(library.site).to_owned(),
            span: files.place(library.site),
            confidence,
            archs_full: Vec::new(),
            archs_partial: Vec::new(),
            fleet: FleetFit {
                gaps: (!gpus.is_empty()).then_some(gap).into_iter().collect(),
                spare: Vec::new(),
            },
        })
    });
    found.collect()
}

/// Whether `other`, which comes later, takes the place of a library in its stage.
fn replaces(other: &TorchInstall, library: &TorchInstall, walked: &Walked) -> bool {
    other.installed.by == library.installed.by && walked.inherits(library.scope, other.scope)
}
