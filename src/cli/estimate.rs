//! `pagepress estimate`: open the inputs, ask the model, write the report.

use super::args::EstimateArgs;
use super::clock::Clock;
use super::described::Described;
use super::destination::Destination;
use super::inputs::{Input, InputPlace};
use super::plan::{EstimatePlan, Scrutiny, Tables, model_of};
use super::plot::PlotFolder;
use super::progress::{self, Progress};
use super::{CliError, Outcome};
use crate::document::Oddities;
use crate::estimate::{CollectionEstimate, Estimate, OddityCount};
use crate::pipeline;
use crate::report::{OutputKind, ReportOptions};
use crate::source::{self, Collection, Found, OnBadDocument, Source, Watched};
use crate::units::Grouped;
use std::fs::Metadata;
use std::path::Path;

/// Collections that a dump has and the run has not, named one by one.
const LEFT_OUT_SHOWN_MAX: usize = 20;

/// Runs the command.
pub(super) fn run(args: &EstimateArgs) -> Result<Outcome, CliError> {
    let plan = EstimatePlan::new(args)?;
    let progress = progress::on_stderr(plan.verbosity);
    let destination = Destination::open(plan.out.as_deref())?;
    let folder = plan.plots.as_deref().map(PlotFolder::create).transpose()?;
    let estimate = run_estimate(&plan, &*progress)?;
    if let Some(folder) = folder {
        let files = folder.write_report(&OutputKind::Json.to_bytes(&estimate))?;
        progress.note(&format!("note: {} plots written", files.len()));
    }
    let options = ReportOptions { detail: plan.detail };
    destination.write(|out| plan.output.report().write(&estimate, &options, out))?;
    Ok(outcome(plan.output, &estimate, &*progress))
}

