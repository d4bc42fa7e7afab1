//! The sentence that defines each figure of a comparison; names that `estimate` has too are defined there.

/// Name in JSON and CSV, and what it means.
pub(in crate::report) const DEFINITIONS: &[(&str, &str)] = &[
    ("servers", "the servers that measured, one entry a state"),
    ("place", "the program that was started, or the server's address without user and options"),
    ("server_measured", "version of the server that measured"),
    ("tolerance_pct", "how far a prediction may lie from the measured median, in per cent of it"),
    ("tolerance_bytes", "how far it may lie in any case: three blocks, as files grow by blocks"),
    ("checks", "one entry for each file that was predicted and measured: data first, then indexes"),
    ("subject", "data: the documents under a codec; index: an index"),
    ("index", "name of the index"),
    ("predicted_bytes", "predicted file size"),
    ("predicted_bytes_low", "smallest file that the same load may end on; not known for indexes"),
    ("predicted_bytes_high", "largest file that the same load may end on; not known for indexes"),
    ("measured_bytes", "measured file size: the median of the runs; of two the smaller"),
    ("measured_bytes_min", "smallest run"),
    ("measured_bytes_max", "largest run"),
    ("measured_bytes_runs", "every run, ascending"),
    ("runs", "how many loads were measured"),
    ("difference_bytes", "predicted less measured"),
    ("difference_pct", "predicted less measured, in per cent of measured"),
    ("inside_band", "whether the measured median lies in the predicted band"),
    ("verdict", "within or outside the tolerance, or not-predicted"),
    ("pages_predicted", "leaf and internal pages of the model"),
    ("pages_written", "pages that the server wrote during load and checkpoint; rewritten ones count again"),
    ("image_bytes_tuned_predicted", "size that leaf images are cut at by the end, in the model"),
    ("image_bytes_tuned_measured", "the same as the server's statistics tell it"),
    ("scans", "one entry for each codec and state whose cold scan was measured"),
    ("scan_s", "seconds of a full scan with nothing in the server's cache; the median"),
    ("scan_s_runs", "every scan, ascending"),
    ("decompression_s", "seconds that one thread takes to restore all leaf pages, predicted"),
];

/// Titles of the columns that people see, and what they mean.
pub(super) const SHOWN: &[(&str, &str)] = &[
    ("file", "the documents under a codec, or an index and when it came to be"),
    ("predicted", "predicted file size"),
    ("measured", "measured file size: the median of the runs; of two the smaller"),
    ("runs", "smallest to largest run, where there are several"),
    ("difference", "predicted less measured, in per cent of measured"),
    ("band", "whether the measured size lies in the predicted band; indexes have none"),
    ("verdict", "within or outside the tolerance"),
    ("pages", "pages of the model / pages that the server wrote; rewritten ones count again"),
    ("image", "size that leaf images are cut at by the end, in the model / in the server's statistics"),
];
