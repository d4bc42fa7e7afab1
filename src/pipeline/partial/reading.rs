//! Where a part's first segment begins: by the lengths of the documents in front of it, where these tell.

use crate::geometry::wiredtiger::segment::{Cut, MemoryPage};
use crate::pipeline::{PipelineError, Plan};
use crate::record::RecordId;
use crate::source::{Hop, Hops, Jumps, OnBadDocument};

/// Where reading goes on.
#[derive(Clone, Debug)]
pub struct Start {
    /// Byte of the first document.
    pub offset: u64,
    /// Documents in front of it.
    pub documents: u64,
    /// The memory page as it is in front of that document, which cuts it if it is not empty.
    pub page: MemoryPage,
}

/// The first segment that begins at or behind byte `at`; `None` where the input has to be read from its first byte on:
/// documents that may be skipped or get an `_id` are not where their lengths say, nor are those behind damage.
pub fn start(jumps: &Jumps, plan: &Plan, at: u64) -> Result<Option<Start>, PipelineError> {
    if at == 0 || plan.on_bad == OnBadDocument::Skip {
        return Ok(None);
    }
    let Some(mut hops) = jumps.hops()? else { return Ok(None) };
    pass(&mut hops, MemoryPage::new(&plan.table), at)
}

fn pass(hops: &mut Hops, mut page: MemoryPage, at: u64) -> Result<Option<Start>, PipelineError> {
    let mut documents = 0;
    loop {
        let (offset, before) = (hops.offset(), page.clone());
        let start = |documents, page| Some(Start { offset, documents, page });
        match hops.hop()? {
            Hop::Unclear => return Ok(None),
            Hop::End => return Ok(start(documents, before)),
            Hop::Plain { bytes } => {
                let cut = page.insert(RecordId::Number(documents + 1), bytes);
                if cut == Cut::Before && offset >= at {
                    return Ok(start(documents, before));
                }
                documents += 1;
                if cut == Cut::After && hops.offset() >= at {
                    let offset = hops.offset();
                    return Ok(Some(Start { offset, documents, page }));
                }
            }
        }
    }
}
