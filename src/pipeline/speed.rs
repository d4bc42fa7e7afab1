//! Encoder speed on this machine, over page images of this input, on one thread.

use crate::codec::CodecKind;
use crate::estimate::Speed;
use crate::geometry::wiredtiger::{charge, facts};
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

/// An even sample of a run's page images, bounded in number and in bytes whatever the run's length.
///
/// Takes every `stride`-th image; when full, forgets every other one and doubles the stride. Codecs at the same
/// image size share their images.
#[derive(Debug)]
pub struct ImageSample {
    stride: u64,
    seen: u64,
    bytes: usize,
    images: Vec<Arc<[u8]>>,
}

impl ImageSample {
    /// Images kept at most: 4 MiB at the largest default size.
    const IMAGES_MAX: usize = 32;
    /// Their bytes at most, unless a single image has more: large documents and large pages make such.
    const BYTES_MAX: usize = 8 << 20;

    /// Without images.
    #[must_use]
    pub fn new() -> Self {
        Self { stride: 1, seen: 0, bytes: 0, images: Vec::new() }
    }

    /// Whether the next image is one of the sample.
    pub fn wants_next(&mut self) -> bool {
        let wanted = self.seen.is_multiple_of(self.stride);
        self.seen += 1;
        wanted
    }

    /// Adds an image that was wanted.
    pub fn add(&mut self, image: Arc<[u8]>) {
        self.bytes += image.len();
        self.images.push(image);
        while self.images.len() > Self::IMAGES_MAX || (self.images.len() > 1 && self.bytes > Self::BYTES_MAX)
        {
            let mut ordinal = 0_usize;
            self.images.retain(|_| {
                ordinal += 1;
                ordinal % 2 == 1
            });
            self.bytes = self.images.iter().map(|image| image.len()).sum();
            self.stride *= 2;
        }
    }

    /// The sample.
    #[must_use]
    pub fn images(&self) -> &[Arc<[u8]>] {
        &self.images
    }
}

impl Default for ImageSample {
    fn default() -> Self {
        Self::new()
    }
}

/// Time that one pass over the sample should take at most; a slow level gets fewer images.
const PASS_MAX: Duration = Duration::from_millis(20);
/// Passes of which the median is taken, at least and at most.
const PASSES_MIN: usize = 5;
const PASSES_MAX: usize = 11;
/// No further pass begins after so long: one image may be as large as a document, and a level slow.
const PASSES_MAX_TIME: Duration = Duration::from_secs(1);
/// Passes are repeated until the middle half of them lies within this share of the median.
const SPREAD_MAX: f64 = 0.03;

/// Times `kind` over `images`. `None` without an encoder or without images that are packed at all.
#[must_use]
pub fn measure(kind: CodecKind, images: &[Arc<[u8]>]) -> Option<Speed> {
    let mut encoder = kind.encoder()?;
    let mut inputs: Vec<&[u8]> = evenly_ordered(images)
        .filter(|image| image.len() > facts::COMPRESS_SKIP_BYTES as usize)
        .map(charge::encoder_input)
        .collect();
    let mut output = Vec::new();
    // Warms caches and tables, and tells how many images a pass can have.
    let start = Instant::now();
    let mut warmed = 0;
    for input in &inputs {
        encoder.pack(input, &mut output);
        warmed += 1;
        if start.elapsed() > PASS_MAX {
            break;
        }
    }
    inputs.truncate(warmed);
    let image_bytes: u64 = inputs.iter().map(|input| input.len() as u64).sum();
    if image_bytes == 0 {
        return None;
    }
    let compress_s = median_seconds(|| {
        for input in &inputs {
            encoder.pack(input, &mut output);
        }
    });
    let mut packed = Vec::new();
    for input in &inputs {
        if encoder.pack(input, &mut output) && output.len() < input.len() {
            packed.push((output.clone(), input.len()));
        }
    }
    let unpacked_bytes: u64 = packed.iter().map(|(_, raw_bytes)| *raw_bytes as u64).sum();
    let decompress_mb_per_s = (unpacked_bytes > 0).then(|| {
        let seconds = median_seconds(|| {
            for (packed, raw_bytes) in &packed {
                encoder.unpack(packed, *raw_bytes, &mut output);
            }
        });
        mb_per_s(unpacked_bytes, seconds)
    });
    Some(Speed {
        compress_mb_per_s: mb_per_s(image_bytes, compress_s),
        decompress_mb_per_s,
        image_bytes_timed: image_bytes,
    })
}

