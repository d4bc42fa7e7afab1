//! Finds a file's newest checkpoint by itself, without the engine's own metadata.
//!
//! ```text
//!  last block of a checkpoint                                             what follows the list's end
//!  ┌──────────┬──────────┬───────────────────────────┬───────┬───────────┬──────────┬────────┬───────────┬────────┐
//!  │ headers  │ (magic,0)│ free extents (offset,size)│ (0,1) │ write_gen │ 9 B: size│ config │ list text │ cookie │
//!  └──────────┴──────────┴───────────────────────────┴───────┴───────────┴──────────┴────────┴───────────┴────────┘
//!                                                                                     each with its length in front
//! ```
//!
//! The cookie has the addresses of the root and of the other two lists; that of this one is the block itself.
//!
//! Source: `__wt_block_checkpoint_final` and `__wt_block_checkpoint_last`, `src/block/block_ckpt_scan.c`;
//! `__block_ckpt_unpack`, `src/block/block_addr.c`, tag mongodb-8.0.0.

use super::block::{Address, Blocks, IMAGE_BYTES_MAX, Pointer, checksum_of, declared_bytes, stored_checksum};
use super::config::FileConfig;
use super::cursor::Cursor;
use super::error::{DataFileError, Fault, Read};
use super::extents::{self, ListEnd, MAGIC_PAIR};
use crate::geometry::wiredtiger::facts;

/// Where everything in a file is, as its newest checkpoint has it.
#[derive(Clone, Debug)]
pub struct Checkpoint {
    /// The table's configuration.
    pub config: FileConfig,
    /// Counts the table's pages; the highest is the newest checkpoint.
    pub write_gen: u64,
    /// The root page; `None` for a table without records.
    pub root: Option<Address>,
    /// Lists of extents given out and taken back, where there are any.
    pub lists: Vec<Address>,
    /// The list of free extents.
    pub available: Address,
    /// Bytes of the file when the checkpoint was made.
    pub file_bytes: u64,
    /// Bytes of all live pages, as the checkpoint itself counts them.
    pub live_bytes: u64,
    /// Where a newer checkpoint stands that is damaged, or is just being written.
    pub damaged_newer: Option<u64>,
}

/// Smallest distance between blocks.
const STEP_BYTES: usize = 512;
/// How much of the file is searched at once.
const WINDOW_BYTES: usize = 1 << 20;

/// A place where a checkpoint's last block may begin.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    offset: u64,
    bytes: u64,
    write_gen: u64,
}

/// Candidates that are kept: each is a 512th of what was searched at most, and only the newest matter.
const CANDIDATES_MAX: usize = 64;

/// Searches the whole file. Reads it once, in order; holds a mebibyte of it.
///
/// # Errors
///
/// What the system answers, and a file without a checkpoint whose checksum holds.
pub(super) fn find(blocks: &Blocks) -> Result<Checkpoint, DataFileError> {
    let candidates = candidates(blocks).map_err(|fault| blocks.failed(fault))?;
    let mut damaged_newer = None;
    let mut block = Vec::new();
    for candidate in candidates {
        match of_candidate(blocks, candidate, &mut block) {
            Ok(checkpoint) => return Ok(Checkpoint { damaged_newer, ..checkpoint }),
            Err(fault) if fault.is_about_the_system() => return Err(blocks.failed(fault)),
            Err(_) => damaged_newer = damaged_newer.or(Some(candidate.offset)),
        }
    }
    Err(blocks.failed(match damaged_newer {
        Some(offset) => Fault::Damaged { offset, at: None, what: "the only checkpoint is damaged" },
        None => Fault::NoCheckpoint { searched: blocks.length() },
    }))
}

/// The newest first.
fn candidates(blocks: &Blocks) -> Read<Vec<Candidate>> {
    let mut found: Vec<Candidate> = Vec::new();
    let (mut window, mut block) = (vec![0; WINDOW_BYTES], Vec::new());
    let mut begins = 0;
    // Lists do not overlap, so all of them together are no longer than the file. Whoever claims more gets no time.
    let mut budget_bytes = blocks.length().saturating_mul(2);
    while begins < blocks.length() {
        let left = usize::try_from(blocks.length() - begins).unwrap_or(WINDOW_BYTES);
        let window = &mut window[..left.min(WINDOW_BYTES)];
        blocks.read_at(window, begins)?;
        let headers = facts::HEADER_BYTES as usize;
        for at in (0..window.len()).step_by(STEP_BYTES) {
            let is_list = window.get(at + headers..).is_some_and(|tail| tail.starts_with(&MAGIC_PAIR));
            if !is_list {
                continue;
            }
            let offset = begins + at as u64;
            let seen = &window[at..];
            let Some(bytes) = plausible_bytes(blocks, offset, seen).filter(|bytes| *bytes <= budget_bytes)
            else {
                continue;
            };
            budget_bytes -= bytes;
            let Some(candidate) = candidate(blocks, offset, bytes, seen, &mut block)? else { continue };
            let place = found.partition_point(|known| known.write_gen > candidate.write_gen);
            found.insert(place, candidate);
            found.truncate(CANDIDATES_MAX);
        }
        begins += window.len() as u64;
    }
    Ok(found)
}

