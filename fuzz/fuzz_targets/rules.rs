#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| kimg_fuzz::rules(data));
