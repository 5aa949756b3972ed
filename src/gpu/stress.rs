//! `--stress`: a product of matrices, again and again, compared with the CPU's bit by bit.
use super::driver::{Argument, Context, Refusal};
use super::kernel::{PRODUCT, Way, milliseconds, with_log};
use crate::facts::StressRun;
use std::time::Instant;

/// Rows and columns: no multiple of a block's threads.
const ROWS: usize = 389;
const THREADS: u32 = 192;

/// Computes the product `runs` times.
pub(super) fn run(context: Context, way: Way, runs: u32) -> StressRun {
    let start = Instant::now();
    let mut run = StressRun::default();
    if let Err(trouble) = steps(context, way, runs, &mut run) {
        run.trouble = trouble;
    }
    run.ms = milliseconds(start);
    run
}

fn steps(context: Context, way: Way, runs: u32, run: &mut StressRun) -> Result<(), String> {
    let words = |refusal: Refusal| refusal.to_string();
    let (left, right) = (matrix(1), matrix(2));
    let wanted = product(&left, &right);
    let module = context
        .load(&PRODUCT.image(way))
        .map_err(|(refusal, log)| with_log(refusal, &log))?;
    let function = module.function(c"kimg_product").map_err(words)?;
    let a = context.upload(&bits(&left)).map_err(words)?;
    let b = context.upload(&bits(&right)).map_err(words)?;
    let elements = (ROWS * ROWS) as u32;
    for _ in 0..runs {
        // New memory each time, which no earlier run has filled with the right values.
        let c = context
            .upload(&vec![u32::MAX; ROWS * ROWS])
            .map_err(words)?;
        let mut arguments = [
            c.argument(),
            a.argument(),
            b.argument(),
            Argument::Word(ROWS as u32),
        ];
        function
            .launch(elements.div_ceil(THREADS), THREADS, &mut arguments)
            .map_err(words)?;
        context.wait().map_err(words)?;
        let found = c.download().map_err(words)?;
        let wrong = wanted.iter().zip(&found).filter(|(a, b)| a != b).count();
        run.runs += 1;
        run.wrong_values += wrong as u64;
        run.wrong_runs += u32::from(wrong > 0);
    }
    module.unload().map_err(words)
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

/// Values between -1 and 1, from a generator of our own.
fn matrix(seed: u32) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9e37_79b1);
    let next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 23) as f32 - 1.0
    };
    std::iter::repeat_with(next).take(ROWS * ROWS).collect()
}

/// The bits of the product, by the operations of `kimg_product` in their order.
fn product(left: &[f32], right: &[f32]) -> Vec<u32> {
    let mut bits = Vec::with_capacity(ROWS * ROWS);
    for row in left.chunks_exact(ROWS) {
        let mut sums = vec![0f32; ROWS];
        for (x, values) in row.iter().zip(right.chunks_exact(ROWS)) {
            for (sum, y) in sums.iter_mut().zip(values) {
                *sum = x.mul_add(*y, *sum);
            }
        }
        bits.extend(sums.iter().map(|sum| sum.to_bits()));
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_product_is_that_of_each_row_and_column() {
        let (left, right) = (matrix(1), matrix(2));
        assert_ne!(left, right);
        let bits = product(&left, &right);
        assert_eq!(bits.len(), ROWS * ROWS);
        for (row, column) in [(0, 0), (1, 388), (388, 7)] {
            let sum = (0..ROWS).fold(0f32, |sum, k| {
                left[row * ROWS + k].mul_add(right[k * ROWS + column], sum)
            });
            assert_eq!(bits[row * ROWS + column], sum.to_bits());
        }
    }
}
