//! `pagepress estimate --geometry` and `--on`: other stores than `WiredTiger`'s own.

use super::args::EstimateArgs;
use super::clock::Clock;
use super::destination::Destination;
use super::progress::{self, Progress};
use super::store_plan::StoreRun;
use super::{CliError, Outcome};
use crate::estimate::store::{StoreEstimate, StoredInput};
use crate::pipeline::{
    self,
    store::{Store, Tables},
};
use crate::report::{ReportOptions, write_store};
use crate::source::{self, Collection, RawSource};
use crate::units::Grouped;
use std::path::Path;

/// Runs the command.
pub(super) fn run(args: &EstimateArgs) -> Result<Outcome, CliError> {
    let run = StoreRun::new(args)?;
    let progress = progress::on_stderr(run.shared.verbosity);
    let destination = Destination::open(run.shared.out.as_deref())?;
    let clock = Clock::start();
    let mut inputs = Vec::new();
    for input in &run.inputs {
        estimate_input(input, &run, &*progress, &mut inputs)?;
    }
    let estimate =
        StoreEstimate { model: run.plan.model(), inputs, inputs_skipped: Vec::new(), timing: clock.read() };
    let options = ReportOptions { detail: run.shared.detail };
    destination.write(|out| write_store(run.shared.output, &estimate, options, out))?;
    Ok(outcome(&estimate, &*progress))
}

/// Appends one entry a file, or one a collection of a dump.
fn estimate_input(
    input: &Path,
    run: &StoreRun,
    progress: &dyn Progress,
    stored: &mut Vec<StoredInput>,
) -> Result<(), CliError> {
    if let Store::Btrfs(methods, mount) = &run.plan.store {
        let mut source = RawSource::open(input)?;
        progress.begin(source.name(), source.bytes_total());
        let name = source::name_of_file(source.name()).to_owned();
        let mut observe = |at: pipeline::Progress| progress.advance(at.bytes_read, at.documents);
        let file =
            pipeline::store::estimate_file(&name, &mut source, methods, *mount, &run.plan, &mut observe);
        progress.finish();
        stored.push(file?);
        return Ok(());
    }
    let found = source::find(input, &run.shared.reading, &run.shared.namespaces)?;
    found.notes.iter().for_each(|note| progress.note(&format!("note: {note}")));
    for collection in found.collections {
        stored.push(estimate_collection(collection, run, progress)?);
    }
    Ok(())
}

fn estimate_collection(
    collection: Collection,
    run: &StoreRun,
    progress: &dyn Progress,
) -> Result<StoredInput, CliError> {
    let name = collection.name.clone();
    let mut source = collection.open(&run.shared.reading)?;
    progress.begin(source.name(), source.bytes_total());
    let mut observe = |at: pipeline::Progress| progress.advance(at.bytes_read, at.documents);
    let (plan, observe) = (&run.plan, &mut observe as &mut dyn FnMut(pipeline::Progress));
    let stored = match &plan.store {
        Store::Innodb(methods) => {
            pipeline::store::estimate_table(&name, &mut *source, methods, plan, observe)
        }
        Store::WiredTigerOnBtrfs { table, loads, codecs, methods, mount } => {
            let tables = Tables { table, loads, codecs };
            pipeline::store::estimate_stack(&name, &mut *source, tables, (methods, *mount), plan, observe)
        }
        Store::Btrfs(..) => unreachable!("a file's bytes were taken before its documents"),
    };
    progress.finish();
    Ok(stored?)
}

/// Says what was left out.
fn outcome(estimate: &StoreEstimate, progress: &dyn Progress) -> Outcome {
    let mut outcome = Outcome::Complete;
    for input in estimate.inputs.iter().filter(|input| input.documents_skipped > 0) {
        outcome = Outcome::Incomplete;
        progress.note(&format!(
            "warning: {}: {} skipped, {} counted",
            input.source,
            Grouped(input.documents_skipped),
            Grouped(input.documents.unwrap_or(0))
        ));
        input.skip_reasons.iter().for_each(|reason| progress.note(&format!("  {reason}")));
    }
    outcome
}
