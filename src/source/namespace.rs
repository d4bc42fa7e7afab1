//! Which collections of a dump are wanted: `db.collection` patterns, or what belongs to users.

/// Patterns of namespaces, of which `*` stands for any characters. Without any, users' own collections are chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Namespaces(Vec<String>);

/// Databases of the server's own.
const INTERNAL: [&str; 3] = ["admin", "config", "local"];

impl Namespaces {
    /// From patterns as they were typed, each a list with commas between.
    #[must_use]
    pub fn new(lists: &[String]) -> Self {
        let patterns = lists.iter().flat_map(|list| list.split(',')).map(str::trim);
        Self(patterns.filter(|pattern| !pattern.is_empty()).map(ToOwned::to_owned).collect())
    }

    /// Whether any collection was asked for by name.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether `db.collection` is wanted. A time series may be called by its own name or its buckets'.
    #[must_use]
    pub fn chooses(&self, db: &str, collection: &str) -> bool {
        if self.0.is_empty() {
            return !is_internal(db, collection);
        }
        let name = namespace(db, collection);
        self.0.iter().any(|pattern| matches(pattern.as_bytes(), name.as_bytes()))
    }
}

/// `db.collection`; the oplog of a dump has no database.
pub(super) fn namespace(db: &str, collection: &str) -> String {
    if db.is_empty() { collection.to_owned() } else { format!("{db}.{collection}") }
}

/// A name that a dump brings along, for messages: on one line, and cut where no server's name is longer.
///
/// Source: 255 bytes, `MaxNsCollectionLen`, `src/mongo/db/namespace_string.h`.
pub(super) fn shown(name: &str) -> String {
    const CHARACTERS_MAX: usize = 255;
    let mut shown = String::new();
    for char in name.chars().take(CHARACTERS_MAX) {
        if char.is_control() {
            shown.extend(char.escape_debug());
        } else {
            shown.push(char);
        }
    }
    if name.chars().nth(CHARACTERS_MAX).is_some() {
        shown.push_str("...");
    }
    shown
}

/// Whether a collection belongs to the server: its users and roles, its settings, the oplog, system collections.
pub(super) fn is_internal(db: &str, collection: &str) -> bool {
    let is_system = collection.starts_with("system.") && !collection.starts_with("system.buckets.");
    db.is_empty() || INTERNAL.contains(&db) || is_system || collection.starts_with('$')
}

/// Whether all of `text` is `pattern`, of which `*` stands for any bytes. Time is their product at most.
fn matches(pattern: &[u8], text: &[u8]) -> bool {
    let (mut at, mut from) = (0, 0);
    // Where the last `*` stands, and how much of the text it has taken.
    let mut star: Option<(usize, usize)> = None;
    while at < text.len() {
        match pattern.get(from) {
            Some(b'*') => {
                star = Some((from, at));
                from += 1;
            }
            Some(byte) if *byte == text[at] => {
                from += 1;
                at += 1;
            }
            _ => match star {
                None => return false,
                Some((star_from, taken)) => {
                    star = Some((star_from, taken + 1));
                    from = star_from + 1;
                    at = taken + 1;
                }
            },
        }
    }
    pattern[from..].iter().all(|byte| *byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_shown_on_one_line_and_end_somewhere() {
        assert_eq!(shown("d.we/ird é*"), "d.we/ird é*");
        assert_eq!(shown("d.a\nb\u{1b}"), r"d.a\nb\u{1b}");
        assert_eq!(shown(&"x".repeat(255)), "x".repeat(255));
        assert_eq!(shown(&"x".repeat(1 << 24)), format!("{}...", "x".repeat(255)));
    }

    fn chosen(patterns: &str, db: &str, collection: &str) -> bool {
        Namespaces::new(&[patterns.to_owned()]).chooses(db, collection)
    }

    #[test]
    fn users_collections_are_chosen_unless_others_are_named() {
        for (db, collection, want) in [
            ("shop", "orders", true),
            ("shop", "system.buckets.readings", true),
            ("shop", "system.js", false),
            ("shop", "$admin.system.users", false),
            ("admin", "system.version", false),
            ("config", "settings", false),
            ("", "oplog", false),
        ] {
            assert_eq!(chosen("", db, collection), want, "{db}.{collection}");
        }
    }

    #[test]
    fn a_star_stands_for_any_characters_and_all_else_for_itself() {
        for (pattern, want) in [
            ("shop.orders", true),
            ("shop.*", true),
            ("*", true),
            ("*.orders", true),
            ("s*p.o*s", true),
            ("s**s", true),
            ("shop.order", false),
            ("shop", false),
            ("*.order", false),
            ("shop?orders", false),
            ("a.b, shop.orders", true),
        ] {
            assert_eq!(chosen(pattern, "shop", "orders"), want, "{pattern}");
        }
        assert!(chosen("admin.*", "admin", "system.version"));
        let (stars, text) = ("*a".repeat(500), "a".repeat(5000) + "b");
        assert!(!chosen(&stars, "", &text), "no hang");
    }
}
