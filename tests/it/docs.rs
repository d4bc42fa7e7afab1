//! The documents say what the program does: constants, defaults, the README's output, samples, links.

use crate::case::Case;
use sha2::{Digest, Sha256};
use std::{
    fs,
    path::{Path, PathBuf},
};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn text(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Every document that people read.
const DOCUMENTS: [&str; 14] = [
    "README.md",
    "CHANGELOG.md",
    "data/README.md",
    "docs/ACCURACY.md",
    "docs/ARCHITECTURE.md",
    "docs/DISTRIBUTED.md",
    "docs/FORMAT.md",
    "docs/GLOSSARY.md",
    "docs/INPUTS.md",
    "docs/METHOD.md",
    "docs/PERFORMANCE.md",
    "plots/README.md",
    "docs/OTHER-STORES.md",
    "docs/SOURCES.md",
];

/// The cells of a document's table rows, code marks and all. `\|` is no border.
fn rows(text: &str) -> Vec<Vec<String>> {
    let cells = |line: &str| {
        let inner = line.trim().trim_start_matches('|').trim_end_matches('|').replace("\\|", "\u{1}");
        inner.split('|').map(|cell| cell.trim().replace('\u{1}', "|")).collect()
    };
    text.lines().filter(|line| line.starts_with('|')).map(cells).collect()
}

fn printed(args: &str) -> String {
    let answer = Case::new(args).run();
    assert_eq!(answer.code, 0, "{args}: {}", answer.stderr);
    answer.stdout
}

/// Cells of a line of `pagepress facts`: two blanks or more stand between them.
fn columns(line: &str) -> Vec<&str> {
    line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect()
}

/// The tables of docs/FORMAT.md and `pagepress facts` have the same rows with the same values, both ways.
#[test]
fn format_document_has_every_fact_with_its_value_and_unit() {
    let documented = rows(&text("docs/FORMAT.md"));
    let facts = printed("facts");
    let (constants, encoders) = facts.split_once("\n\n").unwrap();
    let names: Vec<&str> = constants.lines().skip(1).map(|line| columns(line)[0]).collect();
    for line in constants.lines().skip(1) {
        let [name, value, unit, source] = columns(line)[..] else { panic!("{line}") };
        let row = documented.iter().find(|row| row[0] == name);
        let row = row.unwrap_or_else(|| panic!("docs/FORMAT.md lacks the row of `{name}`"));
        assert_eq!(row[1..4], [value, unit, &format!("`{source}`")], "docs/FORMAT.md: {name}");
    }
    for line in encoders.lines().skip(1) {
        let [name, version] = columns(line)[..] else { panic!("{line}") };
        assert!(documented.iter().any(|row| row[..2] == [name, version]), "docs/FORMAT.md lacks: {line}");
    }
    let head = documented.iter().position(|row| row[0] == "fact").unwrap();
    let table = documented[head + 2..].iter().take_while(|row| row[0] != "constant");
    for row in table {
        assert!(names.contains(&row[0].as_str()), "docs/FORMAT.md: `{}` is no fact of the program", row[0]);
    }
}

/// Rows that begin with a constant's name repeat its value as it stands in the source, so a value that is
/// changed takes its reason in the documents with it.
#[test]
fn constants_named_in_documents_have_the_value_that_stands_in_the_source() {
    let mut source = String::new();
    visit(&root().join("src"), &mut |path| source += &fs::read_to_string(path).unwrap());
    let mut found = 0;
    for document in ["docs/FORMAT.md", "docs/METHOD.md"] {
        for row in rows(&text(document)) {
            let name = row[0].trim_matches('`');
            let is_constant = name.contains('_') && name.bytes().all(|b| b.is_ascii_uppercase() || b == b'_');
            if !is_constant || row.len() < 2 {
                continue;
            }
            let value = row[1].trim_matches('`');
            let declared = source
                .lines()
                .filter(|line| line.contains(&format!("const {name}:")))
                .any(|line| line.ends_with(&format!("= {value};")));
            assert!(declared, "{document}: no `const {name}: .. = {value};` in src");
            found += 1;
        }
    }
    assert!(found > 20, "only {found} rows with constants");
}

fn visit(folder: &Path, file: &mut dyn FnMut(&Path)) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            visit(&path, file);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            file(&path);
        }
    }
}

