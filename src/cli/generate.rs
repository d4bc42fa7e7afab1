//! `pagepress generate`: documents to a file or to standard output, a piece at a time.

use super::args::{GenerateArgs, NotationArg};
use super::destination::Destination;
use super::{CliError, Outcome, UsageError};
use crate::source::generate::{Generator, Notation, Request};
use std::path::Path;

const DOCUMENTS_DEFAULT: u64 = 100_000;
const SEED_DEFAULT: u64 = 42;

/// Bytes that are written at a time.
const PIECE_BYTES: usize = 1 << 18;

/// Runs the command.
pub(super) fn run(args: &GenerateArgs) -> Result<Outcome, CliError> {
    let request = request(args)?;
    let out = args.out.as_deref().filter(|path| *path != Path::new("-"));
    Destination::open(out)?.write(|out| {
        let mut generator = Generator::new(request);
        let mut piece = Vec::with_capacity(PIECE_BYTES);
        loop {
            piece.clear();
            let there_is_more = generator.fill(&mut piece, PIECE_BYTES);
            out.write_all(&piece)?;
            if !there_is_more {
                return Ok(());
            }
        }
    })?;
    Ok(Outcome::Complete)
}

fn request(args: &GenerateArgs) -> Result<Request, UsageError> {
    let whole = |flag, text: &Option<String>, default| match text {
        None => Ok(default),
        Some(text) => text.parse().map_err(|_| UsageError::WholeNumber { flag, text: text.clone() }),
    };
    let is_text = |path: &Path| {
        let ending = path.extension().and_then(|ending| ending.to_str());
        ending.is_some_and(|ending| ["ndjson", "jsonl", "json"].contains(&ending))
    };
    let as_json = match args.format {
        Some(format) => format == NotationArg::Ndjson,
        None => args.out.as_deref().is_some_and(is_text),
    };
    Ok(Request {
        shape: args.shape.0,
        documents: whole("--documents", &args.documents, DOCUMENTS_DEFAULT)?,
        seed: whole("--seed", &args.seed, SEED_DEFAULT)?,
        field_names: args.field_names.map(Into::into).unwrap_or_default(),
        notation: if as_json { Notation::Json } else { Notation::Bson },
    })
}
