//! `pagepress merge`: reports of several machines, read back, checked against each other and made one.

use super::args::MergeArgs;
use super::destination::Destination;
use super::estimate::outcome;
use super::plan::{parse_codecs, parse_release, parse_threads};
use super::plot::{name_of, read_bounded};
use super::progress::{self, Verbosity};
use super::{CliError, Outcome, UsageError};
use crate::estimate::merging::{MergeError, Placed, in_order, timing_of};
use crate::estimate::partial::{Partial, WalkWanted};
use crate::estimate::{Estimate, shards};
use crate::geometry::wiredtiger::TableConfig;
use crate::pipeline::{self, PipelineError, partial};
use crate::report::saved::{self, REPORT_BYTES_MAX, ReadError, SavedReport};
use crate::report::{Detail, OutputKind, ReportOptions};
use crate::units::AllocationUnit;
use std::num::NonZeroUsize;
use std::path::Path;

/// Runs the command.
pub(super) fn run(args: &MergeArgs) -> Result<Outcome, CliError> {
    let output = args.output.map_or(OutputKind::Table, Into::into);
    if args.explain && !output.has_prose() {
        return Err(UsageError::NothingToExplain { output: output.name() }.into());
    }
    if args.reports.iter().filter(|path| path.as_path() == Path::new("-")).count() > 1 {
        return Err(UsageError::StandardInputTwice.into());
    }
    let threads = match &args.threads {
        None => std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
        Some(text) => parse_threads(text)?,
    };
    let progress = progress::on_stderr(if args.quiet { Verbosity::Quiet } else { Verbosity::Normal });
    let reports: Vec<Placed<SavedReport>> =
        args.reports.iter().map(|path| read(path)).collect::<Result<_, _>>()?;
    let estimate = merged(reports, threads)?;
    let out = args.out.as_deref().filter(|path| *path != Path::new("-"));
    let destination = Destination::open(out)?;
    let detail = if args.explain { Detail::Definitions } else { Detail::Figures };
    let options = ReportOptions { detail };
    destination.write(|out| output.report().write(&estimate, &options, out))?;
    Ok(outcome(output, &estimate, &*progress))
}

fn read(path: &Path) -> Result<Placed<SavedReport>, CliError> {
    let place = name_of(path);
    let bytes = read_bounded(path, REPORT_BYTES_MAX)?;
    if bytes.len() as u64 > REPORT_BYTES_MAX {
        return Err(ReadError::TooLarge { place }.into());
    }
    let report = saved::read(&place, &bytes)?;
    Ok((place, report))
}

/// One report of all.
fn merged(reports: Vec<Placed<SavedReport>>, threads: NonZeroUsize) -> Result<Estimate, CliError> {
    let (mut wholes, mut parts) = (Vec::new(), Vec::new());
    for (place, report) in reports {
        match report {
            SavedReport::Whole(estimate) => wholes.push((place, *estimate)),
            SavedReport::Part(part) => parts.push((place, *part)),
        }
    }
    if let ([(whole, _), ..], [(part, report), ..]) = (&wholes[..], &parts[..]) {
        let (whole, part) = (whole.clone(), part.clone());
        return Err(MergeError::Mixed { whole, part, number: report.part }.into());
    }
    match shards::merge(wholes)? {
        Some(estimate) => Ok(estimate),
        None => of_parts(&in_order(parts)?, threads),
    }
}

/// The report that a run over the whole input would have made.
fn of_parts(parts: &[Placed<Partial>], threads: NonZeroUsize) -> Result<Estimate, CliError> {
    let timing = timing_of(parts);
    let damaged = |place: &str, reason: String| MergeError::Damaged { place: place.to_owned(), reason };
    let [(place, first), ..] = parts else { unreachable!("a report is required") };
    let plan = plan_of(first, threads).map_err(|reason| damaged(place, reason))?;
    let mut replay = partial::Replay::new(&plan)?;
    for (place, part) in parts {
        let (begins, ends) = (part.collection.documents_before, replay.documents());
        if begins != ends && part.collection.segments > 0 {
            return Err(MergeError::Gap { place: place.clone(), part: part.part, begins, ends }.into());
        }
        replay.take_part(&part.collection).map_err(|fault| damaged(place, fault.to_string()))?;
    }
    let Some((_, last)) = parts.iter().rev().find(|(_, part)| part.collection.segments > 0) else {
        let (input, skipped, first_reason) = (first.collection.source.clone(), 0, None);
        return Err(PipelineError::NoDocuments { input, skipped, first_reason }.into());
    };
    Ok(Estimate {
        model: first.model.clone(),
        collections: vec![replay.finish(&first.collection, &last.collection)],
        inputs_skipped: Vec::new(),
        timing,
    })
}

/// What the parts were asked, as far as it decides how their outcomes come together.
fn plan_of(part: &Partial, threads: NonZeroUsize) -> Result<pipeline::Plan, String> {
    let model = &part.model;
    let text = |error: &dyn std::fmt::Display| error.to_string();
    let release = parse_release(&model.server).map_err(|error| text(&error))?;
    let unit = AllocationUnit::new(model.allocation_bytes)
        .ok_or_else(|| format!("there is no allocation size of {} bytes", model.allocation_bytes))?;
    let sizes = (model.leaf_page_bytes_max, model.memory_page_bytes_max, model.cache_bytes);
    let table = TableConfig::collection(release)
        .with_sizes(unit, sizes.0, sizes.1, sizes.2)
        .map_err(|error| text(&error))?;
    let codecs: Vec<String> = part.codecs.iter().map(ToString::to_string).collect();
    let indexes = part.collection.indexes.iter().map(partial::spec_of);
    let plan = pipeline::Plan {
        loads: part.loads.clone(),
        codecs: parse_codecs(&codecs).map_err(|error| text(&error))?,
        indexes: indexes.collect::<Result<_, _>>().map_err(|error| text(&error))?,
        index_memory_bytes: part.index_memory_bytes,
        threads,
        walk: match part.walk {
            WalkWanted::Yes => pipeline::Walk::Record,
            WalkWanted::No => pipeline::Walk::Skip,
        },
        ..pipeline::Plan::new(table)
    };
    Ok(plan)
}
