//! Which kernels of a file have no image for a GPU, in the words of their source.
use super::Terminal;
use super::wrap::wrap;
use crate::facts::Artifact;
use std::io::{self, Write};

/// Writes, for each file that some kernels of lack a GPU, which those are.
pub fn write(artifacts: &[Artifact], terminal: Terminal, out: &mut dyn Write) -> io::Result<()> {
    for artifact in artifacts {
        let name = match artifact.member.as_str() {
            "" => &artifact.path,
            member => member,
        };
        for group in artifact
            .verdicts
            .iter()
            .filter(|g| !g.kernels.is_empty() || g.unnamed > 0)
        {
            let title = format!(
                "kernels of {name} without an image for {}:",
                group.gpus.join(", ")
            );
            writeln!(out, "\n{}\n", wrap(&title, terminal.width))?;
            for kernel in &group.kernels {
                let count = match kernel.count {
                    1 => String::new(),
                    count => format!(" ×{count}"),
                };
                writeln!(out, "  {}{count}", kernel.name)?;
            }
            if group.unnamed > 0 {
                writeln!(
                    out,
                    "  and those of {} containers whose names could not be read here",
                    group.unnamed
                )?;
            }
        }
    }
    Ok(())
}
