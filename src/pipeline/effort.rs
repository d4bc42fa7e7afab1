//! Which codecs pack every page, and which a sample of them.
//!
//! A sweep asks for levels that take a hundred times as long as others to end on nearly the same blocks. Such a level
//! packs every n-th page of a segment; the others are taken to pack as a faster codec, which packs all, packs the same
//! bytes, times a factor that the sampled pages of the segment show. Boundaries, keep-or-raw, units and the moves of the
//! image size are followed page by page all the same.

use crate::codec::CodecKind;

/// How much of a slow level's work is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Every page is packed at every level.
    Full,
    /// Slow levels pack a sample of their pages, and say so.
    SampleSlow,
}

/// What one codec of a plan packs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Packing {
    /// Every page.
    All,
    /// One page in `pages`; the others follow the codec at position `like` in the plan.
    Sampled { pages: usize, like: usize },
}

/// Of how many pages a level packs one: about what makes it as fast as zstd:9.
fn pages_per_sample(kind: CodecKind) -> usize {
    match kind {
        CodecKind::Zstd(level) => match level.get() {
            ..=9 => 1,
            10..=12 => 4,
            13..=15 => 8,
            _ => 16,
        },
        CodecKind::Zlib(level) if level.get() > 7 => 4,
        CodecKind::None | CodecKind::Snappy | CodecKind::Zlib(_) => 1,
    }
}

/// What each codec of a plan packs. Each sampled one has one to follow: the strongest of its name that packs all, else
/// any other; where there is none, it packs all itself.
pub(super) fn packings(codecs: &[CodecKind], effort: Effort) -> Vec<Packing> {
    let mut packings = vec![Packing::All; codecs.len()];
    if effort == Effort::Full {
        return packings;
    }
    let mut whole: Vec<usize> = (0..codecs.len())
        .filter(|at| codecs[*at] != CodecKind::None && pages_per_sample(codecs[*at]) == 1)
        .collect();
    for (at, kind) in codecs.iter().enumerate() {
        let pages = pages_per_sample(*kind);
        if pages == 1 {
            continue;
        }
        let same = whole.iter().filter(|other| codecs[**other].name() == kind.name());
        let like = same.max_by_key(|other| codecs[**other].level()).or(whole.last()).copied();
        match like {
            Some(like) => packings[at] = Packing::Sampled { pages, like },
            None => whole.push(at),
        }
    }
    packings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::{ZlibLevel, ZstdLevel};

    fn zstd(level: i32) -> CodecKind {
        CodecKind::Zstd(ZstdLevel::new(level).unwrap())
    }

    #[test]
    fn slow_levels_follow_the_strongest_fast_one_of_their_name() {
        let zlib = CodecKind::Zlib(ZlibLevel::new(9).unwrap());
        for (codecs, want) in [
            (vec![zstd(3), zstd(9), zstd(19)], vec![None, None, Some((16, 1))]),
            (vec![zstd(12), zstd(1)], vec![Some((4, 1)), None]),
            (vec![CodecKind::None, CodecKind::Snappy, zlib], vec![None, None, Some((4, 1))]),
            (vec![CodecKind::None, zstd(19), zstd(22)], vec![None, None, Some((16, 1))]),
        ] {
            let want: Vec<Packing> = want
                .into_iter()
                .map(|sampled| sampled.map_or(Packing::All, |(pages, like)| Packing::Sampled { pages, like }))
                .collect();
            assert_eq!(packings(&codecs, Effort::SampleSlow), want, "{codecs:?}");
            assert!(packings(&codecs, Effort::Full).iter().all(|packing| *packing == Packing::All));
        }
    }
}
