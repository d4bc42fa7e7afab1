//! What holds for any documents and any damage.

use super::*;

/// JSON text of a value, in the spelling of canonical Extended JSON, with blanks.
fn json_of(value: &Bson, out: &mut String) {
    use std::fmt::Write;
    match value {
        Bson::Double(double) => write!(out, "{{ \"$numberDouble\" : \"{double:e}\"}}").unwrap(),
        Bson::Int32(int) => write!(out, "{int}").unwrap(),
        Bson::Int64(int) => write!(out, "{{\"$numberLong\":\"{int}\"}}").unwrap(),
        Bson::Boolean(truth) => write!(out, "{truth}").unwrap(),
        Bson::Null => out.push_str("null"),
        Bson::String(text) => json_string(text, out),
        Bson::ObjectId(id) => write!(out, "{{\"$oid\":\"{}\"}}", id.to_hex()).unwrap(),
        Bson::DateTime(date) => {
            write!(out, "{{\"$date\":{{\"$numberLong\":\"{}\"}}}}", date.timestamp_millis()).unwrap();
        }
        Bson::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index == 0 { " " } else { ",\n" });
                json_of(item, out);
            }
            out.push(']');
        }
        Bson::Document(document) => {
            out.push('{');
            for (index, (key, item)) in document.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { " , " });
                json_string(key, out);
                out.push(':');
                json_of(item, out);
            }
            out.push('}');
        }
        other => panic!("{other} is not generated"),
    }
}

fn json_string(text: &str, out: &mut String) {
    out.push_str(&serde_json::to_string(text).unwrap());
}

fn any_value() -> impl Strategy<Value = Bson> {
    let leaf = prop_oneof![
        any::<i32>().prop_map(Bson::Int32),
        any::<i64>().prop_map(Bson::Int64),
        prop::num::f64::NORMAL.prop_map(Bson::Double),
        any::<bool>().prop_map(Bson::Boolean),
        Just(Bson::Null),
        any::<String>().prop_map(Bson::String),
        any::<[u8; 12]>().prop_map(|bytes| Bson::ObjectId(bson::oid::ObjectId::from_bytes(bytes))),
        any::<i64>().prop_map(|ms| Bson::DateTime(bson::DateTime::from_millis(ms))),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..6).prop_map(Bson::Array),
            any_document(inner).prop_map(Bson::Document),
        ]
    })
}

/// Keys hold no NUL, and none begins like a wrapper.
fn any_document(value: impl Strategy<Value = Bson>) -> impl Strategy<Value = bson::Document> {
    vec(("[^\0$][^\0]{0,8}|", value), 0..6).prop_map(|fields| fields.into_iter().collect())
}

proptest! {
    #[test]
    fn what_another_encoder_writes_is_read_from_its_json(documents in vec(any_document(any_value()), 1..4)) {
        let mut text = String::new();
        for document in &documents {
            json_of(&Bson::Document(document.clone()), &mut text);
            text.push('\n');
        }
        let expect: Vec<Vec<u8>> = documents.iter().map(|document| document.to_vec().unwrap()).collect();
        prop_assert_eq!(good(text.as_bytes()), expect);
    }

    #[test]
    fn damaged_text_never_panics_and_never_yields_a_broken_document(
        document in any_document(any_value()),
        damage in vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        array in any::<bool>(),
    ) {
        let mut one = String::new();
        json_of(&Bson::Document(document), &mut one);
        let mut text = if array { format!("[{one},{one},{one}]") } else { format!("{one}\n{one}\n{one}\n") }.into_bytes();
        for (at, byte) in damage {
            let at = at.index(text.len());
            text[at] = byte;
        }
        run(&text, OnBadDocument::Stop);
        let skipping = run(&text, OnBadDocument::Skip);
        prop_assert_eq!(skipping.error, None);
        prop_assert!(skipping.skipped.bytes <= text.len() as u64);
    }
}
