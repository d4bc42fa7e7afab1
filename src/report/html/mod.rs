//! One page that needs nothing else: figures, plots, definitions and the JSON itself, to be forwarded.
//!
//! Made of the report's JSON alone, so that every command with a schema-1 report can have it. The page names a content
//! security policy that allows its own style and its own script, by its digest, and nothing from anywhere: text of
//! documents that got past the escapes would still not run.

mod embed;
mod table;

use super::{Report, ReportOptions, definitions, wire};
use crate::estimate::{Estimate, remarks};
use crate::plot::saved::{Collection, Load, Row};
use crate::plot::{self, Saved, SavedError, escaped};
use crate::units::{Exact, Grouped, Human};
use std::fmt::Write as _;
use std::io::{self, Write};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
/// SHA-256 of [`SCRIPT`] in base64, which browsers compare; a test makes it again.
const SCRIPT_SHA256: &str = "BOvJKWVp8hSXZJB4FpFkd66EtFweWemrUD5VcI5l+P4=";

/// Bytes that a page has at most; what does not fit is named instead.
pub const PAGE_BYTES_MAX: usize = 1 << 20;
/// Around a collection's plots; the room for it is taken with the collection's head.
const PLOTS: &str = "<div class=\"plots\">\n";
const PLOTS_END: &str = "</div>\n";
/// Ends what a collection begins.
const SECTION_END: &str = "</section>\n";
/// Rows of a table that fit a screen.
const SCREEN_ROWS: usize = 16;
/// Bytes kept free for what is always there.
const KEPT_FREE: usize = 64 << 10;

pub(super) struct Html;

impl Report for Html {
    fn write(&self, estimate: &Estimate, _options: &ReportOptions, out: &mut dyn Write) -> io::Result<()> {
        let json = serde_json::to_vec(&wire::estimate(estimate)).map_err(io::Error::from)?;
        let notes: Vec<Vec<String>> = estimate
            .collections
            .iter()
            .map(|collection| {
                let remarks = remarks(&estimate.model, collection);
                remarks.iter().map(ToString::to_string).collect()
            })
            .collect();
        let page = page(&json, &notes).map_err(io::Error::other)?;
        out.write_all(page.as_bytes())
    }
}

/// The page of a report's JSON, of `estimate` or `sweep`; [`PAGE_BYTES_MAX`] at most. `notes` are what the table for
/// people says under each collection, in the order of the report; fewer than collections are enough.
///
/// # Errors
///
/// Bytes that are no such report.
pub fn page(json: &[u8], notes: &[Vec<String>]) -> Result<String, SavedError> {
    page_with(json, notes, &[])
}

/// The same with further parts, whose text is escaped already: the first before all collections, then one for each.
pub(super) fn page_with(json: &[u8], notes: &[Vec<String>], parts: &[String]) -> Result<String, SavedError> {
    let saved = Saved::read_any("the report", json)?;
    let mut page = Page { text: String::new(), left: PAGE_BYTES_MAX - KEPT_FREE, left_out: Vec::new() };
    let embedded = embed::script(json);
    page.left = page.left.saturating_sub(embedded.text.len());
    page.left_out.extend(embedded.left_out.map(str::to_owned));
    page.head(&saved);
    if let Some(first) = parts.first() {
        page.text.push_str("<section aria-label=\"All collections\">\n");
        page.part(first, "tables of the plan");
        page.text.push_str(SECTION_END);
    }
    for (position, collection) in saved.collections.iter().enumerate() {
        let notes = notes.get(position).map_or(&[][..], Vec::as_slice);
        let part = parts.get(position + 1).map_or("", String::as_str);
        page.collection(&saved, position, collection, (notes, part));
    }
    page.foot(&saved, &embedded);
    Ok(page.text)
}

/// A page that is being written.
struct Page {
    text: String,
    /// Bytes that may still be added by parts that can be left out.
    left: usize,
    /// What was left out, in words.
    left_out: Vec<String>,
}

impl Page {
    fn put(&mut self, text: std::fmt::Arguments<'_>) {
        self.text.write_fmt(text).expect("a string takes what is written");
    }

    /// Takes room for a part; without room, `what` is named as left out.
    fn fits(&mut self, bytes: usize, what: &str) -> bool {
        if let Some(left) = self.left.checked_sub(bytes) {
            self.left = left;
            return true;
        }
        if !self.left_out.iter().any(|known| known == what) {
            self.left_out.push(what.to_owned());
        }
        false
    }

    /// Adds a part if it fits.
    fn part(&mut self, text: &str, what: &str) {
        if self.fits(text.len(), what) {
            self.text.push_str(text);
        }
    }

