//! How many bytes documents take in MongoDB under each block compressor, before anything is deployed.
//!
//! For whoever sizes disks, chooses a compressor or checks a server's figures, and for programs that do. The
//! documents are cut into `WiredTiger`'s page images, each image is packed with the encoder that a server runs,
//! and the result is charged in whole blocks, as a server's `collStats` counts them (`storageSize`). No database is
//! needed; [`verify`] compares with one, and [`mongod`] is the only module that talks to it.
//!
//! # Where to begin
//!
//! [`source::open`] recognises a file (BSON, JSON, CSV) and gives its documents; [`pipeline::estimate_collection`]
//! takes them and a [`pipeline::Plan`] and gives an [`estimate::CollectionEstimate`]: for each codec the expected
//! file size, the [`estimate::Band`] that the order of a server's threads leaves open, and an [`estimate::Tally`]
//! in which every byte has one owner. [`geometry::wiredtiger`] holds the rules themselves, usable one by one.
//!
//! ```
//! use pagepress::{
//!     codec::{CodecKind, ZstdLevel},
//!     estimate::LoadState,
//!     geometry::wiredtiger::{Release, TableConfig},
//!     pipeline::{Plan, estimate_collection},
//!     source::{OnBadDocument, bson::BsonSource},
//!     units::{BsonBytes, DiskBytes},
//! };
//!
//! // A thousand documents {_id: int32}, one behind the other as in a `.bson` file.
//! let stream: Vec<u8> = (0..1000_i32)
//!     .flat_map(|id| [b"\x0e\0\0\0\x10_id\0".as_slice(), &id.to_le_bytes(), b"\0"].concat())
//!     .collect();
//! let plan = Plan {
//!     loads: vec![LoadState::Settled],
//!     codecs: vec![CodecKind::None, CodecKind::Zstd(ZstdLevel::SERVER)],
//!     ..Plan::new(TableConfig::collection(Release::NEWEST))
//! };
//! let mut source = BsonSource::new("tiny.bson".to_owned(), stream.as_slice(), None, OnBadDocument::Stop);
//! let tiny = estimate_collection("tiny", &mut source, &plan, &mut |_| ())?;
//!
//! assert_eq!((tiny.documents, tiny.bson), (1000, BsonBytes(14_000)));
//! let [none, zstd] = &tiny.storage[..] else { unreachable!("a row for each codec") };
//! // One leaf image of 17,977 B in five units of 4 KiB; descriptor, root and two extent lists take one each.
//! assert_eq!((none.tally.leaf_image.0, none.storage), (17_977, DiskBytes((5 + 4) * 4096)));
//! assert!(zstd.storage < none.storage);
//! # Ok::<(), pagepress::pipeline::PipelineError>(())
//! ```
//!
//! # Limits
//!
//! Loads and index builds only: updates and deletes are not modelled, and documents are taken in the order of the
//! input.
//! `docs/METHOD.md` says how an estimate is made and what it leaves out, `docs/FORMAT.md` which rules decide a
//! byte, `docs/ACCURACY.md` how far off the figures are against measured servers.

pub mod capacity;
pub mod cli;
pub mod codec;
pub mod datafile;
pub mod document;
pub mod estimate;
pub mod geometry;
pub mod mongod;
pub mod pipeline;
pub mod plot;
pub mod record;
pub mod report;
pub mod source;
pub mod units;
pub mod verify;
