//! Text forms of bytes: base64, hexadecimal digits, UUIDs.

/// Appends what base64 text stands for: standard alphabet, padded; line ends are passed over. `false` for
/// any other text, with `out` as far as it was understood.
pub(in crate::source) fn base64(text: &[u8], out: &mut Vec<u8>) -> bool {
    let mut bits = 0_u32;
    let mut sextets = 0_u32;
    let mut padding = 0_u32;
    for byte in text {
        let value = match byte {
            b'\r' | b'\n' => continue,
            b'=' => {
                padding += 1;
                continue;
            }
            _ if padding > 0 => return false,
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return false,
        };
        bits = bits << 6 | u32::from(value);
        sextets += 1;
        if sextets == 4 {
            out.extend_from_slice(&bits.to_be_bytes()[1..]);
            bits = 0;
            sextets = 0;
        }
    }
    match (sextets, padding) {
        (0, 0) => {}
        (2, 2) => out.extend_from_slice(&(bits << 12).to_be_bytes()[1..2]),
        (3, 1) => out.extend_from_slice(&(bits << 6).to_be_bytes()[1..3]),
        _ => return false,
    }
    true
}

/// Two hexadecimal digits a byte, in either case, for exactly `BYTES` bytes.
pub(super) fn hexadecimal<const BYTES: usize>(text: &[u8]) -> Option<[u8; BYTES]> {
    let (pairs, []) = text.as_chunks::<2>() else { return None };
    let pairs: &[[u8; 2]; BYTES] = pairs.try_into().ok()?;
    let mut bytes = [0; BYTES];
    for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
        *byte = digit(*high)? << 4 | digit(*low)?;
    }
    Some(bytes)
}

/// `8-4-4-4-12` hexadecimal digits.
pub(super) fn uuid(text: &[u8]) -> Option<[u8; 16]> {
    const HYPHENS: [usize; 4] = [8, 13, 18, 23];
    let text: &[u8; 36] = text.try_into().ok()?;
    let mut digits = [0; 32];
    let mut at = 0;
    for (index, byte) in text.iter().enumerate() {
        if HYPHENS.contains(&index) {
            if *byte != b'-' {
                return None;
            }
        } else {
            digits[at] = *byte;
            at += 1;
        }
    }
    hexadecimal(&digits)
}

/// One or two hexadecimal digits: a binary subtype.
pub(super) fn subtype(text: &[u8]) -> Option<u8> {
    match *text {
        [low] => digit(low),
        [high, low] => Some(digit(high)? << 4 | digit(low)?),
        _ => None,
    }
}

fn digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_the_standard_alphabet_with_its_padding() {
        for (text, want, why) in [
            ("", Some(&b""[..]), "nothing"),
            ("aGk=", Some(b"hi"), "two bytes"),
            ("aA==", Some(b"h"), "one byte"),
            ("aGkh", Some(b"hi!"), "three bytes"),
            ("aG\nk\r\n=", Some(b"hi"), "line ends are passed over"),
            ("+/+/", Some(b"\xfb\xff\xbf"), "both signs"),
            ("aGk", None, "no padding"),
            ("aA=", None, "too little"),
            ("aGk==", None, "too much"),
            ("aGkh=", None, "none needed"),
            ("a===", None, "six bits are no byte"),
            ("=", None, "only padding"),
            ("aA==aA==", None, "text behind it"),
            ("a-_k", None, "the URL alphabet"),
            ("aG k", None, "a blank"),
        ] {
            let mut out = Vec::new();
            let got = base64(text.as_bytes(), &mut out).then_some(&out[..]);
            assert_eq!(got, want, "{text}: {why}");
        }
    }

    #[test]
    fn hexadecimal_forms_are_checked_to_the_digit() {
        assert_eq!(hexadecimal(b"00fFA1"), Some([0x00, 0xff, 0xa1]));
        assert_eq!(hexadecimal::<3>(b"00ff"), None, "too short");
        assert_eq!(hexadecimal::<1>(b"00f"), None, "odd");
        assert_eq!(hexadecimal::<1>(b"0g"), None, "no digit");
        assert_eq!(
            uuid(b"00010203-0405-0607-0809-0A0b0C0d0E0f"),
            Some([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15])
        );
        assert_eq!(uuid(b"000102030405060708090a0b0c0d0e0f"), None, "no hyphens");
        assert_eq!(uuid(b"0001020-30405-0607-0809-0a0b0c0d0e0f"), None, "a hyphen too early");
        assert_eq!(subtype(b"5"), Some(5));
        assert_eq!(subtype(b"fF"), Some(255));
        assert_eq!(subtype(b"100"), None);
        assert_eq!(subtype(b""), None);
    }
}