    fn head(&mut self, saved: &Saved) {
        let title = match saved.collections.as_slice() {
            [only] => format!("{}: storage in MongoDB", clip(&only.name)),
            many => format!("{} collections: storage in MongoDB", many.len()),
        };
        let (title, command) = (escaped(&title), escaped(&saved.command));
        self.put(format_args!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
             script-src 'sha256-{SCRIPT_SHA256}'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"referrer\" content=\"no-referrer\">\n\
             <link rel=\"icon\" href=\"data:,\">\n\
             <title>{title}</title>\n<style>\n{STYLE}{}\n</style>\n</head>\n<body>\n\
             <header>\n<h1>pagepress {command}: storage in MongoDB</h1>\n",
            plot::style_sheet()
        ));
        if let [only] = saved.collections.as_slice() {
            self.put(format_args!("<p class=\"headline\">{}</p>\n", escaped(&headline(only))));
        } else {
            let documents: u64 =
                saved.collections.iter().map(|one| one.documents).fold(0, u64::saturating_add);
            let bson: u64 = saved.collections.iter().map(|one| one.bson_bytes).fold(0, u64::saturating_add);
            self.put(format_args!(
                "<p class=\"headline\">{} collections, {} documents, {} of BSON</p>\n",
                saved.collections.len(),
                Grouped(documents),
                Human(bson)
            ));
        }
        self.text.push_str("</header>\n<main>\n");
    }

    fn collection(
        &mut self,
        saved: &Saved,
        position: usize,
        collection: &Collection,
        (notes, part): (&[String], &str),
    ) {
        let name = escaped(&clip(&collection.name));
        let mut text = format!("<section aria-label=\"{name}\">\n<h2>{name}</h2>\n");
        if saved.collections.len() > 1 {
            put(&mut text, format_args!("<p>{}</p>\n", escaped(&headline(collection))));
        }
        let sources: Vec<String> = collection.sources.iter().take(5).map(|source| clip(source)).collect();
        let more = collection.sources.len().saturating_sub(5);
        put(
            &mut text,
            format_args!(
                "<p class=\"soft\">{} documents, {} of BSON, from {}{}</p>\n",
                Grouped(collection.documents),
                Human(collection.bson_bytes),
                escaped(&sources.join(", ")),
                if more > 0 { format!(" and {more} more") } else { String::new() }
            ),
        );
        if !self.fits(text.len() + PLOTS.len() + PLOTS_END.len() + SECTION_END.len(), "some collections") {
            return;
        }
        self.text.push_str(&text);
        self.part(&table::recommendations(collection), "recommendations");
        self.part(part, "tables of the plan");
        // What is longer than a screen comes behind the pictures.
        let is_long = collection.rows().count() > SCREEN_ROWS;
        if is_long {
            self.plots(saved, position);
        }
        self.part(&table::storage(collection), "rows of the table of sizes");
        self.part(&list(notes), "remarks");
        self.part(&table::indexes(collection), "the table of indexes");
        if !is_long {
            self.plots(saved, position);
        }
        self.text.push_str(SECTION_END);
    }

    fn plots(&mut self, saved: &Saved, position: usize) {
        self.text.push_str(PLOTS);
        for plot in plot::draw_collection(saved, position) {
            let figure = format!("<figure>\n{}</figure>\n", plot.inline_svg());
            self.part(&figure, "some plots (`pagepress plot` draws them all)");
        }
        self.text.push_str(PLOTS_END);
    }

    fn foot(&mut self, saved: &Saved, embedded: &embed::Embedded) {
        self.text.push_str("<section aria-label=\"Method\">\n<h2>How these figures came about</h2>\n");
        let model = &saved.model;
        self.put(format_args!(
            "<p>The documents were cut into WiredTiger's pages as a server cuts them, and each page was packed with the \
             server's encoder. No database was asked. Rules of server {}, leaf page {}, allocation unit {}. \
             Encoders: {}.</p>\n",
            escaped(&model.server),
            Exact(model.leaf_page_bytes_max),
            Exact(model.allocation_bytes),
            escaped(&versions(model))
        ));
        if let Some(note) = &model.server_note {
            self.put(format_args!("<p>{}</p>\n", escaped(note)));
        }
        self.text.push_str("<h3>What the figures mean</h3>\n<dl>\n");
        for (title, sentence) in definitions::shown() {
            self.put(format_args!("<dt>{}</dt><dd>{}</dd>\n", escaped(&title), coded(sentence)));
        }
        self.text.push_str("</dl>\n<details>\n<summary>Every name in the JSON</summary>\n<dl>\n");
        for (name, sentence) in definitions::DEFINITIONS {
            self.put(format_args!("<dt><code>{name}</code></dt><dd>{}</dd>\n", coded(sentence)));
        }
        self.text.push_str("</dl>\n</details>\n");
        if !self.left_out.is_empty() {
            let left_out = escaped(&self.left_out.join("; "));
            self.put(format_args!("<p>Left out, so that this page stays below 1 MiB: {left_out}.</p>\n"));
        }
        self.put(format_args!(
            "<p><button type=\"button\" class=\"button\" id=\"save\" data-name=\"pagepress-{}.json\">\
             Download the JSON</button></p>\n</section>\n</main>\n\
             <footer>Made by pagepress {}. storage is what <code>collStats</code> calls <code>storageSize</code>; \
             ratios are storage ÷ BSON.</footer>\n\
             <div id=\"tip\" role=\"status\" hidden></div>\n{}<script>{SCRIPT}</script>\n</body>\n</html>\n",
            escaped(&saved.command),
            escaped(&saved.tool.version),
            embedded.text
        ));
    }
}

