//! Names of files inside commands that a reader may paste.

use crate::units::Printable;

/// `text` as one word of a shell command. What cannot be typed is written as bash, zsh and ksh read it.
pub(super) fn word(text: &str) -> String {
    if text.starts_with('-') && text.len() > 1 {
        return word(&format!("./{text}"));
    }
    let is_plain = |char: char| char.is_alphanumeric() || "/._-+=:,@%".contains(char);
    if !text.is_empty() && text.chars().all(is_plain) {
        text.to_owned()
    } else if text.chars().any(Printable::is_command) {
        let escape = |char: char| match char {
            '\'' | '\\' => format!("\\{char}"),
            '\n' => "\\n".to_owned(),
            char if Printable::is_command(char) => format!("\\u{:04x}", u32::from(char)),
            char => char.to_string(),
        };
        let escaped: String = text.chars().map(escape).collect();
        format!("$'{escaped}'")
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_back_as_they_were_from_a_shell() {
        for (text, want) in [
            ("dump/a.bson", "dump/a.bson"),
            ("caf\u{e9}.bson", "caf\u{e9}.bson"),
            ("-x.bson", "./-x.bson"),
            ("", "''"),
            ("my dump.bson", "'my dump.bson'"),
            ("it's $HOME.bson", r"'it'\''s $HOME.bson'"),
            ("a\\b.bson", r"'a\b.bson'"),
            ("a\n'b'\\\u{1b}[0m.bson", r"$'a\n\'b\'\\\u001b[0m.bson'"),
            ("gpj.\u{202e}bson", r"$'gpj.\u202ebson'"),
        ] {
            assert_eq!(word(text), want);
        }
    }
}
