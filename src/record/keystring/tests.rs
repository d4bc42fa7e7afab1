//! Keys against bytes read from real index files, and against the server's order of values.

use super::order::order;
use super::{Direction, END, KeyError, KeyWriter, NESTING_LEVELS_MAX, TypeBits, Value, Version, bson_type};
use crate::document::DocumentErrorKind;
use proptest::prelude::*;
use std::cmp::Ordering;

/// A value of its own: type and bytes.
type Owned = (u8, Vec<u8>);

fn key(value: &Owned, version: Version, direction: Direction) -> Result<(Vec<u8>, Vec<u8>), KeyError> {
    let (mut out, mut bits, mut stored) = (Vec::new(), TypeBits::default(), Vec::new());
    let value = Value { kind: value.0, bytes: &value.1, at: 0 };
    KeyWriter::new(version, &mut out, &mut bits).field(value, direction)?;
    bits.append_to(&mut stored);
    Ok((out, stored))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

fn int32(number: i32) -> Owned {
    (bson_type::INT32, number.to_le_bytes().to_vec())
}

fn int64(number: i64) -> Owned {
    (bson_type::INT64, number.to_le_bytes().to_vec())
}

fn double(number: f64) -> Owned {
    (bson_type::DOUBLE, number.to_le_bytes().to_vec())
}

/// `coefficient` * 10 ^ `exponent`.
fn decimal(coefficient: i128, exponent: i32) -> Owned {
    let sign = u128::from(coefficient < 0) << 127;
    let biased = u128::try_from(exponent + 6176).unwrap() << 113;
    (bson_type::DECIMAL, (sign | biased | coefficient.unsigned_abs()).to_le_bytes().to_vec())
}

fn string_of(kind: u8, text: &[u8]) -> Owned {
    let length = i32::try_from(text.len() + 1).unwrap().to_le_bytes();
    (kind, [&length[..], text, &[0]].concat())
}

fn binary(subtype: u8, payload: &[u8]) -> Owned {
    let length = i32::try_from(payload.len()).unwrap().to_le_bytes();
    (bson_type::BINARY, [&length[..], &[subtype], payload].concat())
}

/// An object or an array.
fn nested(kind: u8, elements: &[(&str, Owned)]) -> Owned {
    let mut body = Vec::new();
    for (name, (kind, value)) in elements {
        body.push(*kind);
        body.extend_from_slice(name.as_bytes());
        body.push(0);
        body.extend_from_slice(value);
    }
    let length = i32::try_from(body.len() + 5).unwrap().to_le_bytes();
    (kind, [&length[..], &body, &[0]].concat())
}

fn code_with_scope(code: &[u8], scope: &[(&str, Owned)]) -> Owned {
    let code = string_of(bson_type::CODE, code).1;
    let scope = nested(bson_type::OBJECT, scope).1;
    let length = i32::try_from(4 + code.len() + scope.len()).unwrap().to_le_bytes();
    (bson_type::CODE_WITH_SCOPE, [&length[..], &code, &scope].concat())
}

fn db_pointer(namespace: &[u8], id: [u8; 12]) -> Owned {
    (bson_type::DB_POINTER, [&string_of(bson_type::STRING, namespace).1[..], &id].concat())
}

/// Read from index files of mongod 6.0.5: value, key bytes, type bits. The whole of them is checked by
/// `tests/it/keystring.rs` where that file is there; these stand for each branch of the code.
fn known() -> Vec<(Owned, &'static str, &'static str)> {
    let object = |elements: &[(&str, Owned)]| nested(bson_type::OBJECT, elements);
    let array = |elements: &[(&str, Owned)]| nested(bson_type::ARRAY, elements);
    vec![
        (int32(0), "29", ""),
        (int32(1), "2b02", ""),
        (int32(-1), "27fd", ""),
        (int32(127), "2bfe", ""),
        (int32(128), "2c0100", ""),
        (int32(-128), "26feff", ""),
        (int32(i32::MIN), "23feffffffff", ""),
        (int64(0), "29", "02"),
        (int64(i64::MAX), "32fffffffffffffffe", "02"),
        (int64(i64::MIN), "1ff83fffffffffffff", "02"),
        (int64(-36_028_797_018_963_968), "20feffffffffffffff", "02"),
        (double(0.0), "29", "01"),
        (double(-0.0), "29", "03"),
        (double(1.0), "2b02", "01"),
        (double(1.5), "2b0380000000000000", "01"),
        (double(-1.5), "27fc7fffffffffffff", "01"),
        (double(0.1), "2afee6666666666668", "01"),
        (double(-0.1), "280119999999999997", "01"),
        (double(255.99), "2c01fffd70a3d70a40", "01"),
        (double(140_737_488_355_328.25), "310100000000000140", "01"),
        (double(5e-324), "2a59a0000000000000", "01"),
        (double(2.225_073_858_507_201e-308), "2a601ffffffffffffc", "01"),
        (double(9_223_372_036_854_775_808.0), "3307c0000000000000", "01"),
        (double(f64::MAX), "337fdffffffffffffe", "01"),
        (double(f64::INFINITY), "33ffffffffffffffff", "01"),
        (double(f64::NEG_INFINITY), "1f0000000000000000", "01"),
        (double(f64::NAN), "1e", "01"),
        (decimal(0, 0), "29", "833b0800"),
        ((bson_type::DECIMAL, (1_u128 << 127 | 6179 << 113).to_le_bytes().to_vec()), "29", "832f8801"), // -0E+3
        (decimal(1, 0), "2b02", "07"),
        (decimal(10, -1), "2b02", "81fb"),
        (decimal(150, -2), "2b0380000000000000", "7b"),
        (decimal(1, -1), "2afee6666666666666", "81fb"),
        (decimal(-1, -1), "280119999999999999", "81fb"),
        (decimal(9999, -2), "2bc7fd70a3d70a3c02", "7b"),
        (
            decimal(3_141_592_653_589_793_238_462_643_383_279_503, -33),
            "2b07243f6a8885a30101b314fa3fd986d5",
            "81ff",
        ),
        (
            decimal(1_000_000_000_000_000_000_000_000_000_000_001, -33),
            "2b03000000000000030000000000000001",
            "81ff",
        ),
        (decimal(9_007_199_254_740_993, 0), "3140000000000002", "07"),
        (decimal(1, 23), "33096a5a058fc295ed0ba43b7400000000", "81ef"),
        (decimal(-9_223_372_036_854_775_809, 0), "1ff83ffffffffffffefffc72815b397fff", "07"),
        (decimal(1, -320), "2a5aff402e25d1e08f01966205222b0bab", "07"),
        (decimal(1, -400), "2a2cde314dc6448d9338c15b0a00000000", "0b"),
        (decimal(-1, -6176), "28fffffffffffffffffffffffffffffffe", "03"),
        (decimal(18, 307), "33b26658bf31ae986f6628d71200000000", "81cb"),
        (decimal(1, 400), "33b31e314dc6448d9338c15b0a00000000", "0f"),
        (decimal(2, -77), "2ac00a1b603b064372", "81cb"),
        (decimal(17_272_337_110_188_893, -93), "2ac0000000000000010533fe3c75a9d330", "81c3"),
        ((bson_type::DECIMAL, (0x1e_u128 << 122).to_le_bytes().to_vec()), "33ffffffffffffffff", "03"),
        ((bson_type::DECIMAL, (0x1f_u128 << 122).to_le_bytes().to_vec()), "1e", "03"),
        (string_of(bson_type::STRING, b""), "3c00", ""),
        (string_of(bson_type::STRING, b"abc"), "3c61626300", ""),
        (string_of(bson_type::STRING, b"a\0b"), "3c6100ff6200", ""),
        (string_of(bson_type::STRING, b"\xff\xfe"), "3cfffe00", ""),
        (string_of(bson_type::SYMBOL, b"sym"), "3c73796d00", "01"),
        (string_of(bson_type::CODE, b"a\0b"), "a06100ff6200", ""),
        (code_with_scope(b"f()", &[("x", int32(1))]), "aa662829001e78002b0200", ""),
        (
            db_pointer(b"db.coll", *b"\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c"),
            "960000000764622e636f6c6c0102030405060708090a0b0c",
            "",
        ),
        ((bson_type::REGEX, b"abc\0i\0".to_vec()), "8c6162630069 00", ""),
        (binary(0, b"abc"), "5a0300616263", ""),
        (binary(2, b"\x01\0\0\0\0"), "5a05020100000000", ""),
        ((bson_type::OBJECT_ID, vec![0xff; 12]), "64ffffffffffffffffffffffff", ""),
        ((bson_type::BOOL, vec![1]), "6f", ""),
        ((bson_type::BOOL, vec![0]), "6e", ""),
        ((bson_type::DATE, (-1_i64).to_le_bytes().to_vec()), "787fffffffffffffff", ""),
        (
            (bson_type::TIMESTAMP, (1_600_000_000_u64 << 32 | 1).to_le_bytes().to_vec()),
            "825f5e100000000001",
            "",
        ),
        ((bson_type::NULL, vec![]), "14", ""),
        ((bson_type::UNDEFINED, vec![]), "0f", ""),
        ((bson_type::MIN_KEY, vec![]), "0a", ""),
        ((bson_type::MAX_KEY, vec![]), "f0", ""),
        (object(&[]), "4600", ""),
        (object(&[("b", int32(1))]), "461e62002b0200", ""),
        (object(&[("", string_of(bson_type::STRING, b""))]), "463c003c0000", ""),
        (array(&[("0", int32(1)), ("1", int32(2))]), "502b022b0400", ""),
    ]
}

#[test]
fn keys_equal_those_in_real_index_files() {
    for (value, want, bits) in known() {
        let want = want.replace(' ', "");
        let (ascending, stored) = key(&value, Version::V1, Direction::Ascending).unwrap();
        assert_eq!((hex(&ascending), hex(&stored)), (want, bits.to_owned()), "{value:02x?}");
        let (descending, stored) = key(&value, Version::V1, Direction::Descending).unwrap();
        let inverted: Vec<u8> = ascending.iter().map(|byte| !byte).collect();
        assert_eq!((descending, hex(&stored)), (inverted, bits.to_owned()), "{value:02x?} descending");
    }
}

#[test]
fn a_binary_of_255_bytes_takes_the_long_length() {
    let long = key(&binary(0, &[7; 255]), Version::V1, Direction::Ascending).unwrap().0;
    assert_eq!((hex(&long[..8]).as_str(), long.len()), ("5aff000000ff0007", 255 + 7));
    let short = key(&binary(0, &[7; 254]), Version::V1, Direction::Ascending).unwrap().0;
    assert_eq!((hex(&short[..4]).as_str(), short.len()), ("5afe0007", 254 + 3));
}

/// Read from an index with `v: 1`.
#[test]
fn version_0_lays_fractions_out_otherwise_and_knows_no_decimals() {
    for (value, want, bits) in [
        (int64(i64::MIN), "1f3c1fffffffffffff", "02"),
        (double(1e-300), "2a01a56e1fc2f8f359", "01"),
        (double(127.0), "2bfe", "01"),
        (double(-0.0), "29", "03"),
    ] {
        let (ascending, stored) = key(&value, Version::V0, Direction::Ascending).unwrap();
        assert_eq!((hex(&ascending).as_str(), hex(&stored).as_str()), (want, bits), "{value:02x?}");
    }
    let refused = key(&decimal(1, 0), Version::V0, Direction::Ascending);
    assert_eq!(refused, Err(KeyError::DecimalInV0 { at: 0 }));
}

/// An array in an array in an array, as deep as `levels` says, the outermost document counted.
fn deep(levels: usize) -> Owned {
    (2..levels).fold(nested(bson_type::ARRAY, &[]), |inner, _| nested(bson_type::ARRAY, &[("0", inner)]))
}

#[test]
fn nesting_is_taken_to_the_server_limit_and_no_deeper() {
    let (deepest, _) = key(&deep(NESTING_LEVELS_MAX), Version::V1, Direction::Ascending).unwrap();
    assert_eq!(deepest.len(), 2 * (NESTING_LEVELS_MAX - 1));
    let refused = key(&deep(NESTING_LEVELS_MAX + 1), Version::V1, Direction::Ascending).unwrap_err();
    assert!(matches!(refused, KeyError::TooDeep { .. }), "{refused}");
    let far = key(&deep(5_000), Version::V1, Direction::Ascending).unwrap_err();
    assert!(matches!(far, KeyError::TooDeep { .. }), "{far}");
}

#[test]
fn damaged_values_are_errors_with_their_place() {
    for (value, what) in [
        ((bson_type::INT32, vec![1, 2]), "its value has another length than its type"),
        ((bson_type::STRING, vec![1, 0]), "its length runs past the document"),
        ((bson_type::BINARY, vec![1, 0]), "its length runs past the document"),
        ((bson_type::DB_POINTER, vec![0; 13]), "its length runs past the document"),
        ((bson_type::OBJECT, vec![9, 0, 0, 0, 0]), "the embedded document's length is wrong"),
        ((bson_type::CODE_WITH_SCOPE, vec![8, 0, 0, 0, 9, 0, 0, 0]), "its code runs past its value"),
        (
            (bson_type::CODE_WITH_SCOPE, vec![8, 0, 0, 0, 0xff, 0xff, 0xff, 0xff]),
            "its code runs past its value",
        ),
    ] {
        let error = key(&value, Version::V1, Direction::Ascending).unwrap_err();
        assert_eq!(error, KeyError::Damaged(DocumentErrorKind::BadElement { at: 0, what }), "{value:02x?}");
    }
}

/// Numbers that lie close together, whatever their type: where an order by bytes would go wrong first.
fn neighbours(base: f64) -> impl Strategy<Value = Owned> {
    let near = move |digits: usize, step: i128| {
        let text = format!("{base:.*e}", digits - 1);
        let (mantissa, exponent) = text.split_once('e').unwrap();
        let coefficient: i128 = mantissa.replace('.', "").parse().unwrap();
        let exponent = exponent.parse::<i32>().unwrap() - i32::try_from(digits - 1).unwrap();
        decimal((coefficient + step).clamp(1 - 10_i128.pow(34), 10_i128.pow(34) - 1), exponent)
    };
    #[expect(clippy::cast_possible_truncation, reason = "saturates at the ends, which are wanted")]
    let whole = base as i64;
    prop_oneof![
        Just(double(base)),
        Just(double(base.next_up())),
        (-2..=2_i64).prop_map(move |step| int64(whole.saturating_add(step))),
        (-2..=2_i128).prop_map(move |step| near(34, step)),
        (-2..=2_i128).prop_map(move |step| near(17, step)),
        (-2..=2_i128).prop_map(move |step| near(15, step)),
        (-2..=2_i128).prop_map(move |step| near(3, step)),
        (-99..=99_i128, 1..=3_i32)
            .prop_map(move |(part, digits)| decimal(i128::from(whole) * 1000 + part, -digits)),
    ]
}

/// Doubles of every size, those around a border of the encoding more often.
fn bases() -> impl Strategy<Value = f64> {
    let around = |base: f64| {
        (-3..=3_i64, any::<bool>()).prop_map(move |(steps, negative)| {
            let bits = base.to_bits().saturating_add_signed(steps);
            if negative { -f64::from_bits(bits) } else { f64::from_bits(bits) }
        })
    };
    prop_oneof![
        4 => any::<u64>().prop_map(f64::from_bits).prop_filter("finite", |number| number.is_finite()),
        2 => -1e6..1e6_f64,
        1 => around(1.0),
        1 => around(9_007_199_254_740_992.0),
        1 => around(36_028_797_018_963_968.0),
        1 => around(9_223_372_036_854_775_808.0),
        1 => around(f64::MIN_POSITIVE),
        1 => around(2f64.powi(-255)),
        1 => around(1e-323),
        1 => around(1e308),
    ]
}

fn any_number() -> impl Strategy<Value = Owned> {
    prop_oneof![
        any::<i32>().prop_map(int32),
        any::<i64>().prop_map(int64),
        any::<u64>().prop_map(|bits| double(f64::from_bits(bits))),
        any::<[u8; 16]>().prop_map(|bytes| (bson_type::DECIMAL, bytes.to_vec())),
        (any::<i64>(), -6176..=6111_i32).prop_map(|(number, exponent)| decimal(number.into(), exponent)),
    ]
}

fn any_bytes() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(prop_oneof![Just(0_u8), Just(1), Just(0xfe), Just(0xff), any::<u8>()], 0..6)
}

