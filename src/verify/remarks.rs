//! What the comparisons say together.

use super::{Check, Subject, Tolerance, Verdict, VerifiedCollection};
use crate::units::Human;

/// Lines under a collection's table.
#[must_use]
pub fn remarks(collection: &VerifiedCollection, tolerance: Tolerance) -> Vec<String> {
    let mut lines = vec![summary(collection, tolerance)];
    let banded: Vec<bool> = collection.checks.iter().filter_map(Check::is_inside_band).collect();
    if !banded.is_empty() {
        let inside = banded.iter().filter(|inside| **inside).count();
        lines.push(format!("{inside} of {} data files are inside their predicted band", banded.len()));
    }
    lines.extend(widest_spread(&collection.checks));
    if collection.checks.iter().any(|check| check.verdict(tolerance) == Verdict::NotPredicted) {
        lines.push("`-` under predicted: the model gives no figure there".to_owned());
    }
    if !collection.scans.is_empty() {
        lines.push(
            "scans: after a restart, so nothing is in the server's cache, while the system's is as it was; a scan \
             compares each document too, on one thread"
                .to_owned(),
        );
    }
    lines
}

fn summary(collection: &VerifiedCollection, tolerance: Tolerance) -> String {
    let verdicts: Vec<Verdict> = collection.checks.iter().map(|check| check.verdict(tolerance)).collect();
    let within = verdicts.iter().filter(|verdict| **verdict == Verdict::Within).count();
    let judged = verdicts.iter().filter(|verdict| **verdict != Verdict::NotPredicted).count();
    let furthest = collection
        .checks
        .iter()
        .filter_map(|check| check.difference_pct().map(|percent| (percent, check)))
        .max_by(|(one, _), (other, _)| one.abs().total_cmp(&other.abs()));
    let furthest = furthest.map_or_else(String::new, |(percent, check)| {
        format!("; furthest off: {percent:+.2} % ({} {})", check.load.name(), subject(&check.subject))
    });
    format!(
        "{within} of {judged} predictions within {} % or {}{furthest}",
        tolerance.percent,
        Human(tolerance.bytes.0)
    )
}

/// As lines name it.
fn subject(subject: &Subject) -> String {
    match subject {
        Subject::Data(codec) => codec.to_string(),
        Subject::Index { name, build } => format!("{name} {}", build.name()),
    }
}

#[expect(clippy::cast_precision_loss, reason = "byte counts stay below 2^53")]
fn widest_spread(checks: &[Check]) -> Option<String> {
    let width = |check: &Check| {
        let (least, most) = check.spread();
        (most.0 - least.0) as f64 / check.measured().0.max(1) as f64 * 100.0
    };
    let several = checks.iter().filter(|check| check.runs.len() > 1);
    let (percent, check) =
        several.map(|check| (width(check), check)).max_by(|(one, _), (other, _)| one.total_cmp(other))?;
    Some(format!(
        "the server's own runs differ by up to {percent:.2} % ({} {})",
        check.load.name(),
        subject(&check.subject)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::fixture;

    #[test]
    fn remarks_count_verdicts_and_name_the_furthest() {
        let verification = fixture::flights();
        assert_eq!(
            remarks(&verification.collections[0], verification.tolerance),
            [
                "3 of 4 predictions within 2 % or 12.0 KiB; furthest off: +10.00 % (bulk user_1 before-load)",
                "1 of 2 data files are inside their predicted band",
                "the server's own runs differ by up to 3.00 % (settled zstd:6)",
                "`-` under predicted: the model gives no figure there",
                "scans: after a restart, so nothing is in the server's cache, while the system's is as it was; a scan \
                 compares each document too, on one thread",
            ]
        );
    }
}
