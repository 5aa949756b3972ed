//! What the tool knows of the world: GPUs and who rents them, base images, the wheels of torch.
pub mod ci_actions;
pub mod errors;
pub mod images;
mod key;
pub mod own;
pub(crate) mod pattern;
mod record;
mod tables;
pub mod torch_wheels;

pub use key::key;
pub use record::{Ambiguous, CiAction, Cpu, CudaError, Gpu, GpuName, Instance, Sh, TorchWheel};
pub use tables::{AMBIGUOUS, GPU_NAMES, GPUS, INSTANCES, TORCH_WHEELS};