fn any_value() -> impl Strategy<Value = Owned> {
    let no_nul =
        || any_bytes().prop_map(|bytes| bytes.into_iter().filter(|byte| *byte > 0).collect::<Vec<_>>());
    let leaf = prop_oneof![
        4 => any_number(),
        2 => any_bytes().prop_map(|text| string_of(bson_type::STRING, &text)),
        1 => any_bytes().prop_map(|text| string_of(bson_type::SYMBOL, &text)),
        1 => any_bytes().prop_map(|text| string_of(bson_type::CODE, &text)),
        1 => (any::<u8>(), any_bytes()).prop_map(|(subtype, payload)| binary(subtype, &payload)),
        1 => any::<[u8; 12]>().prop_map(|id| (bson_type::OBJECT_ID, id.to_vec())),
        1 => any::<bool>().prop_map(|truth| (bson_type::BOOL, vec![truth.into()])),
        1 => any::<i64>().prop_map(|millis| (bson_type::DATE, millis.to_le_bytes().to_vec())),
        1 => any::<u64>().prop_map(|time| (bson_type::TIMESTAMP, time.to_le_bytes().to_vec())),
        1 => (no_nul(), no_nul()).prop_map(|(pattern, options)| {
            (bson_type::REGEX, [&pattern[..], &[0], &options, &[0]].concat())
        }),
        1 => (no_nul(), any::<[u8; 12]>()).prop_map(|(namespace, id)| db_pointer(&namespace, id)),
        1 => prop::sample::select(vec![
            bson_type::NULL, bson_type::UNDEFINED, bson_type::MIN_KEY, bson_type::MAX_KEY,
        ]).prop_map(|kind| (kind, vec![])),
    ];
    leaf.prop_recursive(3, 16, 3, |inner| {
        let elements = prop::collection::vec((prop::sample::select(vec!["a", "b", "ab", ""]), inner), 0..3);
        let numbered = |elements: Vec<(&'static str, Owned)>| {
            let names = ["0", "1", "2"];
            names.into_iter().zip(elements).map(|(name, (_, value))| (name, value)).collect::<Vec<_>>()
        };
        prop_oneof![
            elements.clone().prop_map(|elements| nested(bson_type::OBJECT, &elements)),
            elements.clone().prop_map(move |elements| nested(bson_type::ARRAY, &numbered(elements))),
            (any_bytes(), elements).prop_map(|(code, scope)| code_with_scope(&code, &scope)),
        ]
    })
}

