//! What a child does: it alone opens the driver. It says what it is about to do before each step that may end it.
use super::code::Code;
use super::driver::{Attribute, Context, Device, Driver, Image, Refusal};
use super::kernel::{self, Way, milliseconds};
use super::protocol::{DeviceSeen, DriverSeen, Job, Part, Reply, Task};
use super::{stress, system};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::time::Instant;

/// Reads a job from `from`, does it, and says on `to` what happens.
///
/// # Errors
/// The job cannot be read, or nobody listens any more.
pub fn serve(from: impl Read, to: impl Write) -> io::Result<()> {
    let job: Job = serde_json::from_reader(from)?;
    let mut answers = Answers { to };
    answers.work(&job)?;
    answers.say(&Reply::Done)
}

struct Answers<W> {
    to: W,
}

impl<W: Write> Answers<W> {
    fn say(&mut self, reply: &Reply) -> io::Result<()> {
        let mut line = serde_json::to_vec(reply)?;
        line.push(b'\n');
        self.to.write_all(&line)?;
        self.to.flush()
    }

    fn work(&mut self, job: &Job) -> io::Result<()> {
        self.say(&Reply::Begin(Task::Driver))?;
        let Some(driver) = Driver::open() else {
            return self.say(&Reply::NoDriver);
        };
        // Asked first: from the first call on the library stays open, and shows where it lies.
        let cuda = driver.version().unwrap_or(0);
        self.say(&Reply::Driver(DriverSeen {
            version: system::driver_version(),
            cuda,
            library: system::library(),
        }))?;
        if *job == Job::Version {
            return Ok(());
        }
        let count = match driver.init().and_then(|()| driver.count()) {
            Ok(count) => count,
            Err(refusal) => return self.not_started(refusal),
        };
        match job {
            Job::Version => Ok(()),
            Job::Probe { skip, stress } => {
                (0..count).try_for_each(|index| self.probe(&driver, index, skip, *stress))
            }
            Job::Load { index, parts } => self.load(&driver, *index, parts),
        }
    }

    fn not_started(&mut self, refusal: Refusal) -> io::Result<()> {
        self.say(&Reply::NotStarted {
            code: refusal.code().map(|code| code.0),
            reason: refusal.to_string(),
        })
    }

    fn probe(&mut self, driver: &Driver, index: u32, skip: &[Task], stress: u32) -> io::Result<()> {
        let device = match driver.device(index).and_then(|device| seen(device, index)) {
            Ok((device, seen)) => {
                self.say(&Reply::Device(seen))?;
                device
            }
            Err(refusal) => {
                let index_only = DeviceSeen {
                    index,
                    ..DeviceSeen::default()
                };
                self.say(&Reply::Device(index_only))?;
                return self.no_context(index, refusal);
            }
        };
        let wanted = |task: Task| !skip.contains(&task);
        if !wanted(Task::Context(index)) {
            return Ok(());
        }
        let Some(context) = self.context(device, index)? else {
            return Ok(());
        };
        let mut best = None;
        for way in [Way::Sass, Way::Ptx] {
            let task = Task::Kernel(index, way);
            if wanted(task) {
                self.say(&Reply::Begin(task))?;
                let run = kernel::run(context, way);
                best = best.or(run.ok.then_some(way));
                self.say(&Reply::Kernel { index, way, run })?;
            }
        }
        if let Some(way) = best.filter(|_| stress > 0 && wanted(Task::Stress(index))) {
            self.say(&Reply::Begin(Task::Stress(index)))?;
            let run = stress::run(context, way, stress);
            self.say(&Reply::Stress { index, run })?;
        }
        Ok(())
    }

