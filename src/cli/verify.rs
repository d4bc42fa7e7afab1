//! `pagepress verify`: predict, load into a real server, compare.

mod site;

use super::args::VerifyArgs;
use super::clock::Clock;
use super::destination::Destination;
use super::estimate::estimate_opened;
use super::inputs::Input;
use super::plan::model_of;
use super::progress::{self, Progress};
use super::verify_plan::{LeftOver, Scan, Target, VerifyPlan};
use super::{CliError, Outcome, UsageError, VerifyUsageError, index};
use crate::codec::CodecKind;
use crate::estimate::{CodecName, CollectionEstimate, LoadState};
use crate::geometry::wiredtiger::TableConfig;
use crate::mongod::{KeyedBy, Loader, MongodError, MongodErrorKind, Server};
use crate::pipeline;
use crate::record::collection::{IdMaker, Keys, Purpose, normalise};
use crate::record::index::IndexSpec;
use crate::report::{ReportOptions, write_verification};
use crate::units::{BsonBytes, DiskBytes};
use crate::verify::{Measured, ServerRun, Task, Tolerance, Verdict, Verification, compare, measure};
use site::{Open, Site};

/// Restarts before scans that are measured.
const SCANS: usize = 3;

/// Runs the command.
pub(super) fn run(args: &VerifyArgs) -> Result<Outcome, CliError> {
    let plan = VerifyPlan::new(args)?;
    let progress = progress::on_stderr(plan.shared.verbosity);
    if plan.shared.inputs.is_empty() {
        clean_up(&plan, &*progress)?;
        return Ok(Outcome::Complete);
    }
    let destination = Destination::open(plan.shared.out.as_deref())?;
    let verification = run_verify(&plan, &*progress)?;
    let options = ReportOptions { detail: plan.shared.detail };
    destination.write(|out| write_verification(plan.shared.output, &verification, &options, out))?;
    Ok(outcome(&verification, &*progress))
}

fn outcome(verification: &Verification, progress: &dyn Progress) -> Outcome {
    let mut outcome = Outcome::Complete;
    for collection in &verification.collections {
        let verdicts = collection.checks.iter().map(|check| check.verdict(verification.tolerance));
        let outside = verdicts.filter(|verdict| *verdict == Verdict::Outside).count();
        if outside > 0 {
            outcome = Outcome::Incomplete;
            let percent = verification.tolerance.percent;
            progress.note(&format!(
                "warning: {}: {outside} of {} predictions are more than {percent} % off",
                collection.sources.join(", "),
                collection.checks.len()
            ));
        }
        if collection.documents_skipped > 0 {
            outcome = Outcome::Incomplete;
            let skipped = collection.documents_skipped;
            progress.note(&format!("warning: {}: {skipped} skipped", collection.sources.join(", ")));
        }
    }
    outcome
}

/// Only drops what killed runs left.
fn clean_up(plan: &VerifyPlan, progress: &dyn Progress) -> Result<(), CliError> {
    if let Target::Running(address, left_over) = &plan.target {
        look_for_left_over(&Server::connect(address, None)?, *left_over, progress)?;
    }
    Ok(())
}

/// Databases of runs that were killed.
fn look_for_left_over(server: &Server, left_over: LeftOver, progress: &dyn Progress) -> Result<(), CliError> {
    for database in server.left_over()? {
        match left_over {
            LeftOver::Drop => {
                server.drop_left_over(&database)?;
                progress.note(&format!("note: dropped database `{database}` of an earlier run"));
            }
            LeftOver::Name => progress.note(&format!(
                "note: database `{database}` is there from an earlier run that was killed, or from one that is at \
                 work; `--drop-left-over` drops it"
            )),
        }
    }
    Ok(())
}

/// An input with what is predicted of it.
struct Predicted {
    input: Input,
    estimate: CollectionEstimate,
    indexes: Vec<(String, Vec<u8>)>,
    keys: Keys,
    measured: Vec<Measured>,
}

