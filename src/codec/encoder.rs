//! Which encoder other stores than `WiredTiger` run, down to the last parameter that moves a size.

use super::{
    Bzip2, Codec, Deflate, Lz4, Lzo, LzoTable, MatchFinder, Snappy, TunedZstd, Xz, XzPreset, ZlibLevel,
    deflate::Shape,
};

/// An encoder and its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EncoderKind {
    /// Stock zlib, its parameters in the store's hand.
    Deflate {
        /// Level.
        level: ZlibLevel,
        /// Everything else.
        shape: Shape,
    },
    /// LZO1X-1.
    Lzo(LzoTable),
    /// LZ4 blocks.
    Lz4,
    /// Raw snappy blocks.
    Snappy,
    /// An `.xz` stream.
    Xz(XzPreset),
    /// A bzip2 stream.
    Bzip2,
    /// A zstd frame.
    Zstd {
        /// Any of the library's, negative ones included.
        level: i32,
        /// How matches are found.
        finder: MatchFinder,
    },
}

impl EncoderKind {
    /// A working encoder with its context.
    #[must_use]
    pub fn encoder(self) -> Box<dyn Codec> {
        match self {
            Self::Deflate { level, shape } => Box::new(Deflate::new(level, shape)),
            Self::Lzo(table) => Box::new(Lzo::new(table)),
            Self::Lz4 => Box::new(Lz4),
            Self::Snappy => Box::new(Snappy::new()),
            Self::Xz(preset) => Box::new(Xz::new(preset)),
            Self::Bzip2 => Box::new(Bzip2),
            Self::Zstd { level, finder } => Box::new(TunedZstd::new(level, finder)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::deflate::Feed;

    fn kinds() -> Vec<EncoderKind> {
        let level = ZlibLevel::new(6).unwrap();
        let shape = |window_bits, memory_level, feed| Shape { window_bits, memory_level, feed };
        let chains = |level| EncoderKind::Zstd { level, finder: MatchFinder::Chains };
        vec![
            EncoderKind::Deflate { level, shape: shape(15, 7, Feed::Whole) },
            EncoderKind::Deflate { level, shape: shape(15, 8, Feed::Pages { page_bytes: 4096 }) },
            EncoderKind::Deflate { level, shape: shape(14, 9, Feed::Headed { head: b"head" }) },
            EncoderKind::Lzo(LzoTable::KERNEL),
            EncoderKind::Lzo(LzoTable::LIBRARY),
            EncoderKind::Lz4,
            EncoderKind::Snappy,
            EncoderKind::Xz(XzPreset::new(6).unwrap()),
            EncoderKind::Bzip2,
            chains(-5),
            chains(3),
            chains(9),
            chains(15),
        ]
    }

    /// A text of numbered words, a run, a few random bytes, and nothing.
    fn inputs() -> Vec<Vec<u8>> {
        let words =
            (0_u64..30_000).fold(String::new(), |words, i| words + "w" + &(i * i % 977).to_string() + " ");
        let mut state = 1_u64;
        let random = (0..70_000).map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state.to_le_bytes()[7]
        });
        let random: Vec<u8> = random.collect();
        let mut mixed = words.as_bytes()[..60_000].to_vec();
        mixed.extend_from_slice(&random[..50_000]);
        mixed.extend_from_slice(&words.as_bytes()[..60_000]);
        let lengths = [1, 3, 4, 5, 18, 19, 20, 21, 22, 40, 237, 238, 239, 240, 300, 4095, 4096, 4097];
        let short = lengths.iter().map(|bytes| words.as_bytes()[..*bytes].to_vec());
        [words.clone().into_bytes(), vec![0; 200_000], random, mixed].into_iter().chain(short).collect()
    }

    #[test]
    fn every_encoder_gives_back_what_it_was_given_and_keeps_no_state() {
        for kind in kinds() {
            let mut encoder = kind.encoder();
            let (mut packed, mut raw) = (Vec::new(), Vec::new());
            for input in inputs() {
                assert!(encoder.pack(&input, &mut packed), "{kind:?} {}", input.len());
                assert!(encoder.unpack(&packed, input.len(), &mut raw), "{kind:?} {}", input.len());
                assert!(raw == input, "{kind:?} {}", input.len());
                let mut fresh = Vec::new();
                kind.encoder().pack(&input, &mut fresh);
                assert!(fresh == packed, "{kind:?} {}", input.len());
            }
        }
    }

    #[test]
    fn what_is_no_stream_is_refused() {
        for kind in kinds() {
            let mut encoder = kind.encoder();
            let (mut packed, mut raw) = (Vec::new(), Vec::new());
            let input = &inputs()[0][..5000];
            encoder.pack(input, &mut packed);
            for (foreign, bytes) in [
                (&packed[..packed.len() / 2], 5000),
                (&packed[..], 4999),
                (&packed[..], 5001),
                (b"\xff\xff\xff", 3),
            ] {
                assert!(!encoder.unpack(foreign, bytes, &mut raw), "{kind:?} {bytes}");
                assert!(raw.is_empty());
            }
        }
    }

    /// Sizes that liblzo2 2.10, zlib 1.2.13, bzip2 1.0.8, liblzma 5.4.1 and lz4 1.9.4 gave for the same bytes.
    #[test]
    fn packed_sizes_are_those_of_the_reference_libraries() {
        let words = crate::codec::tests::words(118_000);
        for (kind, want) in kinds().into_iter().zip(REFERENCE_BYTES) {
            for (bytes, want) in [118_000, 16_384].into_iter().zip(want) {
                let mut out = Vec::new();
                kind.encoder().pack(&words[..bytes], &mut out);
                assert_eq!(out.len(), want, "{kind:?} of {bytes}");
            }
        }
    }

    /// In the order of [`kinds`], up to bzip2. Paged zlib is the library's 38,849 and 5,497 less the marks of flushes
    /// that just filled an output page, which the kernel leaves out.
    const REFERENCE_BYTES: [[usize; 2]; 9] = [
        [38_221, 5490],
        [38_810, 5493],
        [38_050, 5500],
        [57_622, 8090],
        [57_630, 8081],
        [65_473, 10_740],
        [59272, 8428],
        [33_612, 5144],
        [28_175, 4060],
    ];

    proptest::proptest! {
        #[test]
        fn lzo_survives_any_bytes(foreign in proptest::collection::vec(0_u8.., 0..600)) {
            let mut lzo = EncoderKind::Lzo(LzoTable::KERNEL).encoder();
            let (mut packed, mut raw) = (Vec::new(), Vec::new());
            let _ = lzo.unpack(&foreign, 1000, &mut raw);
            assert!(lzo.pack(&foreign, &mut packed) && lzo.unpack(&packed, foreign.len(), &mut raw));
            assert_eq!(raw, foreign);
        }
    }
}
