//! Why a server ended: the last line of its log that says so.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// The end of the log that is looked at.
const TAIL_BYTES: u64 = 256 << 10;

/// What the log says last of an error; `None` if it says nothing of one.
///
/// A line is a JSON document with severity `s`, message `msg` and attributes `attr`, from server 4.4 on.
pub(super) fn last_error(log: &Path) -> Option<String> {
    let mut file = File::open(log).ok()?;
    let bytes = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(bytes.saturating_sub(TAIL_BYTES))).ok()?;
    let mut text = Vec::new();
    file.take(TAIL_BYTES).read_to_end(&mut text).ok()?;
    reason(&String::from_utf8_lossy(&text))
}

fn reason(log: &str) -> Option<String> {
    let lines: Vec<serde_json::Value> =
        log.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let says = |line: &serde_json::Value, severities: &[&str]| {
        line["s"].as_str().is_some_and(|severity| severities.contains(&severity))
    };
    // The first error is the cause; fatal lines behind it are its consequences and hold stack traces.
    let errors = lines.iter().find(|line| says(line, &["E"]));
    let line = errors.or_else(|| lines.iter().find(|line| says(line, &["F"])))?;
    let message = line["msg"].as_str().unwrap_or_default();
    let detail = ["error", "message", "reason"].iter().find_map(|name| detail(&line["attr"][*name]));
    Some(match detail {
        Some(detail) => format!("{message}: {detail}"),
        None => message.to_owned(),
    })
}

/// The system's words, where they are there: what the engine says beside them is a path that is soon gone.
fn detail(value: &serde_json::Value) -> Option<String> {
    let fields = ["error_str", "msg", "errmsg"].iter().find_map(|name| value[*name].as_str());
    value.as_str().or(fields).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_error_is_the_reason() {
        let log = concat!(
            r#"{"s":"I","msg":"starting"}"#,
            "\nno json\n",
            r#"{"s":"E","msg":"WiredTiger error message","attr":{"error":28,"message":{"msg":"pwrite","error_str":"no room"}}}"#,
            "\n",
            r#"{"s":"F","msg":"Fatal assertion"}"#,
        );
        assert_eq!(reason(log).as_deref(), Some("WiredTiger error message: no room"));
        let fatal = r#"{"s":"F","msg":"Fatal assertion","attr":{"reason":"x"}}"#;
        assert_eq!(reason(fatal).as_deref(), Some("Fatal assertion: x"));
        assert_eq!(reason("nothing"), None);
    }
}
