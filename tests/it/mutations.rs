//! Ten thousand damaged inputs: each ends in an estimate or in an error that names its input.

use pagepress::{
    codec::CodecKind,
    estimate::CollectionEstimate,
    geometry::wiredtiger::{Release, TableConfig},
    pipeline::{PipelineError, Plan, estimate_collection},
    source::{self, Format, OnBadDocument, OpenOptions, SourceError},
};
use std::{fs, num::NonZeroUsize, path::Path};

const MUTATIONS: usize = 10_000;
const SHARDS: usize = 5;

const _: () = assert!(MUTATIONS.is_multiple_of(SHARDS));

/// A 64-bit linear congruential generator; its high half is used.
pub struct Numbers(u64);

impl Numbers {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit.max(1)
    }
}

/// Bytes and words that readers treat as something special.
const PIECES: [&[u8]; 24] = [
    b"\0",
    b"\xff",
    b"\x04\0\0\0",
    b"\x05\0\0\0\0",
    b"\xff\xff\xff\x7f",
    b"\xff\xff\xff\xff",
    b"\x00\x40\x00\x01",
    b"\x03",
    b"\x0f",
    b"_id\0",
    b"\"",
    b"\\u",
    b"\\ud800",
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b"\n",
    b"\t",
    b"{\"$date\":",
    b"{\"$code\":\"x\",\"$scope\":{",
    b"1e999",
    b"\xef\xbb\xbf",
];

/// One to five damages of a seed.
pub fn mutated(seed: &[u8], numbers: &mut Numbers) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..=numbers.below(4) {
        let at = numbers.below(bytes.len() + 1);
        let end = at + numbers.below((bytes.len() - at).min(40) + 1);
        match numbers.below(7) {
            0 if at < bytes.len() => bytes[at] ^= 1 << numbers.below(8),
            1 if at < bytes.len() => bytes[at] = numbers.below(256) as u8,
            2 => drop(bytes.drain(at..end)),
            3 => bytes.truncate(at),
            4 => {
                let again = bytes[at..end].to_vec();
                bytes.splice(at..at, again);
            }
            5 => drop(bytes.splice(at..at, PIECES[numbers.below(PIECES.len())].iter().copied())),
            _ => {
                let piece = PIECES[numbers.below(PIECES.len())];
                let end = (at + piece.len()).min(bytes.len());
                bytes.splice(at..end, piece.iter().copied());
            }
        }
    }
    bytes
}

enum Failure {
    Source(SourceError),
    Pipeline(PipelineError),
}

fn estimate(path: &Path, options: &OpenOptions) -> Result<CollectionEstimate, Failure> {
    let mut source = source::open(path, options).map_err(Failure::Source)?;
    let plan = Plan {
        codecs: vec![CodecKind::None],
        threads: NonZeroUsize::MIN,
        on_bad: options.on_bad,
        ..Plan::new(TableConfig::collection(Release::NEWEST))
    };
    let estimate = estimate_collection("a", &mut *source, &plan, &mut |_| ());
    source.notes();
    estimate.map_err(Failure::Pipeline)
}

/// One collection with these documents, without their checksum, as mongodump frames it.
fn archive(documents: &[u8]) -> Vec<u8> {
    const END: &[u8] = &[0xff; 4];
    let header = |end: u8| {
        let end = [&b"\x08EOF\0"[..], &[end], b"\x12CRC\0\0\0\0\0\0\0\0\0"].concat();
        document(&[b"\x02db\0\x02\0\0\0d\0", b"\x02collection\0\x02\0\0\0c\0", &end])
    };
    let entry = document(&[
        b"\x02db\0\x02\0\0\0d\0",
        b"\x02collection\0\x02\0\0\0c\0",
        b"\x02metadata\0\x0f\0\0\0{\"indexes\":[]}\0",
        b"\x10size\0\0\0\0\0",
    ]);
    let prelude = document(&[b"\x10concurrent_collections\0\x04\0\0\0", b"\x02version\0\x04\0\0\x000.1\0"]);
    [&b"\x6d\xe2\x99\x81"[..], &prelude, &entry, END, &header(0), documents, END, &header(1), END].concat()
}

fn document(elements: &[&[u8]]) -> Vec<u8> {
    let body = elements.concat();
    let length = u32::try_from(body.len() + 5).unwrap().to_le_bytes();
    [&length[..], &body, &[0]].concat()
}

