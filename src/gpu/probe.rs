//! `kimg-lint probe`: our kernel on every GPU.
use super::child::{End, Launcher};
use super::code::Code;
use super::kernel::Way;
use super::protocol::{DeviceSeen, DriverSeen, Job, Reply, Task};
use super::system;
use crate::facts::{BlockedPtx, KernelRun, Probe, ProbeState, StressRun, Values};
use std::path::Path;

/// What is wanted of the GPUs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wanted {
    /// Whether there has to be one.
    pub required: bool,
    /// How many times to compute the product.
    pub stress: u32,
    /// Whether compiling PTX was turned off on purpose.
    pub no_jit: bool,
}

/// What our own kernel is called where it is one of several things.
const OUR_KERNEL: &str = "kimg-lint's own kernel";

/// Runs the kernels on every GPU. At least one probe comes back: where there is no GPU, one that says why.
pub fn probe(launcher: &Launcher, wanted: Wanted) -> Vec<Probe> {
    let mut found = Found::default();
    let mut skip = Vec::new();
    loop {
        let job = Job::Probe {
            skip: skip.clone(),
            stress: wanted.stress,
        };
        let mut last = None;
        let end = launcher.run(&job, |reply| match reply {
            Reply::Begin(task) => last = Some(task),
            reply => found.hear(reply),
        });
        let Some(trouble) = end.trouble() else { break };
        let again = found.lost(last, trouble);
        match last.filter(|task| again && !skip.contains(task)) {
            Some(task) => skip.push(task),
            None => break,
        }
    }
    found.probes(wanted)
}

#[derive(Default)]
struct Found {
    driver: DriverSeen,
    no_driver: bool,
    /// What was opened is made for linking: no driver at all.
    stub: bool,
    /// Why nothing was started, and whether that means that there is no GPU.
    not_started: Option<(bool, String)>,
    probes: Vec<Probe>,
}

impl Found {
    fn hear(&mut self, reply: Reply) {
        match reply {
            Reply::NoDriver => self.no_driver = true,
            Reply::Driver(driver) => self.driver = driver,
            Reply::NotStarted { code, reason } => {
                let code = code.map(Code);
                self.stub = code == Some(Code::STUB);
                let absent = self.stub || code == Some(Code::NO_DEVICE);
                self.not_started = Some((absent, reason));
            }
            Reply::Device(device) => {
                if self.at(device.index).is_none() {
                    let probe = self.begin(device);
                    self.probes.push(probe);
                }
            }
            Reply::NoContext { index, reason } => {
                if let Some(probe) = self.at(index) {
                    probe.reason = reason;
                }
            }
            Reply::Context { index, ms } => {
                if let Some(probe) = self.at(index) {
                    probe.context_ms.get_or_insert(ms);
                }
            }
            Reply::Kernel { index, way, run } => {
                if let Some(probe) = self.at(index) {
                    *kernel(probe, way) = Some(run);
                }
            }
            Reply::Stress { index, run } => {
                if let Some(probe) = self.at(index) {
                    probe.stress = Some(run);
                }
            }
            Reply::Begin(_) | Reply::Loaded { .. } | Reply::Done => {}
        }
    }

    fn at(&mut self, index: u32) -> Option<&mut Probe> {
        self.probes.iter_mut().find(|probe| probe.index == index)
    }

    fn begin(&self, device: DeviceSeen) -> Probe {
        Probe {
            path: format!("GPU {}", device.index),
            state: ProbeState::Unusable,
            gpu: device.name,
            index: device.index,
            uuid: device.uuid,
            capability: format!("{}.{}", device.major, device.minor),
            mode: device.mode,
            driver: version(&self.driver),
            cuda: cuda(&self.driver),
            ..Probe::default()
        }
    }

    /// A child died or hung at a task; whether it is worth another child that leaves the task out.
    fn lost(&mut self, task: Option<Task>, trouble: String) -> bool {
        let dead = KernelRun {
            trouble: trouble.clone(),
            ..KernelRun::default()
        };
        match task {
            Some(Task::Context(index)) => {
                if let Some(probe) = self.at(index) {
                    probe.reason = format!("creating a context: {trouble}");
                }
                true
            }
            Some(Task::Kernel(index, way)) => {
                if let Some(probe) = self.at(index) {
                    *kernel(probe, way) = Some(dead);
                }
                true
            }
            Some(Task::Stress(index)) => {
                if let Some(probe) = self.at(index) {
                    probe.stress = Some(StressRun {
                        trouble,
                        ..StressRun::default()
                    });
                }
                true
            }
            Some(Task::Driver | Task::Load(_)) | None => {
                self.not_started = Some((false, format!("starting the driver: {trouble}")));
                false
            }
        }
    }

