//! What GPUs and watched programs showed, for people: a few lines each, above the findings.
use super::plain::plain;
use crate::facts::{KernelRun, Known, LoadedArtifact, Probe, ProbeState, Program, Values};
use std::io::{self, Write};

/// Writes a block for each GPU.
pub fn write(probes: &[Probe], out: &mut dyn Write) -> io::Result<()> {
    for probe in probes {
        if probe.gpu.is_empty() {
            let reason = plain(&probe.reason);
            match probe.state {
                ProbeState::Absent => writeln!(out, "no GPU: {reason}")?,
                _ => writeln!(out, "{}: {reason}", probe.path)?,
            }
            continue;
        }
        heading(probe, out)?;
        for (name, run) in [("machine code", &probe.sass), ("PTX", &probe.ptx)] {
            if let Some(run) = run {
                writeln!(out, "  {name:<14}{}", kernel(run))?;
            }
        }
        if let Some(stress) = &probe.stress {
            let trouble = match stress.trouble.as_str() {
                "" => String::new(),
                trouble => format!("; {}", plain(trouble)),
            };
            writeln!(
                out,
                "  stress        {} of {} products right, {:.0} ms{trouble}",
                stress.runs - stress.wrong_runs.min(stress.runs),
                stress.runs,
                stress.ms
            )?;
        }
        if probe.state != ProbeState::Ran {
            writeln!(out, "  does not work: {}", plain(&probe.reason))?;
        }
        for loaded in &probe.artifacts {
            artifact(loaded, out)?;
        }
    }
    Ok(())
}

fn heading(probe: &Probe, out: &mut dyn Write) -> io::Result<()> {
    let mut facts = vec![format!("compute capability {}", probe.capability)];
    facts.push(format!("driver {} (CUDA {})", probe.driver, probe.cuda));
    if !probe.mode.is_empty() {
        facts.push(format!("{} mode", probe.mode));
    }
    if let Some(ms) = probe.context_ms {
        facts.push(format!("context in {ms:.0} ms"));
    }
    writeln!(
        out,
        "{}: {}, {}",
        probe.path,
        plain(&probe.gpu),
        facts.join(", ")
    )
}

fn kernel(run: &KernelRun) -> String {
    match run.values {
        Values::Right if run.ok => format!("right   {:.1} ms", run.ms),
        Values::Wrong => format!("WRONG   {}", plain(&run.trouble)),
        _ => format!("failed  {}", plain(&run.trouble)),
    }
}

fn artifact(loaded: &LoadedArtifact, out: &mut dyn Write) -> io::Result<()> {
    let name = match loaded.member.as_str() {
        "" => plain(&loaded.path).into_owned(),
        member => format!("{}!{}", plain(&loaded.path), plain(member)),
    };
    writeln!(
        out,
        "  {name}: {} loaded, {} of {} as predicted",
        containers(loaded.loaded),
        loaded.agree,
        loaded.of
    )?;
    let mut more = Vec::new();
    for (count, what) in [
        (loaded.missing, "without an image for this GPU"),
        (loaded.dispatch, "for other GPUs on purpose"),
        (loaded.undecided, "about which nothing could be predicted"),
    ] {
        if count > 0 {
            more.push(format!("{count} {what}"));
        }
    }
    if loaded.skipped > 0 {
        let why = plain(&loaded.skipped_text);
        more.push(format!("{} not loaded ({why})", loaded.skipped));
    }
    if !more.is_empty() {
        writeln!(out, "    {}", more.join(", "))?;
    }
    Ok(())
}

fn containers(n: u64) -> String {
    format!("{n} container{}", if n == 1 { "" } else { "s" })
}

/// Writes a line for each program.
pub fn write_programs(programs: &[Program], out: &mut dyn Write) -> io::Result<()> {
    for program in programs {
        let command = plain(&program.command);
        let ended = plain(&program.ended);
        write!(out, "{command}: {ended}; ")?;
        match (program.watched, program.failures.len()) {
            (Known::No, _) => writeln!(
                out,
                "driver {} writes no log of errors (575 is the first that does), so nothing is known of its launches",
                program.driver
            )?,
            (Known::Unknown, _) => writeln!(
                out,
                "the driver's version does not show, so it is not known whether it writes a log of errors"
            )?,
            (Known::Yes, 0) => writeln!(out, "the driver logged no failed image or launch")?,
            (Known::Yes, n) => writeln!(
                out,
                "the driver logged {n} kind{} of failure",
                if n == 1 { "" } else { "s" }
            )?,
        }
    }
    Ok(())
}
