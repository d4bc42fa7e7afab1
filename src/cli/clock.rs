//! How long a run took.

use crate::estimate::Timing;
use std::time::Instant;

/// Started with the run.
pub(super) struct Clock(Instant);

impl Clock {
    pub(super) fn start() -> Self {
        Self(Instant::now())
    }

    pub(super) fn read(&self) -> Timing {
        Timing { wall_s: self.0.elapsed().as_secs_f64(), cpu_s: cpu_seconds() }
    }
}

/// Processor seconds of all threads, user and system; `None` where there is no `/proc`.
fn cpu_seconds() -> Option<f64> {
    seconds_of_stat(&std::fs::read_to_string("/proc/self/stat").ok()?)
}

/// Fields 14 and 15 of proc(5)'s `stat`, in hundredths of a second (`USER_HZ`).
///
/// Field 2, the program's name in brackets, may hold spaces and brackets itself.
fn seconds_of_stat(stat: &str) -> Option<f64> {
    const TICKS_PER_S: f64 = 100.0;
    let (_, after_name) = stat.rsplit_once(')')?;
    let mut fields = after_name.split_whitespace().skip(11);
    let user: u32 = fields.next()?.parse().ok()?;
    let system: u32 = fields.next()?.parse().ok()?;
    Some((f64::from(user) + f64::from(system)) / TICKS_PER_S)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processor_seconds_are_user_and_system_ticks() {
        let stat = "42 (a) b) S 1 2 3 4 5 6 7 8 9 10 150 25 0 0 20 0 1 0";
        assert_eq!(seconds_of_stat(stat), Some(1.75));
        assert_eq!(seconds_of_stat("42 (a) S 1"), None);
        assert_eq!(seconds_of_stat(""), None);
    }
}
