//! Work that creates more work, shared by a few threads.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

use super::{helper, joined};

/// How many jobs the calling thread does before it starts helpers. Doing a few jobs takes less time than
/// starting a thread.
const ALONE: usize = 24;

struct Shared<J> {
    state: Mutex<QueueState<J>>,
    changed: Condvar,
    hungry: AtomicUsize,
    stop: AtomicBool,
}

struct QueueState<J> {
    jobs: Vec<J>,
    busy: usize,
}

/// Does the jobs, and all the jobs that these create. Returns the workers, one per thread, starting with the
/// calling thread's. `work` does one job and pushes any new jobs that it creates; if it returns `false`, all
/// work ends.
pub fn run<J: Send, W: Send>(
    jobs: Vec<J>,
    threads: usize,
    new: impl Fn() -> W,
    work: impl Fn(&mut W, J, &mut Vec<J>) -> bool + Sync,
) -> Vec<W> {
    let mut first = new();
    let mut own = jobs;
    for _ in 0..ALONE {
        let Some(job) = own.pop() else { return vec![first] };
        if !work(&mut first, job, &mut own) {
            return vec![first];
        }
    }
    let threads = threads.max(1);
    let shared = Shared {
        state: Mutex::new(QueueState { jobs: own, busy: threads }),
        changed: Condvar::new(),
        hungry: AtomicUsize::new(0),
        stop: AtomicBool::new(false),
    };
    std::thread::scope(|scope| {
        let (shared, work) = (&shared, &work);
        let helpers: Vec<_> = (1..threads)
            .filter_map(|_| {
                let mut worker = new();
                let helper = helper(scope, move || {
                    shared.drain(&mut worker, work);
                    worker
                });
                if helper.is_none() {
                    shared.lock().busy -= 1;
                }
                helper
            })
            .collect();
        shared.drain(&mut first, work);
        let mut workers = vec![first];
        workers.extend(helpers.into_iter().map(joined));
        workers
    })
}

impl<J> Shared<J> {
    fn drain<W>(&self, worker: &mut W, work: impl Fn(&mut W, J, &mut Vec<J>) -> bool) {
        let _leaving = Leaving(self);
        let mut own = Vec::new();
        loop {
            let Some(job) = own.pop().or_else(|| self.take()) else { return };
            if self.stop.load(Ordering::Relaxed) || !work(worker, job, &mut own) {
                self.stop.store(true, Ordering::Relaxed);
                own.clear();
            }
            if own.len() > 1 && self.hungry.load(Ordering::Relaxed) > 0 {
                let half = own.len() / 2;
                self.lock().jobs.extend(own.drain(..half));
                self.changed.notify_all();
            }
        }
    }

    /// Waits for a job; `None` once all threads are waiting.
    fn take(&self) -> Option<J> {
        let mut state = self.lock();
        if let Some(job) = state.jobs.pop() {
            return Some(job);
        }
        state.busy -= 1;
        self.hungry.fetch_add(1, Ordering::Relaxed);
        while state.busy > 0 {
            if let Some(job) = state.jobs.pop() {
                state.busy += 1;
                self.hungry.fetch_sub(1, Ordering::Relaxed);
                return Some(job);
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        self.changed.notify_all();
        None
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, QueueState<J>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends all work if a thread panics, because the others would otherwise wait for it forever.
struct Leaving<'a, J>(&'a Shared<J>);

impl<J> Drop for Leaving<'_, J> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.stop.store(true, Ordering::Relaxed);
            self.0.lock().busy -= 1;
            self.0.changed.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Counter {
        done: usize,
        limit: usize,
    }

    impl Counter {
        fn work(&mut self, job: u32, more: &mut Vec<u32>) -> bool {
            self.done += 1;
            more.extend((0..job).map(|_| job - 1));
            self.done < self.limit
        }
    }

    #[test]
    fn every_job_is_done_once_unless_a_worker_stops_them_all() {
        for threads in [1, 2, 7] {
            let workers = run(vec![7], threads, || Counter { done: 0, limit: usize::MAX }, Counter::work);
            assert_eq!(workers.iter().map(|worker| worker.done).sum::<usize>(), 13_700);
            let workers = run(vec![9], threads, || Counter { done: 0, limit: 100 }, Counter::work);
            assert!(workers.iter().any(|worker| worker.done == 100));
        }
    }

    #[test]
    fn a_panic_in_one_thread_stops_all_threads() {
        for threads in [2, 7] {
            let work = |(): &mut (), job: u32, more: &mut Vec<u32>| {
                assert!(job != 1, "one of many");
                more.extend((0..job).map(|_| job - 1));
                true
            };
            let run = || run(vec![2; 40].into_iter().chain([9]).collect(), threads, || (), work).len();
            assert!(std::panic::catch_unwind(run).is_err());
        }
    }
}
