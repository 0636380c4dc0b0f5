//! The rank of documents among each other, by what their passages matter.

use std::cmp::Reverse;

use super::known::Indexes;
use super::{Item, Known, Purpose, Request};
use crate::index::{CollectionKey, Member};
use ctx_search::{Digest, Query, Weights};

/// Ranks all documents that have passages: those that are only searched among themselves, since no other passage can
/// be printed in their place, and the others among themselves.
pub(super) fn rank(items: &mut [Item], request: &Request, indexes: Option<&Indexes>) {
    let mut ranked: Vec<&mut Item> = items.iter_mut().filter(|item| item.relevance().is_some()).collect();
    match request.purpose {
        Purpose::Search(_) | Purpose::SearchAll(_) => {}
        Purpose::Block => {
            let is_searched = |item: &&mut Item| item.source.brought.searched.is_some();
            let (searched, others): (Vec<_>, Vec<_>) = ranked.into_iter().partition(is_searched);
            rank_these(searched, request.query.as_ref(), indexes);
            ranked = others;
        }
    }
    rank_these(ranked, request.query.as_ref(), indexes);
}

fn rank_these(mut items: Vec<&mut Item>, query: Option<&Query>, indexes: Option<&Indexes>) {
    let weights = weights(&mut items, query, indexes);
    let ranking = ctx_search::rank_with(query, &digests(&items), &weights);
    for (item, ranked) in items.iter_mut().zip(&ranking) {
        if let Some(relevance) = item.relevance_mut() {
            relevance.take(ranked);
        }
    }
    let score = |item: &Item| item.relevance().map(|relevance| Reverse(relevance.score));
    items.sort_by(|a, b| (score(a), &a.source.label).cmp(&(score(b), &b.source.label)));
    for (rank, item) in (1..).zip(items) {
        if let Some(relevance) = item.relevance_mut() {
            relevance.rank = rank;
        }
    }
}

fn digests<'i>(items: &'i [&mut Item]) -> Vec<&'i Digest> {
    items.iter().filter_map(|item| Some(&item.relevance()?.digest)).collect()
}

/// What the weights of a collection depend on of an item.
fn member(item: &Item) -> Option<Member<'_>> {
    let digest = &item.relevance()?.digest;
    let indexed = |checksum| Member::Indexed { label: item.source.label.as_str(), checksum };
    Some(item.known().and_then(Known::indexed).map_or(Member::Other(digest), indexed))
}

/// The weights of the passages of items, from the last time if there are indexes.
fn weights(items: &mut [&mut Item], query: Option<&Query>, indexes: Option<&Indexes>) -> Weights {
    let precision = ctx_search::precision_for(query);
    let Some(indexes) = indexes else { return Weights::of(&digests(items), precision) };
    let key = CollectionKey::of(precision, items.iter().filter_map(|item| member(item)));
    let count: usize = digests(items).iter().map(|digest| digest.passages.len()).sum();
    let kept = indexes.weights(key).filter(|weights| weights.0.len() == count);
    kept.unwrap_or_else(|| {
        indexes.name(items.iter_mut().filter_map(|item| item.known_mut()));
        let weights = Weights::of(&digests(items), precision);
        indexes.keep_weights(key, &weights);
        weights
    })
}
