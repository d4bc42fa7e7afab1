//! `pagepress inspect`: open the files, have them read, write the report.

use super::args::{InspectArgs, LoadArg};
use super::clock::Clock;
use super::destination::Destination;
use super::plan::{parse_codecs, parse_release, parse_threads};
use super::progress::{self, Progress, Verbosity};
use super::usage::UsageError;
use super::{CliError, Outcome};
use crate::codec;
use crate::datafile::{Catalog, DataFile, DataFileError, Fault, ServerLock, Table, TableKind};
use crate::estimate::{Inspection, TableInspection, Unreadable};
use crate::geometry::wiredtiger::Release;
use crate::pipeline::PipelineError;
use crate::pipeline::inspect::{InspectPlan, TableName, inspect_table};
use crate::report::inspect::write_inspection;
use crate::report::{Detail, FileSink, OutputKind, ReportOptions, Sink};
use crate::units::{BsonBytes, DiskBytes, Grouped};
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

/// What was typed, checked.
struct Request {
    path: PathBuf,
    namespaces: Vec<String>,
    plan: InspectPlan,
    output: OutputKind,
    out: Option<PathBuf>,
    export: Option<PathBuf>,
    detail: Detail,
    verbosity: Verbosity,
}

impl Request {
    fn new(args: &InspectArgs) -> Result<Self, UsageError> {
        let output = args.output.map_or(OutputKind::Table, Into::into);
        if args.explain && !output.has_prose() {
            return Err(UsageError::NothingToExplain { output: output.name() });
        }
        if output == OutputKind::Html {
            return Err(UsageError::Grammar {
                what: "--output: a page is made of estimates, not of inspections".to_owned(),
                hints: vec!["take `--output markdown` or `--output table`".to_owned()],
            });
        }
        let out = args.out.clone().filter(|path| path != Path::new("-"));
        if args.export.as_deref() == Some(Path::new("-")) && out.is_none() {
            return Err(UsageError::Grammar {
                what: "--export: documents and report cannot both go to standard output".to_owned(),
                hints: vec!["give the report a file: `--out report.txt`".to_owned()],
            });
        }
        let what_if = match args.what_if.as_slice() {
            [] => Vec::new(),
            lists => parse_codecs(lists).map_err(|error| error.of_flag("--codec", "--what-if"))?,
        };
        Ok(Self {
            path: args.path.clone(),
            namespaces: args.ns.clone(),
            plan: InspectPlan {
                what_if,
                loads: args.load.unwrap_or(LoadArg::Both).loads(),
                release: args.server.as_deref().map_or(Ok(Release::NEWEST), parse_release)?,
                threads: match &args.threads {
                    None => std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
                    Some(text) => parse_threads(text)?,
                },
            },
            output,
            out,
            export: args.export.clone(),
            detail: if args.explain { Detail::Definitions } else { Detail::Figures },
            verbosity: if args.quiet { Verbosity::Quiet } else { Verbosity::Normal },
        })
    }
}

/// What the user can do about a data file, best first.
pub(super) fn hints(error: &DataFileError) -> Vec<String> {
    let path = error.path.display();
    match &error.kind {
        Fault::Io { source, .. } => match source.kind() {
            io::ErrorKind::NotFound => vec!["check the path".to_owned()],
            io::ErrorKind::PermissionDenied => {
                vec![
                    "data files belong to the user that mongod runs as; run as that user, or on a copy"
                        .to_owned(),
                ]
            }
            _ => Vec::new(),
        },
        Fault::NotWiredTiger { .. } => vec![
            format!("documents are for `pagepress estimate {path}`"),
            "data files end in `.wt` and lie in the server's dbPath".to_owned(),
        ],
        Fault::NoCheckpoint { .. } => vec![
            "a table that was created and never written to has none; so has a file that was cut off"
                .to_owned(),
        ],
        _ => vec![
            "is the file whole? Compare its length with the original's, and copy it again".to_owned(),
            "a running server overwrites blocks: stop it, or take a snapshot of the whole folder".to_owned(),
        ],
    }
}

/// A table to inspect.
struct Job {
    path: PathBuf,
    name: TableName,
}

impl Job {
    fn of(table: &Table) -> Self {
        let index = match &table.kind {
            TableKind::Collection => None,
            TableKind::Index { name } => Some(name.clone()),
        };
        let counts_stored = table.counts.map(|counts| (counts.documents, BsonBytes(counts.bson_bytes)));
        let name = TableName { namespace: Some(table.namespace.clone()), index, counts_stored };
        Self { path: table.path.clone(), name }
    }

