//! Where output goes: standard output, or a file that appears whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// A place for one report.
pub enum Sink<'a> {
    /// A stream that is there already.
    Stream(&'a mut dyn Write),
    /// A file.
    File(FileSink),
}

impl Sink<'_> {
    /// Hands the writer to `write`, then makes sure that everything has arrived.
    ///
    /// # Errors
    ///
    /// What `write` or the system answers; a file that stood there before is then as it was.
    pub fn write_whole(self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        match self {
            Self::Stream(out) => {
                write(out)?;
                out.flush()
            }
            Self::File(file) => file.write_whole(write),
        }
    }
}

/// A file to be: written beside its place and renamed into it, so that no reader sees half a report.
///
/// Opened before the work, so that a place that cannot be written is found out first. Dropped without
/// being written, it leaves nothing behind. What is no regular file (a device, a named pipe) is written
/// directly: renaming would put a file in its place.
pub struct FileSink {
    file: Option<File>,
    beside: Option<PathBuf>,
    target: PathBuf,
}

impl FileSink {
    /// Opens the place for `target`.
    ///
    /// # Errors
    ///
    /// The folder does not exist or cannot be written.
    pub fn create(target: &Path) -> io::Result<Self> {
        // The file that a link leads to is replaced, not the link.
        let target = fs::canonicalize(target).unwrap_or_else(|_| target.to_owned());
        let before = fs::metadata(&target).ok();
        if before.as_ref().is_some_and(|metadata| !metadata.is_file()) {
            let file = OpenOptions::new().write(true).open(&target)?;
            return Ok(Self { file: Some(file), beside: None, target });
        }
        let name = target.file_name().ok_or_else(|| io::Error::other("is not a file name"))?;
        let beside = target.with_file_name(format!(".{}.{}.part", name.display(), std::process::id()));
        let file = OpenOptions::new().write(true).create_new(true).open(&beside)?;
        let sink = Self { file: Some(file), beside: Some(beside), target };
        if let (Some(before), Some(file)) = (before, &sink.file) {
            file.set_permissions(before.permissions())?;
        }
        Ok(sink)
    }

    fn write_whole(mut self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        let Some(file) = self.file.take() else { return Ok(()) };
        let mut out = BufWriter::new(file);
        write(&mut out)?;
        let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        if let Some(beside) = &self.beside {
            file.sync_all()?;
            fs::rename(beside, &self.target)?;
            self.beside = None;
        }
        Ok(())
    }
}

impl Drop for FileSink {
    fn drop(&mut self) {
        if let Some(beside) = &self.beside {
            // Nothing better can be done about a file that cannot be removed.
            let _ = fs::remove_file(beside);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    fn write(sink: FileSink, text: &str) -> io::Result<()> {
        Sink::File(sink).write_whole(|out| out.write_all(text.as_bytes()))
    }

    #[test]
    fn a_file_appears_whole_and_replaces_what_was_there() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("report.json");
        for text in ["long first text", "second"] {
            write(FileSink::create(&target).unwrap(), text).unwrap();
            assert_eq!(fs::read_to_string(&target).unwrap(), text);
            assert_eq!(names(folder.path()), ["report.json"]);
        }
    }

    #[test]
    fn a_failure_leaves_the_old_file_and_nothing_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("report.json");
        fs::write(&target, "old").unwrap();
        let failed = Sink::File(FileSink::create(&target).unwrap()).write_whole(|out| {
            out.write_all(b"half")?;
            Err(io::Error::other("broken"))
        });
        assert!(failed.is_err());
        drop(FileSink::create(&target).unwrap());
        assert_eq!(fs::read_to_string(&target).unwrap(), "old");
        assert_eq!(names(folder.path()), ["report.json"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_a_link_and_permissions_stay_as_they_were() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let real = folder.path().join("real");
        let link = folder.path().join("link");
        fs::write(&real, "old").unwrap();
        fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        write(FileSink::create(&link).unwrap(), "new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&real).unwrap(), "new");
        assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
    }

    #[cfg(unix)]
    #[test]
    fn a_device_is_written_and_not_replaced() {
        write(FileSink::create(Path::new("/dev/null")).unwrap(), "gone").unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }

    #[test]
    fn a_missing_folder_is_found_out_before_the_work() {
        let folder = tempfile::tempdir().unwrap();
        assert!(FileSink::create(&folder.path().join("no/report.json")).is_err());
    }
}
