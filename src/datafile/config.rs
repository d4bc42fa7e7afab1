//! What a table's configuration string says, as far as its pages depend on it.

use super::page::BlockCodec;
use crate::units::AllocationUnit;

/// A table as it was created.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileConfig {
    /// `allocation_size`.
    pub unit: AllocationUnit,
    /// `block_compressor`.
    pub codec: BlockCodec,
    /// `leaf_page_max`, bytes.
    pub leaf_page_bytes_max: u64,
    /// `memory_page_max`, bytes.
    pub memory_page_bytes_max: u64,
    /// `key_format`: `q` for collections, `u` for indexes and clustered collections.
    pub key_format: String,
    /// `prefix_compression`: on for indexes, off for collections.
    pub prefix_compression: bool,
    /// Whether the file names its own configuration. That of an encrypted file cannot be read, and these are the
    /// values that mongod's collections have.
    pub is_known: bool,
}

impl FileConfig {
    /// From the text behind a checkpoint's last extent list.
    pub(super) fn parse(metadata: &[u8]) -> Self {
        let text = String::from_utf8_lossy(metadata);
        let number = |key, default| value(&text, key).and_then(size_of).unwrap_or(default);
        Self {
            unit: AllocationUnit::new(number("allocation_size", 0)).unwrap_or(AllocationUnit::DEFAULT),
            codec: BlockCodec::of(value(&text, "block_compressor").unwrap_or_default()),
            leaf_page_bytes_max: number("leaf_page_max", 32 << 10),
            memory_page_bytes_max: number("memory_page_max", 10 << 20),
            key_format: value(&text, "key_format").unwrap_or_default().to_owned(),
            prefix_compression: value(&text, "prefix_compression") == Some("true"),
            is_known: value(&text, "allocation_size").is_some(),
        }
    }
}

/// The value of `key=` where a setting begins. Names are told apart from those that merely end alike.
fn value<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    let mut from = 0;
    while let Some(found) = text[from..].find(key) {
        let at = from + found;
        from = at + key.len();
        let begins = at == 0 || matches!(text.as_bytes()[at - 1], b',' | b'(' | b'[');
        let Some(rest) = text[from..].strip_prefix('=').filter(|_| begins) else { continue };
        let end = rest.find([',', ')', ']', '\0']).unwrap_or(rest.len());
        return Some(rest[..end].trim_matches('"'));
    }
    None
}

/// From `4KB`, `32768`, `10m`.
fn size_of(text: &str) -> Option<u64> {
    let lower = text.to_ascii_lowercase();
    let digits = lower.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let factor = match &lower[digits.len()..] {
        "" | "b" => 1,
        "k" | "kb" => 1 << 10,
        "m" | "mb" => 1 << 20,
        "g" | "gb" => 1 << 30,
        "t" | "tb" => 1_u64 << 40,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(factor)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::CodecKind;

    #[test]
    fn settings_are_read_from_the_text_that_a_server_writes() {
        let text = b"encryption=(keyid=,name=),block_metadata=[access_pattern_hint=none,allocation_size=512,\
            app_metadata=(formatVersion=1),block_compressor=zlib,internal_key_max=0,internal_page_max=4KB,\
            key_format=q,key_gap=10,leaf_page_max=64KB,memory_page_image_max=0,memory_page_max=10m,\
            prefix_compression=false,prefix_compression_min=4,value_format=u]";
        let config = FileConfig::parse(text);
        assert_eq!(config.unit.bytes(), 512);
        assert_eq!(config.codec.name(), "zlib");
        assert_eq!((config.leaf_page_bytes_max, config.memory_page_bytes_max), (64 << 10, 10 << 20));
        assert_eq!((config.key_format.as_str(), config.prefix_compression), ("q", false));
        assert!(config.is_known);
    }

    #[test]
    fn what_no_server_writes_leaves_the_values_that_collections_have() {
        for text in [&b""[..], b"allocation_size=3", b"\xff\xfe,block_compressor=", b"xallocation_size=512"] {
            let config = FileConfig::parse(text);
            assert_eq!(config.unit, AllocationUnit::DEFAULT);
            assert_eq!(config.codec, BlockCodec::Known(CodecKind::None));
        }
    }
}
