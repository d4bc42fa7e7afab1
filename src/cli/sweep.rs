//! `pagepress sweep`: one estimate a leaf page size, and what they say together.

use super::args::{LoadArg, SweepArgs};
use super::destination::Destination;
use super::estimate::{outcome, run_estimate};
use super::plan::{EstimatePlan, Tables, parse_codecs};
use super::plot::PlotFolder;
use super::progress;
use super::sizes::{Typed, parse_size};
use super::{CliError, Outcome, UsageError};
use crate::estimate::sweep::Sweep;
use crate::pipeline::Effort;
use crate::report::{
    ReportOptions,
    sweep::{sweep_json, write_sweep},
};
use std::path::Path;

/// What is swept unless something else was typed.
const CODECS_DEFAULT: &str = "none,snappy,zlib:1..9,zstd:1..22";
/// Sizes that one sweep may ask for: each reads the input once.
const LEAF_SIZES_MAX: usize = 20;

/// Runs the command.
pub(super) fn run(args: &SweepArgs) -> Result<Outcome, CliError> {
    let plans = plans(args)?;
    let first = &plans[0];
    let progress = progress::on_stderr(first.verbosity);
    let destination = Destination::open(first.out.as_deref())?;
    let folder = first.plots.as_deref().map(PlotFolder::create).transpose()?;
    let mut runs = Vec::with_capacity(plans.len());
    for plan in &plans {
        runs.push(run_estimate(plan, &*progress)?);
    }
    let sweep = Sweep::of(runs);
    if let Some(folder) = folder {
        let files = folder.write_report(&sweep_json(&sweep))?;
        progress.note(&format!("note: {} plots written", files.len()));
    }
    let options = ReportOptions { detail: first.detail };
    destination.write(|out| write_sweep(&sweep, first.output, &options, out))?;
    Ok(outcome(first.output, &sweep.runs[0], &*progress))
}

/// One for each leaf page size.
fn plans(args: &SweepArgs) -> Result<Vec<EstimatePlan>, UsageError> {
    let mut shared = args.shared.clone();
    if let Some(index) = shared.model.index.first() {
        return Err(grammar(
            format!("--index: `{index}`: a sweep compares collections; indexes are packed by no codec"),
            "leave it out, or run `pagepress estimate --index ..`",
        ));
    }
    let codecs = std::mem::take(&mut shared.model.codec);
    let codecs = if codecs.is_empty() { vec![CODECS_DEFAULT.to_owned()] } else { codecs };
    let leaves = shared.model.leaf_page_max.take();
    shared.model.load.get_or_insert(LoadArg::Settled);
    let mut plan = EstimatePlan::shared(&args.inputs, &shared)?;
    plan.model.codecs = parse_codecs(&expand_levels(&codecs)?)?;
    plan.model.effort = if args.full { Effort::Full } else { Effort::SampleSlow };
    plan.tables = Tables::CollectionsOnly;
    plan.plots.clone_from(&args.plots.plots);
    let Some(leaves) = leaves else { return Ok(vec![plan]) };
    let sizes = leaf_sizes(&leaves)?;
    if sizes.len() > 1 && args.inputs.iter().any(|input| input == Path::new("-")) {
        return Err(grammar(
            format!(
                "--leaf-page-max: {} sizes read the input as often, and standard input can be read once",
                sizes.len()
            ),
            "save the stream to a file, or name one size",
        ));
    }
    sizes.into_iter().map(|bytes| plan.with_leaf(bytes)).collect()
}

fn grammar(what: String, hint: &str) -> UsageError {
    UsageError::Grammar { what, hints: vec![hint.to_owned()] }
}

