//! `pagepress estimate --partial K/N`: one part of one file, as a report that `pagepress merge` reads.

use super::args::{EstimateArgs, OutputArg};
use super::clock::Clock;
use super::described::Described;
use super::destination::Destination;
use super::plan::EstimatePlan;
use super::{CliError, Outcome, UsageError, progress};
use crate::estimate::partial::{Part, Partial};
use crate::pipeline::{self, partial};
use crate::report::write_partial;
use crate::source::{self, Collection};
use std::path::Path;

/// Runs the command.
pub(super) fn run(args: &EstimateArgs, typed: &str) -> Result<Outcome, CliError> {
    let part = parse(typed)?;
    if let Some(output) = args.shared.output.filter(|output| !matches!(output, OutputArg::Json)) {
        let output = format!("{output:?}").to_lowercase();
        return Err(usage(
            format!("--partial: a partial report is JSON and cannot be written as {output}"),
            "leave `--output` out; `pagepress merge --output` writes the merged report",
        )
        .into());
    }
    let plan = EstimatePlan::new(args)?;
    let progress = progress::on_stderr(plan.verbosity);
    let clock = Clock::start();
    let collection = only_collection(&plan)?;
    let destination = Destination::open(plan.out.as_deref())?;
    let described = Described::new(&plan.model, &collection);
    let name = collection.name.clone();
    let mut source = collection.open(&plan.reading)?;
    progress.begin(source.name(), source.bytes_total());
    for note in source.notes().iter().chain(&described.notes) {
        progress.note(&format!("note: {note}"));
    }
    let mut observe = |at: pipeline::Progress| progress.advance(at.bytes_read, at.documents);
    let made = partial::estimate_part(&name, &mut *source, &described.model, part, &mut observe);
    progress.finish();
    let mut collection = made?;
    collection.indexes_not_predicted = described.not_predicted;
    let (loads, codecs, walk) = partial::rows_of(&described.model);
    let skipped = collection.seen.documents_skipped;
    let report = Partial {
        model: pipeline::model_facts(&described.model),
        part,
        loads,
        codecs,
        walk,
        index_memory_bytes: described.model.index_memory_bytes,
        collection,
        timing: clock.read(),
    };
    destination.write(|out| write_partial(&report, out))?;
    if skipped == 0 {
        return Ok(Outcome::Complete);
    }
    report.collection.seen.skip_reasons.iter().for_each(|reason| progress.note(&format!("  {reason}")));
    Ok(Outcome::Incomplete)
}

/// From `2/16`.
fn parse(text: &str) -> Result<Part, UsageError> {
    let number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?;
    let part = text.split_once('/').and_then(|(part, of)| Part::new(number(part)?, number(of)?));
    part.ok_or_else(|| {
        usage(
            format!(
                "--partial: `{text}` is no part: write K/N with K from 1 to N, and N up to {}",
                Part::OF_MAX
            ),
            "as in `--partial 2/16`, the second of sixteen parts",
        )
    })
}

fn usage(what: String, hint: &str) -> UsageError {
    UsageError::Grammar { what, hints: vec![hint.to_owned()] }
}

/// The one collection of the one input.
fn only_collection(plan: &EstimatePlan) -> Result<Collection, CliError> {
    let refused = |what: String| {
        usage(what, "name one file, as in `pagepress estimate --partial 1/4 dump/shop/orders.bson`")
    };
    let [input] = &plan.inputs[..] else {
        return Err(refused(format!(
            "--partial: {} inputs are given, and a part is of one",
            plan.inputs.len()
        ))
        .into());
    };
    let Some(path) = input.file().filter(|path| *path != Path::new("-")) else {
        return Err(refused("--partial: a part is of a file, and the input is none".to_owned()).into());
    };
    let mut found = source::find(path, &plan.reading, &plan.namespaces)?;
    match (found.collections.pop(), found.collections.len()) {
        (Some(only), 0) => Ok(only),
        (_, others) => {
            let count = others + 1;
            let path = path.display();
            Err(refused(format!("--partial: {path} holds {count} collections, and a part is of one")).into())
        }
    }
}
