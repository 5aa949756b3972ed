//! What a wheel costs to inflate and nothing else, with the library that kimg-lint inflates with: the floor
//! that `kimg-lint archs WHEEL` is measured against. Prints seconds for each member over a megabyte, then
//! their sum over all members.
#![allow(clippy::print_stdout, clippy::unwrap_used)]
use flate2::bufread::DeflateDecoder;
use std::io::Read;
use std::time::Instant;

fn main() {
    let path = std::env::args().nth(1).expect("a wheel");
    let bytes = std::fs::read(path).unwrap();
    let u16_at = |at: usize| u16::from_le_bytes(bytes[at..at + 2].try_into().unwrap()) as usize;
    let u32_at = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    let end = bytes.windows(4).rposition(|w| w == b"PK\x05\x06").unwrap();
    let mut row = u32_at(end + 16);
    let mut buffer = vec![0; 64 << 10];
    let (mut sum, mut largest) = (0.0, 0.0_f64);
    for _ in 0..u16_at(end + 10) {
        let (packed, local) = (u32_at(row + 20), u32_at(row + 42));
        let start = local + 30 + u16_at(local + 26) + u16_at(local + 28);
        let began = Instant::now();
        if u16_at(row + 10) == 8 {
            let mut inflate = DeflateDecoder::new(&bytes[start..start + packed]);
            while inflate.read(&mut buffer).unwrap() > 0 {}
        }
        let seconds = began.elapsed().as_secs_f64();
        sum += seconds;
        largest = largest.max(seconds);
        row += 46 + u16_at(row + 28) + u16_at(row + 30) + u16_at(row + 32);
    }
    println!("{{\"largest\": {largest:.3}, \"sum\": {sum:.3}}}");
}
