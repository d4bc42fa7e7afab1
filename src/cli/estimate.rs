//! `pagepress estimate`: open the inputs, ask the model, write the report.

use super::args::EstimateArgs;
use super::clock::Clock;
use super::plan::EstimatePlan;
use super::progress::{self, Progress};
use super::{CliError, Outcome};
use crate::codec;
use crate::document::{self, IdPlace};
use crate::estimate::{CollectionEstimate, Estimate, ModelFacts};
use crate::geometry::wiredtiger::{Release, TableConfig};
use crate::report::{FileSink, ReportOptions, Sink};
use crate::source::{self, OpenOptions, Source};
use crate::units::{BsonBytes, Grouped};
use std::io;

/// What the server adds where `_id` is missing: type byte, name with NUL, `ObjectId`.
const ADDED_ID_BYTES: u64 = 1 + 4 + 12;

/// Documents between two looks at the progress.
const DOCUMENTS_PER_STEP: u64 = 1024;

/// Runs the command.
pub(super) fn run(args: &EstimateArgs) -> Result<Outcome, CliError> {
    let plan = EstimatePlan::new(args)?;
    let progress = progress::on_stderr(plan.verbosity);
    let mut stdout = io::stdout();
    let place = plan.out.as_ref().map_or("standard output".to_owned(), |path| path.display().to_string());
    let failed = |source| CliError::Output { place: place.clone(), source };
    // Before the work: a place that cannot be written is better known now.
    let sink = match &plan.out {
        Some(path) => Sink::File(FileSink::create(path).map_err(failed)?),
        None => Sink::Stream(&mut stdout),
    };
    let estimate = run_estimate(&plan, &*progress)?;
    let options = ReportOptions { detail: plan.detail };
    sink.write_whole(|out| plan.output.report().write(&estimate, &options, out)).map_err(failed)?;
    Ok(outcome(&plan, &estimate, &*progress))
}

/// Says what was left out. The reports for people say it too, but briefly.
fn outcome(plan: &EstimatePlan, estimate: &Estimate, progress: &dyn Progress) -> Outcome {
    if let Some(note) = estimate.model.server_note.as_ref().filter(|_| !plan.output.has_prose()) {
        progress.note(&format!("note: {note}"));
    }
    let mut outcome = Outcome::Complete;
    for collection in &estimate.collections {
        if collection.documents_skipped > 0 {
            outcome = Outcome::Incomplete;
            progress.note(&format!(
                "warning: {}: {} skipped, {} counted",
                collection.sources.join(", "),
                Grouped(collection.documents_skipped),
                Grouped(collection.documents)
            ));
            collection.skip_reasons.iter().for_each(|reason| progress.note(&format!("  {reason}")));
        }
    }
    outcome
}

/// Opens every input of `plan` and estimates each as a collection.
///
/// # Errors
///
/// An input that cannot be opened or read; under `--on-bad-document stop` its first bad document.
pub fn run_estimate(plan: &EstimatePlan, progress: &dyn Progress) -> Result<Estimate, CliError> {
    let clock = Clock::start();
    let options = OpenOptions { format: plan.format, on_bad: plan.on_bad };
    // All of them before the first is read: a misspelt name is better known now.
    let sources = plan.inputs.iter().map(|input| source::open(input, options));
    let sources: Vec<Box<dyn Source>> = sources.collect::<Result<_, _>>()?;
    let mut collections = Vec::with_capacity(sources.len());
    for mut source in sources {
        progress.begin(source.name(), source.bytes_total());
        source.notes().iter().for_each(|note| progress.note(&format!("note: {note}")));
        let collection = model(plan, &mut *source, progress);
        progress.finish();
        collections.push(collection?);
    }
    Ok(Estimate { model: model_facts(&plan.table), collections, timing: clock.read() })
}

// ---- The model: the one place where documents become figures. ----

/// Estimates one collection.
fn model(
    _plan: &EstimatePlan,
    source: &mut dyn Source,
    progress: &dyn Progress,
) -> Result<CollectionEstimate, CliError> {
    let (mut documents, mut bson_bytes, mut ids_added) = (0, 0, 0);
    let mut document = Vec::new();
    while let Some(bytes) = source.next_document(&mut document)? {
        documents += 1;
        bson_bytes += bytes as u64;
        if document::find_id(&document) == Ok(IdPlace::Missing) {
            ids_added += 1;
            bson_bytes += ADDED_ID_BYTES;
        }
        document.clear();
        if documents % DOCUMENTS_PER_STEP == 0 {
            progress.advance(source.bytes_read(), documents);
        }
    }
    Ok(CollectionEstimate {
        name: collection_name(source.name()).to_owned(),
        sources: vec![source.name().to_owned()],
        documents,
        bson: BsonBytes(bson_bytes),
        ids_added,
        documents_skipped: source.skipped().documents,
        skip_reasons: source.skipped().reasons.clone(),
        sampled_fraction: 1.0,
        storage: Vec::new(),
    })
}

// ------------------------------------------------------------------

fn model_facts(table: &TableConfig) -> ModelFacts {
    let release = table.release;
    ModelFacts {
        server: release.to_string(),
        server_note: release.is_newer_than_known().then(|| {
            let newest = Release::NEWEST;
            format!(
                "server {release} is newer than the rules known here: those of {newest} are used, unverified"
            )
        }),
        leaf_page_bytes_max: table.leaf_page_bytes_max.into(),
        allocation_bytes: table.allocation.bytes(),
        memory_page_bytes_max: table.memory_page_bytes_max,
        cache_bytes: table.cache_bytes,
        codec_versions: codec::library_versions(),
    }
}

/// The input's file name without folders and the endings that name a format.
fn collection_name(input: &str) -> &str {
    const PACKED: [&str; 2] = [".gz", ".zst"];
    const FORMATS: [&str; 6] = [".bson", ".jsonl", ".ndjson", ".json", ".csv", ".tsv"];
    if input == "-" {
        return "stdin";
    }
    let file = input.rsplit(['/', '\\']).next().unwrap_or(input);
    let without = |name: &'_ str, endings: &[&str]| -> usize {
        let ending = endings.iter().find(|ending| name.len() > ending.len() && name.ends_with(*ending));
        name.len() - ending.map_or(0, |ending| ending.len())
    };
    let file = &file[..without(file, &PACKED)];
    &file[..without(file, &FORMATS)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn collections_are_named_after_their_files() {
        for (input, want) in [
            ("dump/shop/orders.bson", "orders"),
            ("orders.bson.gz", "orders"),
            ("orders.2024.jsonl.zst", "orders.2024"),
            ("C:\\dump\\orders.csv", "orders"),
            ("orders", "orders"),
            (".bson", ".bson"),
            ("-", "stdin"),
        ] {
            assert_eq!(collection_name(input), want);
        }
    }
}
