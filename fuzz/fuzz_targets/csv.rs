//! What `tests/it/reading.rs` asks of any bytes that are read as csv.

#![no_main]

#[path = "../../tests/it/reading.rs"]
#[allow(dead_code, reason = "each fuzzer is one of its functions")]
mod reading;

libfuzzer_sys::fuzz_target!(|input: &[u8]| reading::csv_once(input));
