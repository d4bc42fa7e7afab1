//! How much of an input is modelled, checked.

use super::UsageError;
use super::args::SamplingArgs;
use super::sizes::parse_size;
use crate::pipeline::{Amount, SAMPLE_BYTES_DEFAULT, Sampling};
use std::num::NonZeroU64;

/// Documents that a collection may be scaled to: a million million.
const SCALE_TO_MAX: u64 = 1_000_000_000_000;

/// `None` for all documents.
pub(super) fn sampling(args: &SamplingArgs) -> Result<Option<Sampling>, UsageError> {
    let amount = match (&args.sample, &args.target_error) {
        (Some(text), _) => Some(amount(text)?),
        (None, Some(text)) => Some(target(text)?),
        (None, None) => None,
    };
    let scale_to = args.scale_to.as_deref().map(scale_to).transpose()?;
    let seed = match &args.sample_seed {
        None => None,
        Some(text) => Some(
            text.parse()
                .map_err(|_| UsageError::WholeNumber { flag: "--sample-seed", text: text.clone() })?,
        ),
    };
    if amount.is_none() && scale_to.is_none() {
        return match seed {
            None => Ok(None),
            Some(_) => Err(refused(
                "--sample-seed: nothing is sampled".to_owned(),
                "add `--sample 5%`, `--target-error 1%` or `--scale-to 2000000000`",
            )),
        };
    }
    let amount = amount.unwrap_or(Amount::Bytes(SAMPLE_BYTES_DEFAULT));
    Ok(Some(Sampling { amount, seed: seed.unwrap_or(0), scale_to }))
}

fn amount(text: &str) -> Result<Amount, UsageError> {
    const EXAMPLE: &str = "as in `--sample 5%` or `--sample 200M`";
    if let Some(share) = text.strip_suffix('%') {
        let percent = percent(share).filter(|percent| *percent > 0.0 && *percent <= 100.0);
        return percent.map(|percent| Amount::Share(percent / 100.0)).ok_or_else(|| {
            refused(format!("--sample: `{text}` is no share above 0% and up to 100%"), EXAMPLE)
        });
    }
    match parse_size(text) {
        Ok(0) => Err(refused("--sample: no bytes are no sample".to_owned(), EXAMPLE)),
        Ok(bytes) => Ok(Amount::Bytes(bytes)),
        Err(error) => Err(refused(format!("--sample: {error}, or a share with % behind it"), EXAMPLE)),
    }
}

fn target(text: &str) -> Result<Amount, UsageError> {
    let percent = text.strip_suffix('%').and_then(percent).filter(|percent| (0.01..=50.0).contains(percent));
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 100 to 500 000")]
    percent.map(|percent| Amount::Error((percent * 1e4).round() as u64)).ok_or_else(|| {
        refused(
            format!("--target-error: `{text}` is no error from 0.01% to 50%"),
            "as in `--target-error 1%`; without it, and without `--sample`, there is no error of sampling",
        )
    })
}

fn scale_to(text: &str) -> Result<NonZeroU64, UsageError> {
    let documents = text.parse().ok().filter(|documents: &NonZeroU64| documents.get() <= SCALE_TO_MAX);
    documents.ok_or_else(|| {
        refused(
            format!("--scale-to: `{text}` is no number of documents from 1 to {SCALE_TO_MAX}"),
            "as in `--scale-to 2000000000`",
        )
    })
}

fn percent(text: &str) -> Option<f64> {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    text.parse().ok().filter(|_| is_number)
}

fn refused(what: String, hint: &str) -> UsageError {
    UsageError::Grammar { what, hints: vec![hint.to_owned()] }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args() -> SamplingArgs {
        SamplingArgs { sample: None, target_error: None, scale_to: None, sample_seed: None }
    }

    #[test]
    fn amounts_are_shares_sizes_or_errors() {
        let with = |sample: Option<&str>, target: Option<&str>, scale: Option<&str>, seed: Option<&str>| {
            let text = |typed: Option<&str>| typed.map(ToOwned::to_owned);
            sampling(&SamplingArgs {
                sample: text(sample),
                target_error: text(target),
                scale_to: text(scale),
                sample_seed: text(seed),
            })
        };
        let amount = |amount| Some(Sampling { amount, seed: 0, scale_to: None });
        assert_eq!(sampling(&args()), Ok(None));
        assert_eq!(with(Some("5%"), None, None, None), Ok(amount(Amount::Share(0.05))));
        assert_eq!(with(Some("2M"), None, None, None), Ok(amount(Amount::Bytes(2 << 20))));
        assert_eq!(with(None, Some("0.5%"), None, None), Ok(amount(Amount::Error(5000))));
        let scaled = Sampling {
            amount: Amount::Bytes(SAMPLE_BYTES_DEFAULT),
            seed: 7,
            scale_to: NonZeroU64::new(2_000_000_000),
        };
        assert_eq!(with(None, None, Some("2000000000"), Some("7")), Ok(Some(scaled)));
    }

    #[test]
    fn what_is_no_amount_says_what_is_one() {
        let message = |args: &SamplingArgs| sampling(args).unwrap_err().to_string();
        for (text, want) in [
            ("0%", "--sample: `0%` is no share above 0% and up to 100%"),
            ("101%", "--sample: `101%` is no share above 0% and up to 100%"),
            ("-5%", "--sample: `-5%` is no share above 0% and up to 100%"),
            ("0", "--sample: no bytes are no sample"),
            (
                "5", "", // five bytes
            ),
            (
                "many",
                "--sample: `many` is not a size: write a whole number of bytes, or one followed by K, M, G or T (powers of 1024), \
                 or a share with % behind it",
            ),
        ] {
            let typed = SamplingArgs { sample: Some(text.to_owned()), ..args() };
            match want {
                "" => assert!(sampling(&typed).is_ok(), "{text}"),
                _ => assert_eq!(message(&typed), want),
            }
        }
        for text in ["0%", "60%", "1", "x%"] {
            let typed = SamplingArgs { target_error: Some(text.to_owned()), ..args() };
            assert_eq!(message(&typed), format!("--target-error: `{text}` is no error from 0.01% to 50%"));
        }
        for text in ["0", "-1", "1e9", "1000000000001"] {
            let typed = SamplingArgs { scale_to: Some(text.to_owned()), ..args() };
            assert_eq!(
                message(&typed),
                format!("--scale-to: `{text}` is no number of documents from 1 to 1000000000000")
            );
        }
        let seed = |text: &str| SamplingArgs { sample_seed: Some(text.to_owned()), ..args() };
        assert_eq!(message(&seed("1")), "--sample-seed: nothing is sampled");
        assert_eq!(message(&seed("x")), "--sample-seed: `x` is not a whole number from 0");
    }
}
