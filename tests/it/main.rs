//! The one integration binary: a file a subject.

#![expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::print_stderr,
    reason = "tests print what they skip, and compare sizes as percentages"
)]

mod accuracy;
mod architecture;
