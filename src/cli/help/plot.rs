//! What help says of `pagepress plot`, and of the options of other commands that draw.

pub(in crate::cli) const PLOT: &str = "Draw plots of saved reports, as SVG and PNG";

pub(in crate::cli) const PLOT_LONG: &str = "\
Draw plots of saved reports, as SVG and PNG.

Drawn is what the reports have figures for: storage by codec; ratio against \
compression speed; storage against level and against leaf page size; sizes of \
blocks; the image size from page to page; cold-scan time against disk bandwidth. \
The files' names are printed. The same report gives the same bytes.";

pub(in crate::cli) const PLOT_EXAMPLES: &str = "\
Examples:
  What an estimate found, as pictures:
    pagepress estimate --output json --out flights.json flights.bson
    pagepress plot --out plots flights.json
  Straight from a run, for a web page:
    pagepress estimate -o json flights.bson | pagepress plot - --out plots --format svg";

pub(in crate::cli) const REPORTS: &str = "JSON of estimate or sweep; `-` reads standard input";

pub(in crate::cli) const REPORTS_LONG: &str = "\
Reports that `pagepress estimate` or `pagepress sweep` wrote with `--output json`; `-` reads \
standard input.

Plots are named after the reports' collections; where two have one name, the later files get a \
number.";

pub(in crate::cli) const REFERENCE: &str = "Published figures to stand beside, as CSV";

pub(in crate::cli) const REFERENCE_LONG: &str = "\
A CSV file of published figures to draw beside those of the report.

Columns: `origin`, `codec`, `level`, and `ratio_storage_to_data` or both `data_bytes` and \
`storage_bytes`; `compress_mb_per_s` where it is known. Lines that begin with `#` are passed over.";

pub(in crate::cli) const OUT: &str = "Folder for the plots; made if it is not there";

pub(in crate::cli) const OUT_LONG: &str = "\
Folder for the plots; made if it is not there.

Each file is written beside its place and renamed when it is whole. Files of the same names are \
replaced, others are left alone.";

pub(in crate::cli) const FORMAT: &str = "svg, png or both [default: svg,png]";

pub(in crate::cli) const FORMAT_LONG: &str = "\
File formats, separated by commas: svg, png.

SVG follows the reader's light or dark mode and tells each figure that is pointed at. PNG is in \
light colours, with two pixels a px.

[default: svg,png]";

pub(in crate::cli) const PLOTS: &str = "Draw plots into DIR as well";

pub(in crate::cli) const PLOTS_LONG: &str = "\
Draw plots of the result into DIR as well, as SVG and PNG; the folder is made if it is not there.

They are those that `pagepress plot` draws of the same run's `--output json`.";

pub(in crate::cli) const WALK: &str = "Record the image size from page to page";

pub(in crate::cli) const WALK_LONG: &str = "\
Record the size before compression at which pages are cut, after every page: JSON then has \
`image_size_walk_bytes`, with 10000 points at most, and plots and html show it. Figures are the \
same with or without it.";

/// Of commands that have a page; others take [`crate::cli::help::OUTPUT`].
pub(in crate::cli) const OUTPUT: &str = "table, json, csv, markdown, html [default: table]";

pub(in crate::cli) const OUTPUT_LONG: &str = "\
Format of the result: table (for people), json (schema 1, every figure), csv (every figure of \
a row, its unit in the column's name), markdown or html (one page with plots and the JSON in \
it, that needs nothing else).

What is not known is `-` in a table or page, an empty cell in csv and null in json; never 0.

[default: table]";
