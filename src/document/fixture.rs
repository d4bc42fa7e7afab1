//! Documents for this module's tests, put together from the bytes of their elements.

/// Length, elements, terminator.
pub(super) fn document(elements: &[&[u8]]) -> Vec<u8> {
    let body: Vec<u8> = elements.concat();
    let mut out = i32::try_from(body.len() + 5).unwrap().to_le_bytes().to_vec();
    out.extend(body);
    out.push(0);
    out
}