    fn shown(&self) -> Option<String> {
        let namespace = self.name.namespace.as_ref()?;
        Some(self.name.index.as_ref().map_or(namespace.clone(), |index| format!("{namespace} / {index}")))
    }
}

/// The tables at a path, and the folder in which a server would keep its lock.
struct Found {
    jobs: Vec<Job>,
    folder: PathBuf,
    notes: Vec<String>,
}

fn find(request: &Request) -> Result<Found, CliError> {
    let path = &request.path;
    let mut found = if path.is_dir() { find_in_folder(path)? } else { find_file(path) };
    if !request.namespaces.is_empty() {
        let is_wanted = |job: &Job| {
            let namespace = job.name.namespace.as_deref().unwrap_or_default();
            request.namespaces.iter().any(|wanted| {
                namespace == wanted || wanted.ends_with('.') && namespace.starts_with(wanted.as_str())
            })
        };
        let known: Vec<String> = found.jobs.iter().filter_map(|job| job.name.namespace.clone()).collect();
        found.jobs.retain(is_wanted);
        if found.jobs.is_empty() {
            return Err(unknown_namespace(&request.namespaces, known).into());
        }
    }
    Ok(found)
}

fn find_in_folder(folder: &Path) -> Result<Found, CliError> {
    if !Catalog::is_in(folder) {
        return Err(UsageError::Grammar {
            what: format!("{}: is no dbPath: it holds no _mdb_catalog.wt", folder.display()),
            hints: vec![
                "pass the folder that mongod was started with (`--dbpath`), or a single .wt file".to_owned(),
            ],
        }
        .into());
    }
    let catalog = Catalog::read(folder)?;
    let mut notes = Vec::new();
    if catalog.entries_damaged > 0 {
        notes.push(format!("{} entries of the catalog cannot be read", Grouped(catalog.entries_damaged)));
    }
    Ok(Found { jobs: catalog.tables.iter().map(Job::of).collect(), folder: folder.to_owned(), notes })
}

/// A catalog beside a single file is a help and no condition.
fn find_file(path: &Path) -> Found {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let folder = parent.unwrap_or(Path::new(".")).to_owned();
    let mut notes = Vec::new();
    let catalog = if Catalog::is_in(&folder) {
        Catalog::read(&folder).unwrap_or_else(|error| {
            notes.push(format!("the catalog beside the file cannot be read: {error}"));
            Catalog::default()
        })
    } else {
        Catalog::default()
    };
    let job =
        catalog.table_at(path).map_or(Job { path: path.to_owned(), name: TableName::default() }, Job::of);
    Found { jobs: vec![Job { path: path.to_owned(), ..job }], folder, notes }
}

fn unknown_namespace(wanted: &[String], mut known: Vec<String>) -> UsageError {
    const SHOWN_MAX: usize = 10;
    known.sort();
    known.dedup();
    let more = known.len().saturating_sub(SHOWN_MAX);
    known.truncate(SHOWN_MAX);
    let mut list = known.join(", ");
    if more > 0 {
        list = format!("{list} and {more} more");
    }
    let hint =
        if list.is_empty() { "the path names no collections".to_owned() } else { format!("it holds {list}") };
    UsageError::Grammar {
        what: format!("--ns: no collection is called `{}`", wanted.join("`, `")),
        hints: vec![hint],
    }
}

/// Runs the command.
pub(super) fn run(args: &InspectArgs) -> Result<Outcome, CliError> {
    let request = Request::new(args)?;
    let found = find(&request)?;
    if request.export.is_some() {
        check_exported(&found.jobs)?;
    }
    let progress = progress::on_stderr(request.verbosity);
    let destination = Destination::open(request.out.as_deref())?;
    found.notes.iter().for_each(|note| progress.note(&format!("warning: {note}")));
    let inspection = inspect(&request, &found, &*progress)?;
    let exported = match &request.export {
        Some(path) => export(path, &found.jobs, &*progress)?,
        None => Outcome::Complete,
    };
    let options = ReportOptions { detail: request.detail };
    destination.write(|out| write_inspection(request.output, &inspection, &options, out))?;
    let whole = found.notes.is_empty() && exported == Outcome::Complete;
    Ok(outcome(&request, &inspection, whole, &*progress))
}

