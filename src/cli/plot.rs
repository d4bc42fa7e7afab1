//! `pagepress plot`: read saved reports, draw, write each file whole. `estimate` and `sweep` draw through here too.

use super::args::{PlotArgs, PlotFormatArg};
use super::{CliError, Outcome, UsageError};
use crate::plot::{self, Plot, PlotFormat, Published, REPORT_BYTES_MAX, Saved, SavedError};
use crate::report::{FileSink, Sink};
use crate::units::Printable;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// Bytes that a table of published figures may have.
const REFERENCE_BYTES_MAX: u64 = 1 << 20;

/// Runs the command.
pub(super) fn run(args: &PlotArgs) -> Result<Outcome, CliError> {
    let formats = formats(&args.format);
    if args.reports.iter().filter(|path| path.as_path() == Path::new("-")).count() > 1 {
        return Err(UsageError::StandardInputTwice.into());
    }
    let saved = args.reports.iter().map(|path| read_report(path)).collect::<Result<Vec<_>, _>>()?;
    let published = args.reference.as_deref().map(read_reference).transpose()?.unwrap_or_default();
    let folder = PlotFolder::create(&args.out)?;
    let files = folder.write(&plot::draw(&saved, &published), &formats)?;
    let mut out = io::stdout().lock();
    let listed =
        files.iter().try_for_each(|file| writeln!(out, "{}", Printable(&file.display().to_string())));
    listed.and_then(|()| out.flush()).map_err(CliError::stdout)?;
    Ok(Outcome::Complete)
}

/// Both unless some are named, none twice.
fn formats(typed: &[PlotFormatArg]) -> Vec<PlotFormat> {
    let mut formats: Vec<PlotFormat> = Vec::new();
    for format in typed.iter().copied().map(PlotFormat::from) {
        if !formats.contains(&format) {
            formats.push(format);
        }
    }
    if formats.is_empty() { PlotFolder::FORMATS.to_vec() } else { formats }
}

/// A folder that plots can be written to.
pub(super) struct PlotFolder {
    path: PathBuf,
}

impl PlotFolder {
    /// What is drawn unless the user says otherwise.
    pub(super) const FORMATS: [PlotFormat; 2] = [PlotFormat::Svg, PlotFormat::Png];

    /// Makes the folder if it is not there, and finds out whether it takes files. Before the work: a place that cannot
    /// be written is better known now.
    ///
    /// # Errors
    ///
    /// The folder cannot be made, is a file, or takes no files.
    pub(super) fn create(path: &Path) -> Result<Self, CliError> {
        let failed = |source| CliError::PlotFolder { place: path.display().to_string(), source };
        fs::create_dir_all(path).map_err(failed)?;
        // Dropped at once, which leaves nothing.
        FileSink::create(&path.join("plot")).map_err(failed)?;
        Ok(Self { path: path.to_owned() })
    }

    /// Draws every plot of a report's JSON, as bytes in memory, and writes them; gives the files' names.
    ///
    /// # Errors
    ///
    /// Bytes that are no report; a file that cannot be written.
    pub(super) fn write_report(&self, json: &[u8]) -> Result<Vec<PathBuf>, CliError> {
        let saved = Saved::read("the report", json)?;
        self.write(&plot::draw(&[saved], &[]), &Self::FORMATS)
    }

    /// Nothing is written before everything is drawn and every place is open.
    fn write(&self, plots: &[Plot], formats: &[PlotFormat]) -> Result<Vec<PathBuf>, CliError> {
        let mut files = Vec::new();
        for plot in plots {
            for format in formats {
                let path = self.path.join(format!("{}.{}", plot.name, format.ending()));
                let failed = |source| CliError::Output { place: path.display().to_string(), source };
                let sink = FileSink::create(&path).map_err(failed)?;
                files.push((path, sink, plot.bytes(*format)));
            }
        }
        let mut written = Vec::new();
        for (path, sink, bytes) in files {
            let failed = |source| CliError::Output { place: path.display().to_string(), source };
            Sink::File(sink).write_whole(|out| out.write_all(&bytes)).map_err(failed)?;
            written.push(path);
        }
        Ok(written)
    }
}

fn read_report(path: &Path) -> Result<Saved, CliError> {
    let place = name_of(path);
    let bytes = read_bounded(path, REPORT_BYTES_MAX)?;
    if bytes.len() as u64 > REPORT_BYTES_MAX {
        return Err(SavedError::TooLarge { place }.into());
    }
    Ok(Saved::read(&place, &bytes)?)
}

fn read_reference(path: &Path) -> Result<Vec<Published>, CliError> {
    Ok(Published::read(&name_of(path), &read_bounded(path, REFERENCE_BYTES_MAX)?)?)
}

pub(super) fn name_of(path: &Path) -> String {
    if path == Path::new("-") { "standard input".to_owned() } else { path.display().to_string() }
}

/// All bytes, or one more than `bytes_max` of them.
pub(super) fn read_bounded(path: &Path, bytes_max: u64) -> Result<Vec<u8>, CliError> {
    let failed = |source| CliError::Report { place: name_of(path), source };
    let mut bytes = Vec::new();
    let mut read = |input: &mut dyn Read| input.take(bytes_max + 1).read_to_end(&mut bytes);
    if path == Path::new("-") {
        read(&mut io::stdin().lock()).map_err(failed)?;
    } else {
        read(&mut File::open(path).map_err(failed)?).map_err(failed)?;
    }
    Ok(bytes)
}
