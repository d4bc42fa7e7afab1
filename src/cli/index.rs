//! `--index`: a key pattern or a createIndexes document, as JSON, to a specification.

use super::UsageError;
#[cfg(feature = "live")]
use crate::document::DocumentErrorKind;
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

/// Names and definitions of the typed indexes, as createIndexes takes them.
///
/// # Errors
///
/// As [`parse_indexes`].
#[cfg(feature = "live")]
pub(super) fn definitions(typed: &[String]) -> Result<Vec<(String, Vec<u8>)>, UsageError> {
    // `_id_` comes first and is never created.
    let specs = parse_indexes(typed)?.into_iter().skip(1);
    let refused = |typed: &String, what: String| UsageError::Index { typed: Some(typed.clone()), what };
    typed
        .iter()
        .zip(specs)
        .map(|(typed, spec)| {
            let document = document(typed).map_err(|what| refused(typed, what))?;
            let definition = definition(&document, &spec);
            let definition = definition.map_err(|error| refused(typed, error.to_string()))?;
            Ok((spec.name().to_owned(), definition))
        })
        .collect()
}

/// A createIndexes document: what was typed, with a name; or the key pattern that was typed as its key.
#[cfg(feature = "live")]
pub(super) fn definition(typed: &[u8], spec: &IndexSpec) -> Result<Vec<u8>, DocumentErrorKind> {
    const OBJECT: u8 = 0x03;
    const STRING: u8 = 0x02;
    const BOOLEAN: u8 = 0x08;
    let find = |name: &[u8]| Elements::new(typed)?.find_name(name);
    let has_key = find(b"key")?.is_some_and(|key| key.kind == OBJECT);
    let mut made = if has_key {
        typed[..typed.len() - 1].to_vec()
    } else {
        [&[0; 4], [OBJECT].as_slice(), b"key\0", typed].concat()
    };
    if !has_key || find(b"name")?.is_none() {
        let name = spec.name().as_bytes();
        made.push(STRING);
        made.extend_from_slice(b"name\0");
        // Typed text is far below 2 GiB.
        made.extend_from_slice(&u32::try_from(name.len() + 1).unwrap_or(u32::MAX).to_le_bytes());
        made.extend_from_slice(name);
        made.push(0);
    }
    if !has_key && spec.is_unique() {
        made.push(BOOLEAN);
        made.extend_from_slice(b"unique\0\x01");
    }
    made.push(0);
    let bytes = u32::try_from(made.len()).unwrap_or(u32::MAX);
    made[..4].copy_from_slice(&bytes.to_le_bytes());
    Ok(made)
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

    #[cfg(feature = "live")]
    #[test]
    fn definitions_have_key_and_name_and_are_what_was_typed() {
        let typed =
            [r#"{"user":1,"ts":-1}"#, r#"{"key":{"a":1},"unique":true}"#, r#"{"key":{"b":1},"name":"x"}"#];
        let typed: Vec<String> = typed.iter().map(ToString::to_string).collect();
        let made = definitions(&typed).unwrap();
        for ((name, definition), want) in made.iter().zip(["user_1_ts_-1", "a_1", "x"]) {
            assert_eq!(name, want);
            crate::document::check(definition).unwrap();
            let spec = IndexSpec::parse(definition).unwrap();
            assert_eq!(spec.name(), want);
            assert_eq!(spec.is_unique(), want == "a_1");
        }
        assert!(definitions(&["{}".to_owned()]).is_err());
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
