//! The lines above a table: which documents, and under which rules.

use crate::estimate::{Basis, CollectionEstimate, ModelFacts};
use crate::units::{Exact, Grouped, Human, Printable};

/// Name, documents, their BSON size and where they came from.
pub(super) fn documents(collection: &CollectionEstimate) -> Vec<String> {
    let known = match collection.sample {
        Some(sample) if sample.scaled_to_documents.is_some() => "scaled",
        Some(sample) => sample.documents_of_input.name(),
        None => Basis::Counted.name(),
    };
    let from = match collection.sources.as_slice() {
        [] => None,
        [only] => Some(format!("{known} from {}", Printable(only))),
        [first, others @ ..] => Some(format!("{known} from {} and {} more", Printable(first), others.len())),
    };
    let mut parts = vec![
        format!("{} documents", Grouped(collection.documents)),
        format!("{} BSON", Human(collection.bson.0)),
    ];
    parts.extend(from);
    parts
}

/// Release and parameters but for the leaf page size.
pub(super) fn rules_without_leaf(model: &ModelFacts) -> Vec<String> {
    let mut parts = rules(model);
    parts.remove(1);
    parts
}

/// Release and parameters.
pub(super) fn rules(model: &ModelFacts) -> Vec<String> {
    vec![
        format!("rules of server {}", Printable(&model.server)),
        format!("leaf page {}", Exact(model.leaf_page_bytes_max)),
        format!("unit {}", Exact(model.allocation_bytes)),
        format!("memory page {}", Exact(model.memory_page_bytes_max)),
        format!("cache {}", Exact(model.cache_bytes)),
    ]
}
