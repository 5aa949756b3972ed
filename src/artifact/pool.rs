//! Work on many members at once, the heaviest first, so that the last worker is not left with the largest.
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The results of `work` on every item, in the items' order.
pub(super) fn map<T: Sync, R: Send>(
    items: &[T],
    weight: impl Fn(&T) -> u64,
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let mut order: Vec<(u64, usize)> = items.iter().map(weight).zip(0..).collect();
    order.sort_by_key(|&(weight, n)| (std::cmp::Reverse(weight), n));
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<(usize, R)>> = Mutex::new(Vec::with_capacity(items.len()));
    let worker = || {
        while let Some(&(_, n)) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
            if let Some(item) = items.get(n) {
                let result = work(item);
                results
                    .lock()
                    .unwrap_or_else(std::sync::PoisonError::into_inner)
                    .push((n, result));
            }
        }
    };
    rayon::scope(|scope| {
        for _ in 1..rayon::current_num_threads().min(items.len()) {
            scope.spawn(|_| worker());
        }
        worker();
    });
    let mut results = results
        .into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    results.sort_by_key(|&(n, _)| n);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn results_keep_their_order() {
        let items: Vec<u64> = (0..100).collect();
        assert_eq!(
            super::map(&items, |n| *n, |n| n * 2),
            items.iter().map(|n| n * 2).collect::<Vec<_>>()
        );
    }
}