fn put(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).expect("a string takes what is written");
}

fn versions(model: &plot::saved::Model) -> String {
    let versions: Vec<_> = model.codecs.iter().map(|(name, version)| format!("{name} {version}")).collect();
    versions.join(", ")
}

/// What matters first, in one sentence.
fn headline(collection: &Collection) -> String {
    let what = format!(
        "{}: {} documents, {} of BSON",
        clip(&collection.name),
        Grouped(collection.documents),
        Human(collection.bson_bytes)
    );
    let of_load = |load: Load| collection.rows().filter(move |row| row.load == load);
    let codec = |row: &Row| match row.leaf_page_bytes_max {
        Some(leaf) if !collection.points.is_empty() => {
            format!("{} with leaf pages of {}", row.codec_name(), Exact(leaf))
        }
        _ => row.codec_name(),
    };
    let settled = of_load(Load::Settled).min_by_key(|row| row.storage_bytes);
    // Of equals the one that is best settled, so that one name is enough.
    let is_other = |row: &Row| settled.is_none_or(|settled| codec(settled) != codec(row));
    let bulk = of_load(Load::Bulk).min_by_key(|row| (row.storage_bytes, is_other(row)));
    let size = |row: &Row| {
        let ratio =
            row.ratio_storage_to_bson.map_or(String::new(), |ratio| format!(" ({:.1} %)", ratio * 100.0));
        format!("{}{ratio}", Human(row.storage_bytes))
    };
    let of = |row: &Row| format!("{} under {}", size(row), codec(row));
    match (settled, bulk) {
        (Some(settled), Some(bulk)) if !is_other(bulk) => {
            format!("{what}, take {} once settled, {} fresh from a bulk load", of(settled), size(bulk))
        }
        (Some(settled), Some(bulk)) => {
            format!("{what}, take {} once settled, {} fresh from a bulk load", of(settled), of(bulk))
        }
        (Some(only), None) | (None, Some(only)) => {
            format!("{what}, take {} ({})", of(only), only.load.name())
        }
        (None, None) => what,
    }
}

/// Foreign text as long as a page can bear.
fn clip(text: &str) -> String {
    const LETTERS_MAX: usize = 200;
    let mut short: String = text.chars().take(LETTERS_MAX).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    crate::units::Printable(&short).to_string()
}

/// A sentence whose words between backticks are code.
fn coded(sentence: &str) -> String {
    let parts = escaped(sentence);
    let parts = parts.split('`').enumerate();
    parts
        .map(|(at, part)| if at % 2 == 1 { format!("<code>{part}</code>") } else { part.to_owned() })
        .collect()
}

fn list(notes: &[String]) -> String {
    if notes.is_empty() {
        return String::new();
    }
    let mut out = String::from("<ul>\n");
    for note in notes {
        put(&mut out, format_args!("<li>{}</li>\n", escaped(&clip(note))));
    }
    out.push_str("</ul>\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::fixture;
    use crate::report::OutputKind;
    use sha2::{Digest, Sha256};

    fn base64(bytes: &[u8]) -> String {
        const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let group = |three: &[u8]| {
            let bits = three.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte))
                << (8 * (3 - three.len()));
            (0..4_usize)
                .map(move |at| {
                    let letter = LETTERS[(bits >> (18 - 6 * at) & 63) as usize] as char;
                    if at <= three.len() { letter } else { '=' }
                })
                .collect::<Vec<_>>()
        };
        bytes.chunks(3).flat_map(group).collect()
    }

    /// A script that is not the one named is not run by any browser, so a change here would kill the page.
    #[test]
    fn the_digest_in_the_policy_is_that_of_the_script() {
        assert_eq!(SCRIPT_SHA256, base64(&Sha256::digest(SCRIPT)));
        assert!(!SCRIPT.contains("</script"));
    }

    #[test]
    fn a_page_of_many_rows_names_what_it_leaves_out_and_stays_below_its_limit() {
        let mut estimate = fixture::logs();
        let one = estimate.collections[0].clone();
        estimate.collections = (0..400).map(|_| one.clone()).collect();
        let page = OutputKind::Html.to_bytes(&estimate);
        assert!(page.len() <= PAGE_BYTES_MAX, "{}", page.len());
        let page = String::from_utf8(page).unwrap();
        assert!(
            page.contains("Left out, so that this page stays below 1 MiB: ") && page.ends_with("</html>\n")
        );
    }
}