/// Says what was left out. The reports for people say it too, but briefly.
pub(super) fn outcome(output: OutputKind, estimate: &Estimate, progress: &dyn Progress) -> Outcome {
    if let Some(note) = estimate.model.server_note.as_ref().filter(|_| !output.has_prose()) {
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
        for oddity in collection.oddities.iter().flatten() {
            outcome = Outcome::Incomplete;
            let OddityCount { path, what, count } = oddity;
            progress.note(&format!("{}: {path}: {what}: {}", collection.name, Grouped(*count)));
        }
        if collection.documents_skipped > 0 || !collection.skip_reasons.is_empty() {
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

/// Opens every input of `plan` and estimates each of its collections.
///
/// # Errors
///
/// An input that cannot be opened or read, or holds no document; under [`OnBadDocument::Stop`] its first bad
/// document. Under [`OnBadDocument::Skip`] an input that holds no document is left out as long as there is another.
pub fn run_estimate(plan: &EstimatePlan, progress: &dyn Progress) -> Result<Estimate, CliError> {
    run_tapped(plan, progress, &mut Untapped)
}

/// Something that wants to see the documents of each collection as they pass.
pub(super) trait Tap {
    /// Puts itself round the source of a collection of this name.
    fn tap(&mut self, collection: &str, source: Box<dyn Source>) -> Box<dyn Source>;
}

/// Nothing.
struct Untapped;

impl Tap for Untapped {
    fn tap(&mut self, _collection: &str, source: Box<dyn Source>) -> Box<dyn Source> {
        source
    }
}

/// As [`run_estimate`], with `tap` round every source.
///
/// # Errors
///
/// The same.
pub(super) fn run_tapped(
    plan: &EstimatePlan,
    progress: &dyn Progress,
    tap: &mut dyn Tap,
) -> Result<Estimate, CliError> {
    let clock = Clock::start();
    let mut run = Run {
        plan,
        progress,
        tap,
        model: plan.model.clone(),
        collections: Vec::new(),
        inputs_skipped: Vec::new(),
        first_error: None,
    };
    // A misspelt name is better known now. What was found keeps no file open, so that open files do not grow with
    // the number of inputs; a pipe is found when its turn comes, since it cannot be opened again.
    let files = plan.inputs.iter().filter_map(InputPlace::file);
    let mut all_found = Vec::with_capacity(plan.inputs.len());
    for input in files.filter(|input| !is_pipe(input)) {
        match run.find(input) {
            Err(error) if !run.can_go_on_without(&error, plan.inputs.len()) => {
                return Err(Run::refusal(error, plan.inputs.len()));
            }
            found => all_found.push(found),
        }
    }
    let mut all_found = all_found.into_iter();
    for place in &plan.inputs {
        let Some(input) = place.file() else {
            let estimate = run.estimate_live(place);
            run.take(estimate, plan.inputs.len())?;
            continue;
        };
        let found = if is_pipe(input) { None } else { all_found.next() };
        match found.unwrap_or_else(|| run.find(input)) {
            Ok(found) => run.estimate(found)?,
            Err(error) => run.leave_out(error, plan.inputs.len())?,
        }
    }
    match run.first_error {
        Some(error) if run.collections.is_empty() => Err(error),
        _ => Ok(Estimate {
            model: pipeline::model_facts(&run.model),
            collections: run.collections,
            inputs_skipped: run.inputs_skipped,
            timing: clock.read(),
        }),
    }
}

fn is_pipe(input: &Path) -> bool {
    let is_special = |metadata: Metadata| !metadata.is_file() && !metadata.is_dir();
    input == Path::new("-") || input.metadata().is_ok_and(is_special)
}

/// A run on its way through its inputs.
struct Run<'a> {
    plan: &'a EstimatePlan,
    progress: &'a dyn Progress,
    tap: &'a mut dyn Tap,
    /// What a server's own table asks for where it is the only input, else as typed.
    model: pipeline::Plan,
    collections: Vec<CollectionEstimate>,
    inputs_skipped: Vec<String>,
    first_error: Option<CliError>,
}

impl Run<'_> {
    fn find(&self, input: &Path) -> Result<Found, CliError> {
        Ok(source::find(input, &self.plan.reading, &self.plan.namespaces)?)
    }

    /// Whether one of `of` inputs or collections is itself at fault, others remain, and the user wants to go on.
    fn can_go_on_without(&self, error: &CliError, of: usize) -> bool {
        self.plan.model.on_bad == OnBadDocument::Skip && of > 1 && error.holds_no_document()
    }

    /// The error of one of `of` inputs or collections; it tells that the others could go on without it.
    fn refusal(error: CliError, of: usize) -> CliError {
        if of > 1 && error.holds_no_document() { CliError::OneOfMany(Box::new(error)) } else { error }
    }

    fn leave_out(&mut self, error: CliError, of: usize) -> Result<(), CliError> {
        if !self.can_go_on_without(&error, of) {
            return Err(Self::refusal(error, of));
        }
        self.inputs_skipped.push(error.to_string());
        self.first_error.get_or_insert(error);
        Ok(())
    }

    fn estimate(&mut self, found: Found) -> Result<(), CliError> {
        let Found { collections, notes, left_out } = found;
        let of = collections.len().max(self.plan.inputs.len());
        tell(self.progress, "note", &notes);
        let (shown, rest) = left_out.split_at(left_out.len().min(LEFT_OUT_SHOWN_MAX));
        tell(self.progress, "note: left out", shown);
        if !rest.is_empty() {
            self.progress.note(&format!("note: left out: {} more", Grouped(rest.len() as u64)));
        }
        for collection in collections {
            let estimate = self.estimate_collection(collection, Told::of(&notes));
            self.take(estimate, of)?;
        }
        Ok(())
    }

    fn take(&mut self, estimate: Result<CollectionEstimate, CliError>, of: usize) -> Result<(), CliError> {
        match estimate {
            Ok(estimate) => self.collections.push(estimate),
            Err(error) => self.leave_out(error, of)?,
        }
        Ok(())
    }

    /// A collection on a server.
    fn estimate_live(&mut self, place: &InputPlace) -> Result<CollectionEstimate, CliError> {
        let input = Input::connect(place, self.plan)?;
        if self.plan.inputs.len() == 1 {
            self.model.table = input.table(self.plan)?;
        }
        let (indexes, left_out) = input.indexes(&self.plan.model.indexes);
        tell(self.progress, "note", &left_out);
        let model = pipeline::Plan { indexes, shape: input.shape(self.model.shape), ..self.model.clone() };
        let mut model = model_of(&model, input.collection());
        if self.plan.tables == Tables::CollectionsOnly {
            model.indexes.clear();
        }
        let name = input.collection();
        let mut source = self.tap.tap(name, input.open()?);
        let mut collection = estimate_source(name, &mut *source, &model, self.progress, Told::Nothing, &[])?;
        collection.on_server = input.on_server();
        Ok(collection)
    }

    fn estimate_collection(
        &mut self,
        collection: Collection,
        told: Told,
    ) -> Result<CollectionEstimate, CliError> {
        let (plan, progress) = (self.plan, self.progress);
        let mut described = Described::new(&plan.model, &collection);
        if plan.tables == Tables::CollectionsOnly {
            described.model.indexes.clear();
            described.not_predicted.clear();
        }
        let name = collection.name.clone();
        let mut source = Watching::new(self.tap.tap(&name, collection.open(&plan.reading)?), plan.scrutiny);
        let mut estimate =
            estimate_source(&name, source.get(), &described.model, progress, told, &described.notes)?;
        estimate.indexes_not_predicted = described.not_predicted;
        estimate.oddities = source.oddities();
        Ok(estimate)
    }
}

/// Reads the input once.
#[cfg(feature = "live")]
pub(super) fn estimate_opened(
    input: &Input,
    model: &pipeline::Plan,
    progress: &dyn Progress,
) -> Result<CollectionEstimate, CliError> {
    estimate_source(input.collection(), &mut *input.open()?, model, progress, Told::Nothing, &[])
}

/// Says what the source is, unless that was `told`, and the `notes` on its collection.
fn estimate_source(
    name: &str,
    source: &mut dyn Source,
    model: &pipeline::Plan,
    progress: &dyn Progress,
    told: Told,
    notes: &[String],
) -> Result<CollectionEstimate, CliError> {
    progress.begin(source.name(), source.bytes_total());
    let before = source.notes();
    if told == Told::Nothing {
        tell(progress, "note", &before);
    }
    tell(progress, "note", notes);
    let mut observe = |at: pipeline::Progress| progress.advance(at.bytes_read, at.documents);
    let collection = pipeline::estimate_collection(name, source, model, &mut observe);
    progress.finish();
    // What was passed over is known only now.
    for note in source.notes().iter().filter(|note| !before.contains(note)) {
        progress.note(&format!("note: {note}"));
    }
    Ok(collection?)
}

/// One line each.
fn tell(progress: &dyn Progress, kind: &str, lines: &[String]) {
    for line in lines {
        progress.note(&format!("{kind}: {line}"));
    }
}

/// Whether it was said what an input is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Told {
    Nothing,
    Dump,
}

impl Told {
    fn of(notes: &[String]) -> Self {
        if notes.is_empty() { Self::Nothing } else { Self::Dump }
    }
}

/// A source that is looked at, or not.
enum Watching {
    No(Box<dyn Source>),
    Yes(Box<Watched<Oddities>>),
}

impl Watching {
    fn new(source: Box<dyn Source>, scrutiny: Scrutiny) -> Self {
        match scrutiny {
            Scrutiny::None => Self::No(source),
            Scrutiny::Strict => Self::Yes(Box::new(Watched::new(source, Oddities::new()))),
        }
    }

    fn get(&mut self) -> &mut dyn Source {
        match self {
            Self::No(source) => &mut **source,
            Self::Yes(source) => &mut **source,
        }
    }

    fn oddities(&self) -> Option<Vec<OddityCount>> {
        let Self::Yes(source) = self else { return None };
        let counts = source.watcher().iter().map(|(path, oddity, count)| OddityCount {
            path: path.to_owned(),
            what: oddity.to_string(),
            count,
        });
        Some(counts.collect())
    }
}