/// The same images in an order of which any first few are spread over the whole.
fn evenly_ordered(images: &[Arc<[u8]>]) -> impl Iterator<Item = &[u8]> {
    let mut order: Vec<usize> = (0..images.len()).collect();
    order.sort_by_key(|place| place.reverse_bits());
    order.into_iter().map(|place| &*images[place])
}

/// Median time of a pass, repeated until it is stable.
fn median_seconds(mut pass: impl FnMut()) -> f64 {
    let mut seconds = Vec::with_capacity(PASSES_MAX);
    let began = Instant::now();
    loop {
        let start = Instant::now();
        pass();
        seconds.push(start.elapsed().as_secs_f64().max(1e-9));
        let is_late = began.elapsed() > PASSES_MAX_TIME;
        if seconds.len() < PASSES_MIN && !is_late {
            continue;
        }
        let mut sorted = seconds.clone();
        sorted.sort_by(f64::total_cmp);
        let quantile = |quarters: usize| sorted[(sorted.len() - 1) * quarters / 4];
        let median = quantile(2);
        if is_late || seconds.len() == PASSES_MAX || quantile(3) - quantile(1) <= SPREAD_MAX * median {
            return median;
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "a sample is a few MiB")]
fn mb_per_s(bytes: u64, seconds: f64) -> f64 {
    bytes as f64 / 1e6 / seconds
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::ZstdLevel;

    #[test]
    fn sample_stays_small_and_even() {
        let mut sample = ImageSample::new();
        for ordinal in 0..10_000_u32 {
            if sample.wants_next() {
                sample.add(Arc::from(ordinal.to_le_bytes()));
            }
        }
        let ordinals: Vec<u32> =
            sample.images().iter().map(|image| u32::from_le_bytes(image[..4].try_into().unwrap())).collect();
        assert!((16..=32).contains(&ordinals.len()), "{}", ordinals.len());
        let gap = ordinals[1] - ordinals[0];
        assert!(ordinals.windows(2).all(|pair| pair[1] - pair[0] == gap), "{ordinals:?}");
    }

    /// Images of 3 MiB: a document of that size makes one, and so does a large leaf page.
    #[test]
    fn sample_of_large_images_is_bounded_in_bytes_and_still_even() {
        let mut sample = ImageSample::new();
        let mut most_bytes = 0;
        for ordinal in 0..100_u8 {
            if sample.wants_next() {
                sample.add(image(ordinal, 3 << 20));
            }
            most_bytes = most_bytes.max(sample.images().iter().map(|image| image.len()).sum());
        }
        assert!(most_bytes <= ImageSample::BYTES_MAX, "{most_bytes}");
        let ordinals: Vec<u8> = sample.images().iter().map(|image| image[0]).collect();
        assert_eq!(ordinals, [0, 64]);
    }

    #[test]
    fn an_image_beyond_all_bounds_is_a_sample_by_itself() {
        let mut sample = ImageSample::new();
        for ordinal in 0..3 {
            if sample.wants_next() {
                sample.add(image(ordinal, ImageSample::BYTES_MAX + 1));
            }
        }
        assert_eq!(sample.images().iter().map(|image| image[0]).collect::<Vec<_>>(), [0]);
    }

    fn image(byte: u8, bytes: usize) -> Arc<[u8]> {
        Arc::from(vec![byte; bytes])
    }

    /// A slow level is timed on the first few only.
    #[test]
    fn the_first_images_timed_are_spread_over_all() {
        let images: Vec<Arc<[u8]>> = (0..32).map(|byte| image(byte, 1)).collect();
        let order: Vec<u8> = evenly_ordered(&images).map(|image| image[0]).collect();
        assert_eq!(order[..4], [0, 16, 8, 24]);
        let mut all = order;
        all.sort_unstable();
        assert_eq!(all, (0..32).collect::<Vec<u8>>());
    }

    #[test]
    fn nothing_to_time_gives_no_speed() {
        assert_eq!(measure(CodecKind::None, &[image(0, 1000)]), None);
        assert_eq!(measure(CodecKind::Snappy, &[]), None);
        assert_eq!(measure(CodecKind::Snappy, &[image(0, 64)]), None);
    }

    #[test]
    fn speed_says_how_many_bytes_it_stands_on() {
        let speed =
            measure(CodecKind::Zstd(ZstdLevel::SERVER), &[image(7, 10_064), image(8, 20_064)]).unwrap();
        assert_eq!(speed.image_bytes_timed, 30_000);
        assert!(speed.compress_mb_per_s > 0.0 && speed.decompress_mb_per_s.unwrap() > 0.0);
    }
}
