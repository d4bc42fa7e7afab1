//! Seeded documents, the same on every machine.

/// A 64-bit linear congruential generator; its high half is used.
pub struct Numbers(u64);

impl Numbers {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Below `limit`.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// Log lines of about 200 bytes: `_id`, user, level, time, host and a message of nineteen words.
pub fn log_lines(bytes_min: usize) -> (Vec<u8>, u64) {
    let mut numbers = Numbers::new(42);
    let vocabulary: Vec<String> = (0..220)
        .map(|_| {
            let letters = 3 + numbers.below(6);
            (0..letters).map(|_| char::from(b'a' + numbers.below(26) as u8)).collect()
        })
        .collect();
    let mut out = Vec::with_capacity(bytes_min + 1024);
    let mut documents = 0;
    while out.len() < bytes_min {
        let start = out.len();
        out.extend_from_slice(&[0; 4]);
        int32(&mut out, "_id", documents as i32);
        int32(&mut out, "user", numbers.below(5000) as i32);
        string(&mut out, "level", ["info", "warn", "error", "debug"][numbers.below(4) as usize]);
        int32(&mut out, "ts", 1_700_000_000 + documents as i32);
        let words: Vec<&str> = (0..19).map(|_| vocabulary[numbers.below(220) as usize].as_str()).collect();
        string(&mut out, "msg", &words.join(" "));
        string(&mut out, "host", &format!("srv-{:02}", numbers.below(40)));
        out.push(0);
        let bytes = (out.len() - start) as i32;
        out[start..start + 4].copy_from_slice(&bytes.to_le_bytes());
        documents += 1;
    }
    (out, documents)
}

/// Appends an element.
pub fn int32(out: &mut Vec<u8>, name: &str, value: i32) {
    out.push(0x10);
    out.extend_from_slice(name.as_bytes());
    out.push(0);
    out.extend_from_slice(&value.to_le_bytes());
}

fn string(out: &mut Vec<u8>, name: &str, value: &str) {
    out.push(0x02);
    out.extend_from_slice(name.as_bytes());
    out.push(0);
    out.extend_from_slice(&(value.len() as i32 + 1).to_le_bytes());
    out.extend_from_slice(value.as_bytes());
    out.push(0);
}
