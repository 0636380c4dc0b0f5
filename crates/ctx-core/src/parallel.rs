//! Processes many items in parallel, and returns the results in order.

pub(crate) mod queue;

use std::sync::{Mutex, PoisonError};
use std::thread::{self, Builder, Scope, ScopedJoinHandle};

/// Starting a thread is not worthwhile for fewer items than this.
const WORTHWHILE: usize = 512;

/// Runs `work` on parts of `things` and returns the results in order, on at most `threads` threads. There are as
/// many parts as threads, so the results must not depend on the number of parts.
pub fn parallel<T: Sync, R: Send>(things: &[T], threads: usize, work: impl Fn(&[T]) -> R + Sync) -> Vec<R> {
    let threads = threads.min(things.len() / WORTHWHILE);
    if threads <= 1 {
        return vec![work(things)];
    }
    let work = &work;
    thread::scope(|scope| {
        let parts = things.chunks(things.len().div_ceil(threads));
        let workers = parts.map(|part| helper(scope, move || work(part)).ok_or(part));
        let workers: Vec<Result<_, &[T]>> = workers.collect();
        workers.into_iter().map(|worker| worker.map_or_else(work, joined)).collect()
    })
}

/// Runs `work` on each of the parts and returns the results in order; if more than one part is large, on up to
/// `threads` threads.
pub fn each<P: Send, R: Send>(
    parts: Vec<P>,
    threads: usize,
    size: impl Fn(&P) -> usize,
    work: impl Fn(P) -> R + Sync,
) -> Vec<R> {
    let large = parts.iter().filter(|part| size(part) >= WORTHWHILE).count();
    if threads.min(large) <= 1 {
        return parts.into_iter().map(work).collect();
    }
    let threads = threads.min(parts.len());
    let mut results: Vec<Option<R>> = parts.iter().map(|_| None).collect();
    let rest = Mutex::new(parts.into_iter().zip(&mut results));
    let next = || rest.lock().unwrap_or_else(PoisonError::into_inner).next();
    let worker = || {
        while let Some((part, result)) = next() {
            *result = Some(work(part));
        }
    };
    thread::scope(|scope| {
        (1..threads).for_each(|_| drop(helper(scope, worker)));
        worker();
    });
    results.into_iter().flatten().collect()
}

/// Starts a thread, unless the system refuses; the caller must then do the work without it.
pub fn helper<'scope, R: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce() -> R + Send + 'scope,
) -> Option<ScopedJoinHandle<'scope, R>> {
    Builder::new().spawn_scoped(scope, work).ok()
}

/// Waits for a helper and returns its result; if it panicked, panics too.
pub fn joined<R>(worker: ScopedJoinHandle<'_, R>) -> R {
    worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::Mutex;
    use std::thread;

    use super::{each, parallel};

    #[test]
    fn results_come_in_order() {
        for (count, threads) in [(0, 2), (1, 2), (511, 2), (512, 2), (5_000, 0), (5_000, 1), (5_000, 3)] {
            let numbers: Vec<usize> = (0..count).collect();
            let parts = parallel(&numbers, threads, |part| part.iter().map(|n| n * 2).collect::<Vec<_>>());
            assert!(parts.len() <= threads.max(1));
            assert_eq!(parts.concat(), (0..count).map(|n| n * 2).collect::<Vec<_>>());
        }
    }

    #[test]
    fn each_part_has_its_result() {
        for sizes in [&[][..], &[3], &[600, 0, 600], &[600, 2, 1]] {
            for threads in 0..4 {
                let parts: Vec<Vec<usize>> = sizes.iter().map(|size| (0..*size).collect()).collect();
                assert_eq!(each(parts, threads, Vec::len, |part| part.len()), sizes);
            }
        }
    }

    #[test]
    fn no_more_threads_run_than_allowed() {
        let seen = Mutex::new(HashSet::new());
        let parts = vec![vec![0; 600]; 8];
        each(parts, 2, Vec::len, |_| seen.lock().unwrap().insert(thread::current().id()));
        assert!(seen.into_inner().unwrap().len() <= 2);
    }
}
