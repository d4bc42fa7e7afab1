//! What was typed behind `plan`, checked.

use super::UsageError;
use super::args::PlanArgs;
use super::plan::{EstimatePlan, parse_codecs};
use super::sizes::{Typed, parse_size};
use crate::capacity::{CACHE_BYTES_MIN, Given, Needs, WorkingSet, wire};
use crate::codec::CodecKind;

/// Streams of a dump unless others were typed.
const DUMP_CODECS: &str = "none,zlib:6,zstd:1,zstd:3,zstd:6,zstd:9";
/// Source: "Replica Set Members", MongoDB manual.
const MEMBERS_MAX: u64 = 50;
/// Shards above which a typing error is likelier than a cluster.
const SHARDS_MAX: u64 = 1024;
/// Documents and rates above which a typing error is likelier than a machine.
const DOCUMENTS_MAX: u64 = 1_000_000_000_000_000;
const RATE_MAX: f64 = 1e12;

/// What `plan` is to do.
pub(super) struct CapacityPlan {
    pub estimate: EstimatePlan,
    pub needs: Needs,
}

impl CapacityPlan {
    /// Checks `args`.
    pub(super) fn new(args: &PlanArgs) -> Result<Self, UsageError> {
        let mut shared = args.shared.clone();
        if args.cache.is_some() {
            shared.model.cache_size.clone_from(&args.cache);
        }
        let cache_typed = args.cache.as_deref().or(args.shared.model.cache_size.as_deref());
        check_cache(args, cache_typed)?;
        let mut estimate = EstimatePlan::shared(&args.inputs, &shared)?;
        estimate.plots.clone_from(&args.plots.plots);
        let needs = needs(args, cache_typed.is_some(), estimate.model.table.cache_bytes)?;
        Ok(Self { estimate, needs })
    }
}

fn needs(args: &PlanArgs, cache_is_typed: bool, cache_bytes: u64) -> Result<Needs, UsageError> {
    let default = Needs::new(cache_bytes);
    let count = |flag, text: &Option<String>, max, given: Given<u64>| match text {
        None => Ok(given),
        Some(text) => whole(flag, text, max).map(Given::Typed),
    };
    let rate = |flag, text: &Option<String>| text.as_deref().map(|text| positive(flag, text)).transpose();
    let (streams, chosen) = match args.dump_codec.as_slice() {
        [] => (vec![DUMP_CODECS.to_owned()], Given::Default(())),
        typed => (typed.to_vec(), Given::Typed(())),
    };
    Ok(Needs {
        documents: args
            .documents
            .as_deref()
            .map(|text| whole("--documents", text, DOCUMENTS_MAX))
            .transpose()?,
        members: count("--replicas", &args.replicas, MEMBERS_MAX, default.members)?,
        shards: count("--shards", &args.shards, SHARDS_MAX, default.shards)?,
        disks_typed: list("--disk-mb-per-s", args.disk_mb_per_s.as_deref(), RATE_MAX)?,
        cache_bytes: if cache_is_typed { Given::Typed(cache_bytes) } else { default.cache_bytes },
        working_set: match &args.working_set {
            None => default.working_set,
            Some(text) => Given::Typed(working_set(text)?),
        },
        hit_share: match &args.hit_rate {
            None => default.hit_share,
            Some(text) => Given::Typed(percent("--hit-rate", text, 100.0)? / 100.0),
        },
        writes_per_s: rate("--writes-per-s", &args.writes_per_s)?,
        updates_per_s: rate("--updates-per-s", &args.updates_per_s)?,
        oplog_hours: rate("--oplog-hours", &args.oplog_hours)?,
        headroom_pct: match &args.headroom {
            None => default.headroom_pct,
            Some(text) => Given::Typed(headroom(text)?),
        },
        price_per_gb_month: rate("--price-per-gb-month", &args.price_per_gb_month)?,
        batch_documents: count("--batch", &args.batch, wire::BATCH_DOCUMENTS_MAX, default.batch_documents)?,
        network_mb_per_s: rate("--network-mb-per-s", &args.network_mb_per_s)?,
        scan_savings_typed: list("--scan-saving", args.scan_saving.as_deref(), 100.0)?,
        dump_codecs: dump_codecs(&streams)?,
        dump_codecs_chosen: chosen,
    })
}

fn grammar(what: String, hint: &str) -> UsageError {
    UsageError::Grammar { what, hints: vec![hint.to_owned()] }
}