/// Predicts every input, loads each and compares.
///
/// # Errors
///
/// An input that cannot be read; a server that cannot be started, reached or written to, or refuses a document.
pub fn run_verify(plan: &VerifyPlan, progress: &dyn Progress) -> Result<Verification, CliError> {
    let clock = Clock::start();
    for input in &plan.shared.inputs {
        input.probe(&plan.shared.reading)?;
    }
    let site = Site::new(plan, progress)?;
    let model = model(plan, &site)?;
    let mut predicted = Vec::with_capacity(plan.shared.inputs.len());
    for place in &plan.shared.inputs {
        let input = Input::connect(place, &plan.shared)?;
        predicted.push(predict(input, plan, &model, progress)?);
    }
    let mut servers = Vec::new();
    for load in &model.loads {
        for level in levels(&model.codecs) {
            let mut open = site.open(*load, level, model.table.cache_bytes)?;
            if !servers.iter().any(|run: &ServerRun| run.load == *load) {
                servers.push(open.run(*load));
            }
            let codecs: Vec<CodecKind> =
                model.codecs.iter().copied().filter(|codec| level_of(*codec) == level).collect();
            let done = measure_all(&mut predicted, &mut open, *load, &codecs, plan, &model, progress);
            // What is closed tells of itself only if nothing worse happened.
            match (done, open.close()) {
                (Err(error), closed) => return Err(left_behind(error, closed)),
                (Ok(()), closed) => closed?,
            }
        }
    }
    let unit = model.table.allocation.bytes();
    Ok(Verification {
        model: pipeline::model_facts(&model),
        servers,
        tolerance: Tolerance { percent: plan.tolerance_percent, bytes: DiskBytes(Tolerance::BLOCKS * unit) },
        collections: predicted.iter().map(|input| compare(&input.estimate, &input.measured)).collect(),
        timing: clock.read(),
    })
}

/// An error, and what it left that could not be dropped.
fn left_behind(error: CliError, closed: Result<(), MongodError>) -> CliError {
    let Err(left) = closed else { return error };
    let hint = match left.kind() {
        MongodErrorKind::NotDropped { database, .. } => format!(
            "database `{database}` could not be dropped and is still there: when the server is back, run `pagepress \
             verify --drop-left-over --allow-writes --uri {}`",
            left.server()
        ),
        _ => left.to_string(),
    };
    CliError::LeftBehind { error: Box::new(error), hint }
}

/// The plan of the prediction: rules and cache of the server that measures, unless others were typed.
fn model(plan: &VerifyPlan, site: &Site) -> Result<pipeline::Plan, CliError> {
    let mut table = TableConfig::collection(match plan.shared.typed.release {
        Some(release) => release,
        None => site.release()?,
    });
    table.cache_bytes = site.cache_bytes().unwrap_or(table.cache_bytes);
    let mut timing = plan.shared.model.timing;
    if plan.scan == Scan::Skip {
        // Speeds stand beside scans only.
        timing = pipeline::Timing::Skip;
    }
    Ok(pipeline::Plan {
        table: plan.shared.typed.over(table)?,
        loads: site.loads(plan)?,
        timing,
        ..plan.shared.model.clone()
    })
}

fn predict(
    input: Input,
    plan: &VerifyPlan,
    model: &pipeline::Plan,
    progress: &dyn Progress,
) -> Result<Predicted, CliError> {
    let (specs, left_out) = input.indexes(&model.indexes);
    for note in &left_out {
        progress.note(&format!("note: {note}"));
    }
    let mut indexes = plan.indexes.clone();
    for (name, definition) in input.index_definitions() {
        let is_wanted = specs.iter().any(|spec| spec.name() == name);
        if is_wanted && !indexes.iter().any(|(known, _)| *known == name) {
            indexes.push((name, definition));
        }
    }
    let own = pipeline::Plan { indexes: specs, shape: input.shape(model.shape), ..model.clone() };
    let own = model_of(&own, input.collection());
    match own.shape.purpose {
        Purpose::Plain | Purpose::Oplog => {}
        Purpose::TimeSeriesBuckets => {
            let input = input.collection().to_owned();
            let error = VerifyUsageError::NotInsertable { input, what: "a time series' buckets" };
            return Err(UsageError::from(error).into());
        }
        Purpose::GridFsChunks => {
            let chunks = IndexSpec::gridfs_chunks();
            let is_known = indexes.iter().any(|(known, _)| known == chunks.name());
            if let Ok(definition) = index::definition(chunks.pattern(), &chunks)
                && !is_known
            {
                indexes.push((chunks.name().to_owned(), definition));
            }
        }
    }
    let estimate = estimate_opened(&input, &own, progress)?;
    Ok(Predicted { input, estimate, indexes, keys: own.shape.keys, measured: Vec::new() })
}

/// Every input under these codecs on one server.
fn measure_all(
    predicted: &mut [Predicted],
    open: &mut Open,
    load: LoadState,
    codecs: &[CodecKind],
    plan: &VerifyPlan,
    model: &pipeline::Plan,
    progress: &dyn Progress,
) -> Result<(), CliError> {
    for input in predicted {
        for codec in codecs {
            let name = CodecName { name: codec.name(), level: codec.level() };
            let keyed_by = match input.keys {
                Keys::Numbers => KeyedBy::Number,
                Keys::Clustered => KeyedBy::Id,
            };
            let config = config(*codec, &model.table);
            let task = Task { load, config, keyed_by, codec: name, indexes: &input.indexes };
            for round in 1..=plan.repeat.get() {
                let scans = if plan.scan == Scan::Measure && round == plan.repeat.get() { SCANS } else { 0 };
                let measured = measure_one(input, open, &task, scans, progress);
                input.measured.push(measured.map_err(|error| open.explained(error))?);
            }
        }
    }
    Ok(())
}

