//! `pagepress estimate`: open the inputs, ask the model, write the report.

use super::args::EstimateArgs;
use super::clock::Clock;
use super::plan::EstimatePlan;
use super::plot::PlotFolder;
use super::progress::{self, Progress};
use super::{CliError, Outcome};
use crate::estimate::{CollectionEstimate, Estimate};
use crate::pipeline;
use crate::report::{FileSink, OutputKind, ReportOptions, Sink};
use crate::source::{self, OnBadDocument, OpenOptions};
use crate::units::Grouped;
use std::io;
use std::path::Path;

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
    let folder = plan.plots.as_deref().map(PlotFolder::create).transpose()?;
    let estimate = run_estimate(&plan, &*progress)?;
    if let Some(folder) = folder {
        let files = folder.write_report(&OutputKind::Json.to_bytes(&estimate))?;
        progress.note(&format!("note: {} plots written", files.len()));
    }
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
    for reason in &estimate.inputs_skipped {
        outcome = Outcome::Incomplete;
        progress.note(&format!("warning: an input was left out: {reason}"));
    }
    for collection in &estimate.collections {
        if collection.indexes.iter().any(|index| index.documents_refused > 0) {
            // The report says which and why; a server would not have stored them.
            outcome = Outcome::Incomplete;
        }
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
/// An input that cannot be opened or read, or holds no document; under [`OnBadDocument::Stop`] its first bad
/// document. Under [`OnBadDocument::Skip`] an input that holds no document is left out as long as there is another.
pub fn run_estimate(plan: &EstimatePlan, progress: &dyn Progress) -> Result<Estimate, CliError> {
    let clock = Clock::start();
    let options = OpenOptions { format: plan.format, on_bad: plan.model.on_bad };
    let (mut collections, mut inputs_skipped) = (Vec::with_capacity(plan.inputs.len()), Vec::new());
    // A misspelt name is better known now. Each is opened again when its turn comes, so that neither memory nor
    // open files grow with their number.
    for input in &plan.inputs {
        match source::probe(input, options).map_err(CliError::from) {
            Err(error) if !can_be_left_out(plan, &error) => return Err(with_way_out(plan, error)),
            _ => {}
        }
    }
    let mut first_error = None;
    for input in &plan.inputs {
        match estimate_input(input, options, plan, progress) {
            Ok(collection) => collections.push(collection),
            Err(error) if can_be_left_out(plan, &error) => {
                inputs_skipped.push(error.to_string());
                first_error.get_or_insert(error);
            }
            Err(error) => return Err(with_way_out(plan, error)),
        }
    }
    match first_error {
        Some(error) if collections.is_empty() => Err(error),
        _ => Ok(Estimate {
            model: pipeline::model_facts(&plan.model),
            collections,
            inputs_skipped,
            timing: clock.read(),
        }),
    }
}

fn estimate_input(
    input: &Path,
    options: OpenOptions,
    plan: &EstimatePlan,
    progress: &dyn Progress,
) -> Result<CollectionEstimate, CliError> {
    let mut source = source::open(input, options)?;
    progress.begin(source.name(), source.bytes_total());
    let before = source.notes();
    for note in &before {
        progress.note(&format!("note: {note}"));
    }
    let name = collection_name(source.name()).to_owned();
    let model = plan.model_of(&name);
    let mut observe = |at: pipeline::Progress| progress.advance(at.bytes_read, at.documents);
    let collection = pipeline::estimate_collection(&name, &mut *source, &model, &mut observe);
    progress.finish();
    // What was passed over is known only now.
    for note in source.notes().iter().filter(|note| !before.contains(note)) {
        progress.note(&format!("note: {note}"));
    }
    Ok(collection?)
}

/// Whether the input itself is at fault, others remain, and the user wants to go on.
fn can_be_left_out(plan: &EstimatePlan, error: &CliError) -> bool {
    plan.model.on_bad == OnBadDocument::Skip && plan.inputs.len() > 1 && error.holds_no_document()
}

/// Tells of one input among several that the others could go on without it.
fn with_way_out(plan: &EstimatePlan, error: CliError) -> CliError {
    if plan.inputs.len() > 1 && error.holds_no_document() {
        CliError::OneOfMany(Box::new(error))
    } else {
        error
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
