//! Many random secrets of every kind: a rule that decides by chance misses some.

use super::template::{Example, example_of};
use super::*;

/// How many secrets to make from each example: a few or, in a campaign, enough to show a miss in a thousand.
fn count() -> usize {
    let is_campaign = std::env::var_os("CTX_CAMPAIGN").is_some_and(|value| value == "whole");
    if is_campaign { 2_000 } else { 60 }
}

#[test]
fn at_most_one_instance_in_a_thousand_is_missed() {
    const MOST_IN_A_THOUSAND: usize = 1;
    let count = count();
    let mut missed = Vec::new();
    for (template, row) in
        table::rows().flat_map(|row| row.examples.iter().map(move |template| (template, row)))
    {
        let misses = (0..count)
            .map(|seed| example_of(row.kind, template, 1_000 + 131 * seed))
            .filter(|Example { before, secret, after, .. }| {
                redacted(&format!("{before}{secret}{after}")).contains(&**secret)
            })
            .count();
        if misses * 1_000 > MOST_IN_A_THOUSAND * count {
            missed.push(format!("{misses} of {count}: {} {template}\n", row.kind));
        }
    }
    assert!(missed.is_empty(), "{}", missed.concat());
}
