//! Stops a throw-away server when this process is gone, however it went: SIGKILL lets nobody clean up.
//!
//! A shell waits on a pipe whose other end only this process holds. When the pipe closes without the word that all is
//! done, it stops the server and removes its folder. It stands in a process group of its own, so that Ctrl-C on the
//! terminal does not reach it.

use std::io::{self, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// `$1` is the server's process, which is not reaped, so its number not used again, while this process lives.
#[cfg(unix)]
const SCRIPT: &str = "\
trap '' HUP INT TERM
read -r word
[ \"$word\" = done ] && exit 0
kill -9 \"$1\" 2>/dev/null
sleep 1
rm -rf -- \"$2\"";

/// The shell that waits.
pub(super) struct Watchdog(Child);

impl Watchdog {
    /// Watches over a server and its folder.
    #[cfg(unix)]
    pub(super) fn over(server: &Child, folder: &Path) -> io::Result<Self> {
        use std::os::unix::process::CommandExt;
        let shell = Command::new("sh")
            .args(["-c", SCRIPT, "pagepress-watchdog", &server.id().to_string()])
            .arg(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()?;
        Ok(Self(shell))
    }

    /// To be called when the server is stopped and before it is reaped by anybody else.
    pub(super) fn dismiss(mut self) {
        if let Some(mut pipe) = self.0.stdin.take() {
            // A watchdog that is gone already has nothing to be told.
            let _ = pipe.write_all(b"done\n");
        }
        let _ = self.0.wait();
    }
}
