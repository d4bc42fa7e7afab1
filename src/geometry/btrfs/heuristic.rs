//! Whether btrfs tries a piece at all where compression is allowed and not forced: a look at a sixteenth of it.
//!
//! Source: `btrfs_compress_heuristic`, fs/btrfs/compression.c at tag v6.12.

/// Bytes of each sample, and from the start of one to that of the next.
const SAMPLE_BYTES: usize = 16;
const SAMPLE_INTERVAL_BYTES: usize = 256;
/// Byte values below which anything is worth trying.
const FEW_VALUES: usize = 64;
/// So many values that cover the core of the sample mean: surely, and surely not.
const CORE_VALUES_LOW: usize = 64;
const CORE_VALUES_HIGH: usize = 200;
const CORE_PCT: usize = 90;
/// Entropy in per cent of 8 bits a byte, from which on it is not worth it.
const ENTROPY_PCT_HIGH: u64 = 80;
/// Eight bits a byte, in quarters of a bit.
const ENTROPY_MAX: u64 = 8 * 4;

/// What the look said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is tried.
    Try,
    /// It is stored as it is.
    Raw,
}

/// Looks at up to 128 KiB.
#[must_use]
pub fn verdict(piece: &[u8]) -> Verdict {
    let sample = sample(piece);
    let (first, second) = sample.split_at(sample.len() / 2);
    if first == second {
        return Verdict::Try;
    }
    let mut counts = [0_usize; 256];
    for byte in &sample {
        counts[usize::from(*byte)] += 1;
    }
    if counts.iter().filter(|count| **count > 0).count() < FEW_VALUES {
        return Verdict::Try;
    }
    counts.sort_unstable_by(|a, b| b.cmp(a));
    match core_values(&counts, sample.len()) {
        ..=CORE_VALUES_LOW => Verdict::Try,
        CORE_VALUES_HIGH.. => Verdict::Raw,
        _ if entropy_pct(&counts, sample.len()) < ENTROPY_PCT_HIGH => Verdict::Try,
        _ => Verdict::Raw,
    }
}

fn sample(piece: &[u8]) -> Vec<u8> {
    let starts = (0..piece.len().saturating_sub(SAMPLE_BYTES)).step_by(SAMPLE_INTERVAL_BYTES);
    starts.flat_map(|start| piece[start..start + SAMPLE_BYTES].iter().copied()).collect()
}

/// How many of the most frequent values cover more than 90 % of the sample; never fewer than the low mark.
fn core_values(counts: &[usize; 256], sample_bytes: usize) -> usize {
    let threshold = sample_bytes * CORE_PCT / 100;
    let mut covered: usize = counts[..CORE_VALUES_LOW].iter().sum();
    let mut values = CORE_VALUES_LOW;
    while covered <= threshold && values < CORE_VALUES_HIGH && counts[values] > 0 {
        covered += counts[values];
        values += 1;
    }
    values
}

/// Shannon's entropy by whole quarters of a bit.
fn entropy_pct(counts: &[usize; 256], sample_bytes: usize) -> u64 {
    let whole = quarter_bits(sample_bytes);
    let sum: u64 = counts
        .iter()
        .take_while(|count| **count > 0)
        .map(|count| *count as u64 * (whole - quarter_bits(*count)))
        .sum();
    sum / (sample_bytes as u64) * 100 / ENTROPY_MAX
}

/// Four times the logarithm to base 2, rounded down.
fn quarter_bits(count: usize) -> u64 {
    // Samples are below 2^14 bytes, so the fourth power fits.
    u64::from((count as u64).pow(4).ilog2())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_tried_and_noise_is_not() {
        let text = (0_u32..20_000).fold(String::new(), |text, i| text + "line " + &i.to_string() + ", ");
        let mut state = 1_u64;
        let noise: Vec<u8> = (0..131_072)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                state.to_le_bytes()[7]
            })
            .collect();
        assert_eq!(verdict(&text.as_bytes()[..131_072]), Verdict::Try);
        assert_eq!(verdict(&noise), Verdict::Raw);
        assert_eq!(verdict(&[]), Verdict::Try);
        let halves = [&noise[..65_536], &noise[..65_536]].concat();
        assert_eq!(verdict(&halves), Verdict::Try, "the second half repeats the first");
    }
}