fn check_cache(args: &PlanArgs, typed: Option<&str>) -> Result<(), UsageError> {
    let flag = if args.cache.is_some() { "--cache" } else { "--cache-size" };
    let Some(text) = typed else { return Ok(()) };
    let bytes = parse_size(text).map_err(|error| UsageError::Size { flag, error })?;
    if bytes >= CACHE_BYTES_MIN {
        return Ok(());
    }
    let (bytes, least) = (Typed(bytes), Typed(CACHE_BYTES_MIN));
    Err(grammar(
        format!("{flag}: {bytes} is below {least}, the smallest cache that a server takes"),
        "what a smaller working set does in that cache: `--working-set SIZE`",
    ))
}

/// A whole number from 1.
fn whole(flag: &'static str, text: &str, max: u64) -> Result<u64, UsageError> {
    let number = text.parse().ok().filter(|number| (1..=max).contains(number));
    number.ok_or_else(|| {
        grammar(format!("{flag}: `{text}` is not a whole number from 1 to {max}"), &example(flag))
    })
}

/// A number above 0.
fn positive(flag: &'static str, text: &str) -> Result<f64, UsageError> {
    let number = text.trim().parse().ok().filter(|number: &f64| *number > 0.0 && *number <= RATE_MAX);
    number.ok_or_else(|| {
        grammar(
            format!("{flag}: `{text}` is not a number above 0"),
            &format!("{}; leave it out where it is not known", example(flag)),
        )
    })
}

/// Numbers above 0, up to a limit, ascending.
fn list(flag: &'static str, text: Option<&str>, max: f64) -> Result<Vec<f64>, UsageError> {
    let Some(text) = text else { return Ok(Vec::new()) };
    let mut numbers = text.split(',').map(|one| positive(flag, one)).collect::<Result<Vec<f64>, _>>()?;
    if let Some(beyond) = numbers.iter().find(|number| **number >= max) {
        return Err(grammar(format!("{flag}: `{beyond}` is not below {max}"), &example(flag)));
    }
    numbers.sort_by(f64::total_cmp);
    numbers.dedup();
    Ok(numbers)
}

/// `95%` or `95`: above 0, up to a limit.
fn percent(flag: &'static str, text: &str, max: f64) -> Result<f64, UsageError> {
    let digits = text.strip_suffix('%').unwrap_or(text);
    let number = digits.trim().parse().ok().filter(|number: &f64| *number > 0.0 && *number <= max);
    number.ok_or_else(|| {
        grammar(format!("{flag}: `{text}` is not a percentage above 0 and up to {max}"), &example(flag))
    })
}

fn headroom(text: &str) -> Result<f64, UsageError> {
    const MAX: f64 = 1000.0;
    let digits = text.strip_suffix('%').unwrap_or(text);
    let number = digits.trim().parse().ok().filter(|number: &f64| (0.0..=MAX).contains(number));
    number.ok_or_else(|| {
        grammar(format!("--headroom: `{text}` is not a percentage from 0 to {MAX}"), &example("--headroom"))
    })
}

fn working_set(text: &str) -> Result<WorkingSet, UsageError> {
    if text.ends_with('%') {
        return Ok(WorkingSet::Share(percent("--working-set", text, 100.0)? / 100.0));
    }
    match parse_size(text) {
        Ok(0) => {
            Err(grammar("--working-set: nothing is read of 0 bytes".to_owned(), &example("--working-set")))
        }
        Ok(bytes) => Ok(WorkingSet::Bytes(bytes)),
        Err(error) => Err(UsageError::Size { flag: "--working-set", error }),
    }
}

fn dump_codecs(lists: &[String]) -> Result<Vec<CodecKind>, UsageError> {
    let codecs = parse_codecs(lists).map_err(|error| error.of_flag("--codec", "--dump-codec"))?;
    if codecs.contains(&CodecKind::Snappy) {
        return Err(grammar(
            "--dump-codec: `snappy` packs blocks, and a dump is one stream".to_owned(),
            "as in `--dump-codec none,zlib:6,zstd:3`",
        ));
    }
    Ok(codecs)
}

fn example(flag: &str) -> String {
    let value = match flag {
        "--documents" => "100000000",
        "--replicas" => "3",
        "--shards" => "2",
        "--disk-mb-per-s" => "100,500",
        "--scan-saving" => "23.8,34.6",
        "--working-set" => "10%",
        "--hit-rate" => "99%",
        "--headroom" => "30%",
        "--price-per-gb-month" => "0.1",
        "--oplog-hours" => "24",
        "--batch" | "--writes-per-s" | "--updates-per-s" => "1000",
        _ => "100",
    };
    format!("as in `{flag} {value}`")
}