fn measure_one(
    input: &Predicted,
    open: &mut Open,
    task: &Task<'_>,
    scans: usize,
    progress: &dyn Progress,
) -> Result<Measured, CliError> {
    let shown = format!("{} {} {}", task.load.name(), task.codec, input.input.collection());
    progress.begin(&shown, Some(input.estimate.bson.0));
    let loaded =
        measure(open.scratch(), task, &mut |loader: &mut Loader<'_>| feed(&input.input, loader, progress));
    progress.finish();
    let mut loaded = loaded?;
    let counted = (loaded.documents, BsonBytes(loaded.bson_bytes));
    if counted != (input.estimate.documents, input.estimate.bson) {
        return Err(CliError::OtherDocuments {
            input: input.estimate.sources.join(", "),
            predicted: (input.estimate.documents, input.estimate.bson),
            measured: counted,
        });
    }
    if let Some(server) = open.throw_away().filter(|_| scans > 0) {
        loaded.scan_cold(server, scans)?;
    }
    Ok(loaded.drop_collection(open.scratch())?)
}

/// Brings the documents as they are predicted: `_id` first, added where it is missing.
fn feed(input: &Input, loader: &mut Loader<'_>, progress: &dyn Progress) -> Result<(), CliError> {
    let mut source = input.open()?;
    let (mut ids, mut document) = (IdMaker::new(), Vec::new());
    let (mut documents, mut bytes) = (0, 0);
    while source.next_document(&mut document)?.is_some() {
        // One that cannot be brought into form was refused, or counted as skipped, by the prediction.
        if normalise(&mut document, 0, &mut ids).is_ok() {
            loader.push(&document)?;
            documents += 1;
            bytes += document.len() as u64;
            progress.advance(bytes, documents);
        }
        document.clear();
    }
    Ok(())
}

/// The zstd level that a server has to be started with; `None` for its own.
fn level_of(codec: CodecKind) -> Option<i32> {
    match codec {
        CodecKind::Zstd(level) if level != crate::codec::ZstdLevel::SERVER => Some(level.get()),
        _ => None,
    }
}

fn levels(codecs: &[CodecKind]) -> Vec<Option<i32>> {
    let mut levels: Vec<Option<i32>> = codecs.iter().copied().map(level_of).collect();
    levels.sort_unstable();
    levels.dedup();
    levels
}

/// `WiredTiger` configuration of a collection's table: the compressor, and what differs from a server's own.
fn config(codec: CodecKind, table: &TableConfig) -> String {
    let default = TableConfig::collection(table.release);
    let mut options = vec![format!("block_compressor={}", codec.name())];
    if table.allocation != default.allocation {
        options.push(format!("allocation_size={}", table.allocation.bytes()));
    }
    if table.leaf_page_bytes_max != default.leaf_page_bytes_max {
        options.push(format!("leaf_page_max={}", table.leaf_page_bytes_max));
    }
    if table.internal_page_bytes_max != default.internal_page_bytes_max {
        options.push(format!("internal_page_max={}", table.internal_page_bytes_max));
    }
    if table.memory_page_bytes_max != default.memory_page_bytes_max {
        options.push(format!("memory_page_max={}", table.memory_page_bytes_max));
    }
    options.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::{ZlibLevel, ZstdLevel};
    use crate::geometry::wiredtiger::Release;
    use crate::units::AllocationUnit;

    #[test]
    fn a_server_is_started_once_for_each_level_that_is_not_its_own() {
        let zstd = |level| CodecKind::Zstd(ZstdLevel::new(level).unwrap());
        let codecs = [CodecKind::None, zstd(9), zstd(6), CodecKind::Zlib(ZlibLevel::SERVER), zstd(3)];
        assert_eq!(levels(&codecs), [None, Some(3), Some(9)]);
    }

    #[test]
    fn a_table_is_configured_with_what_is_not_its_default() {
        let table = TableConfig::collection(Release::NEWEST);
        assert_eq!(config(CodecKind::Snappy, &table), "block_compressor=snappy");
        let unit = AllocationUnit::new(8192).unwrap();
        let other = table.with_sizes(unit, 65_536, 5 << 20, 1 << 30).unwrap();
        assert_eq!(
            config(CodecKind::None, &other),
            "block_compressor=none,allocation_size=8192,leaf_page_max=65536,internal_page_max=8192,\
             memory_page_max=5242880"
        );
    }
}
