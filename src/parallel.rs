//! Work on many things at once, with results in their order.

use std::num::NonZero;
use std::thread::{self, ScopedJoinHandle};

/// Fewer things than this are not worth a thread.
const WORTHWHILE: usize = 512;

/// What `work` makes of the parts of `things`, in their order. How many parts there are depends on the
/// machine, so it must not show in what the results come to.
pub(crate) fn parallel<T: Sync, R: Send>(things: &[T], work: impl Fn(&[T]) -> R + Sync) -> Vec<R> {
    let most = things.len() / WORTHWHILE;
    // Asking for the number of processors reads several files: only when it matters.
    let threads =
        if most <= 1 { 1 } else { thread::available_parallelism().map_or(1, NonZero::get).min(most) };
    if threads == 1 {
        return vec![work(things)];
    }
    let work = &work;
    thread::scope(|scope| {
        let parts = things.chunks(things.len().div_ceil(threads));
        let workers: Vec<_> = parts.map(|part| scope.spawn(move || work(part))).collect();
        workers.into_iter().map(joined).collect()
    })
}

/// What `work` makes of each of the parts, in their order; if more than one of them is large, each on a
/// thread of its own.
pub(crate) fn each<P: Send, R: Send>(
    parts: Vec<P>,
    size: impl Fn(&P) -> usize,
    work: impl Fn(P) -> R + Sync,
) -> Vec<R> {
    if parts.iter().filter(|part| size(part) >= WORTHWHILE).count() < 2 {
        return parts.into_iter().map(work).collect();
    }
    let work = &work;
    thread::scope(|scope| {
        let workers: Vec<_> = parts.into_iter().map(|part| scope.spawn(move || work(part))).collect();
        workers.into_iter().map(joined).collect()
    })
}

fn joined<R>(worker: ScopedJoinHandle<'_, R>) -> R {
    worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

#[cfg(test)]
mod tests {
    use super::{each, parallel};

    #[test]
    fn results_come_in_order() {
        for count in [0, 1, 511, 512, 5_000] {
            let numbers: Vec<usize> = (0..count).collect();
            let doubled: Vec<usize> =
                parallel(&numbers, |part| part.iter().map(|n| n * 2).collect::<Vec<_>>())
                    .into_iter()
                    .flatten()
                    .collect();
            assert_eq!(doubled, (0..count).map(|n| n * 2).collect::<Vec<_>>());
        }
    }

    #[test]
    fn each_part_has_its_result() {
        for sizes in [&[][..], &[3], &[600, 0, 600], &[600, 2, 1]] {
            let parts: Vec<Vec<usize>> = sizes.iter().map(|size| (0..*size).collect()).collect();
            assert_eq!(each(parts, Vec::len, |part| part.len()), sizes);
        }
    }
}
