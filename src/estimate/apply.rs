//! How to get a point onto a server, and what that leaves as it is.

use super::sweep::{LEAF_PAGE_BYTES_DEFAULT, LEVEL_DEFAULT, Place};
use std::fmt::Write;

/// Lines that apply a point to a collection of this name: shell, then configuration file.
///
/// Source: `create`'s `storageEngine.wiredTiger.configString`, `storage.wiredTiger.collectionConfig.blockCompressor` and
/// `storage.wiredTiger.engineConfig.zstdCompressionLevel`, MongoDB manual, "create" and "Configuration File Options".
#[must_use]
pub fn lines(place: &Place, collection: &str) -> Vec<String> {
    let mut config = format!("block_compressor={}", place.codec.name);
    if place.leaf_page_bytes_max != LEAF_PAGE_BYTES_DEFAULT {
        // Cannot fail: a string takes all.
        let _ = write!(config, ",leaf_page_max={}B", place.leaf_page_bytes_max);
    }
    let name = quoted(collection);
    let mut lines = vec![format!(
        "db.createCollection({name}, {{storageEngine: {{wiredTiger: {{configString: \"{config}\"}}}}}})"
    )];
    lines.push(format!(
        "mongod.conf, for all new collections: storage.wiredTiger.collectionConfig.blockCompressor: {}",
        place.codec.name
    ));
    if let Some(level) =
        place.codec.level.filter(|level| place.codec.name == "zstd" && *level != LEVEL_DEFAULT)
    {
        lines.push(format!(
            "mongod.conf, for the whole server: storage.wiredTiger.engineConfig.zstdCompressionLevel: {level}"
        ));
    }
    lines
}

/// What none of these lines changes.
pub const UNCHANGED: [&str; 4] = [
    "existing collections keep their codec until they are written anew (initial sync, mongorestore, $out)",
    "pages already packed keep their level; it applies to what is written from then on",
    "indexes are never block-compressed; the journal is packed with snappy whatever the collection's codec",
    "the network has its own setting, net.compression.compressors",
];

/// A name as the shell takes it: quoted, with escapes.
fn quoted(name: &str) -> String {
    let mut text = String::from("\"");
    for char in name.chars() {
        match char {
            '"' | '\\' => text.extend(['\\', char]),
            char if char.is_control() => {
                let _ = write!(text, "\\u{:04x}", u32::from(char));
            }
            char => text.push(char),
        }
    }
    text.push('"');
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::{CodecName, LoadState};

    fn place(name: &'static str, level: Option<i32>, leaf_page_bytes_max: u64) -> Place {
        Place { load: LoadState::Settled, leaf_page_bytes_max, codec: CodecName { name, level } }
    }

    #[test]
    fn a_point_is_applied_by_what_differs_from_the_default() {
        let create = |config: &str| {
            format!(
                "db.createCollection(\"a\\\"b\", {{storageEngine: {{wiredTiger: {{configString: \"{config}\"}}}}}})"
            )
        };
        let all = |codec: &str| {
            format!(
                "mongod.conf, for all new collections: storage.wiredTiger.collectionConfig.blockCompressor: {codec}"
            )
        };
        assert_eq!(
            lines(&place("zstd", Some(9), 64 << 10), "a\"b"),
            [
                create("block_compressor=zstd,leaf_page_max=65536B"),
                all("zstd"),
                "mongod.conf, for the whole server: storage.wiredTiger.engineConfig.zstdCompressionLevel: 9"
                    .to_owned(),
            ]
        );
        assert_eq!(
            lines(&place("zlib", Some(6), 32 << 10), "a\"b"),
            [create("block_compressor=zlib"), all("zlib")]
        );
        assert_eq!(lines(&place("zstd", Some(6), 32 << 10), "a\"b").len(), 2);
    }
}