    fn context<'d>(&mut self, device: Device<'d>, index: u32) -> io::Result<Option<Context<'d>>> {
        self.say(&Reply::Begin(Task::Context(index)))?;
        let start = Instant::now();
        match device.context() {
            Ok(context) => {
                let ms = milliseconds(start);
                self.say(&Reply::Context { index, ms })?;
                Ok(Some(context))
            }
            Err(refusal) => {
                self.no_context(index, refusal)?;
                Ok(None)
            }
        }
    }

    fn no_context(&mut self, index: u32, refusal: Refusal) -> io::Result<()> {
        let reason = refusal.to_string();
        self.say(&Reply::NoContext { index, reason })
    }

    fn load(&mut self, driver: &Driver, index: u32, parts: &[Part]) -> io::Result<()> {
        let context = match driver.device(index) {
            Ok(device) => self.context(device, index)?,
            Err(refusal) => return self.no_context(index, refusal),
        };
        let Some(context) = context else {
            return Ok(());
        };
        let mut files = Files::default();
        for (part, bytes) in parts.iter().enumerate() {
            self.say(&Reply::Begin(Task::Load(part)))?;
            let (code, log) = match files.read(bytes) {
                Ok(bytes) => load(context, &bytes),
                Err(error) => (None, error.to_string()),
            };
            self.say(&Reply::Loaded { part, code, log })?;
        }
        Ok(())
    }
}

/// The driver's answer to loading some bytes, and what it says.
fn load(context: Context, bytes: &[u8]) -> (Option<i32>, String) {
    match context.load(&Image::new(bytes)) {
        Ok(module) => {
            // It was loaded: what unloading it answers is about something else.
            let _ = module.unload();
            (Some(Code::SUCCESS.0), String::new())
        }
        Err((refusal, log)) => {
            let log = log.lines().map(str::trim).find(|line| !line.is_empty());
            (
                refusal.code().map(|code| code.0),
                log.unwrap_or_default().to_owned(),
            )
        }
    }
}

fn seen(device: Device, index: u32) -> Result<(Device, DeviceSeen), Refusal> {
    let name = device.name()?;
    let slice = name.contains(" MIG ");
    let uuid = device.uuid().map(|bytes| uuid(bytes, slice));
    let mode = match device.attribute(Attribute::ComputeMode) {
        Ok(1) => "exclusive thread",
        Ok(2) => "prohibited",
        Ok(3) => "exclusive process",
        _ => "",
    };
    let seen = DeviceSeen {
        index,
        name,
        uuid: uuid.unwrap_or_default(),
        major: device.attribute(Attribute::Major)?,
        minor: device.attribute(Attribute::Minor)?,
        mode: mode.to_owned(),
    };
    Ok((device, seen))
}

/// `GPU-01234567-89ab-…`, as nvidia-smi prints it.
fn uuid(bytes: [u8; 16], slice: bool) -> String {
    let mut text = String::from(if slice { "MIG" } else { "GPU" });
    for (n, byte) in bytes.iter().enumerate() {
        if matches!(n, 0 | 4 | 6 | 8 | 10) {
            text.push('-');
        }
        text.push_str(&format!("{byte:02x}"));
    }
    text
}

/// The file that was read last: parts come file by file.
#[derive(Default)]
struct Files {
    last: Option<(String, File)>,
}

impl Files {
    fn read(&mut self, part: &Part) -> io::Result<Vec<u8>> {
        let file = match self.last.take() {
            Some((path, file)) if path == part.path => file,
            _ => File::open(&part.path)?,
        };
        let (_, file) = self.last.insert((part.path.clone(), file));
        file.seek(SeekFrom::Start(part.offset))?;
        let size = part.end.saturating_sub(part.offset);
        let mut bytes = Vec::new();
        file.take(size).read_to_end(&mut bytes)?;
        if bytes.len() as u64 == size {
            Ok(bytes)
        } else {
            Err(io::ErrorKind::UnexpectedEof.into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_print_as_nvidia_smi_prints_them() {
        let bytes = [
            1, 35, 69, 103, 137, 171, 205, 239, 1, 35, 69, 103, 137, 171, 205, 239,
        ];
        assert_eq!(
            uuid(bytes, false),
            "GPU-01234567-89ab-cdef-0123-456789abcdef"
        );
        assert!(uuid(bytes, true).starts_with("MIG-0123"));
    }
}
