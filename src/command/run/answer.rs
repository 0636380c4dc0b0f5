//! The input of a program and its answer.

use std::io::{self, Write};

use crate::error::Error;
use ctx_core::process::{Collector, Dialogue};
use ctx_core::words::grouped;

/// The input of a program and its answer, which is passed on to standard output as it arrives, and recorded.
#[derive(Debug)]
pub struct Answer {
    input: Option<Vec<u8>>,
    kept: Collector,
    failure: Option<io::Error>,
}

impl Answer {
    /// The most bytes to record.
    pub const MOST: usize = 15 << 20;

    /// An answer to this input.
    pub fn to(input: Vec<u8>) -> Self {
        Self {
            input: Some(input).filter(|input| !input.is_empty()),
            kept: Collector::new(Self::MOST),
            failure: None,
        }
    }

    /// Whether standard output didn't take all of the answer.
    pub fn is_cut(&self) -> bool {
        self.failure.is_some()
    }

    /// Why standard output didn't take all of the answer, unless the reader closed it.
    pub fn failure(&self) -> Option<Error> {
        let failure = self.failure.as_ref().filter(|error| error.kind() != io::ErrorKind::BrokenPipe)?;
        let same = failure.raw_os_error().map_or_else(|| failure.kind().into(), io::Error::from_raw_os_error);
        Some(Error::standard_output(same))
    }

    /// Whether the answer isn't valid UTF-8.
    pub fn is_lossy(&self) -> bool {
        let captured = self.kept.clone().finish();
        captured.omitted == 0 && str::from_utf8(&captured.head).is_err()
    }

    /// Whether the answer has at most this many bytes.
    pub fn fits(&self, most: usize) -> bool {
        let captured = self.kept.clone().finish();
        captured.omitted == 0 && captured.head.len() <= most
    }

    /// The text of the answer, shortened to its beginning and end unless it [fits](Self::fits). The newline
    /// at the end of the output isn't part of the answer.
    pub fn text(&self, most: usize) -> String {
        let captured = self.kept.clone().finish();
        let half = |bytes: &[u8]| bytes.len().min(most / 2);
        let text = if self.fits(most) {
            String::from_utf8_lossy(&captured.head).into_owned()
        } else {
            let end = if captured.omitted == 0 { &captured.head } else { &captured.tail };
            let (head, tail) = (&captured.head[..half(&captured.head)], &end[end.len() - half(end)..]);
            let all = captured.head.len() as u64 + captured.omitted + captured.tail.len() as u64;
            let omitted = grouped(all - head.len() as u64 - tail.len() as u64);
            let [head, tail] = [head, tail].map(String::from_utf8_lossy);
            format!("{head}\n[… {omitted} bytes omitted …]\n{tail}")
        };
        text.strip_suffix('\n').map_or(text.as_str(), |text| text.trim_end_matches('\r')).to_owned()
    }
}

impl Dialogue for Answer {
    fn next_input(&mut self) -> Option<Vec<u8>> {
        self.input.take()
    }

    fn take_output(&mut self, bytes: &[u8]) {
        let mut out = io::stdout().lock();
        match out.write_all(bytes).and_then(|()| out.flush()) {
            Ok(()) => self.kept.push(bytes),
            Err(error) => self.failure = Some(error),
        }
    }

    fn is_over(&self) -> bool {
        self.failure.is_some()
    }
}
