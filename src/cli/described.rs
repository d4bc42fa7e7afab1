//! The model of one collection: what was typed, and what a dump says about it.

use super::index::INDEXES_MAX;
use crate::estimate::IndexNotPredicted;
use crate::pipeline;
use crate::record::collection::{Cap, Keys, Purpose, Shape};
use crate::record::index::{IndexKind, IndexSpec};
use crate::source::{Collection, CollectionOptions, IndexDocument, IndexTable};

/// A collection's model, and what it leaves out.
#[derive(Clone, Debug)]
pub(super) struct Described {
    pub model: pipeline::Plan,
    pub not_predicted: Vec<IndexNotPredicted>,
    /// What the collection was created with and the model does not take over, one line each.
    pub notes: Vec<String>,
}

impl Described {
    /// Of `collection` under a typed model. Typed options stand above what a dump says.
    pub fn new(model: &pipeline::Plan, collection: &Collection) -> Self {
        let mut described = Self::of_model(model);
        described.take_shape(&collection.name, &collection.options);
        if let Some(indexes) = &collection.indexes {
            described.take_indexes(indexes, &collection.options);
        }
        described.finish_indexes();
        described.take_table(&collection.name, &collection.options);
        described
    }

    /// Of a collection of which only the name is known.
    pub fn by_name(model: &pipeline::Plan, name: &str) -> Self {
        let mut described = Self::of_model(model);
        described.take_shape(name, &CollectionOptions::default());
        described.finish_indexes();
        described
    }

    fn of_model(model: &pipeline::Plan) -> Self {
        Self { model: model.clone(), not_predicted: Vec::new(), notes: Vec::new() }
    }

    /// A collection's name tells that it holds a time series' buckets or a file's chunks.
    fn take_shape(&mut self, name: &str, options: &CollectionOptions) {
        let mut named = Shape::of_name(name);
        if options.time_series.is_some() {
            named = Shape { keys: Keys::Clustered, purpose: Purpose::TimeSeriesBuckets, ..named };
        }
        let shape = &mut self.model.shape;
        shape.purpose = named.purpose;
        if named.keys == Keys::Clustered || (options.clustered_key.is_some() && shape.capped.is_none()) {
            shape.keys = Keys::Clustered;
        }
        if let (None, Some(bytes), Keys::Numbers) = (shape.capped, options.capped_bytes, shape.keys) {
            shape.capped = Some(Cap::new(bytes, options.capped_documents));
        }
    }

    /// Puts what the dump lists between `_id_` and what was typed.
    fn take_indexes(&mut self, documents: &[IndexDocument], options: &CollectionOptions) {
        let typed = self.model.indexes.split_off(1);
        for document in documents {
            let outcome = match &options.time_series {
                Some(_) => Err("an index of a time series lies on fields of its buckets".to_owned()),
                None => IndexSpec::parse(&document.bson).map_err(|error| error.to_string()),
            };
            match outcome {
                Ok(spec) => self.add(spec),
                Err(_) if document.table == IndexTable::Collection => {}
                Err(reason) => {
                    self.not_predicted.push(IndexNotPredicted { name: document.name.clone(), reason });
                }
            }
        }
        for spec in typed {
            self.add(spec);
        }
    }

    fn add(&mut self, spec: IndexSpec) {
        let is_same = |known: &IndexSpec| known.name() == spec.name() || known.pattern() == spec.pattern();
        let is_known = spec.kind() == IndexKind::Id || self.model.indexes.iter().any(is_same);
        if is_known {
            return;
        }
        if self.model.indexes.len() < INDEXES_MAX {
            self.model.indexes.push(spec);
        } else {
            let reason = format!("a collection has {INDEXES_MAX} indexes at most");
            self.not_predicted.push(IndexNotPredicted { name: spec.name().to_owned(), reason });
        }
    }

    fn finish_indexes(&mut self) {
        if self.model.shape.keys == Keys::Clustered {
            self.model.indexes.retain(|index| index.kind() != IndexKind::Id);
        }
        if self.model.shape.purpose == Purpose::GridFsChunks {
            self.add(IndexSpec::gridfs_chunks());
        }
    }

    fn take_table(&mut self, name: &str, options: &CollectionOptions) {
        const ANSWERED: [(&str, &str); 4] = [
            ("block_compressor", "--codec"),
            ("leaf_page_max", "--leaf-page-max"),
            ("allocation_size", "--allocation-size"),
            ("memory_page_max", "--memory-page-max"),
        ];
        for (key, flag) in ANSWERED {
            if let Some(value) = options.table_config(key) {
                self.notes
                    .push(format!("{name}: was created with {key}={value}, for which there is `{flag}`"));
            }
        }
    }
}
