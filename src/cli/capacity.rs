//! `pagepress plan`: an estimate, the first documents as other places hold them, and what follows from both.

use super::args::{LoadArg, PlanArgs};
use super::capacity_plan::CapacityPlan;
use super::destination::Destination;
use super::estimate::{Tap, outcome, run_tapped};
use super::plot::PlotFolder;
use super::progress;
use super::{CliError, Outcome, UsageError};
use crate::capacity::{self, WorkingSet, measured::Traffic};
use crate::estimate::{CollectionEstimate, Estimate};
use crate::pipeline::{Logged, TrafficPlan, measure_traffic};
use crate::report::{
    ReportOptions,
    capacity::{plan_json, write_plan},
};
use crate::source::{Documents, Keeper, Source, Watched};
use crate::units::{Exact, Grouped};
use std::sync::{Arc, Mutex, PoisonError};

/// First documents of a collection that are made into messages, records, entries and a stream. They are in memory.
const SAMPLE_BYTES_MAX: usize = 64 << 20;

/// Runs the command.
pub(super) fn run(args: &PlanArgs) -> Result<Outcome, CliError> {
    let mut args = args.clone();
    args.shared.model.load.get_or_insert(LoadArg::Settled);
    let plan = CapacityPlan::new(&args)?;
    let progress = progress::on_stderr(plan.estimate.verbosity);
    let destination = Destination::open(plan.estimate.out.as_deref())?;
    let folder = plan.estimate.plots.as_deref().map(PlotFolder::create).transpose()?;
    let mut keepers = Keepers::default();
    let mut estimate = run_tapped(&plan.estimate, &*progress, &mut keepers)?;
    check_working_set(&plan, &estimate)?;
    let clock = std::time::Instant::now();
    let traffic = estimate
        .collections
        .iter()
        .map(|collection| traffic(&plan, collection, &keepers.take(collection)))
        .collect::<Result<Vec<Traffic>, CliError>>()?;
    estimate.timing.wall_s += clock.elapsed().as_secs_f64();
    let capacity = capacity::plan(estimate, &traffic, plan.needs);
    if let Some(folder) = folder {
        let files = folder.write_report(&plan_json(&capacity))?;
        progress.note(&format!("note: {} plots written", files.len()));
    }
    let options = ReportOptions { detail: plan.estimate.detail };
    destination.write(|out| write_plan(&capacity, plan.estimate.output, &options, out))?;
    Ok(outcome(plan.estimate.output, &capacity.estimate, &*progress))
}

fn traffic(
    plan: &CapacityPlan,
    collection: &CollectionEstimate,
    documents: &Documents,
) -> Result<Traffic, CliError> {
    let logged = if plan.needs.members.value() == 1 { Logged::Tables } else { Logged::Oplog };
    let wanted = TrafficPlan {
        collection: collection.name.clone(),
        batch_documents: plan.needs.batch_documents.value(),
        logged,
        streams: plan.needs.dump_codecs.clone(),
    };
    Ok(measure_traffic(documents, &plan.estimate.model, &wanted)?)
}

/// A working set is a part of the data, which is known only now.
fn check_working_set(plan: &CapacityPlan, estimate: &Estimate) -> Result<(), UsageError> {
    let WorkingSet::Bytes(bytes) = plan.needs.working_set.value() else { return Ok(()) };
    let data_bytes = capacity::data_bytes(estimate, &plan.needs);
    if bytes <= data_bytes {
        return Ok(());
    }
    Err(UsageError::Grammar {
        what: format!(
            "--working-set: {} are more than all documents have, {} B of BSON",
            Exact(bytes),
            Grouped(data_bytes)
        ),
        hints: vec![
            "`--working-set 100%` is all of it; more documents are planned with `--documents`".to_owned(),
        ],
    })
}

/// What was kept of each collection, under its name and the name of its input.
#[derive(Default)]
struct Keepers(Vec<(String, String, Arc<Mutex<Documents>>)>);

impl Keepers {
    fn take(&mut self, collection: &CollectionEstimate) -> Documents {
        let is_of = |(name, source, _): &(String, String, Arc<Mutex<Documents>>)| {
            *name == collection.name && collection.sources.first() == Some(source)
        };
        let Some(at) = self.0.iter().position(is_of) else { return Documents::default() };
        let (_, _, documents) = self.0.remove(at);
        std::mem::take(&mut *documents.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Tap for Keepers {
    fn tap(&mut self, collection: &str, source: Box<dyn Source>) -> Box<dyn Source> {
        let keeper = Keeper::new(SAMPLE_BYTES_MAX);
        self.0.push((collection.to_owned(), source.name().to_owned(), keeper.documents()));
        Box::new(Watched::new(source, keeper))
    }
}
