//! The `pagepress` binary: parse, run, print the error chain, choose the exit code.

use pagepress::cli::{self, CliError, Outcome};
use pagepress::units::Printable;
use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    match cli::run(std::env::args_os()) {
        Ok(Outcome::Complete) => ExitCode::SUCCESS,
        Ok(Outcome::Incomplete) => ExitCode::from(1),
        // Who reads has seen enough.
        Err(error) if error.is_broken_pipe() => ExitCode::SUCCESS,
        Err(error) => {
            // Without a standard error there is nobody to tell; the exit code still says it.
            let _ = print(&error, &mut io::stderr().lock());
            ExitCode::from(2)
        }
    }
}

fn print(error: &CliError, err: &mut dyn Write) -> io::Result<()> {
    let mut message = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let text = cause.to_string();
        // Some errors name their cause themselves.
        if !message.ends_with(&text) {
            message = format!("{message}: {text}");
        }
        source = cause.source();
    }
    writeln!(err, "error: {}", Printable(&message))?;
    for (at, hint) in error.hints().iter().enumerate() {
        let gap = if at == 0 { "\n" } else { "" };
        writeln!(err, "{gap}hint: {}", Printable(hint))?;
    }
    Ok(())
}
