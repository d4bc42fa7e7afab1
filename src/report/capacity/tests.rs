use super::*;
use crate::capacity::{self, Needs, fixture::traffic};
use crate::estimate::fixture;

fn plan() -> Capacity {
    let needs = Needs {
        writes_per_s: Some(100.0),
        updates_per_s: Some(10.0),
        oplog_hours: Some(24.0),
        price_per_gb_month: Some(0.1),
        network_mb_per_s: Some(50.0),
        ..Needs::new(1 << 30)
    };
    capacity::plan(fixture::logs(), &[traffic()], needs)
}

fn written(kind: OutputKind) -> String {
    let mut out = Vec::new();
    write_plan(&plan(), kind, &ReportOptions::default(), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn formats_are_as_they_were() {
    insta::assert_snapshot!("table", written(OutputKind::Table));
    insta::assert_snapshot!("csv", written(OutputKind::Csv));
    let version = format!("\"version\": \"{}\"", env!("CARGO_PKG_VERSION"));
    insta::assert_snapshot!("json", written(OutputKind::Json).replace(&version, "\"version\": \"..\""));
}

#[test]
fn every_field_of_a_plan_is_defined_and_every_definition_is_used() {
    let json: serde_json::Value = serde_json::from_str(&written(OutputKind::Json)).unwrap();
    let mut names = vec!["section".to_owned()];
    let mut places = vec![&json];
    while let Some(place) = places.pop() {
        match place {
            serde_json::Value::Object(fields) => {
                for (name, value) in fields {
                    names.push(name.clone());
                    if name != "codecs" && name != "key" {
                        places.push(value);
                    }
                }
            }
            serde_json::Value::Array(items) => places.extend(items),
            _ => {}
        }
    }
    for name in &names {
        assert!(crate::report::definitions::definition(name).is_some(), "{name} has no definition");
    }
    for (name, _) in definitions::DEFINITIONS {
        assert!(names.iter().any(|known| known == name), "{name} is defined but never written");
    }
}

#[test]
fn every_line_has_its_basis() {
    for line in written(OutputKind::Csv).lines().skip(1) {
        let basis = line.rsplit(',').next().unwrap();
        let known = ["modelled", "extrapolated", "given", "default", "counted", "measured"];
        assert!(known.contains(&basis), "{line}");
    }
    let page = written(OutputKind::Html);
    assert!(page.contains("<h3>Cache of each member</h3>") && page.contains("<h3>Messages</h3>"));
}

/// What needs a rate, hours, a price or a network that was not given is not known; it is not 0.
#[test]
fn what_was_not_given_is_null() {
    let plan = capacity::plan(fixture::logs(), &[traffic()], Needs::new(1 << 30));
    let json: serde_json::Value = serde_json::from_slice(&plan_json(&plan)).unwrap();
    let collection = &json["collections"][0];
    for (row, names) in [
        (&json["members"][0], &["oplog_bytes", "checkpoint_free_bytes", "price_per_month"][..]),
        (&collection["oplog"][0], &["oplog_bytes_per_day", "replication_bytes_per_day"]),
        (&collection["journal"][0], &["journal_bytes_per_day"]),
        (&collection["wire"][0], &["sent_bytes_per_day"]),
        (&collection["dump"][0], &["transfer_s"]),
    ] {
        for name in names {
            assert_eq!(row.get(name), Some(&serde_json::Value::Null), "{name}");
        }
    }
}
