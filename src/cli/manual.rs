//! `pagepress completions` and `pagepress man`: made from the grammar that parses.

use super::args::Args;
use super::usage::UsageError;
use clap::CommandFactory;
use std::io::{self, Write};

/// The script for `shell`.
pub(super) fn write_completions(shell: clap_complete::Shell, out: &mut dyn Write) -> io::Result<()> {
    // Into memory first: the generator takes a closed pipe for a bug.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), env!("CARGO_PKG_NAME"), &mut script);
    out.write_all(&script)
}

/// The manual page of `command`, or of the program.
pub(super) fn page(command: Option<&str>) -> Result<Vec<u8>, UsageError> {
    let mut program = Args::command();
    // Fills in the full names of commands: `pagepress-estimate`.
    program.build();
    let about = match command {
        None => program,
        Some(name) => program
            .find_subcommand(name)
            .cloned()
            .ok_or_else(|| UsageError::UnknownCommand { name: name.to_owned() })?,
    };
    let mut page = Vec::new();
    match clap_mangen::Man::new(about).render(&mut page) {
        Ok(()) => Ok(page),
        Err(error) => unreachable!("writing into memory failed: {error}"),
    }
}
