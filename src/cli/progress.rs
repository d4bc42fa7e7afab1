//! What a user sees on standard error while a run works: a bar on a terminal, notes anywhere, or nothing.

use crate::units::{Grouped, Printable};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use std::io::{self, IsTerminal, Write as _};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Where a run says how far it is. Called from any thread; never fails.
pub trait Progress: Sync {
    /// An input begins; `bytes_total` is its size as stored, where that is known.
    fn begin(&self, input: &str, bytes_total: Option<u64>);

    /// So much of the input has been read.
    fn advance(&self, bytes_read: u64, documents: u64);

    /// The input is done.
    fn finish(&self);

    /// One whole line for the user.
    fn note(&self, line: &str);
}

/// How much a run says beside its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verbosity {
    /// Notes, and a bar where there is a terminal.
    Normal,
    /// Errors only.
    Quiet,
}

/// The progress that standard error can show.
pub(super) fn on_stderr(verbosity: Verbosity) -> Box<dyn Progress> {
    match verbosity {
        Verbosity::Quiet => Box::new(Silent),
        Verbosity::Normal if io::stderr().is_terminal() => Box::new(Bar::default()),
        Verbosity::Normal => Box::new(Lines),
    }
}

/// Nothing.
#[derive(Clone, Copy, Debug)]
pub struct Silent;

impl Progress for Silent {
    fn begin(&self, _input: &str, _bytes_total: Option<u64>) {}
    fn advance(&self, _bytes_read: u64, _documents: u64) {}
    fn finish(&self) {}
    fn note(&self, _line: &str) {}
}

/// Notes only: for log files.
struct Lines;

impl Progress for Lines {
    fn begin(&self, _input: &str, _bytes_total: Option<u64>) {}
    fn advance(&self, _bytes_read: u64, _documents: u64) {}
    fn finish(&self) {}
    fn note(&self, line: &str) {
        // A standard error that is closed must not stop the run.
        let _ = writeln!(io::stderr(), "{}", Printable(line));
    }
}

/// A bar with bytes, documents, speed and the time that is left.
#[derive(Default)]
struct Bar {
    current: Mutex<Option<ProgressBar>>,
    documents: Arc<AtomicU64>,
}

impl Bar {
    fn with_current(&self, act: impl FnOnce(&mut Option<ProgressBar>)) {
        // A thread that panicked while it drew leaves a bar that can still be drawn.
        act(&mut self.current.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl Progress for Bar {
    fn begin(&self, input: &str, bytes_total: Option<u64>) {
        self.documents.store(0, Ordering::Relaxed);
        let bar = ProgressBar::with_draw_target(bytes_total, ProgressDrawTarget::stderr());
        bar.set_style(style(bytes_total, Arc::clone(&self.documents)));
        bar.set_message(short_name(input));
        self.with_current(|current| *current = Some(bar));
    }

    fn advance(&self, bytes_read: u64, documents: u64) {
        self.documents.store(documents, Ordering::Relaxed);
        self.with_current(|current| {
            if let Some(bar) = current {
                bar.set_position(bytes_read);
            }
        });
    }

    fn finish(&self) {
        self.with_current(|current| {
            if let Some(bar) = current.take() {
                bar.finish_and_clear();
            }
        });
    }

    fn note(&self, line: &str) {
        self.with_current(|current| match current {
            Some(bar) => bar.suspend(|| Lines.note(line)),
            None => Lines.note(line),
        });
    }
}

/// The end of a file's name, short enough to leave room for figures on a terminal of 80 columns.
fn short_name(input: &str) -> String {
    const CHARS_MAX: usize = 16;
    const DOTS: &str = "...";
    let name = Printable(input.rsplit('/').next().unwrap_or(input)).to_string();
    let start_of_last = |chars: usize| name.char_indices().rev().nth(chars - 1).map_or(0, |(at, _)| at);
    if start_of_last(CHARS_MAX) == 0 {
        return name;
    }
    format!("{DOTS}{}", &name[start_of_last(CHARS_MAX - DOTS.len())..])
}

fn style(bytes_total: Option<u64>, documents: Arc<AtomicU64>) -> ProgressStyle {
    let template = match bytes_total {
        Some(_) => {
            "{msg} [{wide_bar}] {binary_bytes} of {binary_total_bytes}, {documents} documents, {decimal_bytes_per_sec}, {eta} left"
        }
        None => "{msg} {spinner} {binary_bytes}, {documents} documents, {decimal_bytes_per_sec}",
    };
    ProgressStyle::with_template(template)
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .progress_chars("=> ")
        .with_key("documents", move |_: &ProgressState, line: &mut dyn std::fmt::Write| {
            // Drawing into memory does not fail.
            let _ = write!(line, "{}", Grouped(documents.load(Ordering::Relaxed)));
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use indicatif::TermLike;

    /// Keeps what is drawn.
    #[derive(Clone, Debug, Default)]
    struct Drawn(Arc<Mutex<String>>);

    impl TermLike for Drawn {
        fn width(&self) -> u16 {
            120
        }
        fn move_cursor_up(&self, _lines: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_down(&self, _lines: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_right(&self, _columns: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_left(&self, _columns: usize) -> io::Result<()> {
            Ok(())
        }
        fn write_line(&self, line: &str) -> io::Result<()> {
            self.write_str(line)
        }
        fn write_str(&self, text: &str) -> io::Result<()> {
            self.0.lock().unwrap().push_str(text);
            Ok(())
        }
        fn clear_line(&self) -> io::Result<()> {
            Ok(())
        }
        fn flush(&self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn names_on_the_bar_are_short_and_cannot_command_the_terminal() {
        for (input, want) in [
            ("-", "-"),
            ("dump/shop/orders.bson", "orders.bson"),
            ("dump/sixteen-in-.bson", "sixteen-in-.bson"),
            ("dump/seventeen-in.bson", "...nteen-in.bson"),
            ("\u{1b}[2J.bson", r"\u{1b}[2J.bson"),
            ("d/\u{65e5}\u{672c}\u{8a9e}.bson", "\u{65e5}\u{672c}\u{8a9e}.bson"),
        ] {
            assert_eq!(short_name(input), want);
        }
    }

    /// The template is parsed when it is drawn, so it is drawn.
    #[test]
    fn bar_shows_bytes_documents_speed_and_time_left() {
        for (total, parts) in [
            (Some(4 << 20), ["1.00 MiB of 4.00 MiB", "1,234 documents", "B/s", "left"].as_slice()),
            (None, &["1.00 MiB", "1,234 documents", "B/s"]),
        ] {
            let drawn = Drawn::default();
            let target = ProgressDrawTarget::term_like(Box::new(drawn.clone()));
            let bar = ProgressBar::with_draw_target(total, target);
            bar.set_style(style(total, Arc::new(AtomicU64::new(1234))));
            bar.set_message("logs.bson");
            bar.set_position(1 << 20);
            bar.tick();
            let shown = drawn.0.lock().unwrap().clone();
            for part in parts {
                assert!(shown.contains(part), "{part} is missing in: {shown}");
            }
        }
    }
}
