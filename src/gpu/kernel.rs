//! Our own kernel: loaded, launched and compared, with the driver's answer at each step.
use super::code::Code;
use super::driver::{Argument, Context, Image, Memory, Module, Refusal};
use crate::facts::{KernelRun, Values};
use std::time::Instant;

/// A kernel as machine code for all GPUs, and as the text that it was made from (`kernel/build.sh`).
pub(super) struct Kernel {
    fatbin: &'static [u8],
    ptx: &'static str,
}

static FILL: Kernel = Kernel {
    fatbin: include_bytes!("kernel/fill.fatbin"),
    ptx: include_str!("kernel/fill.ptx"),
};

/// The product of matrices, for `stress`.
pub(super) static PRODUCT: Kernel = Kernel {
    fatbin: include_bytes!("kernel/product.fatbin"),
    ptx: include_str!("kernel/product.ptx"),
};

/// Elements, which is no multiple of the threads of a block, so that the last block has threads without work.
const ELEMENTS: u32 = 10_007;
const THREADS: u32 = 256;
/// Words behind them that no thread may touch.
const GUARD: usize = 61;
const POISON: u32 = 0xa5a5_5a5a;
const SEED: u32 = 0x1f83_d9ab;

/// The way in which the kernel reaches the GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) enum Way {
    /// As machine code.
    Sass,
    /// As PTX that the driver compiles.
    Ptx,
}

impl Kernel {
    /// It as this way has it.
    pub(super) fn image(&self, way: Way) -> Image {
        Image::new(match way {
            Way::Sass => self.fatbin,
            Way::Ptx => self.ptx.as_bytes(),
        })
    }
}

/// Runs the kernel and compares.
pub(super) fn run(context: Context, way: Way) -> KernelRun {
    let start = Instant::now();
    let mut run = KernelRun::default();
    if let Err(refusal) = steps(context, way, &mut run) {
        run.trouble = refusal;
    }
    run.ok = run.trouble.is_empty() && run.values == Values::Right;
    run.ms = milliseconds(start);
    run
}

/// What `start` is ago, in milliseconds with three places.
pub(super) fn milliseconds(start: Instant) -> f64 {
    (start.elapsed().as_secs_f64() * 1e6).round() / 1e3
}

fn steps(context: Context, way: Way, run: &mut KernelRun) -> Result<(), String> {
    let words = |refusal: Refusal| refusal.to_string();
    let loaded = context.load(&FILL.image(way));
    run.load_code = code(&loaded.as_ref().map(|_| ()).map_err(|(refusal, _)| *refusal));
    let module = loaded.map_err(|(refusal, log)| with_log(refusal, &log))?;
    let poisoned = vec![POISON; ELEMENTS as usize + GUARD];
    let memory = context.upload(&poisoned).map_err(words)?;
    let launched = launch(&module, &memory);
    run.launch_code = code(&launched);
    // After a launch that failed, waiting succeeds: the answer at the launch is the one that counts.
    let waited = context.wait();
    run.sync_code = code(&waited);
    launched.map_err(words)?;
    waited.map_err(words)?;
    let found = memory.download().map_err(words)?;
    compare(&found, run);
    module.unload().map_err(words)
}

fn code(result: &Result<(), Refusal>) -> Option<i32> {
    match result {
        Ok(()) => Some(Code::SUCCESS.0),
        Err(refusal) => refusal.code().map(|code| code.0),
    }
}

/// A refusal with the first line of the driver's log.
pub(super) fn with_log(refusal: Refusal, log: &str) -> String {
    match log.lines().map(str::trim).find(|line| !line.is_empty()) {
        Some(line) => format!("{refusal}: {line}"),
        None => refusal.to_string(),
    }
}

fn launch(module: &Module, memory: &Memory) -> Result<(), Refusal> {
    let function = module.function(c"kimg_fill")?;
    let mut arguments = [
        memory.argument(),
        Argument::Word(ELEMENTS),
        Argument::Word(SEED),
    ];
    function.launch(ELEMENTS.div_ceil(THREADS), THREADS, &mut arguments)
}

/// What the kernel writes to element `i`: `kimg_fill` of fill.ptx.
fn expected(i: u32) -> u32 {
    let mut x = i.wrapping_mul(0x9e37_79b1) ^ SEED;
    x ^= x >> 15;
    x = x.wrapping_mul(0x85eb_ca77).wrapping_add(i);
    x ^ (x >> 13)
}

fn compare(found: &[u32], run: &mut KernelRun) {
    let all = (0..ELEMENTS).map(expected);
    let wanted = all.chain(std::iter::repeat_n(POISON, GUARD));
    let wrong = wanted.zip(found).filter(|(a, b)| a != *b).count();
    let untouched = found.iter().all(|&word| word == POISON);
    run.values = Values::Right;
    if wrong > 0 || found.len() != ELEMENTS as usize + GUARD {
        run.values = Values::Wrong;
        run.trouble = if untouched {
            "the kernel wrote nothing".to_owned()
        } else {
            format!("{wrong} of {} values are wrong", found.len())
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_wrong_value_is_seen() {
        let right: Vec<u32> = (0..ELEMENTS).map(expected).chain([POISON; GUARD]).collect();
        let with = |at: usize, word| {
            let mut words = right.clone();
            words[at] = word;
            words
        };
        for (found, values, trouble) in [
            (right.clone(), Values::Right, ""),
            (with(0, 7), Values::Wrong, "1 of 10068 values are wrong"),
            (
                with(10_006, 7),
                Values::Wrong,
                "1 of 10068 values are wrong",
            ),
            // Past the end: a thread that should have done nothing.
            (
                with(10_007, 7),
                Values::Wrong,
                "1 of 10068 values are wrong",
            ),
            (
                vec![POISON; 10_068],
                Values::Wrong,
                "the kernel wrote nothing",
            ),
        ] {
            let mut run = KernelRun::default();
            compare(&found, &mut run);
            assert_eq!((run.values, run.trouble.as_str()), (values, trouble));
        }
    }

    #[test]
    fn the_values_differ() {
        let mut values: Vec<u32> = (0..ELEMENTS).map(expected).collect();
        values.sort_unstable();
        values.dedup();
        assert!(values.len() > ELEMENTS as usize - 10);
    }
}
