//! What a child is asked, and what it answers, one JSON line each.
use super::kernel::Way;
use crate::facts::{KernelRun, StressRun};
use serde::{Deserialize, Serialize};

/// What a child is to do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Job {
    /// Say which driver is there.
    Version,
    /// Run our kernels on every GPU, except for the tasks that ended an earlier child.
    Probe {
        /// Those tasks.
        skip: Vec<Task>,
        /// How many times to compute the product.
        stress: u32,
    },
    /// Load parts of files on one GPU.
    Load {
        /// The GPU.
        index: u32,
        /// The parts, in order.
        parts: Vec<Part>,
    },
}

/// Something that may end a child.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Task {
    /// Opening the driver and asking what is there.
    Driver,
    /// Creating a context on a GPU.
    Context(u32),
    /// Running the kernel on a GPU.
    Kernel(u32, Way),
    /// Computing products on a GPU.
    Stress(u32),
    /// Loading a part.
    Load(usize),
}

/// Bytes of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Part {
    pub(super) path: String,
    pub(super) offset: u64,
    pub(super) end: u64,
}

/// What a child says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Reply {
    /// It is about to do this.
    Begin(Task),
    /// There is no driver.
    NoDriver,
    /// The driver refused to start.
    NotStarted {
        /// Its code, if it answered.
        code: Option<i32>,
        /// In words.
        reason: String,
    },
    /// The driver.
    Driver(DriverSeen),
    /// A GPU.
    Device(DeviceSeen),
    /// A GPU on which no context can be created.
    NoContext {
        index: u32,
        reason: String,
    },
    /// A context, and the milliseconds it took.
    Context {
        index: u32,
        ms: f64,
    },
    Kernel {
        index: u32,
        way: Way,
        run: KernelRun,
    },
    Stress {
        index: u32,
        run: StressRun,
    },
    /// The driver's answer to loading a part.
    Loaded {
        part: usize,
        /// Absent if it could not be asked.
        code: Option<i32>,
        /// What it said.
        log: String,
    },
    /// Everything is done. A child that ends without saying so has died.
    Done,
}

/// The driver as a child sees it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct DriverSeen {
    /// `580.159.04`; empty where it does not show.
    pub(super) version: String,
    /// 13000.
    pub(super) cuda: i32,
    /// The library that was opened.
    pub(super) library: String,
}

/// A GPU as a child sees it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct DeviceSeen {
    pub(super) index: u32,
    pub(super) name: String,
    pub(super) uuid: String,
    pub(super) major: i32,
    pub(super) minor: i32,
    pub(super) mode: String,
}