pub fn gzipped(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    std::io::Write::write_all(&mut encoder, bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn damaged_inputs_end_in_an_estimate_or_in_an_error_that_names_them() {
    // Each run waits for threads of its own pool most of the time, so several run side by side.
    let (estimates, errors) = std::thread::scope(|scope| {
        let running: Vec<_> = (0..SHARDS as u64).map(|shard| scope.spawn(move || run_shard(shard))).collect();
        running.into_iter().map(|shard| shard.join().unwrap()).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1))
    });
    assert_eq!(estimates + errors, MUTATIONS);
    assert!(estimates > MUTATIONS / 10 && errors > MUTATIONS / 10, "{estimates} estimates, {errors} errors");
}

/// A fifth of the mutations, from a seed of its own: estimates and errors.
fn run_shard(shard: u64) -> (usize, usize) {
    let json = br#"{"_id":{"$oid":"656000000a0a0a0a0a000001"},"s":"h\u00e9\n","l":5000000000,"d":1.5e1,"a":[1,{"b":[true,null]}],
"when":{"$date":"2023-11-14T22:13:20.123Z"},"b":{"$binary":{"base64":"aGk=","subType":"80"}}}
{"n":-1}
{"re":{"$regularExpression":{"pattern":"a","options":"i"}},"c":{"$code":"x","$scope":{"y":1}}}
"#;
    let shell = br#"{ _id : ObjectId("656000000a0a0a0a0a000001"), 'x' : NumberLong(5), d : /a\/b/i, "u" : undefined }
{ "r" : { "$regex" : "a", "$options" : "i" }, t : Timestamp(1, 2), e : new Date(-1), n : -0x10, 'q' : 'it\'s' }
"#;
    let csv = b"_id,name,a.x,a.y,price\n1,tea,1,2,2.5\n2,\"a, \"\"b\"\"\",,,3\n3,NA,007\n\n4,\"two\nlines\",x,y,z\n";
    let bson = [
        &b"\x11\0\0\0\x10_id\0\x01\0\0\0\x0a-\0\0"[..],
        b"\x2a\0\0\0\x02s\0\x03\0\0\0hi\0\x03d\0\x05\0\0\0\0\x05b\0\x02\0\0\0\0hi\x10_id\0\x02\0\0\0\0",
        b"\x17\0\0\0\x0fc\0\x0f\0\0\0\x02\0\0\0x\0\x05\0\0\0\0\0",
        b"\x05\0\0\0\0",
    ]
    .concat();
    let seeds = [
        ("a.bson", &bson[..], Some(Format::Bson)),
        ("a.json", json, Some(Format::Json)),
        ("a.shell.json", shell, Some(Format::Json)),
        ("a.csv", csv, Some(Format::Csv)),
        ("a.tsv", b"a\tb\r\n1\tx\r\n2\ty\r\n3", Some(Format::Tsv)),
        ("a.archive", &archive(&bson), None),
        ("a.bson.gz", &gzipped(&bson), None),
        ("a.bson.zst", &zstd::encode_all(&bson[..], 3).unwrap(), None),
    ];
    let folder = tempfile::tempdir().unwrap();
    let mut numbers = Numbers::new(42 + shard);
    let (mut estimates, mut errors) = (0, 0);
    for round in 0..MUTATIONS / SHARDS {
        let (name, seed, format) = seeds[round % seeds.len()];
        let bytes = mutated(seed, &mut numbers);
        let path = folder.path().join(name);
        fs::write(&path, &bytes).unwrap();
        let on_bad = [OnBadDocument::Stop, OnBadDocument::Skip][numbers.below(2)];
        let format = format.filter(|_| numbers.below(2) == 1);
        let options = OpenOptions { format, ..OpenOptions::new(on_bad) };
        let shown = || format!("{name} {options:?} {}", bytes.escape_ascii());
        let (message, hints) = match estimate(&path, &options) {
            Ok(estimate) => {
                estimates += 1;
                // The shortest text of a document is `{}`, that of an element `[`; an `_id` takes 17 bytes.
                let bound = 16 * (bytes.len() as u64 + 16);
                assert!(estimate.bson.0 <= bound, "{} bytes of BSON: {}", estimate.bson.0, shown());
                estimate.storage.iter().for_each(|row| row.tally.assert_complete());
                continue;
            }
            Err(Failure::Source(error)) => (error.to_string(), error.hints()),
            Err(Failure::Pipeline(error)) => (error.to_string(), Vec::new()),
        };
        errors += 1;
        assert!(message.contains(name), "{message}: {}", shown());
        assert!(!message.contains('\n') && message.len() < 1000, "{message}: {}", shown());
        assert!(hints.iter().all(|hint| !hint.is_empty()), "{hints:?}: {}", shown());
    }
    (estimates, errors)
}
