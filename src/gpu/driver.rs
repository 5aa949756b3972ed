//! The driver's library, opened at run time.
//!
//! cudarc finds the library and looks symbols up, and does no more: its own calls panic where a library or a symbol is not
//! there, and its result type is an enum in which a code that is newer than it is undefined behaviour. Every function here
//! is looked up before it is called, under a type of ours that returns a plain number.
#![allow(
    unsafe_code,
    reason = "calls into the driver's library; each block says why it is sound"
)]
use super::code::Code;
use cudarc::driver::sys;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::mem::size_of;
use std::ptr;

/// Why the driver did not do what it was asked to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Refusal {
    /// It has no such function: it is older than that, or no driver at all.
    #[error("the driver has no {0}")]
    NoFunction(&'static str),
    /// It answered with an error.
    #[error("{function} answers {code}")]
    Code {
        /// The function.
        function: &'static str,
        /// The answer.
        code: Code,
    },
}

impl Refusal {
    /// The code, if it answered.
    pub(super) fn code(self) -> Option<Code> {
        match self {
            Self::NoFunction(_) => None,
            Self::Code { code, .. } => Some(code),
        }
    }
}

/// Calls a function of cuda.h by its name, under the type given, if it is there.
macro_rules! call {
    ($driver:expr, $name:literal, $($argument:expr => $type:ty),*) => {{
        type Function = unsafe extern "C" fn($($type),*) -> c_int;
        match $driver.symbol::<Function>(concat!($name, "\0").as_bytes()) {
            None => Err(Refusal::NoFunction($name)),
            Some(function) => {
                // SAFETY: the type is the one that cuda.h gives this function, with its enums as the numbers that they are;
                // pointers are to live variables or buffers of the sizes passed along, and the driver keeps none of them.
                let code = Code(unsafe { function($($argument),*) });
                code.ok().map_err(|code| Refusal::Code { function: $name, code })
            }
        }
    }};
}

/// Handles of cuda.h: pointers that only the driver looks behind.
type Handle = *mut c_void;

/// The driver of this process.
pub(super) struct Driver(());

impl Driver {
    /// Opens the library; `None` where there is none. Does not touch a GPU yet.
    pub(super) fn open() -> Option<Self> {
        // SAFETY: opening a library runs its constructors. It is the system's driver, which every CUDA program opens.
        unsafe { sys::is_culib_present() }.then_some(Self(()))
    }

    fn symbol<T: Copy>(&self, name: &[u8]) -> Option<T> {
        // SAFETY: the library is there, as `open` has seen, and stays open as long as the process. The caller's type is
        // that of cuda.h for this name.
        unsafe { sys::culib().get::<T>(name) }
            .ok()
            .map(|found| *found)
    }

    pub(super) fn init(&self) -> Result<(), Refusal> {
        call!(self, "cuInit", 0 => c_uint)
    }

    /// The CUDA version that the driver speaks: 13000 is 13.0.
    pub(super) fn version(&self) -> Result<i32, Refusal> {
        let mut version = 0;
        call!(self, "cuDriverGetVersion", &mut version => *mut c_int)?;
        Ok(version)
    }

    pub(super) fn count(&self) -> Result<u32, Refusal> {
        let mut count = 0;
        call!(self, "cuDeviceGetCount", &mut count => *mut c_int)?;
        Ok(u32::try_from(count).unwrap_or(0))
    }

    pub(super) fn device(&self, index: u32) -> Result<Device<'_>, Refusal> {
        let mut device = 0;
        call!(self, "cuDeviceGet", &mut device => *mut c_int, index as c_int => c_int)?;
        let driver = self;
        Ok(Device { driver, device })
    }
}

/// One GPU.
#[derive(Clone, Copy)]
pub(super) struct Device<'d> {
    driver: &'d Driver,
    device: c_int,
}

/// Numbers of `CUdevice_attribute`.
#[derive(Clone, Copy, Debug)]
pub(super) enum Attribute {
    ComputeMode = 20,
    Major = 75,
    Minor = 76,
}