/// The order of two keys, ascending and descending, beside that of their values.
fn assert_ordered(left: &Owned, right: &Owned) -> Result<(), TestCaseError> {
    let by_bytes = |direction| -> Ordering {
        let whole = |value| [&key(value, Version::V1, direction).unwrap().0[..], &[END]].concat();
        whole(left).cmp(&whole(right))
    };
    let value = |owned| {
        let (kind, bytes): &(u8, Vec<u8>) = owned;
        Value { kind: *kind, bytes, at: 0 }
    };
    let want = order(value(left), value(right));
    prop_assert_eq!(by_bytes(Direction::Ascending), want, "{:02x?} {:02x?}", left, right);
    prop_assert_eq!(
        by_bytes(Direction::Descending),
        want.reverse(),
        "descending {:02x?} {:02x?}",
        left,
        right
    );
    Ok(())
}

proptest! {
    #[test]
    fn keys_sort_as_their_values_do(left in any_value(), right in any_value()) {
        assert_ordered(&left, &right)?;
    }

    #[test]
    fn keys_of_equal_values_are_equal(value in any_value()) {
        assert_ordered(&value, &value)?;
    }

    #[test]
    fn numbers_sort_across_types(left in any_number(), right in any_number()) {
        assert_ordered(&left, &right)?;
    }

    #[test]
    fn numbers_next_to_each_other_sort_across_types(
        (left, right) in bases().prop_flat_map(|base| (neighbours(base), neighbours(base))),
    ) {
        assert_ordered(&left, &right)?;
    }

    /// Foreign bytes of every type: an error or a key, never a panic.
    #[test]
    fn any_bytes_of_any_type_make_a_key_or_an_error(kind: u8, bytes: Vec<u8>) {
        let _ = key(&(kind, bytes), Version::V1, Direction::Descending);
    }
}
