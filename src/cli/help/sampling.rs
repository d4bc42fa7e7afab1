//! Help texts about samples.

pub(in crate::cli) const SAMPLE: &str = "Model only a part, as in 5% or 200M";

pub(in crate::cli) const SAMPLE_LONG: &str = "\
Model only a part of the documents: a share, as in 5%, or a size, as in 200M.

Runs of neighbouring documents are taken, one from each of many equal stretches of \
the input, and the whole collection is predicted from them; every figure says that \
it is extrapolated, and low and high cover what the sample leaves open, 95 times in \
100. In BSON files and lines of JSON only the runs are read; all else is read \
through. At most 256 MiB of documents are held.

[default: all documents, without an error of sampling]";

pub(in crate::cli) const TARGET_ERROR: &str = "Model no more than it takes, as in 1%";

pub(in crate::cli) const TARGET_ERROR_LONG: &str = "\
Model no more than it takes until the sampling error of every size is within this, 95 \
times in 100: 1% or 0.5%. The sample is doubled until it is; where that would be most \
of the file, all of it is modelled. What is read through anyway, such as a pipe, is \
sampled once, with 64 MB. The error that was reached is printed.

[default: all documents]";

pub(in crate::cli) const SCALE_TO: &str = "Predict a collection of so many documents";

pub(in crate::cli) const SCALE_TO_LONG: &str = "\
Predict a collection of so many documents like those of the input: each stretch of the \
input grows in proportion. Record ids, internal pages and the way of the image size are \
those of the larger collection, not multiples. Without `--sample` 64 MB of the input \
are modelled.

[default: as many documents as the input has]";

pub(in crate::cli) const SAMPLE_SEED: &str = "Draw other documents [default: 0]";

pub(in crate::cli) const SAMPLE_SEED_LONG: &str = "\
Seed of the draws: another seed takes other runs, the same seed the same, on every \
machine.

[default: 0]";