impl<'d> Device<'d> {
    pub(super) fn name(self) -> Result<String, Refusal> {
        let mut name = [0u8; 256];
        let size = name.len() as c_int;
        call!(self.driver, "cuDeviceGetName",
            name.as_mut_ptr().cast() => *mut c_char, size => c_int, self.device => c_int)?;
        Ok(text(&name))
    }

    pub(super) fn attribute(self, attribute: Attribute) -> Result<i32, Refusal> {
        let mut value = 0;
        call!(self.driver, "cuDeviceGetAttribute",
            &mut value => *mut c_int, attribute as c_int => c_int, self.device => c_int)?;
        Ok(value)
    }

    /// Its id; the second form also tells the slices of a GPU apart, and came with 11.4.
    pub(super) fn uuid(self) -> Result<[u8; 16], Refusal> {
        let mut uuid = [0u8; 16];
        let to = uuid.as_mut_ptr();
        let newer = call!(self.driver, "cuDeviceGetUuid_v2", to => *mut u8, self.device => c_int);
        if newer.is_err() {
            call!(self.driver, "cuDeviceGetUuid", to => *mut u8, self.device => c_int)?;
        }
        Ok(uuid)
    }

    /// Makes its primary context the current one of this thread.
    pub(super) fn context(self) -> Result<Context<'d>, Refusal> {
        let mut context: Handle = ptr::null_mut();
        call!(self.driver, "cuDevicePrimaryCtxRetain",
            &mut context => *mut Handle, self.device => c_int)?;
        call!(self.driver, "cuCtxSetCurrent", context => Handle)?;
        let driver = self.driver;
        Ok(Context { driver })
    }
}

/// A context that is current. It lives as long as the process.
#[derive(Clone, Copy)]
pub(super) struct Context<'d> {
    driver: &'d Driver,
}

/// Numbers of `CUjit_option`: the log of errors, and its size.
const ERROR_LOG: c_int = 5;
const ERROR_LOG_SIZE: c_int = 6;
const LOG_BYTES: usize = 4096;

impl<'d> Context<'d> {
    /// Loads an image; where that fails, what the driver's log says stands beside.
    pub(super) fn load(self, image: &Image) -> Result<Module<'d>, (Refusal, String)> {
        let mut module: Handle = ptr::null_mut();
        let mut log = [0u8; LOG_BYTES];
        let mut options = [ERROR_LOG, ERROR_LOG_SIZE];
        // A size is passed in place of a pointer, as cuda.h has it.
        let mut values: [Handle; 2] = [
            log.as_mut_ptr().cast(),
            ptr::without_provenance_mut(LOG_BYTES),
        ];
        let loaded = call!(self.driver, "cuModuleLoadDataEx",
            &mut module => *mut Handle,
            image.as_ptr() => *const c_void,
            options.len() as c_uint => c_uint,
            options.as_mut_ptr() => *mut c_int,
            values.as_mut_ptr() => *mut Handle);
        match loaded {
            Ok(()) => Ok(Module {
                driver: self.driver,
                module,
            }),
            Err(refusal) => Err((refusal, text(&log))),
        }
    }

    /// Memory of the GPU that holds `words`.
    pub(super) fn upload(self, words: &[u32]) -> Result<Memory<'d>, Refusal> {
        let bytes = size_of_val(words);
        let mut at = 0;
        call!(self.driver, "cuMemAlloc_v2", &mut at => *mut u64, bytes => usize)?;
        let memory = Memory {
            driver: self.driver,
            at,
            words: words.len(),
        };
        call!(self.driver, "cuMemcpyHtoD_v2",
            at => u64, words.as_ptr().cast() => *const c_void, bytes => usize)?;
        Ok(memory)
    }

    /// Waits for everything that was launched.
    pub(super) fn wait(self) -> Result<(), Refusal> {
        call!(self.driver, "cuCtxSynchronize",)
    }
}

/// The bytes of an image where a driver wants them: aligned, with zeros behind.
pub(super) struct Image(Vec<u64>);