/// Each option of `estimate` and `verify` has its row in the README, with the defaults that both helps name.
#[test]
fn readme_has_every_option_with_the_default_of_its_help() {
    let documented = rows(&text("README.md"));
    for (args, whole) in
        [("estimate -h", true), ("estimate --help", false), ("verify -h", true), ("verify --help", false)]
    {
        let mut row: Option<&Vec<String>> = None;
        for line in printed(args).lines() {
            let flag =
                line.split_whitespace().find(|word| word.starts_with("--") && !word.starts_with("--help"));
            if let Some(flag) = flag.filter(|_| line.trim_start().starts_with('-')) {
                row = documented.iter().find(|row| row[0].contains(&format!("`{flag}`")));
                assert!(row.is_some(), "README.md lacks the row of {flag}");
            }
            let Some((_, default)) = line.split_once("[default: ") else { continue };
            // The long help goes on behind the value: whose default it is.
            let value = default.split([' ', ']']).next().unwrap().trim_end_matches([',', ':']);
            let default = if whole { default.trim_end_matches(']') } else { value };
            let row = row.unwrap();
            assert!(row[1].contains(default), "README.md: {} has the default {default}", row[0]);
        }
    }
}

/// The README's first block is what its command prints, but for the speeds of whichever machine it ran on.
#[test]
fn readme_shows_what_its_first_command_prints() {
    const SPEEDS: std::ops::Range<usize> = 7..9;
    let shown = text("README.md");
    let (_, shown) = shown.split_once("$ pagepress estimate data/samples/flights.bson\n").unwrap();
    let (shown, _) = shown.split_once("```").unwrap();
    let sample = root().join("data/samples/flights.bson");
    let answer = Case::new("estimate --no-timing -q").arg(&sample.display().to_string()).run();
    let got = answer.stdout.replace(&sample.display().to_string(), "data/samples/flights.bson");
    let lines = |text: &str| -> Vec<Vec<String>> {
        text.lines()
            .filter(|line| !line.starts_with("speeds "))
            .map(|line| {
                let mut words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
                let is_row = matches!(words.first().map(String::as_str), Some("settled" | "bulk"));
                if is_row && words[1] != "against" {
                    words.drain(SPEEDS);
                }
                words
            })
            .filter(|words| !words.is_empty())
            .collect()
    };
    assert_eq!(lines(shown), lines(&got));
}

/// Samples are the bytes that data/README.md tells of, and every one has a row.
#[test]
fn samples_are_the_files_that_their_rows_describe() {
    let documented = rows(&text("data/README.md"));
    for entry in fs::read_dir(root().join("data/samples")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none() {
            continue; // the script that makes them
        }
        let name = format!("samples/{}", path.file_name().unwrap().to_string_lossy());
        let row = documented.iter().find(|row| row[0] == name);
        let row = row.unwrap_or_else(|| panic!("data/README.md lacks the row of {name}"));
        let digest = Sha256::digest(fs::read(&path).unwrap());
        assert_eq!(row.last().unwrap(), &format!("{digest:x}"), "{name}");
        let answer = Case::new("estimate --no-timing -q --output csv").arg(&path.display().to_string()).run();
        let documents = answer.stdout.lines().nth(1).unwrap().split(',').nth(1).unwrap();
        assert_eq!(row[1].replace(',', ""), documents, "{name}");
    }
}

#[test]
fn links_between_documents_lead_somewhere() {
    for document in DOCUMENTS {
        let content = text(document);
        for link in content.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() {
                root().join(document)
            } else {
                root().join(document).parent().unwrap().join(file)
            };
            assert!(target.exists(), "{document}: {link}");
            if !anchor.is_empty() {
                let heads = fs::read_to_string(&target).unwrap();
                let anchors = heads.lines().filter(|line| line.starts_with('#')).map(anchor_of);
                assert!(anchors.into_iter().any(|known| known == anchor), "{document}: {link}");
            }
        }
    }
}

/// As GitHub makes them.
fn anchor_of(heading: &str) -> String {
    let kept = heading.trim_start_matches('#').trim().to_lowercase();
    kept.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c)).collect::<String>().replace(' ', "-")
}

/// Whatever breaks lines anew must leave drawings alone.
#[test]
fn drawings_stand_between_fences_of_their_own() {
    for document in DOCUMENTS {
        let text = text(document);
        let fences: Vec<&str> = text.lines().filter(|line| line.contains("```")).collect();
        for fence in &fences {
            let kind = fence.trim_start().strip_prefix("```");
            assert!(kind.is_some_and(|kind| kind.chars().all(char::is_alphanumeric)), "{document}: {fence}");
        }
        assert!(fences.len().is_multiple_of(2), "{document}: a fence is left open");
    }
}

#[test]
fn prose_fits_a_hundred_and_twenty_columns() {
    for document in DOCUMENTS {
        let mut fenced = false;
        for (index, line) in text(document).lines().enumerate() {
            fenced ^= line.trim_start().starts_with("```");
            let is_prose = !fenced && !line.trim_start().starts_with('|');
            let columns = line.chars().count();
            assert!(!is_prose || columns <= 120, "{document}:{}: {columns} columns", index + 1);
        }
    }
}
