//! The report's JSON inside a page: data that no parser of HTML takes for anything else.

use serde_json::Value;

/// Bytes that the embedded report may have.
const EMBEDDED_BYTES_MAX: usize = 384 << 10;
/// What goes first where there is too much: long, and drawn already.
const LONG: [&str; 2] = ["image_size_walk_bytes", "block_histogram"];

/// The element, and what it lacks.
pub(super) struct Embedded {
    pub text: String,
    pub left_out: Option<&'static str>,
}

/// `<script type="application/json">` with the report in it.
pub(super) fn script(json: &[u8]) -> Embedded {
    let Ok(mut value) = serde_json::from_slice::<Value>(json) else { return nothing() };
    let whole = element(&value);
    if whole.len() <= EMBEDDED_BYTES_MAX {
        return Embedded { text: whole, left_out: None };
    }
    shorten(&mut value);
    let shortened = element(&value);
    if shortened.len() <= EMBEDDED_BYTES_MAX {
        let left_out = Some("block histograms and image-size walks in the JSON");
        return Embedded { text: shortened, left_out };
    }
    nothing()
}

fn nothing() -> Embedded {
    Embedded { text: element(&Value::Null), left_out: Some("the JSON (`--output json` writes it)") }
}

fn shorten(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for name in LONG {
                fields.remove(name);
            }
            fields.values_mut().for_each(shorten);
        }
        Value::Array(items) => items.iter_mut().for_each(shorten),
        _ => {}
    }
}

fn element(value: &Value) -> String {
    format!("<script type=\"application/json\" id=\"report\">{}</script>\n", escaped(&value.to_string()))
}

/// JSON with every letter that HTML or a script could take for something as its escape. These letters stand in strings
/// only, so the values stay what they are.
fn escaped(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for letter in json.chars() {
        match letter {
            '<' => out.push_str("\\u003c"),
            '>' => out.push_str("\\u003e"),
            '&' => out.push_str("\\u0026"),
            '\u{2028}' => out.push_str("\\u2028"),
            '\u{2029}' => out.push_str("\\u2029"),
            letter => out.push(letter),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_report_ends_the_element_and_every_value_comes_back() {
        let report = serde_json::json!({"name": "</script><script>alert(1)</script><!--\u{2028}&amp;"});
        let Embedded { text, left_out } = script(report.to_string().as_bytes());
        assert_eq!(left_out, None);
        assert_eq!(text.matches("</script").count(), 1);
        let inner = text.split_once('>').unwrap().1.rsplit_once("</script>").unwrap().0;
        assert!(!inner.contains(['<', '>', '&', '\u{2028}']));
        assert_eq!(serde_json::from_str::<Value>(inner).unwrap(), report);
    }

    #[test]
    fn a_long_report_loses_walks_and_histograms_first_and_then_itself() {
        let walk = vec![32_768; 100_000];
        let long = serde_json::json!({"a": {"image_size_walk_bytes": walk, "storage_bytes": 1}});
        let Embedded { text, left_out } = script(long.to_string().as_bytes());
        assert!(text.contains("{\"a\":{\"storage_bytes\":1}}"));
        assert_eq!(left_out, Some("block histograms and image-size walks in the JSON"));
        let endless = serde_json::json!({"a": walk_of_names()});
        assert!(script(endless.to_string().as_bytes()).text.contains(">null<"));
    }

    fn walk_of_names() -> Vec<String> {
        (0..100_000).map(|number| format!("name {number}")).collect()
    }
}
