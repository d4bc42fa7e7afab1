//! `--index`: a key pattern or a createIndexes document, as JSON, to a specification.

use super::UsageError;
use crate::document::Elements;
use crate::record::index::IndexSpec;
use crate::source::{OnBadDocument, Source, json::JsonSource};

/// Indexes that one collection can have, `_id_` included. Source: `kMaxNumIndexesAllowed`,
/// `index_catalog.h`, mongod 6.0.
pub(super) const INDEXES_MAX: usize = 64;

/// All indexes of a collection: `_id_` first, then those that were typed.
pub(super) fn parse_indexes(typed: &[String]) -> Result<Vec<IndexSpec>, UsageError> {
    if typed.len() >= INDEXES_MAX {
        let what = format!(
            "{} indexes and `_id_` exceed the limit of {INDEXES_MAX} indexes of a collection",
            typed.len()
        );
        return Err(UsageError::Index { typed: None, what });
    }
    let mut specs = vec![IndexSpec::id()];
    for text in typed {
        let refused = |what: String| UsageError::Index { typed: Some(text.clone()), what };
        let spec = IndexSpec::parse(&document(text).map_err(refused)?)
            .map_err(|error| refused(error.to_string()))?;
        check_directions(&spec).map_err(refused)?;
        let is_same = |known: &&IndexSpec| known.name() == spec.name() || known.pattern() == spec.pattern();
        if let Some(same) = specs.iter().find(is_same) {
            return Err(refused(format!("there is an index `{}` already", same.name())));
        }
        specs.push(spec);
    }
    Ok(specs)
}

/// A server takes any number but 0 and looks at its sign only; whoever types a 2 means something else.
fn check_directions(spec: &IndexSpec) -> Result<(), String> {
    let Ok(elements) = Elements::new(spec.pattern()) else { return Ok(()) };
    for element in elements.filter_map(Result::ok) {
        let direction = match element.kind {
            0x01 => element.value.first_chunk().map(|bytes| f64::from_le_bytes(*bytes)),
            0x10 => element.value.first_chunk().map(|bytes| f64::from(i32::from_le_bytes(*bytes))),
            _ => None,
        };
        if let Some(direction) = direction.filter(|direction| (direction.abs() - 1.0).abs() > f64::EPSILON) {
            let field = String::from_utf8_lossy(element.name);
            return Err(format!(
                "the direction of `{field}` is {direction}: write 1 (ascending) or -1 (descending)"
            ));
        }
    }
    Ok(())
}

/// The one document that a text holds, as BSON.
fn document(text: &str) -> Result<Vec<u8>, String> {
    let mut source =
        JsonSource::new("JSON".to_owned(), text.as_bytes(), Some(text.len() as u64), OnBadDocument::Stop);
    let mut bson = Vec::new();
    match source.next_document(&mut bson) {
        Err(error) => return Err(error.to_string()),
        Ok(None) => return Err("there is no document".to_owned()),
        Ok(Some(_)) => {}
    }
    match source.next_document(&mut Vec::new()) {
        Ok(None) => Ok(bson),
        _ => Err("there is more than one document".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(typed: &[&str]) -> Result<Vec<String>, String> {
        let typed: Vec<String> = typed.iter().map(ToString::to_string).collect();
        let specs = parse_indexes(&typed).map_err(|error| error.to_string())?;
        Ok(specs.iter().map(|spec| spec.name().to_owned()).collect())
    }

    #[test]
    fn the_id_index_is_always_there_and_comes_first() {
        assert_eq!(outcome(&[]).unwrap(), ["_id_"]);
        assert_eq!(outcome(&[r#"{"user":1,"ts":-1}"#]).unwrap(), ["_id_", "user_1_ts_-1"]);
        assert_eq!(outcome(&[r#"{"key":{"a":1},"unique":true,"name":"x"}"#]).unwrap(), ["_id_", "x"]);
    }

    #[test]
    fn what_no_server_would_build_is_refused_with_its_rule() {
        for (typed, rule) in [
            ("{}", "--index `{}`: index keys cannot be empty"),
            (
                r#"{"a":1,"a":-1}"#,
                "--index `{\"a\":1,\"a\":-1}`: field `a` appears more than once in the index key pattern",
            ),
            (
                r#"{"a":2}"#,
                "--index `{\"a\":2}`: the direction of `a` is 2: write 1 (ascending) or -1 (descending)",
            ),
            (
                r#"{"a":1,"b":-0.5}"#,
                "--index `{\"a\":1,\"b\":-0.5}`: the direction of `b` is -0.5: write 1 (ascending) or -1 (descending)",
            ),
            (r#"{"a":0}"#, "--index `{\"a\":0}`: "),
            (r#"{"$**":1,"b":1}"#, "--index `{\"$**\":1,\"b\":1}`: "),
            ("[1]", "--index `[1]`: "),
            (r#"{"a":1"#, "--index `{\"a\":1`: "),
            ("", "--index ``: there is no document"),
            (r#"{"a":1}{"b":1}"#, "--index `{\"a\":1}{\"b\":1}`: there is more than one document"),
            (r#"{"_id":1}"#, "--index `{\"_id\":1}`: there is an index `_id_` already"),
        ] {
            let got = outcome(&[typed]).unwrap_err();
            assert!(got.starts_with(rule), "{typed}: {got}");
        }
        let wide = (0..33).map(|field| format!("\"f{field}\":1")).collect::<Vec<_>>().join(",");
        let wide = format!("{{{wide}}}");
        assert!(outcome(&[&wide]).unwrap_err().contains("32"), "{:?}", outcome(&[&wide]));
        let many: Vec<String> = (0..64).map(|field| format!("{{\"f{field}\":1}}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert!(outcome(&many).unwrap_err().contains("exceed the limit of 64"));
        assert_eq!(outcome(&many[..63]).unwrap().len(), 64);
    }
}
