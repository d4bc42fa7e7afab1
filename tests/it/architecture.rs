//! Who may import whom. The table is the law; docs/ARCHITECTURE.md draws it.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

/// Read it as the layer diagram of docs/ARCHITECTURE.md; keep both in step.
const MAY_IMPORT: &[(&str, &[&str])] = &[
    ("units", &[]),
    ("document", &["units"]),
    ("record", &["units", "document"]),
    ("codec", &["units"]),
    ("geometry", &["units", "record", "codec"]),
    ("datafile", &["units", "document", "codec", "geometry"]),
    ("mongod", &["units", "document"]),
    ("source", &["units", "document", "mongod"]),
    ("estimate", &["units"]),
    ("capacity", &["document", "codec", "geometry", "estimate"]),
    (
        "pipeline",
        &["units", "document", "record", "codec", "geometry", "datafile", "source", "estimate", "capacity"],
    ),
    ("verify", &["units", "estimate", "mongod"]),
    ("plot", &["units"]),
    ("report", &["units", "estimate", "capacity", "verify", "plot"]),
    (
        "cli",
        &[
            "units", "document", "record", "codec", "geometry", "datafile", "mongod", "source", "estimate",
            "capacity", "pipeline", "verify", "plot", "report",
        ],
    ),
];

fn source_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

fn visit(folder: &Path, file: &mut dyn FnMut(&Path, &str)) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            visit(&path, file);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            file(&path, &fs::read_to_string(&path).unwrap());
        }
    }
}

fn module_of(path: &Path) -> String {
    let inside = path.strip_prefix(source_root()).unwrap();
    let first = inside.iter().next().unwrap().to_string_lossy();
    first.trim_end_matches(".rs").to_owned()
}

fn first_name(path: &str) -> &str {
    path.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("")
}

#[test]
fn modules_import_only_upper_rows() {
    let table: BTreeMap<_, _> = MAY_IMPORT.iter().copied().collect();
    let mut faults = Vec::new();
    for (row, (module, allowed)) in MAY_IMPORT.iter().enumerate() {
        let above: Vec<_> = MAY_IMPORT[..row].iter().map(|(name, _)| *name).collect();
        let upwards = allowed.iter().all(|name| above.contains(name));
        assert!(upwards, "{module} looks down: the table has a cycle");
    }
    visit(&source_root(), &mut |path, text| {
        let module = module_of(path);
        let Some(allowed) = table.get(module.as_str()) else {
            if module != "main" && module != "lib" {
                faults.push(format!("{module}: not in MAY_IMPORT"));
            }
            return;
        };
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"))
        {
            for target in line.split("crate::").skip(1).map(first_name) {
                if target != module && !allowed.contains(&target) {
                    faults.push(format!(
                        "{}:{}: {module} may not import {target}",
                        path.display(),
                        index + 1
                    ));
                }
            }
            if line.contains("super::super") {
                faults.push(format!(
                    "{}:{}: write `crate::` instead of super::super",
                    path.display(),
                    index + 1
                ));
            }
        }
    });
    let hint = "Allow it in MAY_IMPORT and docs/ARCHITECTURE.md, or move the code.";
    assert!(faults.is_empty(), "\n{}\n{hint}", faults.join("\n"));
}

/// The drawing names every module of the table, so that neither can change alone.
#[test]
fn architecture_document_names_every_module() {
    let document = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/ARCHITECTURE.md");
    let text = fs::read_to_string(document).unwrap();
    for (module, allowed) in MAY_IMPORT {
        let list = if allowed.is_empty() { "nothing".to_owned() } else { allowed.join(", ") };
        let row = format!("| `{module}` | {list} |");
        assert!(text.contains(&row), "docs/ARCHITECTURE.md lacks the row\n{row}");
    }
}

#[test]
fn no_source_file_is_longer_than_six_hundred_lines_before_its_tests() {
    visit(&source_root(), &mut |path, text| {
        if path.ends_with("tests.rs") {
            return;
        }
        let lines = text.lines().take_while(|line| !line.starts_with("#[cfg(test)]")).count();
        assert!(lines <= 600, "{} has {lines} lines: it wants to be two", path.display());
    });
}