/// `zstd:1..3` becomes `zstd:1,zstd:2,zstd:3`.
fn expand_levels(lists: &[String]) -> Result<Vec<String>, UsageError> {
    let mut expanded = Vec::new();
    for typed in lists.iter().flat_map(|list| list.split(',')).map(str::trim) {
        let range = typed.split_once(':').and_then(|(name, levels)| Some((name, levels.split_once("..")?)));
        let Some((name, (from, to))) = range else {
            expanded.push(typed.to_owned());
            continue;
        };
        let level = |text: &str| text.trim().parse::<u8>().ok();
        let (Some(from), Some(to)) = (level(from), level(to)) else {
            let what = format!("--codec: `{typed}` is no range of levels");
            return Err(grammar(what, "as in `--codec zstd:1..22`"));
        };
        if from > to {
            let what = format!("--codec: the range in `{typed}` runs from {from} down to {to}");
            return Err(grammar(what, &format!("write `{name}:{to}..{from}`")));
        }
        expanded.extend((from..=to).map(|level| format!("{name}:{level}")));
    }
    Ok(expanded)
}

/// `16K,64K` or `4K..1M`: the powers of two from the first to the last.
fn leaf_sizes(list: &str) -> Result<Vec<u64>, UsageError> {
    let flag = "--leaf-page-max";
    let size = |text: &str| parse_size(text.trim()).map_err(|error| UsageError::Size { flag, error });
    let mut sizes = Vec::new();
    for typed in list.split(',') {
        let Some((from, to)) = typed.split_once("..") else {
            sizes.push(size(typed)?);
            continue;
        };
        let (from, to) = (size(from)?, size(to)?);
        if from > to {
            let what =
                format!("{flag}: the range in `{typed}` runs from {} down to {}", Typed(from), Typed(to));
            return Err(grammar(what, &format!("write `{flag} {}..{}`", Typed(to), Typed(from))));
        }
        if !from.is_power_of_two() || !to.is_power_of_two() {
            let what = format!(
                "{flag}: a range runs over powers of two, and `{typed}` does not begin and end with one"
            );
            return Err(grammar(what, "as in `--leaf-page-max 4K..1M`; list other sizes with commas"));
        }
        let doubled = |bytes: &u64| bytes.checked_mul(2).filter(|next| *next <= to);
        sizes.extend(std::iter::successors(Some(from), doubled));
    }
    sizes.sort_unstable();
    sizes.dedup();
    if sizes.len() > LEAF_SIZES_MAX {
        let what = format!(
            "{flag}: {} sizes are more than {LEAF_SIZES_MAX}, and each reads the input once",
            sizes.len()
        );
        return Err(grammar(what, "name fewer"));
    }
    Ok(sizes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_levels_are_written_out() {
        let expand = |list: &str| expand_levels(&[list.to_owned()]).map_err(|error| error.to_string());
        assert_eq!(expand("none, zstd:2..4,zlib").unwrap(), ["none", "zstd:2", "zstd:3", "zstd:4", "zlib"]);
        assert_eq!(expand("zstd:9..9").unwrap(), ["zstd:9"]);
        assert_eq!(
            expand("zstd:9..1").unwrap_err(),
            "--codec: the range in `zstd:9..1` runs from 9 down to 1"
        );
        assert_eq!(expand("zstd:1..").unwrap_err(), "--codec: `zstd:1..` is no range of levels");
        assert!(parse_codecs(&expand(CODECS_DEFAULT).unwrap()).unwrap().len() == 1 + 1 + 9 + 22);
    }

    #[test]
    fn leaf_sizes_are_lists_and_ranges_of_powers_of_two() {
        let sizes = |list: &str| leaf_sizes(list).map_err(|error| error.to_string());
        assert_eq!(sizes("32K").unwrap(), [32_768]);
        assert_eq!(sizes("64K,16K..32K").unwrap(), [16_384, 32_768, 65_536]);
        assert_eq!(sizes("4K..1M").unwrap().len(), 9);
        assert_eq!(
            sizes("1M..4K").unwrap_err(),
            "--leaf-page-max: the range in `1M..4K` runs from 1M down to 4K"
        );
        assert_eq!(
            sizes("5K..1M").unwrap_err(),
            "--leaf-page-max: a range runs over powers of two, and `5K..1M` does not begin and end with one"
        );
        assert!(sizes("x").unwrap_err().starts_with("--leaf-page-max: `x` is not a size"));
    }
}