impl Image {
    /// A copy of `bytes`.
    pub(super) fn new(bytes: &[u8]) -> Self {
        let mut words: Vec<u64> = bytes
            .chunks(8)
            .map(|chunk| {
                let mut word = [0; 8];
                if let Some(to) = word.get_mut(..chunk.len()) {
                    to.copy_from_slice(chunk);
                }
                u64::from_ne_bytes(word)
            })
            .collect();
        // PTX ends at a zero byte.
        words.push(0);
        Self(words)
    }

    fn as_ptr(&self) -> *const c_void {
        self.0.as_ptr().cast()
    }
}

/// An image that was loaded.
pub(super) struct Module<'d> {
    driver: &'d Driver,
    module: Handle,
}

impl<'d> Module<'d> {
    pub(super) fn function(&self, name: &CStr) -> Result<Function<'d>, Refusal> {
        let mut function: Handle = ptr::null_mut();
        call!(self.driver, "cuModuleGetFunction",
            &mut function => *mut Handle, self.module => Handle, name.as_ptr() => *const c_char)?;
        let driver = self.driver;
        Ok(Function { driver, function })
    }

    pub(super) fn unload(self) -> Result<(), Refusal> {
        call!(self.driver, "cuModuleUnload", self.module => Handle)
    }
}

/// A kernel.
#[derive(Clone, Copy)]
pub(super) struct Function<'d> {
    driver: &'d Driver,
    function: Handle,
}

/// An argument of a kernel.
#[derive(Clone, Copy, Debug)]
pub(super) enum Argument {
    /// A `.u32`.
    Word(u32),
    /// A `.u64`: memory of the GPU.
    Address(u64),
}

impl Function<'_> {
    /// Launches `blocks` blocks of `threads` threads. The arguments must be those that the kernel has.
    pub(super) fn launch(
        self,
        blocks: u32,
        threads: u32,
        arguments: &mut [Argument],
    ) -> Result<(), Refusal> {
        let mut pointers: Vec<Handle> = arguments
            .iter_mut()
            .map(|argument| match argument {
                Argument::Word(word) => ptr::from_mut(word).cast(),
                Argument::Address(address) => ptr::from_mut(address).cast(),
            })
            .collect();
        let none: Handle = ptr::null_mut();
        call!(self.driver, "cuLaunchKernel",
            self.function => Handle,
            blocks => c_uint, 1 => c_uint, 1 => c_uint,
            threads => c_uint, 1 => c_uint, 1 => c_uint,
            0 => c_uint, none => Handle,
            pointers.as_mut_ptr() => *mut Handle, ptr::null_mut() => *mut Handle)
    }
}

/// Memory of the GPU.
pub(super) struct Memory<'d> {
    driver: &'d Driver,
    at: u64,
    words: usize,
}

impl Memory<'_> {
    /// It as an argument.
    pub(super) fn argument(&self) -> Argument {
        Argument::Address(self.at)
    }

    /// What it holds.
    pub(super) fn download(&self) -> Result<Vec<u32>, Refusal> {
        let mut words = vec![0u32; self.words];
        let bytes = self.words * size_of::<u32>();
        call!(self.driver, "cuMemcpyDtoH_v2",
            words.as_mut_ptr().cast() => *mut c_void, self.at => u64, bytes => usize)?;
        Ok(words)
    }
}

impl Drop for Memory<'_> {
    fn drop(&mut self) {
        // Where it cannot be given back, it ends with the process.
        let _ = call!(self.driver, "cuMemFree_v2", self.at => u64);
    }
}

/// The text in a buffer up to its first zero.
fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|&byte| byte == 0);
    let text = bytes.get(..end.unwrap_or(bytes.len())).unwrap_or_default();
    String::from_utf8_lossy(text).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_ends_in_zeros() {
        for (bytes, expected) in [(&b""[..], 1), (b"1234567", 2), (b"12345678", 2)] {
            let image = Image::new(bytes);
            assert_eq!(image.0.len(), expected);
            assert_eq!(image.0.last(), Some(&0));
        }
        assert_eq!(Image::new(b"ab").0[0].to_ne_bytes(), *b"ab\0\0\0\0\0\0");
    }

    #[test]
    fn a_text_ends_at_its_zero() {
        assert_eq!(text(b" a b \0 c"), "a b");
        assert_eq!(text(b"abc"), "abc");
    }
}
