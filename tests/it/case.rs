//! One run of the program: own folder, no network, no terminal.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A run that is being prepared.
pub(crate) struct Case {
    folder: tempfile::TempDir,
    args: Vec<String>,
    stdin: Vec<u8>,
}

/// What the program answered.
#[derive(Debug)]
pub(crate) struct Answer {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Case {
    /// `args` are split at blanks.
    pub(crate) fn new(args: &str) -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            args: args.split_whitespace().map(str::to_owned).collect(),
            stdin: Vec::new(),
        }
    }

    /// One more argument, blanks and all.
    pub(crate) fn arg(mut self, arg: &str) -> Self {
        self.args.push(arg.to_owned());
        self
    }

    /// A file in the folder that the program runs in.
    pub(crate) fn file(self, name: &str, bytes: &[u8]) -> Self {
        fs::write(self.folder.path().join(name), bytes).unwrap();
        self
    }

    /// What standard input holds.
    pub(crate) fn stdin(mut self, bytes: &[u8]) -> Self {
        self.stdin = bytes.to_vec();
        self
    }

    /// Where a file of that name is or will be.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The program with its arguments, for tests that connect it in their own way.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(Path::new(env!("CARGO_BIN_EXE_pagepress")));
        command.args(&self.args).current_dir(self.folder.path()).env_remove("COLUMNS");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub(crate) fn run(&self) -> Answer {
        let mut child = self.command().spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        // A program that fails early does not read; that is not this test's concern.
        let _ = stdin.write_all(&self.stdin);
        drop(stdin);
        let output = child.wait_with_output().unwrap();
        Answer {
            code: output.status.code().unwrap(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// `count` documents of one 32-bit `_id` each, 17 bytes long.
pub(crate) fn documents(count: i32) -> Vec<u8> {
    (0..count)
        .flat_map(|id| [b"\x11\0\0\0\x10_id\0".as_slice(), &id.to_le_bytes(), b"\x0a-\0\0"].concat())
        .collect()
}