/// Length of the block that stands at `offset`, if it can be one.
fn plausible_bytes(blocks: &Blocks, offset: u64, seen: &[u8]) -> Option<u64> {
    let bytes = u64::from(declared_bytes(seen));
    let is_plausible = bytes.is_multiple_of(STEP_BYTES as u64)
        && (STEP_BYTES as u64..=IMAGE_BYTES_MAX).contains(&bytes)
        && offset.checked_add(bytes).is_some_and(|end| end <= blocks.length());
    is_plausible.then_some(bytes)
}

/// The block of `bytes` at `offset`, if it ends as a checkpoint's last list does.
fn candidate(
    blocks: &Blocks,
    offset: u64,
    bytes: u64,
    seen: &[u8],
    block: &mut Vec<u8>,
) -> Read<Option<Candidate>> {
    let bytes_in_memory = usize::try_from(bytes).unwrap_or(0);
    let whole = if let Some(whole) = seen.get(..bytes_in_memory) {
        whole
    } else {
        block.resize(bytes_in_memory, 0);
        blocks.read_at(block, offset)?;
        block
    };
    let write_gen = match extents::read_list(whole, |_| ()) {
        Some((ListEnd::Recovery, end)) => Cursor::at(whole, end).packed(),
        _ => None,
    };
    Ok(write_gen.map(|write_gen| Candidate { offset, bytes, write_gen }))
}

fn of_candidate(blocks: &Blocks, candidate: Candidate, block: &mut Vec<u8>) -> Read<Checkpoint> {
    let Candidate { offset, bytes, write_gen } = candidate;
    block.resize(usize::try_from(bytes).unwrap_or(0), 0);
    blocks.read_at(block, offset)?;
    let (computed, checksum) = (checksum_of(block), stored_checksum(block));
    if computed != checksum {
        return Err(Fault::Checksum { offset, computed, expected: checksum });
    }
    let available = Address { offset, bytes, checksum };
    let what = "what follows the list of free extents is damaged";
    unpack(block, available, write_gen).ok_or(Fault::Damaged { offset, at: None, what })
}

/// First byte of a cookie. Source: `WT_BM_CHECKPOINT_VERSION`, src/include/block.h at tag mongodb-8.0.0.
const COOKIE_VERSION: u8 = 1;

/// What follows the list.
fn unpack(block: &[u8], available: Address, write_gen: u64) -> Option<Checkpoint> {
    /// Of the packed file size: always so long, so that it can be filled in last.
    const FILE_SIZE_BYTES: usize = 9;
    let (_, end) = extents::read_list(block, |_| ())?;
    let mut cursor = Cursor::at(block, end);
    let _write_gen = cursor.packed()?;
    // The cookie was made before this block was given out; its own file size leaves that out.
    let file_bytes = Cursor::at(cursor.take(FILE_SIZE_BYTES)?, 0).packed()?;
    let mut text = || {
        let bytes = cursor.packed()?;
        cursor.take_u64(bytes)
    };
    let (metadata, _checkpoints, cookie) = (text()?, text()?, text()?);
    let config = FileConfig::parse(metadata);
    if !available.offset.is_multiple_of(config.unit.bytes()) {
        return None;
    }
    let mut cookie = Cursor::at(cookie, 0);
    if cookie.byte()? != COOKIE_VERSION {
        return None;
    }
    let mut address = || Address::read(&mut cookie, config.unit).map(Pointer::address);
    let (root, allocated, _not_yet_known, discarded) = (address()?, address()?, address()?, address()?);
    let (_file_bytes_before, counted_bytes) = (cookie.packed()?, cookie.packed()?);
    // Measured on 6.0.5 and 6.0.27: when this cookie is made the root is not yet counted.
    let live_bytes = counted_bytes.checked_add(root.map_or(0, |root| root.bytes))?;
    Some(Checkpoint {
        config,
        write_gen,
        root,
        lists: [allocated, discarded].into_iter().flatten().collect(),
        available,
        file_bytes,
        live_bytes,
        damaged_newer: None,
    })
}
