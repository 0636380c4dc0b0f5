//! Which names occur in the files of a plan.

use super::{Plan, PlanError, Request};
use crate::document::Session;
use crate::source::Source;
use crate::world::World;
use ctx_search::{Query, Scan, found};

/// For each name, whether it occurs in a file of the plan: all of its words do, and if it is an identifier, it does as a
/// whole.
pub(crate) fn occurring(plan: &Plan, world: &World, names: &[&str]) -> Result<Vec<bool>, PlanError> {
    let Some(query) = Query::of(&names.join("\n")) else { return Ok(vec![false; names.len()]) };
    let sources: Vec<Source> = plan.items.iter().map(|item| item.source.clone()).collect();
    let request = Request { query: Some(query), ..plan.request().clone() };
    let session = Session::new(&request, world, true, sources.len());
    let items = session.read_all(sources)?.items;
    let scans: Vec<&Scan> = items.iter().filter_map(|item| item.scan()).collect();
    let found = request.query.as_ref().map_or_else(Vec::new, |query| found(names, query, &scans));
    Ok(found.into_iter().map(|is_found| is_found == Some(true)).collect())
}
