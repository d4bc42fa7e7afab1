//! Where a server is, without what nobody may read: user, password and options never reach a message.

use super::{MongodError, MongodErrorKind};
use std::fmt;

const SCHEMES: [&str; 2] = ["mongodb://", "mongodb+srv://"];

/// Whether a text is meant as the address of a server.
#[must_use]
pub fn is_uri(text: &str) -> bool {
    SCHEMES.iter().any(|scheme| starts_with(text, scheme))
}

fn starts_with(text: &str, scheme: &str) -> bool {
    text.get(..scheme.len()).is_some_and(|head| head.eq_ignore_ascii_case(scheme))
}

/// A text with the user, password and options of each address in it taken out. For text of foreign making.
#[must_use]
pub fn without_secrets(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((at, scheme)) = first_scheme(rest) {
        let (before, uri) = rest.split_at(at + scheme.len());
        shown.push_str(before);
        let end = uri.find(|c: char| c.is_whitespace() || matches!(c, '`' | '"' | '\'')).unwrap_or(uri.len());
        shown.push_str(public_part(&uri[..end]));
        rest = &uri[end..];
    }
    shown + rest
}

fn first_scheme(text: &str) -> Option<(usize, &'static str)> {
    // Byte by byte, as letters of either case count.
    let places = text.char_indices().map(|(at, _)| at);
    places.into_iter().find_map(|at| {
        SCHEMES.iter().find(|scheme| starts_with(&text[at..], scheme)).map(|scheme| (at, *scheme))
    })
}

/// Hosts and path of what stands behind the scheme. The last `@` counts: a password may hold others by mistake.
fn public_part(after_scheme: &str) -> &str {
    let without_user = after_scheme.rsplit_once('@').map_or(after_scheme, |(_, rest)| rest);
    without_user.split('?').next().unwrap_or_default()
}

/// A collection's name and its database's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Namespace {
    /// Up to the first point.
    pub database: String,
    /// Behind it; may hold points.
    pub collection: String,
}

impl fmt::Display for Namespace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.database, self.collection)
    }
}

/// Which member of a replica set is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadFrom {
    /// The primary only.
    Primary,
    /// The primary while there is one.
    PrimaryPreferred,
    /// A secondary only.
    Secondary,
    /// A secondary while there is one.
    SecondaryPreferred,
    /// Whichever answers fastest.
    Nearest,
}

/// A server's address: `mongodb://` or `mongodb+srv://`, perhaps with a collection behind the hosts.
///
/// Shown without user, password and options; `Address::secret_uri` has them for the driver.
#[derive(Clone, PartialEq, Eq)]
pub struct Address {
    secret_uri: String,
    shown: String,
    namespace: Option<Namespace>,
}

impl Address {
    /// Takes an address apart. What stands behind the hosts is `database.collection`, percent-encoded where it has to
    /// be, or nothing; it is not the database that a user is known to: that is `admin` unless `authSource` names one.
    ///
    /// # Errors
    ///
    /// Another scheme, no host, a database without a collection, `@` where a password was not encoded.
    pub fn parse(text: &str) -> Result<Self, MongodError> {
        let scheme = SCHEMES.iter().find(|scheme| starts_with(text, scheme));
        let not_a_uri =
            |why: &str| MongodErrorKind::NotAUri { why: why.to_owned() }.at(&without_secrets(text));
        let scheme =
            scheme.ok_or_else(|| not_a_uri("an address begins with mongodb:// or mongodb+srv://"))?;
        let after = &text[scheme.len()..];
        let (place, options) = match after.split_once('?') {
            Some((place, options)) => (place, Some(options)),
            None => (after, None),
        };
        let (authority, path) = place.split_once('/').unwrap_or((place, ""));
        if path.contains('@') || options.is_some_and(|options| options.contains('@')) {
            return Err(not_a_uri(
                "`/`, `:`, `@`, `?` and `%` in a user or password must be percent-encoded",
            ));
        }
        let hosts = authority.rsplit_once('@').map_or(authority, |(_, hosts)| hosts);
        if hosts.is_empty() {
            return Err(not_a_uri("no host is named"));
        }
        let namespace = match decoded(path) {
            None => return Err(not_a_uri("what stands behind the hosts is not percent-encoded UTF-8")),
            Some(path) if path.is_empty() => None,
            Some(path) => match path.split_once('.') {
                Some((database, collection)) if !database.is_empty() && !collection.is_empty() => {
                    Some(Namespace { database: database.to_owned(), collection: collection.to_owned() })
                }
                _ => return Err(MongodErrorKind::NoCollectionNamed.at(&without_secrets(text))),
            },
        };
        let options = options.map(|options| format!("?{options}")).unwrap_or_default();
        Ok(Self {
            secret_uri: format!("{scheme}{authority}/{options}"),
            shown: match &namespace {
                Some(namespace) => format!("{scheme}{hosts}/{namespace}"),
                None => format!("{scheme}{hosts}"),
            },
            namespace,
        })
    }