    fn probes(mut self, wanted: Wanted) -> Vec<Probe> {
        for probe in &mut self.probes {
            conclude(probe, wanted);
        }
        if self.probes.is_empty() {
            let (state, reason) = self.nothing();
            self.probes.push(Probe {
                path: "GPU".into(),
                state,
                reason,
                driver: version(&self.driver),
                cuda: cuda(&self.driver),
                ..Probe::default()
            });
        }
        for probe in &mut self.probes {
            probe.required = wanted.required;
        }
        self.probes
    }

    /// Why there is no GPU to speak of.
    fn nothing(&self) -> (ProbeState, String) {
        if self.no_driver {
            let reason = "no NVIDIA driver is here (no libcuda can be opened)".to_owned();
            return (ProbeState::Absent, reason);
        }
        let (absent, reason) = match &self.not_started {
            Some((absent, reason)) => (*absent, reason.clone()),
            None => (true, "the driver counts no GPU".to_owned()),
        };
        let mut reason = reason;
        if absent && !self.stub {
            let visible = std::env::var("CUDA_VISIBLE_DEVICES").ok();
            let gpus = Path::new("/proc/driver/nvidia/gpus");
            let control = Path::new("/dev/nvidiactl");
            if let Some(why) = system::why_hidden(visible.as_deref(), gpus, control) {
                reason = format!("{reason}; {why}");
            }
        }
        if !self.driver.library.is_empty() {
            reason = format!("{reason} [{}]", self.driver.library);
        }
        let state = if absent {
            ProbeState::Absent
        } else {
            ProbeState::Unusable
        };
        (state, reason)
    }
}

fn version(driver: &DriverSeen) -> String {
    match driver {
        DriverSeen { version, .. } if !version.is_empty() => version.clone(),
        DriverSeen { cuda: 0, .. } => String::new(),
        _ => "unknown".to_owned(),
    }
}

/// 13000 is 13.0.
fn cuda(driver: &DriverSeen) -> String {
    match driver.cuda {
        0 => String::new(),
        number => format!("{}.{}", number / 1000, number % 1000 / 10),
    }
}

fn kernel(probe: &mut Probe, way: Way) -> &mut Option<KernelRun> {
    match way {
        Way::Sass => &mut probe.sass,
        Way::Ptx => &mut probe.ptx,
    }
}

/// What the runs come to.
fn conclude(probe: &mut Probe, wanted: Wanted) {
    let runs = || [&probe.sass, &probe.ptx].into_iter().flatten();
    let ran = runs().any(|run| run.values != Values::Unread);
    if ran {
        probe.state = ProbeState::Ran;
    } else if probe.reason.is_empty() {
        let trouble = runs()
            .map(|run| run.trouble.as_str())
            .find(|trouble| !trouble.is_empty());
        probe.reason = trouble.unwrap_or("the kernel did not run").to_owned();
    }
    let refused = probe
        .ptx
        .as_ref()
        .and_then(|run| Some((run.load_code?, run)));
    if let Some((code, run)) =
        refused.filter(|&(code, _)| Code(code).is_blocked_ptx() && !wanted.no_jit)
    {
        let blocked = BlockedPtx {
            what: OUR_KERNEL.into(),
            code,
            reason: run.trouble.clone(),
            count: 1,
        };
        probe.blocked.push(blocked);
    }
}

/// The driver's version, without touching a GPU.
pub(super) fn driver(launcher: &Launcher) -> (DriverSeen, End) {
    let mut seen = DriverSeen::default();
    let end = launcher.run(&Job::Version, |reply| {
        if let Reply::Driver(driver) = reply {
            seen = driver;
        }
    });
    seen.version = version(&seen);
    (seen, end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_print() {
        for (cuda_number, text) in [(13000, "13.0"), (12080, "12.8"), (0, "")] {
            let driver = DriverSeen {
                cuda: cuda_number,
                ..DriverSeen::default()
            };
            assert_eq!(cuda(&driver), text);
        }
    }
}
