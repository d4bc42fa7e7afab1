//! The `pagepress` binary: parse, run, print the error chain, choose the exit code.

fn main() {}