fn inspect(request: &Request, found: &Found, progress: &dyn Progress) -> Result<Inspection, CliError> {
    let clock = Clock::start();
    let (mut tables, mut unreadable, mut behind) = (Vec::new(), Vec::new(), Vec::new());
    if ServerLock::of(&found.folder) == ServerLock::Held {
        behind.push(
            "mongod.lock is not empty: a server runs on the folder or was killed on it, and what it wrote after \
             each file's checkpoint is in its journal and not in these figures"
                .to_owned(),
        );
    }
    for job in &found.jobs {
        match inspect_job(job, request, progress) {
            Ok((table, note)) => {
                behind.extend(note);
                tables.push(table);
            }
            // Of a single file there is nothing else to say.
            Err(CliError::DataFile(error)) if found.jobs.len() > 1 => unreadable.push(Unreadable {
                file: job.path.display().to_string(),
                name: job.shown(),
                file_bytes: job.path.metadata().ok().map(|metadata| DiskBytes(metadata.len())),
                reason: error.to_string(),
            }),
            Err(error) => return Err(error),
        }
    }
    Ok(Inspection {
        path: request.path.display().to_string(),
        tables,
        unreadable,
        behind,
        server: request.plan.release.to_string(),
        codec_versions: codec::library_versions(),
        timing: clock.read(),
    })
}

/// A table's figures, and why they may be behind.
fn inspect_job(
    job: &Job,
    request: &Request,
    progress: &dyn Progress,
) -> Result<(TableInspection, Option<String>), CliError> {
    let file = DataFile::open(&job.path)?;
    progress.begin(&job.path.display().to_string(), Some(file.checkpoint().live_bytes));
    let mut observe = |bytes_read| progress.advance(bytes_read, 0);
    let table = inspect_table(&file, job.name.clone(), &request.plan, &mut observe);
    progress.finish();
    let table = table.map_err(|error| match error {
        PipelineError::DataFile(error) => CliError::DataFile(error),
        other => other.into(),
    })?;
    let note = file.checkpoint().damaged_newer.map(|offset| {
        let file = &table.file;
        format!("{file}: byte {offset}: a newer checkpoint is damaged or not yet whole; the one before it was read")
    });
    Ok((table, note))
}

/// Documents can come from one collection at a time.
fn check_exported(jobs: &[Job]) -> Result<(), UsageError> {
    let mut collections = jobs.iter().filter(|job| job.name.index.is_none());
    let hint = match (collections.next(), collections.next()) {
        (Some(_), None) => return Ok(()),
        (None, _) => "an index holds keys; export its collection's file".to_owned(),
        (Some(first), Some(_)) => {
            format!("name it: `--ns {}`", first.name.namespace.as_deref().unwrap_or("db.collection"))
        }
    };
    let what = "--export: it takes the documents of exactly one collection".to_owned();
    Err(UsageError::Grammar { what, hints: vec![hint] })
}

/// Writes the documents back, whole or not at all.
fn export(path: &Path, jobs: &[Job], progress: &dyn Progress) -> Result<Outcome, CliError> {
    let Some(job) = jobs.iter().find(|job| job.name.index.is_none()) else { return Ok(Outcome::Complete) };
    let file = DataFile::open(&job.path)?;
    let mut documents = file.documents();
    let failed = |source| CliError::Output { place: path.display().to_string(), source };
    let mut stdout = io::BufWriter::new(io::stdout().lock());
    let sink = if path == Path::new("-") {
        Sink::Stream(&mut stdout)
    } else {
        Sink::File(FileSink::create(path).map_err(failed)?)
    };
    let (mut document, mut count) = (Vec::new(), 0_u64);
    let written = sink.write_whole(|out: &mut dyn Write| {
        while documents.next_document(&mut document).is_some() {
            out.write_all(&document)?;
            document.clear();
            count += 1;
        }
        Ok(())
    });
    written.map_err(failed)?;
    progress.note(&format!("note: {} documents written to {}", Grouped(count), path.display()));
    let Some(error) = documents.first_fault() else { return Ok(Outcome::Complete) };
    progress.note(&format!(
        "warning: {} places could not be exported, the first: {error}",
        Grouped(documents.faults())
    ));
    Ok(Outcome::Incomplete)
}

/// Says what could not be read; the reports for people say it too.
fn outcome(request: &Request, inspection: &Inspection, whole: bool, progress: &dyn Progress) -> Outcome {
    let mut outcome = if whole { Outcome::Complete } else { Outcome::Incomplete };
    for table in &inspection.tables {
        if table.faults.count > 0 {
            outcome = Outcome::Incomplete;
            let count = Grouped(table.faults.count);
            progress.note(&format!("warning: {}: {count} places cannot be read; the first:", table.file));
            table.faults.messages.iter().take(1).for_each(|message| progress.note(&format!("  {message}")));
        }
    }
    for table in &inspection.unreadable {
        outcome = Outcome::Incomplete;
        progress.note(&format!("warning: a table was left out: {}", table.reason));
    }
    if !request.output.has_prose() {
        inspection.behind.iter().for_each(|reason| progress.note(&format!("note: {reason}")));
    }
    outcome
}
