//! Findings by kind, with how many of each.

use crate::account::Tally;
use crate::guard::hidden::HiddenFinding;
use crate::guard::secrets::SecretFinding;

pub(crate) fn secret_tallies(findings: &[SecretFinding]) -> Vec<Tally> {
    let mut tallies: Vec<Tally> = Vec::new();
    for finding in findings {
        let kind = finding.kind.name();
        match tallies.iter_mut().find(|tally| tally.kind == kind) {
            Some(tally) => tally.count += 1,
            None => tallies.push(Tally { kind: kind.to_owned(), count: 1 }),
        }
    }
    tallies
}

pub(crate) fn hidden_tallies(findings: &[HiddenFinding]) -> Vec<Tally> {
    let mut tallies: Vec<Tally> = Vec::new();
    for finding in findings {
        let kind = format!("U+{:04X}", u32::from(finding.char));
        match tallies.iter_mut().find(|tally| tally.kind == kind) {
            Some(tally) => tally.count += finding.count,
            None => tallies.push(Tally { kind, count: finding.count }),
        }
    }
    tallies
}