    /// A server on this machine.
    #[must_use]
    pub fn loopback(port: u16) -> Self {
        let shown = format!("mongodb://127.0.0.1:{port}");
        Self { secret_uri: format!("{shown}/?directConnection=true"), shown, namespace: None }
    }

    /// The collection that is named, if one is.
    #[must_use]
    pub fn namespace(&self) -> Option<&Namespace> {
        self.namespace.as_ref()
    }

    /// With user, password and options, without the collection. For the driver only.
    #[cfg(feature = "live")]
    pub(super) fn secret_uri(&self) -> &str {
        &self.secret_uri
    }
}

/// Without secrets.
impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

/// Without secrets.
impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Address").field(&self.shown).finish()
    }
}

/// Percent-decoded; `None` for what is no encoding or no UTF-8.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let pair = [rest.next()?, rest.next()?];
                u8::from_str_radix(std::str::from_utf8(&pair).ok()?, 16).ok()?
            }
            byte => byte,
        });
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_shown_without_user_password_and_options() {
        for (text, shown, namespace) in [
            ("mongodb://h", "mongodb://h", None),
            ("mongodb://h:27018/", "mongodb://h:27018", None),
            ("mongodb://a,b:1/shop.orders", "mongodb://a,b:1/shop.orders", Some(("shop", "orders"))),
            (
                "mongodb://eve:s3cret@h/shop.a.b?authSource=x&tlsCertificateKeyFilePassword=k3y",
                "mongodb://h/shop.a.b",
                Some(("shop", "a.b")),
            ),
            (
                "mongodb+srv://eve:p%40@c.example.net/a%20b.c",
                "mongodb+srv://c.example.net/a b.c",
                Some(("a b", "c")),
            ),
        ] {
            let address = Address::parse(text).unwrap();
            assert_eq!(address.to_string(), shown);
            assert_eq!(format!("{address:?}"), format!("Address({shown:?})"));
            let found = address.namespace().map(|space| (space.database.as_str(), space.collection.as_str()));
            assert_eq!(found, namespace, "{text}");
        }
    }

    #[test]
    fn what_is_no_address_is_said_without_its_secrets() {
        for (text, want) in [
            ("http://u:s3cret@h", "http://u:s3cret@h: an address begins with mongodb:// or mongodb+srv://"),
            ("mongodb://u:s3cret@/a.b", "mongodb:///a.b: no host is named"),
            (
                "mongodb://u:s3/cret@h/a.b",
                "mongodb://h/a.b: `/`, `:`, `@`, `?` and `%` in a user or password must be percent-encoded",
            ),
            ("mongodb://h/%zz", "mongodb://h/%zz: what stands behind the hosts is not percent-encoded UTF-8"),
            ("mongodb://u:s3cret@h/shop", "mongodb://h/shop: names no collection"),
            ("mongodb://h/.orders", "mongodb://h/.orders: names no collection"),
        ] {
            assert_eq!(Address::parse(text).unwrap_err().to_string(), want);
        }
    }

    #[test]
    fn secrets_are_taken_out_of_any_text() {
        for (text, want) in [
            ("nothing here", "nothing here"),
            ("`mongodb://u:p@h/d?x=y` is", "`mongodb://h/d` is"),
            ("a MongoDB://u:p@q@h b mongodb+srv://x:y@z", "a MongoDB://h b mongodb+srv://z"),
            ("\u{e9}mongodb://", "\u{e9}mongodb://"),
        ] {
            assert_eq!(without_secrets(text), want);
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_the_parser_panic(text in "(mongodb(\\+srv)?://)?\\PC*") {
            let _ = Address::parse(&text);
            let _ = without_secrets(&text);
        }

        #[test]
        fn no_password_is_ever_shown(password in "s3cret[a-z/@:%?]{0,6}X") {
            let text = format!("mongodb://u:{password}@h/a.b");
            let shown = match Address::parse(&text) {
                Ok(address) => format!("{address} {address:?}"),
                Err(error) => error.to_string(),
            };
            // Behind an unencoded `?` the rest is options, which are not shown either.
            proptest::prop_assert!(!shown.contains("s3cret"), "{shown}");
        }
    }
}
