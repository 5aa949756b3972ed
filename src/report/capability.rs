//! What is known of a GPU and its like, for a terminal.
use super::Terminal;
use super::reach::{self, row};
use crate::cuda::{Device, Version};
use crate::fleet::code::Code;
use crate::fleet::gaps::gaps;
use crate::knowledge::torch_wheels::from_release;
use crate::knowledge::{Cpu, GPUS, TorchWheel};
use std::io::{self, Write};

/// The oldest release of torch that the table of wheels has.
const OLDEST_TORCH: &str = "1.8";

/// Writes what reaches the GPU, which public wheels of torch serve it, and which products are like it.
pub fn write(device: &Device, out: &mut dyn Write, terminal: Terminal) -> io::Result<()> {
    reach::write(device, out, terminal)?;
    if let Some(wheel) = first_wheel(device) {
        let release = format!("{}.{}", wheel.from.major, wheel.from.minor);
        let text = format!(
            "the first public wheel with code for it is that of torch {release} for {}",
            wheel.variant
        );
        row("wheels", &text, out, terminal)?;
    }
    let like = GPUS
        .iter()
        .filter(|gpu| gpu.capability == device.capability);
    let names: Vec<&str> = like.map(|gpu| gpu.name.as_str()).collect();
    if names.is_empty() {
        return Ok(());
    }
    row("GPUs", &names.join(", "), out, terminal)
}

fn first_wheel(device: &Device) -> Option<&'static TorchWheel> {
    let oldest: Version = OLDEST_TORCH.parse().ok()?;
    let serves = |wheel: &&TorchWheel| {
        let images = wheel.images();
        let code = Code {
            images: &images,
            more: false,
            ptx_open: false,
            toolkit: None,
        };
        gaps(&[Some(code)], std::slice::from_ref(device)).is_empty()
    };
    from_release(oldest, Cpu::X86).find(serves)
}
